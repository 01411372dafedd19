"""Joining Parquet files without decoding them: their bytes in a row, and one new footer.

Row groups are self-contained but for the places in the file that the footer gives; so parts that
were written by several threads, or before and after a kill, become one file at the speed of copying
(decoding and encoding 10 million scored hands anew took as long as scoring them).

The footer is Thrift's compact protocol. What is not a place is passed through as it stands.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

_MAGIC = b"PAR1"
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
# Numbers of fields in parquet.thrift.
_NUM_ROWS, _ROW_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_OFFSET, _GROUP_ORDINAL = 1, 5, 7
_CHUNK_OFFSET, _CHUNK_META, _CHUNK_INDEXES = 2, 3, (4, 6)
_META_OFFSETS = (9, 10, 11, 14)

#: A struct: its fields by number, each a type and a value, in the order in which they came.
Struct = dict[int, tuple[int, Any]]


class _Reader:
    """Reads values of the compact protocol."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def integer(self) -> int:
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def take(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]

    def value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self.byte()
        if kind == _DOUBLE:
            return self.take(8)
        if kind == _BINARY:
            return self.take(self.varint())
        if kind in (_LIST, _SET):
            header = self.byte()
            size, inner = header >> 4, header & 15
            if size == 15:
                size = self.varint()
            if inner in (_TRUE, _FALSE):
                return inner, [self.byte() for _ in range(size)]
            return inner, [self.value(inner) for _ in range(size)]
        if kind == _STRUCT:
            return self.struct()
        if kind == _MAP:
            raise ValueError("a map in a Parquet footer")
        return self.integer()

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while header := self.byte():
            number = number + (header >> 4) if header >> 4 else self.integer()
            fields[number] = (header & 15, self.value(header & 15))
        return fields


class _Writer:
    """Writes them."""

    def __init__(self) -> None:
        self.data = bytearray()

    def varint(self, number: int) -> None:
        while number > 127:
            self.data.append(number & 127 | 128)
            number >>= 7
        self.data.append(number)

    def integer(self, number: int) -> None:
        self.varint(2 * number if number >= 0 else -2 * number - 1)

    def value(self, kind: int, value: Any) -> None:
        if kind in (_TRUE, _FALSE):
            return
        if kind == _BYTE:
            self.data.append(value)
        elif kind == _DOUBLE:
            self.data += value
        elif kind == _BINARY:
            self.varint(len(value))
            self.data += value
        elif kind in (_LIST, _SET):
            inner, items = value
            self.data.append(min(len(items), 15) << 4 | inner)
            if len(items) >= 15:
                self.varint(len(items))
            if inner in (_TRUE, _FALSE):
                self.data += bytes(items)
            else:
                for item in items:
                    self.value(inner, item)
        elif kind == _STRUCT:
            self.struct(value)
        else:
            self.integer(value)

    def struct(self, fields: Struct) -> None:
        last = 0
        for number, (kind, value) in fields.items():
            if 0 < number - last < 16:
                self.data.append((number - last) << 4 | kind)
            else:
                self.data.append(kind)
                self.integer(number)
            last = number
            self.value(kind, value)
        self.data.append(0)


def _footer(file: BinaryIO, path: Path) -> tuple[Struct, int]:
    """Footer of a Parquet file, and where it begins."""
    size = file.seek(0, os.SEEK_END)
    file.seek(size - 8)
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > size - 12:
        raise ValueError(f"{path} is no complete Parquet file")
    begin = size - 8 - length
    file.seek(begin)
    return _Reader(file.read(length)).struct(), begin


def _moved(fields: Struct, numbers: Sequence[int], shift: int) -> None:
    for number in numbers:
        if number in fields:
            kind, value = fields[number]
            # 0 stands for a place that is not given.
            fields[number] = (kind, value + shift if value else value)


def join_parquet(parts: Sequence[Path], output: BinaryIO) -> None:
    """Write one Parquet file with the row groups of several, in order.

    Parameters
    ----------
    parts : sequence of Path
        At least one; their schemas must be the same to the byte.
    output : binary file
        Empty, at its beginning.

    Raises
    ------
    ValueError
        When a part is no complete Parquet file, or its columns differ.
    """
    whole: Struct = {}
    groups: list[Struct] = []
    rows = 0
    output.write(_MAGIC)
    for path in parts:
        with path.open("rb") as file:
            footer, end = _footer(file, path)
            if not whole:
                whole = footer
            same = {n: v for n, v in footer.items() if n not in (_NUM_ROWS, _ROW_GROUPS)}
            if same != {n: v for n, v in whole.items() if n not in (_NUM_ROWS, _ROW_GROUPS)}:
                raise ValueError(f"{path} has other columns than {parts[0]}")
            shift = output.tell() - len(_MAGIC)
            for group in footer[_ROW_GROUPS][1][1]:
                _moved(group, (_GROUP_OFFSET,), shift)
                if _GROUP_ORDINAL in group:
                    # A 16-bit field: left out where it would not fit, as it may be.
                    kind = group.pop(_GROUP_ORDINAL)[0]
                    if len(groups) < 1 << 15:
                        group[_GROUP_ORDINAL] = (kind, len(groups))
                for chunk in group[_GROUP_COLUMNS][1][1]:
                    _moved(chunk, (_CHUNK_OFFSET, *_CHUNK_INDEXES), shift)
                    _moved(chunk[_CHUNK_META][1], _META_OFFSETS, shift)
                groups.append(group)
            rows += footer[_NUM_ROWS][1]
            file.seek(len(_MAGIC))
            _copy(file, output, end - len(_MAGIC))
    whole[_NUM_ROWS] = (whole[_NUM_ROWS][0], rows)
    kind, (inner, _) = whole[_ROW_GROUPS]
    whole[_ROW_GROUPS] = (kind, (inner, groups))
    writer = _Writer()
    writer.struct(whole)
    output.write(bytes(writer.data) + len(writer.data).to_bytes(4, "little") + _MAGIC)


def _copy(source: BinaryIO, output: BinaryIO, length: int) -> None:
    """Copy so many bytes from where the source stands."""
    while length:
        block = source.read(min(length, 4 << 20))
        if not block:
            raise ValueError("a part is shorter than its footer says")
        output.write(block)
        length -= len(block)


def join_bytes(parts: Sequence[Path], output: BinaryIO) -> None:
    """Write the bytes of several files in a row."""
    for path in parts:
        with path.open("rb") as file:
            shutil.copyfileobj(file, output, 4 << 20)
