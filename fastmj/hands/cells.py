"""Columns of hands as texts, as in the cells of CSV files: whole numbers with spaces between."""

from __future__ import annotations

from typing import Any

from .arrow import HAND_COLUMNS, one_array, require_pyarrow


def can_be_cells(kind: Any) -> bool:
    """Whether a column of some type can be written so."""
    types = require_pyarrow().types
    if types.is_fixed_size_binary(kind):
        return bool(kind.byte_width in HAND_COLUMNS.values())
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and types.is_integer(kind.value_type))


def write_cells(table: Any) -> Any:
    """Table with such columns, and lists of texts with ``;``, as texts; null stays null."""
    pa = require_pyarrow()
    import pyarrow.compute as pc

    for position, field in enumerate(table.schema):
        fans = pa.types.is_list(field.type) and pa.types.is_string(field.type.value_type)
        if not fans and not can_be_cells(field.type):
            continue
        column = one_array(table.column(position))
        if pa.types.is_fixed_size_binary(field.type):
            rows = [None if row is None else list(row) for row in column.to_pylist()]
            column = pa.array(rows, pa.list_(pa.uint8()))
        texts = pc.binary_join(column.cast(pa.list_(pa.string())), ";" if fans else " ")
        table = table.set_column(position, field.name, texts)
    return table
