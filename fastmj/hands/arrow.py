"""Columns of hands as Arrow tables, and back: what ``to_arrow`` and ``from_arrow`` do.

A hand's counts and melds are ``fixed_size_binary``: 34 and 4 bytes in a row. That is the layout of
the columns of a batch, so nothing is copied, and Parquet reads and writes it 20 to 30 times as fast
as lists (10 million hands in 0.4 s against 9 s). Lists are read all the same, and written on
request.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .tiles import KINDS

Layout = Literal["binary", "lists"]

#: Columns of hands: bytes a row, in the order of ``HandBatch.from_columns``.
HAND_COLUMNS = {
    "counts": KINDS,
    "melds": 4,
    "win_tile": 1,
    "circumstances": 1,
    "seat_wind": 1,
    "prevalent_wind": 1,
    "flowers": 1,
}
REQUIRED = ("counts", "win_tile")
#: What stands for a null, or for a number that is no byte: no column allows it, so that the row
#: gets a status of its own.
NO_VALUE = 255

Bytes = npt.NDArray[np.uint8]


def require_pyarrow() -> Any:
    """Load the module ``pyarrow``, or say how to get it.

    Raises
    ------
    ImportError
        When pyarrow is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            "Arrow tables and data files need pyarrow: pip install 'fastmj[data]'"
        ) from error
    return pyarrow


@contextmanager
def plain_allocator() -> Iterator[None]:
    """Let Arrow take its memory from the system's allocator in the meantime.

    Its own gives the memory of every part back to the system and asks for it anew, which cost as
    much as the scoring (mimalloc, 250 ns a hand against 80). A choice that was made by Arrow's
    environment variable stands. Memory that is in use stays where it is.
    """
    pa = require_pyarrow()
    before = pa.default_memory_pool()
    if "ARROW_DEFAULT_MEMORY_POOL" in os.environ:
        yield
        return
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)


def as_table(data: Any) -> Any:
    """An Arrow table from a table, a record batch or anything that exports Arrow columns."""
    pa = require_pyarrow()
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return pa.table(data)
    raise TypeError(
        f"an Arrow table or record batch is wanted, or what exports one, got {type(data).__name__}"
    )


def one_array(column: Any) -> Any:
    """An array in one piece from a column; copied only when it lies in several."""
    pa = require_pyarrow()
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def hand_columns(data: Any) -> tuple[Bytes, ...]:
    """Columns for ``HandBatch.from_columns`` from a table with columns of these names.

    Parameters
    ----------
    data : pyarrow.Table, pyarrow.RecordBatch or any exporter of Arrow columns
        ``counts`` and ``melds`` as fixed-size binaries of 34 and 4 bytes or as lists of so many
        whole numbers, the others as whole numbers. All but ``counts`` and ``win_tile`` may be
        missing, and are 0 then; other columns are not looked at.

    Returns
    -------
    tuple of ndarray of uint8
        Views of the table's memory where it is bytes in one piece. Nulls, and numbers outside
        0-255, become 255.

    Raises
    ------
    TypeError, ValueError
        For a wrong type, or a missing column.
    """
    table = as_table(data)
    for name in REQUIRED:
        if name not in table.column_names:
            raise ValueError(f"there is no column {name!r} among {', '.join(table.column_names)}")
    for name in HAND_COLUMNS:
        if table.column_names.count(name) > 1:
            raise ValueError(f"there are several columns {name!r}")
    columns = []
    for name, width in HAND_COLUMNS.items():
        if name not in table.column_names:
            shape = (table.num_rows, width) if width > 1 else (table.num_rows,)
            columns.append(np.zeros(shape, np.uint8))
        elif width > 1:
            columns.append(_vectors(name, one_array(table.column(name)), width))
        else:
            columns.append(_numbers(name, one_array(table.column(name))))
    return tuple(columns)


def check_hand_types(schema: Any) -> None:
    """Raise ``TypeError`` for a column of hands in a schema that cannot be one."""
    pa = require_pyarrow()
    for name, width in HAND_COLUMNS.items():
        position = schema.get_field_index(name)
        if position < 0:
            continue
        kind = schema.field(position).type
        if width == 1:
            if not (pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
                raise TypeError(f"column {name!r} must hold whole numbers, got {kind}")
            continue
        types = pa.types
        fixed = types.is_fixed_size_list(kind) and kind.list_size == width
        lists = fixed or types.is_list(kind) or types.is_large_list(kind)
        if types.is_fixed_size_binary(kind) and kind.byte_width == width:
            continue
        if lists and types.is_integer(kind.value_type):
            continue
        raise TypeError(
            f"column {name!r} must hold {width} bytes a row (a fixed-size binary, or a list of "
            f"whole numbers), got {kind}"
        )


def _numbers(name: str, array: Any) -> Bytes:
    """Bytes of an array of whole numbers."""
    pa = require_pyarrow()
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    if not pa.types.is_integer(array.type):
        raise TypeError(f"column {name!r} must hold whole numbers, got {array.type}")
    if array.null_count:
        array = array.cast(pa.int64()) if array.type != pa.uint8() else array
        array = array.fill_null(NO_VALUE)
    values: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    if values.dtype == np.uint8:
        return values
    fits = (values >= 0) & (values <= NO_VALUE)
    return np.where(fits, values, NO_VALUE).astype(np.uint8)


def _vectors(name: str, array: Any, width: int) -> Bytes:
    """Rows of so many bytes."""
    pa = require_pyarrow()
    check_hand_types(pa.schema([pa.field(name, array.type)]))
    kind, length = array.type, len(array)
    if pa.types.is_fixed_size_binary(kind):
        buffer = array.buffers()[1]
        data = np.frombuffer(b"" if buffer is None else buffer, np.uint8)
        start = array.offset * width
        rows = data[start : start + length * width].reshape(length, width)
        return _without_nulls(array, rows)
    if pa.types.is_fixed_size_list(kind):
        # ``values`` holds what stands under a null, so that rows stay in their places.
        values = array.values.slice(array.offset * width, length * width)
        return _without_nulls(array, _numbers(name, values).reshape(length, width))
    offsets = array.offsets.to_numpy()
    long_enough = np.diff(offsets) == width
    if long_enough.all() and not array.null_count:
        return _numbers(name, array.flatten()).reshape(length, width)
    # A list of another length is a bad row, as a null is.
    rows = np.full((length, width), NO_VALUE, np.uint8)
    good = long_enough & array.is_valid().to_numpy(zero_copy_only=False)
    values = _numbers(name, array.values)
    rows[good] = values[offsets[:-1][good][:, None] + np.arange(width)]
    return rows


def _without_nulls(array: Any, rows: Bytes) -> Bytes:
    """Rows with the bytes under nulls replaced."""
    if not array.null_count:
        return rows
    rows = rows.copy()
    rows[array.is_null().to_numpy(zero_copy_only=False)] = NO_VALUE
    return rows


def hand_table(columns: Sequence[Bytes], layout: Layout = "binary") -> Any:
    """Table of the seven columns of a batch; ``"binary"`` copies nothing."""
    pa = require_pyarrow()
    if layout not in get_args(Layout):
        raise ValueError(f"layout must be 'binary' or 'lists', got {layout!r}")
    arrays = []
    for column, width in zip(columns, HAND_COLUMNS.values(), strict=True):
        if width > 1 and layout == "lists":
            arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(column.reshape(-1)), width))
        else:
            arrays.append(byte_array(column.reshape(-1, width)))
    return pa.table(arrays, names=list(HAND_COLUMNS))


def byte_array(rows: Bytes) -> Any:
    """Arrow array of rows (N, B) of bytes, or of numbers where B is 1; nothing is copied."""
    pa = require_pyarrow()
    length, width = rows.shape
    if width == 1:
        return pa.array(rows.reshape(-1))
    return pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), length, [None, pa.py_buffer(rows)]
    )
