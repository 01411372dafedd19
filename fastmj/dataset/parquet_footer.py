"""Parquet files put together out of column chunks that stand in others, without decoding them.

A column chunk is self-contained but for the places in the file that the footer gives. So the
columns of an input are copied as they are, and parts that were written by several threads, or
before and after a kill, become one file at the speed of copying (decoding and encoding 10 million
scored hands anew took as long as scoring them).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from .parquet_thrift import I16, I32, I64, LIST, STRUCT, Reader, Struct, read_struct, write_struct

MAGIC = b"PAR1"
# Numbers of fields in parquet.thrift.
SCHEMA, NUM_ROWS, ROW_GROUPS, COLUMN_ORDERS, ENCRYPTION = 2, 3, 4, 7, 8
NAME, CHILDREN = 4, 5
_GROUP_COLUMNS, _GROUP_SIZE, _GROUP_ROWS = 1, 2, 3
_GROUP_OFFSET, _GROUP_PACKED, _GROUP_ORDINAL = 5, 6, 7
_FILE_PATH, _CHUNK_OFFSET, _CHUNK_META, _CRYPTO = 1, 2, 3, (8, 9)
CODEC, VALUES, SIZE, PACKED, DATA_PAGE, DICTIONARY_PAGE, STATISTICS = 4, 5, 6, 7, 9, 11, 12
NULLS, HIGHEST, LOWEST = 3, 5, 6
#: Places of indexes and filters outside the chunk, and of pages that nobody writes.
_DROPPED = (10, 14, 15)
_PAGE_SIZE, PAGE_PACKED, PAGE_CRC = 2, 3, 4
#: Bytes of a footer that is read here: 100,000 column chunks.
_LONGEST = 8 << 20


@dataclass(frozen=True)
class Chunk:
    """A column chunk, or some pages of one, and its ``ColumnMetaData``.

    ``source`` is the file that holds it from ``start`` on, or its bytes, page by page.
    """

    source: Path | Sequence[Any]
    start: int
    length: int
    meta: Struct


class Footer:
    """Footer of a Parquet file.

    Attributes
    ----------
    fields : Struct
        ``FileMetaData``.
    end : int
        Where it begins.

    Raises
    ------
    ValueError
        When the file is no complete Parquet file, or its footer is longer than it may be.
    """

    def __init__(self, source: Path | memoryview, longest: int = 1 << 31):
        self.source, self._longest = source, longest
        if isinstance(source, memoryview):
            self._load(source.nbytes, lambda at, length: bytes(source[at : at + length]))
        else:
            with source.open("rb") as file:
                self._load(
                    file.seek(0, os.SEEK_END),
                    lambda at, length: file.read(length) if file.seek(at) == at else b"",
                )

    def _load(self, size: int, read: Any) -> None:
        tail = read(max(0, size - 8), 8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or not 0 < length <= min(size - 12, self._longest):
            raise ValueError(f"{self.source} is no complete Parquet file")
        self.end = size - 8 - length
        self.fields = read_struct(read(self.end, length))

    @property
    def leaves(self) -> int:
        """Number of columns, each field of a nested one counted."""
        return sum(not element.get(CHILDREN, (I32, 0))[1] for element in self.fields[SCHEMA][1][1])

    def columns(self) -> dict[str, tuple[list[Struct], slice]]:
        """Columns by name: their elements of the schema, and which of the leaves are theirs."""
        root, *elements = self.fields[SCHEMA][1][1]
        found = {}
        at = leaf = 0
        for _ in range(root[CHILDREN][1]):
            begin, first = at, leaf
            wanted = 1
            while wanted:
                children = elements[at].get(CHILDREN, (I32, 0))[1]
                wanted += children - 1
                leaf += not children
                at += 1
            found[elements[begin][NAME][1].decode()] = (elements[begin:at], slice(first, leaf))
        return found

    def groups(self) -> Iterator[tuple[int, list[Chunk]]]:
        """Rows and column chunks of each row group; no chunks of those without rows.

        Raises
        ------
        ValueError
            When a chunk does not lie in this file, or is encrypted.
        """
        for group in self.fields[ROW_GROUPS][1][1]:
            rows = int(group[_GROUP_ROWS][1])
            # Without rows there may be no pages, and no places of any.
            columns = group[_GROUP_COLUMNS][1][1] if rows else ()
            yield rows, [self._chunk(fields) for fields in columns]

    def _chunk(self, fields: Struct) -> Chunk:
        start, length = chunk_place(fields, self.end)
        meta = fields[_CHUNK_META][1]
        if isinstance(self.source, memoryview):
            return Chunk([self.source[start : start + length]], start, length, meta)
        return Chunk(self.source, start, length, meta)


def chunk_places(group: Struct, end: int) -> list[tuple[int, int]]:
    """Where the column chunks of a row group begin, and their lengths, in a file up to its end.

    Raises
    ------
    ValueError
        When a chunk does not lie in this file, or is encrypted.
    """
    return [chunk_place(fields, end) for fields in group[_GROUP_COLUMNS][1][1]]


def chunk_place(fields: Struct, end: int) -> tuple[int, int]:
    """Where a column chunk begins, and its length, as for ``chunk_places``."""
    if fields.keys() & {_FILE_PATH, *_CRYPTO}:
        raise ValueError("a column chunk is encrypted or lies in another file")
    meta = fields[_CHUNK_META][1]
    places = [meta[number][1] for number in (DATA_PAGE, DICTIONARY_PAGE) if number in meta]
    start: int = min(place for place in places if place > 0)
    length: int = meta[PACKED][1]
    if start < len(MAGIC) or length < 0 or start + length > end:
        raise ValueError("a column chunk goes on after the end")
    return start, length


def footer_at(path: Path) -> Footer:
    """Footer of a file, which is kept for the next time that it is asked for.

    Raises
    ------
    ValueError
        Also when it is too long to be read by ourselves beside pyarrow.
    """
    about = path.stat()
    return _footer_at(path, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=1)
def _footer_at(path: Path, size: int, time: int) -> Footer:
    return Footer(path, _LONGEST)


class Assembly:
    """Writes a Parquet file, row group by row group.

    Parameters
    ----------
    write : callable
        Takes its bytes.
    footer : Struct
        What its footer says but for the row groups.
    copy : callable, optional
        Takes as many bytes of a file as it is told to; for chunks that stand in files.
    groups : sequence of bytes
        What the footer says of row groups that are there already.
    rows, at : int
        In them, and where they end, if anything is there.
    """

    def __init__(
        self,
        write: Callable[[Any], object],
        footer: Struct,
        copy: Callable[[BinaryIO, int], object] | None = None,
        groups: Sequence[bytes] = (),
        rows: int = 0,
        at: int = 0,
    ):
        self.write, self.footer, self.copy = write, footer, copy
        self.groups, self.rows = list(groups), rows
        self.at = self._begin = at or len(MAGIC)
        self._chunks: list[Any] = []
        if not at:
            write(MAGIC)

    def put(self, pieces: Sequence[Chunk]) -> None:
        """Write the next column of a row group; one in pieces has one dictionary in all of them."""
        meta = _joined(pieces, self.at)
        self._chunks.append({_CHUNK_OFFSET: (I64, 0), _CHUNK_META: (STRUCT, meta)})
        for number, piece in enumerate(pieces):
            skipped = piece.meta[DATA_PAGE][1] - piece.start if number else 0
            if isinstance(piece.source, Path):
                self._copy(piece.source, piece.start + skipped, piece.length - skipped)
            else:
                for page in _split(piece.source, skipped)[1]:
                    self.write(page)
        self.at += meta[PACKED][1]

    def end(self, rows: int) -> bytes:
        """End a row group, all of whose columns are there; return what the footer says of it."""
        size = sum(chunk[_CHUNK_META][1][SIZE][1] for chunk in self._chunks)
        group: Struct = {
            _GROUP_COLUMNS: (LIST, (STRUCT, self._chunks)),
            _GROUP_SIZE: (I64, size),
            _GROUP_ROWS: (I64, rows),
            _GROUP_OFFSET: (I64, self._begin),
            _GROUP_PACKED: (I64, self.at - self._begin),
        }
        if len(self.groups) < 1 << 15:  # a 16-bit field, that may be left out
            group[_GROUP_ORDINAL] = (I16, len(self.groups))
        self.groups.append(write_struct(group))
        self.rows += rows
        self._begin, self._chunks = self.at, []
        return self.groups[-1]

    def finish(self) -> None:
        """Write the footer."""
        whole = self.footer | {
            NUM_ROWS: (I64, self.rows),
            ROW_GROUPS: (LIST, (STRUCT, self.groups)),
        }
        data = write_struct(dict(sorted(whole.items())))
        self.write(data + len(data).to_bytes(4, "little") + MAGIC)

    def _copy(self, source: Path, start: int, length: int) -> None:
        """Copy so many bytes to the end of the output."""
        assert self.copy is not None
        with source.open("rb", buffering=0) as file:
            file.seek(start)
            self.copy(file, length)


def _joined(pieces: Sequence[Chunk], at: int) -> Struct:
    """``ColumnMetaData`` of pieces in a row from a place in a file on."""
    first = pieces[0]
    meta = {number: value for number, value in first.meta.items() if number not in _DROPPED}
    for number in (DATA_PAGE, DICTIONARY_PAGE):
        if number in meta:
            kind, place = meta[number]
            # 0 stands for a place that is not given.
            meta[number] = (kind, place + at - first.start if place else 0)
    for piece in pieces[1:]:
        for number, less in zip((VALUES, SIZE, PACKED), (0, *_dictionary(piece)), strict=True):
            kind, total = meta[number]
            meta[number] = (kind, total + piece.meta[number][1] - less)
    if len(pieces) > 1 and STATISTICS in meta:
        found = [piece.meta[STATISTICS][1] for piece in pieces]
        joined = {NULLS: (I64, sum(one[NULLS][1] for one in found))}
        for number, choose in ((HIGHEST, max), (LOWEST, min)):
            kind = found[0][number][0]
            joined[number] = (kind, choose((one[number][1] for one in found), key=_number))
        meta[STATISTICS] = (STRUCT, joined)
    return meta


def _number(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _dictionary(piece: Chunk) -> tuple[int, int]:
    """Bytes of the dictionary page, with its header, before and after compression."""
    if DICTIONARY_PAGE not in piece.meta:
        return 0, 0
    length = piece.meta[DATA_PAGE][1] - piece.start
    if isinstance(piece.source, Path):
        with piece.source.open("rb") as file:
            file.seek(piece.start)
            data = file.read(length)
    else:
        data = b"".join(_split(piece.source, length)[0])
    reader = Reader(data)
    header = reader.struct()
    return reader.at + header[_PAGE_SIZE][1], length


def _split(pages: Sequence[Any], length: int) -> tuple[list[Any], list[Any]]:
    """Bytes in pieces up to a place and after it, without those that are empty."""
    before, after = [], []
    for page in pages:
        view = memoryview(page)
        if not view.nbytes:
            continue
        view = view.cast("B")
        if length:
            before.append(view[:length])
        if len(view) > length:
            after.append(view[length:])
        length = max(0, length - len(view))
    return before, after
