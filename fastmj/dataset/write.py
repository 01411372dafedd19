"""Writing tables as parts, and parts as one file."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ..hands.arrow import require_pyarrow
from .cells import can_be_cells, write_cells
from .scan import DataError, Format

COMPRESSIONS = ("none", "lz4", "zstd", "snappy")


def plain_schema(schema: Any) -> Any:
    """Schema with dictionaries, in lists too, replaced by their values.

    Parts may have other dictionaries, which one Arrow file cannot hold, and Parquet readers do not
    take dictionaries in lists.
    """
    pa = require_pyarrow()
    return pa.schema([field.with_type(_plain_type(field.type)) for field in schema])


def _plain_type(kind: Any) -> Any:
    pa = require_pyarrow()
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_plain_type(kind.value_type)))
    return kind


def check_writable(schema: Any, kind: Format, compression: str) -> None:
    """Raise ``DataError`` for columns that a format cannot hold, ``ValueError`` for compression."""
    pa = require_pyarrow()
    if compression not in COMPRESSIONS:
        raise ValueError(f"compression is one of {', '.join(COMPRESSIONS)}, got {compression!r}")
    if kind == "ipc" and compression == "snappy":
        raise ValueError("Arrow IPC files are compressed with lz4 or zstd, or not at all")
    if kind != "csv":
        return
    for field in schema:
        binary = pa.types.is_fixed_size_binary(field.type)
        if (pa.types.is_nested(field.type) or binary) and not can_be_cells(field.type):
            raise DataError(
                f"CSV cannot hold the column {field.name!r} of {field.type}: write Parquet, Arrow "
                "IPC or JSON lines, or choose which columns to keep"
            )


def encode(table: Any, kind: Format, compression: str, first: bool) -> Any:
    """A table as the bytes of a file of its own; of CSV files only the first has a header.

    Of any kind but Parquet, for which there is ``dataset_parquet``.
    """
    pa = require_pyarrow()
    sink = pa.BufferOutputStream()
    table = table.cast(plain_schema(table.schema))
    if kind == "ipc":
        options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
        with pa.ipc.new_file(sink, table.schema, options=options) as writer:
            writer.write_table(table)
    elif kind == "csv":
        from pyarrow import csv

        csv.write_csv(write_cells(table), sink, csv.WriteOptions(include_header=first))
    else:
        sink.write(_json_lines(table))
    return sink.getvalue()


def _json_lines(table: Any) -> bytes:
    lines = []
    for record in table.to_pylist():
        try:
            line = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_as_json)
        except ValueError:
            line = json.dumps(_finite(record), ensure_ascii=False, default=_as_json)
        lines.append(line + "\n")
    return "".join(lines).encode()


def _as_json(value: Any) -> Any:
    """Bytes, as of the columns of hands, as lists of numbers; times and the like as texts."""
    return list(value) if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    """A value with null for numbers that JSON does not know."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def join(parts: Sequence[Path], file: BinaryIO, kind: Format, compression: str) -> None:
    """Write one file of the parts; of any kind but Parquet."""
    if kind == "ipc":
        _join_ipc(parts, file, compression)
        return
    for path in parts:
        with path.open("rb") as part:
            shutil.copyfileobj(part, file, 4 << 20)


def _join_ipc(parts: Sequence[Path], file: BinaryIO, compression: str) -> None:
    pa = require_pyarrow()
    options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
    with pa.ipc.open_file(pa.memory_map(str(parts[0]))) as reader:
        schema = reader.schema
    with pa.ipc.new_file(file, schema, options=options) as writer:
        for path in parts:
            with pa.memory_map(str(path)) as mapped, pa.ipc.open_file(mapped) as reader:
                for number in range(reader.num_record_batches):
                    writer.write_batch(reader.get_batch(number))
