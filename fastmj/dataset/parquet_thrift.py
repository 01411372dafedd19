"""Thrift's compact protocol, in which Parquet writes its footers and page headers.

What is read keeps the order and the types of its fields, so that what is not understood is written
as it came.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

#: A struct: its fields by number, each a type and a value. A list is its items' type and the items.
Struct = dict[int, tuple[int, Any]]

_SHORT = [bytes([number]) for number in range(128)]

#: Structs within structs; Parquet's go six deep, and a damaged file must not go through the stack.
_DEEPEST = 32


class Reader:
    """Reads values; ``ValueError`` or ``IndexError`` for bytes that are none."""

    def __init__(self, data: bytes, at: int = 0):
        self.data = data
        self.at = at
        self.depth = 0

    def byte(self) -> int:
        """Next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def take(self, length: int) -> bytes:
        """So many bytes."""
        self.at += length
        if self.at > len(self.data):
            raise ValueError("a value goes on after the end")
        return self.data[self.at - length : self.at]

    def varint(self) -> int:
        """Number in groups of seven bits."""
        data, at = self.data, self.at
        byte = data[at]
        at += 1
        result, shift = byte & 127, 7
        while byte > 127:
            byte = data[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
        self.at = at
        return result

    def integer(self) -> int:
        """Number whose lowest bit is its sign."""
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def value(self, kind: int) -> Any:
        """Value of a type."""
        if I16 <= kind <= I64:
            return self.integer()
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.varint())
        if kind in (LIST, SET):
            header = self.byte()
            size, inner = header >> 4, header & 15
            if size == 15:
                size = self.varint()
            if inner in (TRUE, FALSE):
                return inner, [self.byte() for _ in range(size)]
            return inner, [self.value(inner) for _ in range(size)]
        if kind == STRUCT:
            return self.struct()
        raise ValueError(f"no value of type {kind} is known")

    def struct(self) -> Struct:
        """Fields up to the stop."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("structs lie too deep in one another")
        fields: Struct = {}
        number = 0
        while header := self.byte():
            number = number + (header >> 4) if header >> 4 else self.integer()
            fields[number] = (header & 15, self.value(header & 15))
        self.depth -= 1
        return fields


class _Writer:
    """Writes them."""

    def __init__(self) -> None:
        self.data = bytearray()

    def integer(self, number: int) -> None:
        self.data += varint(2 * number if number >= 0 else -2 * number - 1)

    def value(self, kind: int, value: Any) -> None:
        if I16 <= kind <= I64:
            self.integer(value)
            return
        if kind in (TRUE, FALSE):
            return
        if kind == BYTE:
            self.data.append(value)
        elif kind == DOUBLE:
            self.data += value
        elif kind == BINARY:
            self.data += varint(len(value)) + value
        elif kind in (LIST, SET):
            inner, items = value
            self.data.append(min(len(items), 15) << 4 | inner)
            if len(items) >= 15:
                self.data += varint(len(items))
            if inner in (TRUE, FALSE):
                self.data += bytes(items)
            else:
                for item in items:
                    self.value(inner, item)
        else:
            self.struct(value)

    def struct(self, fields: Struct | bytes) -> None:
        if isinstance(fields, bytes):
            self.data += fields
            return
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


def varint(number: int) -> bytes:
    """A number of at least 0 in groups of seven bits, the lowest first."""
    if number < 128:
        return _SHORT[number]
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


def read_struct(data: bytes) -> Struct:
    """Struct that begins the bytes."""
    return Reader(data).struct()


def write_struct(fields: Struct) -> bytes:
    """Bytes of a struct; structs in it may be such bytes already."""
    writer = _Writer()
    writer.struct(fields)
    return bytes(writer.data)
