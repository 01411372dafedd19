"""Columns of hands as texts, as in the cells of CSV files: whole numbers with spaces between."""

from __future__ import annotations

from typing import Any

from .arrow import HAND_COLUMNS, NO_VALUE, one_array, require_pyarrow


def parse_cells(cells: Any, width: int) -> Any:
    """Array of texts as one of so many numbers a row.

    A cell that does not hold as many whole numbers of at most three digits as it must becomes a row
    that is no hand.
    """
    pa = require_pyarrow()
    import pyarrow.compute as pc

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
