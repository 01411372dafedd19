"""Writing tables: every kind of file by pyarrow, whole or not at all, and nothing of others."""

from __future__ import annotations

import json
import math
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..hands.arrow import require_pyarrow
from ..hands.cells import can_be_cells, write_cells
from ..quoting import quoted
from .errors import DataError
from .scan import Format

COMPRESSIONS = ("none", "lz4", "zstd", "snappy")
REPLACE = "(overwrite=True or --force replaces it)"


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


# --- places


def resolve_file(path: Path, overwrite: bool, others: Sequence[Path]) -> Path:
    """Where to write a file that is asked for: what links lead to, if it may be written.

    Raises
    ------
    DataError
        When it is one of the others or lies in one, or something is there that must not be
        replaced: what is no regular file, or any file without ``overwrite``.
    """
    target = Path(os.path.realpath(path))
    for other in others:
        real = Path(os.path.realpath(other))
        same = target == real or (path.exists() and other.exists() and path.samefile(other))
        if same or real in target.parents:
            raise DataError(f"{path} would replace {other}, or stand in it: it is in use")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(mode):
        raise DataError(f"{path} is there and no regular file: it is not written to")
    if not overwrite:
        raise DataError(f"{path} is there already {REPLACE}")
    return target


@contextmanager
def whole_file(target: Path, overwrite: bool = True) -> Iterator[Any]:
    """A stream into a file of a fresh name that, forced to the disk, takes the target's place.

    After an error it is removed; after a kill it stays under its own name, which begins with a dot.
    """
    fresh = target.with_name(f".{target.name[:80]}.{secrets.token_hex(8)}.tmp")
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        if target.exists():
            shutil.copymode(target, fresh)
        with require_pyarrow().OSFile(str(fresh), "wb") as sink:
            yield sink
        _force(fresh)
        if not overwrite and target.exists():
            raise DataError(f"{target} has come into being meanwhile: not replaced")
        fresh.replace(target)
        _force(target.parent)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _force(path: Path) -> None:
    """Force what is written of a file or directory to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
