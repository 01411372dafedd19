"""Columns of hands in the cells of CSV files: whole numbers with spaces between them."""

from __future__ import annotations

from typing import Any

from ..hands.arrow import HAND_COLUMNS, NO_VALUE, as_table, one_array, require_pyarrow


def typed_schema(schema: Any) -> Any:
    """Schema of hands with the types that ``parse_cells`` gives columns of texts."""
    pa = require_pyarrow()
    return pa.schema(
        [
            field.with_type(_type(HAND_COLUMNS[field.name])) if _is_cells(field) else field
            for field in schema
        ]
    )


def _is_cells(field: Any) -> bool:
    types = require_pyarrow().types
    return field.name in HAND_COLUMNS and (
        types.is_string(field.type) or types.is_large_string(field.type)
    )


def _type(width: int) -> Any:
    pa = require_pyarrow()
    return pa.uint8() if width == 1 else pa.list_(pa.uint8(), width)


def parse_cells(data: Any) -> Any:
    """Table or record batch with the columns of hands that are texts read as numbers.

    A cell that does not hold as many whole numbers of at most three digits as it must becomes a row
    that is no hand.
    """
    table = as_table(data)
    for position, field in enumerate(table.schema):
        if _is_cells(field):
            width = HAND_COLUMNS[field.name]
            table = table.set_column(position, field.name, _numbers(table.column(position), width))
    return table


def _numbers(cells: Any, width: int) -> Any:
    pa = require_pyarrow()
    import pyarrow.compute as pc

    cells = one_array(cells)
    pattern = rf"^\s*[0-9]{{1,3}}(\s+[0-9]{{1,3}}){{{width - 1}}}\s*$"
    good = pc.fill_null(pc.match_substring_regex(cells, pattern), False)
    sound = pc.if_else(good, pc.utf8_trim_whitespace(cells), " ".join([str(NO_VALUE)] * width))
    numbers = pc.list_flatten(pc.utf8_split_whitespace(sound)).cast(pa.int64())
    small = pc.min_element_wise(numbers, NO_VALUE).cast(pa.uint8())
    return small if width == 1 else pa.FixedSizeListArray.from_arrays(small, width)


def can_be_cells(kind: Any) -> bool:
    """Whether a column of some type can be written so."""
    types = require_pyarrow().types
    if types.is_fixed_size_binary(kind):
        return bool(kind.byte_width in HAND_COLUMNS.values())
    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(lists and types.is_integer(kind.value_type))


def write_cells(table: Any) -> Any:
    """Table with such columns as texts; null stays null."""
    pa = require_pyarrow()
    import pyarrow.compute as pc

    for position, field in enumerate(table.schema):
        if not can_be_cells(field.type):
            continue
        column = table.column(position).combine_chunks()
        if pa.types.is_fixed_size_binary(field.type):
            rows = [None if row is None else list(row) for row in column.to_pylist()]
            column = pa.array(rows, pa.list_(pa.uint8()))
        column = column.cast(pa.list_(pa.string()))
        table = table.set_column(position, field.name, pc.binary_join(column, " "))
    return table
