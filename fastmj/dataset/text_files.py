"""CSV and JSON lines by pyarrow, guarded against what it would round or crash on."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..files import DataError
from ..hands.arrow import HAND_COLUMNS, require_pyarrow
from ..quoting import quoted

#: Bytes of text that are read at a time; a row, and what stands between quotes, must fit.
BLOCK = 4 << 20
#: Lists and objects within one another in JSON; pyarrow's parser crashes where they are many.
DEEPEST = 64
#: A whole number in JSON with so many digits that it may not fit 64 bits, or a double.
_LONG = re.compile(rb"[:,\[]\s*-?\d{16,}\s*[,}\]]")


class TextOptions(NamedTuple):
    """How text files are written; None for the usual delimiter."""

    encoding: str = "utf-8"
    delimiter: str | None = None


def _check_encoding(opened: Callable[[], Any], encoding: str) -> None:
    """Name UTF-16 as such, where it would be read as UTF-8 that makes no sense."""
    if opened().read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and "8" in encoding:
        raise DataError(f"it is not {encoding} but utf-16: give its encoding")


class CsvFile:
    """A CSV file with a header line.

    Cells are texts, but for columns of whole numbers: those whose first cells are written as 64-bit
    numbers are, none with a leading zero or a plus. What does not fit further on is an error rather
    than another number.
    """

    rows = None

    def __init__(self, opened: Callable[[], Any], text: TextOptions, schema: Any = None):
        pa = require_pyarrow()
        self._opened, self._text = opened, text
        _check_encoding(opened, text.encoding)
        with self._told(), self._reader(None) as reader:
            names = reader.schema.names
        if schema is not None and names == schema.names:
            self.schema = schema
            return
        self.schema = pa.schema([(name, pa.string()) for name in names])
        if len(set(names)) == len(names):
            with self._told(), self._reader(names) as reader:
                first = next(iter(reader), self.schema.empty_table())
            for position, name in enumerate(names):
                if name not in HAND_COLUMNS and _is_whole(first.column(name)):
                    self.schema = self.schema.set(position, pa.field(name, pa.int64()))

    def _reader(self, columns: list[str] | None) -> Any:
        from pyarrow import csv

        texts = dict.fromkeys(columns or (), require_pyarrow().string())
        return csv.open_csv(
            self._opened(),
            # On one thread: on several an error does not tell the row.
            csv.ReadOptions(block_size=BLOCK, encoding=self._text.encoding, use_threads=False),
            csv.ParseOptions(delimiter=self._text.delimiter or ",", newlines_in_values=True),
            csv.ConvertOptions(
                column_types=texts, include_columns=columns, strings_can_be_null=False
            ),
        )

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Record batches."""
        pa, start = require_pyarrow(), 0
        schema = pa.schema([self.schema.field(name) for name in columns])
        with self._told(), self._reader(columns) as reader:
            for batch in reader:
                arrays = [
                    _whole(batch.column(field.name), field.name, start)
                    if pa.types.is_integer(field.type)
                    else batch.column(field.name)
                    for field in schema
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
                start += batch.num_rows

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say of a row of another length which one it is."""
        try:
            yield
        except require_pyarrow().ArrowInvalid as error:
            pattern = r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)"
            found = re.search(pattern, str(error), re.DOTALL)
            if not found:
                raise
            raise DataError(
                f"row {int(found[1]) - 2} (from 0) has {found[3]} cells where the header has "
                f"{found[2]} (a hand with {self._text.delimiter or ','!r} in it must stand in "
                f"quotes): {quoted(found[4])}"
            ) from None


def _is_whole(cells: Any) -> bool:
    """Whether cells, some of them not empty, are written as 64-bit whole numbers are."""
    import pyarrow.compute as pc

    pa = require_pyarrow()
    given = cells.filter(pc.not_equal(cells, ""))
    try:
        return len(given) > 0 and bool(given.cast(pa.int64()).cast(given.type).equals(given))
    except pa.ArrowInvalid:
        return False


def _whole(cells: Any, name: str, start: int) -> Any:
    """Cells as whole numbers, empty ones as nulls."""
    import pyarrow.compute as pc

    given = pc.if_else(pc.equal(cells, ""), None, cells)
    if not _is_whole(cells) and given.null_count < len(given):
        for row, cell in enumerate(given):
            if cell.is_valid and not _is_whole(given[row : row + 1]):
                raise DataError(
                    f"row {start + row} (from 0): column {quoted(name)} holds "
                    f"{quoted(cell.as_py())}, where the first rows hold whole numbers of at most "
                    "64 bits: do not keep it",
                    start + row,
                )
    return given.cast(require_pyarrow().int64())


class JsonLinesFile:
    """JSON objects one a line; the first 4 MB tell which fields there are and of what kind."""

    rows = None

    def __init__(self, opened: Callable[[], Any], text: TextOptions, schema: Any = None):
        pa = require_pyarrow()
        self._opened, self._encoding = opened, text.encoding
        _check_encoding(opened, text.encoding)
        self.schema = schema
        if schema is None:
            first = next(self._blocks(), None)
            if first is None:
                raise DataError("there are no lines in it")
            found = _parse(first, None, 0).schema
            # What looks like a time may be none further on.
            self.schema = pa.schema(
                field.with_type(pa.string()) if pa.types.is_timestamp(field.type) else field
                for field in found
            )

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines, some megabytes at a time, in UTF-8."""
        decoder = codecs.getincrementaldecoder(self._encoding)()
        plain = codecs.lookup(self._encoding).name == "utf-8"
        stream, rest = self._opened(), b""
        while chunk := stream.read(BLOCK):
            text = decoder.decode(chunk)  # also of UTF-8, which the parser does not check
            chunk = chunk if plain else text.encode()
            end = chunk.rfind(b"\n") + 1
            if not end:
                rest += chunk
                if len(rest) > 4 * BLOCK:
                    raise DataError(f"a line is longer than {4 * BLOCK >> 20} MB")
                continue
            block, rest = rest + chunk[:end], chunk[end:]
            if block.strip():
                yield block.removeprefix(codecs.BOM_UTF8)
        decoder.decode(b"", True)
        if rest.strip():
            yield rest.removeprefix(codecs.BOM_UTF8)

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Record batches."""
        start = 0
        for block in self._blocks():
            table = _parse(block, self.schema, start)
            yield from table.select(columns).combine_chunks().to_batches()
            start += table.num_rows


def _parse(block: bytes, schema: Any, start: int) -> Any:
    """Table of some lines; ``start`` is the number of the first one, for errors."""
    from pyarrow import json as parser

    pa = require_pyarrow()
    _check_depth(block, start)
    try:
        table = parser.read_json(
            pa.BufferReader(block),
            read_options=parser.ReadOptions(block_size=len(block) + 1, use_threads=False),
            parse_options=parser.ParseOptions(
                explicit_schema=schema,
                unexpected_field_behavior="infer" if schema is None else "error",
            ),
        )
    except pa.ArrowInvalid as error:
        found = re.search(r"(.*) in row (\d+)$", str(error), re.DOTALL)
        if not found:
            raise
        raise DataError(f"row {start + int(found[2])} (from 0): {found[1]}") from None
    if _LONG.search(block):
        _check_numbers(table, block, start)
    return table


def _check_numbers(table: Any, block: bytes, start: int) -> None:
    """Refuse whole numbers that have become other ones, as doubles."""
    lines = [line for line in block.split(b"\n") if line.strip()]
    rows = [row for row, line in enumerate(lines) if _LONG.search(line)]
    for row, found in zip(rows, table.take(rows).to_pylist(), strict=True):
        for name, value in json.loads(lines[row]).items():
            if not _is_same(value, found[name]):
                raise DataError(
                    f"row {start + row} (from 0): column {quoted(name)} holds a whole number that "
                    "would be rounded: it is no 64-bit number, or stands among fractions; write it "
                    "as a text",
                    start + row,
                )


def _is_same(said: Any, read: Any) -> bool:
    """Whether numbers are the ones that were written; texts and absent fields are not looked at."""
    if isinstance(said, dict):
        return all(_is_same(value, read[name]) for name, value in said.items())
    if isinstance(said, list):
        return all(map(_is_same, said, read))
    return not isinstance(said, int) or bool(said == read)


def _check_depth(block: bytes, start: int) -> None:
    """Refuse lines with lists and objects too deep within one another."""
    data = np.frombuffer(block, np.uint8)
    opened = np.flatnonzero((data == ord("[")) | (data == ord("{")))
    ends = np.flatnonzero(data == ord("\n"))
    for line in np.flatnonzero(np.bincount(np.searchsorted(ends, opened)) > DEEPEST).tolist():
        begin = int(ends[line - 1]) + 1 if line else 0
        end = int(ends[line]) if line < len(ends) else len(block)
        bare = re.sub(rb'"(?:[^"\\]|\\.)*"?', b"", block[begin:end])
        signs = np.frombuffer(bare, np.uint8)
        steps = np.isin(signs, list(b"[{")).astype(np.int64) - np.isin(signs, list(b"]}"))
        if np.cumsum(steps).max(initial=0) > DEEPEST:
            raise DataError(
                f"line {line + 1} after row {start}: lists and objects more than {DEEPEST} deep "
                "within one another"
            )
