"""Writing tables: every kind of file by pyarrow."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from ..files import DataError
from ..hands.arrow import require_pyarrow
from ..hands.cells import can_be_cells, write_cells
from ..quoting import quoted
from .scan import Format

COMPRESSIONS = ("none", "lz4", "zstd", "snappy")


def check_writable(schema: Any, kind: Format, compression: str | None) -> None:
    """Raise ``DataError`` for columns that a format cannot hold, ``ValueError`` for compression."""
    if compression not in (None, *COMPRESSIONS):
        known = ", ".join(COMPRESSIONS)
        raise ValueError(f"compression is one of {known}, got {quoted(compression)}")
    if kind in ("csv", "jsonl") and compression not in (None, "none"):
        raise ValueError("CSV and JSON lines are not compressed: --compression is for the others")
    if kind == "ipc" and compression == "snappy":
        raise ValueError("Arrow IPC files are compressed with lz4 or zstd, or not at all")
    for field in schema:
        lists = kind == "csv" and can_be_cells(field.type)
        if not lists and not _can_hold(kind, field.type):
            raise DataError(
                f"{kind} cannot hold the column {quoted(field.name)} of {field.type}: choose "
                "another format, or which columns to keep"
            )


def _can_hold(kind: Format, column: Any) -> bool:
    """Whether a format can hold a column, by writing a null."""
    pa = require_pyarrow()
    if kind == "csv" and pa.types.is_nested(column):
        return False
    table = pa.table({"column": pa.nulls(1, column)})
    try:
        with Form(kind, table.schema).opened(pa.BufferOutputStream()) as file:
            file.write(table)
    except (pa.ArrowException, TypeError):
        return False
    return True


@dataclass(frozen=True)
class Form:
    """Of which form a file is: format, columns, compression as for ``score_file``."""

    kind: Format
    schema: Any
    compression: str | None = None

    def opened(self, sink: Any) -> OutputFile:
        """A file of this form in a stream of bytes."""
        return OutputFile(sink, self)


class OutputFile:
    """A file of tables, written as they come."""

    def __init__(self, sink: Any, form: Form):
        pa, kind, schema, compression = require_pyarrow(), form.kind, form.schema, form.compression
        self._writer: Any = None
        if kind == "parquet":
            from pyarrow import parquet

            self._writer = parquet.ParquetWriter(sink, schema, compression=compression or "snappy")
        elif kind == "ipc":
            used = None if compression == "none" else compression
            options = pa.ipc.IpcWriteOptions(compression=used)
            self._writer = pa.ipc.new_file(sink, schema, options=options)
        elif kind == "csv":
            from pyarrow import csv

            self._writer = csv.CSVWriter(sink, write_cells(schema.empty_table()).schema)
        self._sink, self._kind = sink, kind

    def write(self, table: Any) -> None:
        """Add the rows of a table."""
        if self._writer is None:
            lines = (json.dumps(_as_json(row), ensure_ascii=False) for row in table.to_pylist())
            self._sink.write("".join(line + "\n" for line in lines).encode())
        else:
            self._writer.write_table(write_cells(table) if self._kind == "csv" else table)

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()


def _as_json(value: Any) -> Any:
    """A value as JSON has it: bytes as lists, null for what is no number, times as texts."""
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    if isinstance(value, (list, bytes)):
        return [_as_json(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
