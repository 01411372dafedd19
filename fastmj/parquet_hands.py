"""Columns of hands read from Parquet straight into bytes, where they are stored as is usual.

pyarrow's reader takes 40 ns a hand for plain columns and 105 for its own writer's defaults, as long
as scoring them: it keeps a bit for each null, 4 bytes for each number, and copies the bytes of
hands thrice. This takes 27 and 72, of which unpacking Snappy is 47. Whatever is not as usual is
left to pyarrow.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrow import HAND_COLUMNS, require_pyarrow
from .parquet_footer import CODEC, NULLS, STATISTICS, VALUES, Chunk, Footer
from .parquet_thrift import Reader, Struct

Bytes = npt.NDArray[np.uint8]

_INT32, _FIXED = 1, 7
_TYPE, _LENGTH, _REPETITION = 1, 2, 3
_REQUIRED, _OPTIONAL = 0, 1
_PLAIN, _RLE, _INDICES = 0, 3, (2, 8)
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
#: Of page headers: kind, sizes, checksum, and the header of each kind.
_KIND, _SIZE, _PACKED, _CRC, _HEADERS = 1, 2, 3, 4, {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}
#: Bytes of a page; a damaged file may promise anything.
_LARGEST = 1 << 28
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}


#: Rows of a row group, and of each column the chunk, the width and whether nulls could be.
_Group = tuple[int, list[tuple[Chunk, int, bool]]]


class UnusualError(Exception):
    """Something that is left to pyarrow."""


def read_hands(path: Path, columns: Sequence[str], group: int, rows: int) -> Iterator[list[Bytes]]:
    """Columns of hands of a row group, so many rows at a time, each uint8 (N, width).

    Raises
    ------
    UnusualError
        When it is not certain how they are to be read: after as much as could be read.
    """
    try:
        total, chunks = _groups(path, path.stat().st_mtime_ns, tuple(columns))[group]
        with path.open("rb", buffering=0) as file:
            cursors = [_Cursor(file.fileno(), *chunk) for chunk in chunks]
            for start in range(0, total, rows):
                length = min(rows, total - start)
                yield [cursor.take(length) for cursor in cursors]
    except (ValueError, LookupError, TypeError, OSError, require_pyarrow().ArrowException) as error:
        raise UnusualError(str(error)) from None
    except AttributeError as error:  # a system without ``preadv``
        raise UnusualError(str(error)) from None


@lru_cache(maxsize=1)
def _groups(path: Path, time: int, columns: tuple[str, ...]) -> list[_Group]:
    """Rows of each row group, and chunks with their width and whether nulls could be."""
    footer = Footer(path)
    known = footer.columns()
    leaves = []
    for name in columns:
        (element,), span = known[name]
        width = HAND_COLUMNS[name]
        kind = element[_TYPE][1], element.get(_LENGTH, (0, 0))[1]
        wanted = (_INT32, kind[1]) if width == 1 else (_FIXED, width)
        if kind != wanted or element[_REPETITION][1] not in (_REQUIRED, _OPTIONAL):
            raise UnusualError(f"column {name!r}")
        leaves.append((span.start, width, element[_REPETITION][1] == _OPTIONAL))
    groups = []
    for rows, chunks in footer.groups():
        chosen = []
        for leaf, width, optional in leaves if rows else ():
            meta = chunks[leaf].meta
            statistics = meta.get(STATISTICS, (0, {}))[1]
            if meta[CODEC][1] not in _CODECS or meta[VALUES][1] != rows:
                raise UnusualError("a compression or a number of values")
            if optional and statistics.get(NULLS, (0, -1))[1] != 0:
                raise UnusualError("nulls")
            chosen.append((chunks[leaf], width, optional))
        groups.append((rows, chosen))
    return groups


class _Cursor:
    """Reads the values of one column chunk one after another."""

    def __init__(self, handle: int, chunk: Chunk, width: int, optional: bool):
        self.handle, self.width, self.optional = handle, width, optional
        self.at, self.end = chunk.start, chunk.start + chunk.length
        name = _CODECS[chunk.meta[CODEC][1]]
        self.codec: Any = None if name is None else require_pyarrow().Codec(name)
        self.most = chunk.meta[VALUES][1]
        self.dictionary: Bytes | None = None
        self.held = bytearray()  # used again for every page: fresh memory costs as much as reading
        self.values: npt.NDArray[Any] = np.zeros((0, width), np.uint8)

    def take(self, rows: int) -> Bytes:
        """The next values."""
        found = np.empty((rows, self.width), np.uint8)
        filled = 0
        while filled < rows:
            while not len(self.values):
                self._next_page()
            piece = self.values[: rows - filled]
            found[filled : filled + len(piece)] = piece  # of a number the lowest byte
            filled += len(piece)
            self.values = self.values[len(piece) :]
        return found

    def _next_page(self) -> None:
        if self.at >= self.end:
            raise UnusualError("fewer values than there are rows")
        header = self._header()
        kind, size, packed = (header[number][1] for number in (_KIND, _SIZE, _PACKED))
        if not (0 <= packed <= self.end - self.at and 0 <= size <= _LARGEST and kind in _HEADERS):
            raise UnusualError("a page")
        if len(self.held) < packed:
            self.held = bytearray(packed)
        data = memoryview(self.held)[:packed]
        if os.preadv(self.handle, [data], self.at) != packed:
            raise UnusualError("the file is shorter than its footer says")
        self.at += packed
        if _CRC in header and zlib.crc32(data) != header[_CRC][1] & 0xFFFFFFFF:
            raise UnusualError("a checksum")
        about: Struct = header[_HEADERS[kind]][1]
        if kind == _DATA_2:
            levels = about[5][1] + about[6][1]
            if not 0 <= levels <= min(packed, size):
                raise UnusualError("levels")
            page = np.frombuffer(data, np.uint8)[levels:]
            if about.get(7, (1, True))[1]:
                page = self._unpacked(data[levels:], size - levels)
            encoding = about[4][1]
        else:
            page = self._unpacked(data, size)
            encoding = about[2][1]
            if kind == _DATA and self.optional:
                if about[3][1] != _RLE:
                    raise UnusualError("levels")
                page = page[4 + int.from_bytes(page[:4].tobytes(), "little") :]
        self._decode(page, about[1][1], encoding, kind == _DICTIONARY)

    def _header(self) -> Struct:
        # 4 ns a hand with pages of 20,000 rows; a kernel for it spared 3, in 60 lines.
        for length in (1 << 9, 1 << 20):
            reader = Reader(os.pread(self.handle, min(length, self.end - self.at), self.at))
            try:
                header = reader.struct()
            except (ValueError, IndexError):
                continue
            self.at += reader.at
            return header
        raise UnusualError("a page header")

    def _unpacked(self, data: memoryview, size: int) -> Bytes:
        if self.codec is None:
            return np.frombuffer(data, np.uint8)
        return np.frombuffer(self.codec.decompress(data, size), np.uint8)

    def _decode(self, page: Bytes, number: int, encoding: int, dictionary: bool) -> None:
        if not 0 <= number <= self.most:
            raise UnusualError("a number of values")
        if encoding in _INDICES and not dictionary:
            from .kernels.look_up import look_up

            self.values = np.empty((number, self.width), np.uint8)
            bits = int(page[0])
            if self.dictionary is None or bits > 32:
                raise UnusualError("no dictionary")
            if not look_up(page[1:], bits, self.dictionary, self.values):
                raise UnusualError("indices")
            return
        if encoding != _PLAIN and not dictionary:
            raise UnusualError("an encoding")
        bytes_ = 4 if self.width == 1 else self.width
        found: npt.NDArray[Any] = page[: number * bytes_].reshape(number, bytes_)
        if self.width == 1:
            found = found[:, :1]
        if dictionary:
            self.dictionary = found.copy()
        else:
            self.values = found
