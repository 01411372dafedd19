"""Scores as pages of Parquet columns, written from what the kernels leave behind.

Pages of one column have the same dictionary wherever they come from: the numbers from 0 on, or the
names of the fans. So the indices are the numbers themselves, bytes as they lie in memory, and
pages that were made apart stand in one column chunk together. pyarrow's writer took 19 ns a hand
for the numbers and 130 for the lists of fans; these are 3 and 30.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.arrow import require_pyarrow
from ..rules import FANS
from ..scoring.arrow import FLOWERS, FanNames, Fans, fan_column_names, fans_to_list
from .parquet_footer import (
    CODEC,
    DATA_PAGE,
    DICTIONARY_PAGE,
    HIGHEST,
    LOWEST,
    MAGIC,
    NULLS,
    PACKED,
    PAGE_CRC,
    PAGE_PACKED,
    SIZE,
    STATISTICS,
    VALUES,
    Chunk,
)
from .parquet_thrift import BINARY, I32, I64, LIST, STRUCT, Struct, varint, write_struct

_BOOLEAN, _INT32, _INT64, _BYTE_ARRAY, _FIXED = 0, 1, 2, 6, 7
_PLAIN, _RLE, _INDICES = 0, 3, 8
#: Numbers of the compressions.
CODECS = {"none": 0, "snappy": 1, "zstd": 6, "lz4": 7}
_NAMES = {"lz4": "lz4_raw"}
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
#: Entries of the dictionaries of numbers: what a byte holds, and more than hands score.
_BYTES, _SHORTS, _TIMES = 256, 512, 16
#: Rows of a page of kept columns.
_PAGE_ROWS = 1 << 15

_NOWHERE = np.zeros(0, np.int32)


class _Column:
    """Pages of one column as they come."""

    def __init__(self, path: Sequence[str], kind: int, compression: str, entries: Any = ()):
        self.path, self.kind, self.compression = path, kind, compression
        self.codec: Any = None
        if compression != "none":
            self.codec = require_pyarrow().Codec(_NAMES.get(compression, compression))
        self.pages: list[Any] = []
        self.size = self.packed = self.values = 0
        self.lows: list[int] = []
        self.highs: list[int] = []
        self.first = 0
        if len(entries):
            header: Struct = {1: (I32, len(entries)), 2: (I32, _PLAIN)}
            self._page(_DICTIONARY_PAGE, 7, header, [_plain(entries)])
            self.first = self.packed

    def _page(self, kind: int, field: int, header: Struct, pieces: Sequence[Any]) -> None:
        size = sum(memoryview(piece).nbytes for piece in pieces)
        if self.codec is not None:
            pieces = [self.codec.compress(b"".join(pieces))]
        packed = sum(memoryview(piece).nbytes for piece in pieces)
        crc = 0
        for piece in pieces:
            crc = zlib.crc32(piece, crc)
        said = write_struct({
            1: (I32, kind), 2: (I32, size), PAGE_PACKED: (I32, packed),
            PAGE_CRC: (I32, crc - (crc >> 31 << 32)), field: (STRUCT, header),
        })  # fmt: skip
        self.pages += _fewer([said, *pieces])
        self.size += len(said) + size
        self.packed += len(said) + packed

    def add(self, values: int, encoding: int, *pieces: Any) -> None:
        """Add a page of so many values."""
        header: Struct = {
            1: (I32, values), 2: (I32, encoding), 3: (I32, _RLE), 4: (I32, _RLE),
        }  # fmt: skip
        self._page(_DATA_PAGE, 5, header, pieces)
        self.values += values

    def chunk(self) -> Chunk:
        """All pages so far."""
        meta: Struct = {
            1: (I32, self.kind),
            2: (LIST, (I32, [_PLAIN, _RLE, *([_INDICES] if self.first else [])])),
            3: (LIST, (BINARY, [name.encode() for name in self.path])),
            CODEC: (I32, CODECS[self.compression]),
            VALUES: (I64, self.values),
            SIZE: (I64, self.size),
            PACKED: (I64, self.packed),
            DATA_PAGE: (I64, len(MAGIC) + self.first),
        }
        if self.first:
            meta[DICTIONARY_PAGE] = (I64, len(MAGIC))
        said: Struct = {NULLS: (I64, 0)}
        if self.lows:
            width = 1 if self.kind == _BOOLEAN else 4
            bounds = {HIGHEST: max(self.highs), LOWEST: min(self.lows)}
            for number, value in bounds.items():
                said[number] = (BINARY, value.to_bytes(width, "little", signed=True))
        if self.lows or self.kind == _FIXED:
            meta[STATISTICS] = (STRUCT, said)
        return Chunk(self.pages, len(MAGIC), self.packed, meta)


def _fewer(pieces: Sequence[Any]) -> list[Any]:
    """Pieces with those that are short joined to what is before them."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, bytes) and found and isinstance(found[-1], bytes):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def _plain(entries: Any) -> bytes:
    """Dictionary of numbers or of texts."""
    if isinstance(entries, range):
        return np.arange(len(entries), dtype="<i4").tobytes()
    words = [word.encode() for word in entries]
    return b"".join(len(word).to_bytes(4, "little") + word for word in words)


def _run(values: int, level: int, width: int = 1) -> bytes:
    """The same level or index so many times."""
    return varint(values << 1) + level.to_bytes(width, "little")


def _packed(values: int, data: Any) -> list[Any]:
    """Levels or indices side by side, as many bits each as the reader knows."""
    return [varint(-(-values // 8) << 1 | 1), data]


def _levels(*pieces: Any) -> list[Any]:
    """Levels, which stand after their length."""
    return [sum(memoryview(piece).nbytes for piece in pieces).to_bytes(4, "little"), *pieces]


def _eights(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values filled up to groups of eight."""
    rest = -len(values) % 8
    return np.concatenate([values, np.zeros(rest, values.dtype)]) if rest else values


def _bits(flags: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return np.packbits(flags, bitorder="little")


def _add_numbers(
    column: _Column, values: npt.NDArray[Any], entries: int, nullable: bool = True
) -> None:
    """A page of numbers: indices of as many bits as they have in memory, fewer if they allow."""
    rows, width = len(values), values.itemsize
    low, high = int(values.min()), int(values.max())
    column.lows.append(low)
    column.highs.append(high)
    given = _levels(_run(rows, 1)) if nullable else []
    if width == 2 and low >= 0 and high < _BYTES:
        values, width = values.astype(np.uint8), 1
    if low < 0 or high >= entries:
        column.add(rows, _PLAIN, *given, values.astype("<i4"))
    elif low == high:
        column.add(rows, _INDICES, *given, bytes([8 * width]), _run(rows, low, width))
    elif high == 1:
        column.add(rows, _INDICES, *given, bytes([1]), *_packed(rows, _bits(values)))
    else:
        column.add(rows, _INDICES, *given, bytes([8 * width]), *_packed(rows, _eights(values)))


def _add_fans(columns: Sequence[_Column], scores: Any, times: Any) -> None:
    """A page of each fan: of bits, but for the fans that may count more than once."""
    from ..kernels.fan_lists import mark_fans
    from ..kernels.scoring.layout import REPEATING

    rows = len(scores)
    bits = np.zeros((len(columns), -(-rows // 8)), np.uint8)
    totals = np.zeros(len(columns), np.int64)
    mark_fans(scores.fan_mask, bits, totals)
    given = _levels(_run(rows, 1))
    several = dict(zip(REPEATING, times.view(np.uint8).reshape(rows, 8).T, strict=True))
    several[FLOWERS] = scores.batch.flowers
    for fan, column in enumerate(columns):
        if fan in several and totals[fan]:
            flags = np.unpackbits(bits[fan], count=rows, bitorder="little")
            _add_numbers(column, several[fan] * flags, _TIMES)
            continue
        column.lows.append(int(totals[fan] == rows))
        column.highs.append(int(totals[fan] > 0))
        if totals[fan] in (0, rows):
            column.add(rows, _INDICES, *given, bytes([1]), _run(rows, int(totals[fan] > 0)))
        else:
            column.add(rows, _INDICES, *given, bytes([1]), *_packed(rows, bits[fan]))


def _add_lists(column: _Column, scores: Any, times: npt.NDArray[np.int64] | None) -> None:
    """A page of lists of fans; a row without fans is an entry of its own."""
    from ..kernels.fan_lists import list_fans

    masks, times, flowers, codes = fans_to_list(scores, times)
    most = len(codes) + len(scores)
    later, full = np.full(-(-most // 8), 255, np.uint8), np.full(-(-most // 4), 255, np.uint8)
    total, empty = list_fans(masks, times, flowers, _NOWHERE, codes, later, full)
    entries = total + empty
    levels = _packed(entries, full[: -(-entries // 8) * 2]) if empty else [_run(entries, 3)]
    column.add(
        entries, _INDICES, *_levels(*_packed(entries, later[: -(-entries // 8)])),
        *_levels(*levels), bytes([8]), *(_packed(total, _eights(codes[:total])) if total else ()),
    )  # fmt: skip


def bytes_chunk(name: str, rows: npt.NDArray[np.uint8], nullable: bool, compression: str) -> Chunk:
    """Column chunk of rows of bytes, shape (N, B), N at least 1; of numbers where B is 1.

    pyarrow takes 70 ns for the columns of a hand, this 10.
    """
    length, width = rows.shape
    number = width == 1
    column = _Column(
        [name], _INT32 if number else _FIXED, compression, range(_BYTES if number else 0)
    )
    for start in range(0, length, _PAGE_ROWS):
        page = rows[start : start + _PAGE_ROWS]
        if number:
            _add_numbers(column, page.reshape(-1), _BYTES, nullable)
        else:
            given = _levels(_run(len(page), 1)) if nullable else []
            column.add(len(page), _PLAIN, *given, page)
    return column.chunk()


class ScorePages:
    """Columns of scores of one row group, or of a piece of one, filled block by block.

    Parameters
    ----------
    fans, names, prefix
        As for ``score_table``, whose columns these are.
    compression : {"none", "lz4", "zstd", "snappy"}
    """

    def __init__(self, fans: Fans, names: FanNames, prefix: str, compression: str):
        def column(name: str, kind: int, entries: Any = ()) -> _Column:
            return _Column([prefix + name], kind, compression, entries)

        self.total = column("total", _INT32, range(_SHORTS))
        self.base = column("base", _INT32, range(_SHORTS))
        self.wins = column("wins", _BOOLEAN)
        self.status = column("status", _INT32, range(_BYTES))
        self.columns = [self.total, self.base, self.wins, self.status]
        self.fans: list[_Column] = []
        self.kind = fans
        if fans == "list":
            path = (f"{prefix}fans", "list", "element")
            words = [getattr(fan, names) for fan in FANS]
            self.fans = [_Column(path, _BYTE_ARRAY, compression, words)]
        elif fans == "mask":
            self.fans = [column(f"fan_mask_{word}", _INT64) for word in range(2)]
        elif fans == "columns":
            self.fans = [
                _Column([name], _INT32, compression, range(_TIMES))
                for name in fan_column_names(prefix)
            ]
        self.columns += self.fans

    def add(self, scores: Any, times: npt.NDArray[np.int64] | None) -> None:
        """Add the scores of a block of rows, at least one; ``times`` as for ``score_table``."""
        rows = len(scores)
        _add_numbers(self.total, scores.total, _SHORTS)
        _add_numbers(self.base, scores.base, _SHORTS)
        _add_numbers(self.status, scores.status, _BYTES)
        self.wins.lows.append(int(scores.wins.min()))
        self.wins.highs.append(int(scores.wins.max()))
        given = _levels(_run(rows, 1))
        self.wins.add(rows, _PLAIN, *given, _bits(scores.wins))
        if self.kind == "list":
            _add_lists(self.fans[0], scores, times)
        elif self.kind == "mask":
            for column, word in zip(self.fans, scores.fan_mask.T, strict=True):
                column.add(rows, _PLAIN, *given, np.ascontiguousarray(word))
        elif self.kind == "columns":
            _add_fans(self.fans, scores, times)

    def chunks(self) -> list[Chunk]:
        """Their column chunks, in the order of the schema."""
        return [column.chunk() for column in self.columns]
