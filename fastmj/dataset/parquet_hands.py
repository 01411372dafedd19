"""Columns of hands read from Parquet straight into bytes, where they are stored as is usual.

pyarrow's reader keeps a bit for each null, 4 bytes for each number, and copies the bytes of hands
thrice: 30 ns a hand for plain columns, where this takes 11. As it writes them by default this takes
63, of which unpacking Snappy is 40. Whatever is not as usual is left to pyarrow.
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

from ..hands.arrow import HAND_COLUMNS, require_pyarrow
from .parquet_footer import (
    CODEC,
    NULLS,
    PAGE_CRC,
    PAGE_PACKED,
    STATISTICS,
    VALUES,
    Chunk,
    footer_at,
)
from .parquet_thrift import Reader, Struct

Bytes = npt.NDArray[np.uint8]

_INT32, _FIXED = 1, 7
_TYPE, _LENGTH, _REPETITION = 1, 2, 3
_REQUIRED, _OPTIONAL = 0, 1
_PLAIN, _RLE, _INDICES = 0, 3, (2, 8)
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
#: Of page headers: kind, sizes, checksum, and the header of each kind.
_KIND, _SIZE, _HEADERS = 1, 2, {_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}
#: Bytes in which a page header mostly ends, and in which it has to.
_HEADER, _LONG = 1 << 9, 1 << 20
#: Bytes of packed data in which its length is said.
_TOP = 18
#: Bytes of a page; a damaged file may promise anything.
_LARGEST = 1 << 28
#: Those that say how long the data are that are packed, so that less cannot come out of a damaged
#: page: pyarrow would leave the rest as it was in memory.
_CODECS = {0: None, 1: "snappy", 6: "zstd"}


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
    footer = footer_at(path)
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
        self.bytes = 4 if width == 1 else width  # of a value in the file
        self.at, self.end = chunk.start, chunk.start + chunk.length
        name = _CODECS[chunk.meta[CODEC][1]]
        self.codec: Any = None if name is None else require_pyarrow().Codec(name)
        self.most = chunk.meta[VALUES][1]
        #: How the last page began that stands plain in the file, its values, and its bytes in all:
        #: most begin alike, and looking closer at each took 4 ns a hand.
        self.alike: tuple[bytes, int, int] | None = None
        self.dictionary: Bytes | None = None
        #: Values of the page that stand plain in the file from here on, and values in memory.
        self.left = self.begin = 0
        self.values: npt.NDArray[Any] = np.zeros((0, width), np.uint8)
        # Used again for every page: fresh memory costs as much as reading.
        self.held = bytearray()

    def take(self, rows: int) -> Bytes:
        """The next values."""
        found = np.empty((rows, self.width), np.uint8)
        filled = 0
        while filled < rows:
            while not (self.left or len(self.values)):
                self._next_page()
            if self.left:
                stop = filled + min(self.left, rows - filled)
                self._read_plain(found[filled:stop])
            else:
                stop = min(filled + len(self.values), rows)
                piece, self.values = np.split(self.values, [stop - filled])
                found[filled:stop] = piece  # of a number the lowest byte
            filled = stop
        return found

    def _read_plain(self, out: Bytes) -> None:
        if self.width > 1:
            size = self._read(out.data.cast("B"), self.begin)
        else:
            data = self._room(self.bytes * len(out))
            size = self._read(data, self.begin)
            np.copyto(out[:, 0], np.frombuffer(data, "<i4"), casting="unsafe")
        self.begin += size
        self.left -= len(out)

    def _room(self, size: int) -> memoryview:
        if len(self.held) < size:
            self.held = bytearray(size)
        return memoryview(self.held)[:size]

    def _read(self, data: memoryview, at: int) -> int:
        if os.preadv(self.handle, [data], at) != len(data):
            raise UnusualError("the file is shorter than its footer says")
        return len(data)

    def _next_page(self) -> None:
        if self.at >= self.end:
            raise UnusualError("fewer values than there are rows")
        first = self.at
        top = os.pread(self.handle, min(_HEADER, self.end - first), first)
        if self.alike is not None:
            start, number, size = self.alike
            if top.startswith(start) and first + size <= self.end:
                self.left, self.begin, self.at = number, first + len(start), first + size
                return
        header = self._header(top)
        kind, size, packed = (header[number][1] for number in (_KIND, _SIZE, PAGE_PACKED))
        if not (0 <= packed <= self.end - self.at and 0 <= size <= _LARGEST and kind in _HEADERS):
            raise UnusualError("a page")
        about: Struct = header[_HEADERS[kind]][1]
        number, encoding = about[1][1], about[4 if kind == _DATA_2 else 2][1]
        if not 0 <= number <= self.most:
            raise UnusualError("a number of values")
        begin, self.at = self.at, self.at + packed
        levels = 0
        if kind == _DATA_2:
            levels = about[5][1] + about[6][1]
        elif kind == _DATA and self.optional:
            if about[3][1] != _RLE:
                raise UnusualError("levels")
            if self.codec is None:
                levels = 4 + int.from_bytes(os.pread(self.handle, 4, begin), "little")
        if not 0 <= levels <= min(packed, size):
            raise UnusualError("levels")
        if (
            kind != _DICTIONARY
            and encoding == _PLAIN
            and self.codec is None
            and PAGE_CRC not in header
        ):
            if number * self.bytes > packed - levels:
                raise UnusualError("fewer values than there should be")
            self.left, self.begin = number, begin + levels
            if self.begin <= first + len(top):
                self.alike = top[: self.begin - first], number, self.at - first
            return
        data = self._room(packed)
        self._read(data, begin)
        if PAGE_CRC in header and zlib.crc32(data) != header[PAGE_CRC][1] & 0xFFFFFFFF:
            raise UnusualError("a checksum")
        if kind == _DATA_2:
            page = np.frombuffer(data, np.uint8)[levels:]
            if about.get(7, (1, True))[1]:
                page = self._unpacked(data[levels:], size - levels)
        else:
            page = self._unpacked(data, size)
            if kind == _DATA and self.optional:
                page = page[4 + int.from_bytes(page[:4].tobytes(), "little") :]
        self._decode(page, number, encoding, kind == _DICTIONARY)

    def _header(self, top: bytes) -> Struct:
        """Header of the page that begins with these bytes, or goes on after them."""
        reader = Reader(top)
        try:
            header = reader.struct()
        except (ValueError, IndexError):
            reader = Reader(os.pread(self.handle, min(_LONG, self.end - self.at), self.at))
            header = reader.struct()
        self.at += reader.at
        return header

    def _unpacked(self, data: memoryview, size: int) -> Bytes:
        if self.codec is None:
            return np.frombuffer(data, np.uint8)
        if _unpacked_size(self.codec.name, bytes(data[:_TOP])) != size:
            raise UnusualError("a page of another length than is said")
        return np.frombuffer(self.codec.decompress(data, size), np.uint8)

    def _decode(self, page: Bytes, number: int, encoding: int, dictionary: bool) -> None:
        if encoding in _INDICES and not dictionary:
            from ..kernels.look_up import look_up

            self.values = np.empty((number, self.width), np.uint8)
            bits = int(page[0])
            if self.dictionary is None or bits > 32:
                raise UnusualError("no dictionary")
            if not look_up(page[1:], bits, self.dictionary, self.values):
                raise UnusualError("indices")
            return
        if encoding != _PLAIN and not dictionary:
            raise UnusualError("an encoding")
        found: npt.NDArray[Any] = page[: number * self.bytes].reshape(number, self.bytes)
        if self.width == 1:
            found = found[:, :1]
        if dictionary:
            self.dictionary = found.copy()
        else:
            self.values = found


def _unpacked_size(codec: str, top: bytes) -> int:
    """Length of what is packed, as the first bytes of the packed data say; -1 if they do not."""
    if codec == "snappy":
        return Reader(top).varint()
    if top[:4] != b"\x28\xb5\x2f\xfd":
        return -1
    # The frame header of Zstandard: a byte of flags, the window unless it is all one segment, the
    # number of a dictionary, and the length in so many bytes.
    flags = top[4]
    single = flags >> 5 & 1
    at = 5 + (not single) + (0, 1, 2, 4)[flags & 3]
    width = (single, 2, 4, 8)[flags >> 6]
    if not width or at + width > len(top):
        return -1
    return int.from_bytes(top[at : at + width], "little") + (256 if width == 2 else 0)
