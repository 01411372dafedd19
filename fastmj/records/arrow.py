"""Columns of decisions as Arrow record batches and Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.arrow import byte_array, require_pyarrow
from ..quoting import quoted

#: Bytes of the columns that have several a row.
_WIDTHS = {
    "counts": 34, "visible": 34, "melds": 16, "rivers": 160, "walls": 4, "flowers": 4, "legal": 235,
}  # fmt: skip


def decision_schema(fan_tiles: bool = False) -> Any:
    """Schema of the record batches of ``decision_table``."""
    pa = require_pyarrow()
    plain = {
        "game": pa.int32(), "line": pa.int32(), "player": pa.uint8(), "prevalent_wind": pa.uint8(),
        "phase": pa.uint8(), "tile": pa.uint8(), "giver": pa.uint8(), "circumstances": pa.uint8(),
        "total": pa.int16(), "action": pa.int16(), "score": pa.int32(),
    }  # fmt: skip
    fields = list(plain.items()) + [(name, pa.binary(width)) for name, width in _WIDTHS.items()]
    if fan_tiles:
        fields.append(("fan_tiles", pa.list_(_fan_type())))
    return pa.schema(fields)


def _fan_type() -> Any:
    pa = require_pyarrow()
    return pa.struct([("fan", pa.uint8()), ("tiles", pa.int64())])


def decision_table(columns: dict[str, npt.NDArray[Any]]) -> Any:
    """Record batch of the columns of a ``DecisionBatch``."""
    pa = require_pyarrow()
    schema = decision_schema("fan_tiles" in columns)
    arrays = []
    for name in schema.names:
        column = columns[name]
        if name == "fan_tiles":
            arrays.append(_lists_of_fans(column))
        elif name in _WIDTHS:
            rows = np.ascontiguousarray(column).reshape(len(column), _WIDTHS[name])
            arrays.append(byte_array(rows.view(np.uint8)))
        else:
            arrays.append(pa.array(np.ascontiguousarray(column)))
    return pa.record_batch(arrays, schema=schema)


def _lists_of_fans(masks: npt.NDArray[np.int64]) -> Any:
    pa = require_pyarrow()
    rows, fans = np.nonzero(masks)
    offsets = np.searchsorted(rows, np.arange(len(masks) + 1)).astype(np.int32)
    fields = _fan_type()
    values = pa.StructArray.from_arrays(
        [pa.array(fans.astype(np.uint8)), pa.array(masks[rows, fans])],
        fields=[fields.field(0), fields.field(1)],
    )
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def write_decisions(
    batches: Iterable[Any],
    path: str | os.PathLike[str],
    *,
    fan_tiles: bool = False,
    compression: str = "zstd",
) -> int:
    """Write batches of decisions into a Parquet file as they come; needs pyarrow.

    Parameters
    ----------
    batches : iterable of DecisionBatch
        As from ``decision_batches``: a row group each, and one at a time in memory.
    path : path
        The file; it is overwritten.
    fan_tiles : bool
        Whether the batches have the tiles behind the fans.
    compression : {"none", "lz4", "zstd", "snappy"}
        How pages are compressed.

    Returns
    -------
    int
        Rows written.

    Raises
    ------
    ImportError
        When pyarrow is not installed.
    ValueError
        For an unknown compression.
    """
    schema = decision_schema(fan_tiles)
    if compression not in ("none", "lz4", "zstd", "snappy"):
        raise ValueError(f"compression is none, lz4, zstd or snappy, got {quoted(compression)}")
    from pyarrow.parquet import ParquetWriter

    rows = 0
    with ParquetWriter(path, schema, compression=compression) as writer:
        for batch in batches:
            rows += len(batch)
            writer.write_batch(batch.to_arrow())
    return rows
