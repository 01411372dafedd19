"""Parquet outputs: parts of them, and one file of the parts and the columns of the input.

Columns that are kept from a Parquet input are copied out of it as they stand, row group by row
group: reading them costs 30 ns a hand, encoding them anew 30 to 100. Parts hold only the scores
then, in pieces that end where the row groups do. Otherwise parts hold the kept columns too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..hands.arrow import one_array, require_pyarrow
from .parquet_footer import (
    CODEC,
    COLUMN_ORDERS,
    ENCRYPTION,
    STATISTICS,
    Assembly,
    Chunk,
    Footer,
    footer_at,
)
from .parquet_pages import CODECS, ScorePages, bytes_chunk
from .parquet_thrift import STRUCT, Struct
from .score import Options, ScoredHands, kept_columns, output_schema, score_hands

#: Rows of a page. What is made of so many stays in the caches, and memory is used again.
BLOCK_ROWS = 1 << 17
_CREATED_BY = 6
#: Writers whose footers do not tell where chunks end.
_UNSURE = re.compile(rb"parquet-mr version 1\.[0-2]\.")


@dataclass(frozen=True)
class Copied:
    """Columns of an input, by name, that can stand in an output as they are.

    Attributes
    ----------
    number : int
        Of the columns.
    elements : list of Struct
        Theirs in the schema.
    orders : list of Struct
        How the values of each leaf are ordered.
    groups : list of (int, list of Chunk)
        Rows and column chunks of each row group that has rows.
    """

    number: int
    elements: list[Struct]
    orders: list[Any]
    groups: list[tuple[int, list[Chunk]]]

    @property
    def ends(self) -> tuple[int, ...]:
        """Rows up to the end of each row group."""
        total, found = 0, []
        for rows, _ in self.groups:
            total += rows
            found.append(total)
        return tuple(found)


def copied_columns(
    files: Sequence[Path], keep: Sequence[str], compression: str | None
) -> Copied | None:
    """Columns of Parquet files that can be copied, or None if one of them cannot.

    Parameters
    ----------
    files : sequence of Path
        Whose row groups stand one after another.
    keep : sequence of str
        At least one column.
    compression : str, optional
        What the columns must be compressed with, if that is not left to the input.
    """
    found: Copied | None = None
    try:
        for path in files:
            here = _copied(footer_at(path), keep, compression)
            if found is None:
                found = here
            elif (found.elements, found.orders) != (here.elements, here.orders):
                return None
            else:
                found.groups.extend(here.groups)
    # Whatever is unusual in a footer: pyarrow says what is wrong, or can read it.
    except (ValueError, LookupError, TypeError, AttributeError, OSError):
        return None
    return found


def _copied(footer: Footer, keep: Sequence[str], compression: str | None) -> Copied:
    fields = footer.fields
    if ENCRYPTION in fields or _UNSURE.match(fields.get(_CREATED_BY, (0, b""))[1]):
        raise ValueError("encrypted, or not to be trusted")
    columns = footer.columns()
    elements = [element for name in keep for element in columns[name][0]]
    leaves = [range(footer.leaves)[columns[name][1]] for name in keep]
    ordered = COLUMN_ORDERS in fields
    every = fields[COLUMN_ORDERS][1][1] if ordered else [{1: (STRUCT, {})}] * footer.leaves
    groups = []
    for rows, chunks in footer.groups():
        if not rows:
            continue
        chosen = [chunks[leaf] for span in leaves for leaf in span]
        codecs = {chunk.meta[CODEC][1] for chunk in chosen}
        if compression is not None and codecs != {CODECS[compression]}:
            raise ValueError("compressed otherwise")
        if not ordered:  # extremes by an order that nobody knows
            chosen = [_without_statistics(chunk) for chunk in chosen]
        groups.append((rows, chosen))
    return Copied(len(keep), elements, [every[leaf] for span in leaves for leaf in span], groups)


def _without_statistics(chunk: Chunk) -> Chunk:
    meta = {number: value for number, value in chunk.meta.items() if number != STATISTICS}
    return replace(chunk, meta=meta)


#: Rows and column chunks of a row group, or of a piece of one.
Piece = tuple[int, Sequence[Chunk]]


@dataclass(frozen=True)
class Pieces:
    """A part of a Parquet output: row groups or pieces of them, and what its own footer says."""

    groups: list[Piece]
    footer: Struct

    def file(self) -> list[Any]:
        """The part as a file of its own, in pieces of bytes."""
        output: list[Any] = []
        assembly = Assembly(output.append, self.footer)
        for rows, chunks in self.groups:
            for chunk in chunks:
                assembly.put([chunk])
            assembly.end(rows)
        assembly.finish()
        return output


def scored_pieces(
    table: Any, start: int, options: Options, compression: str
) -> tuple[Pieces, list[ScoredHands]]:
    """Score a part whose first row has this number: its pieces, and the scores block by block."""
    keeps = bool(options.keep) and options.copied is None
    schema = list(output_schema(table.schema, options))[0 if keeps else len(options.keep) :]
    groups: list[Piece] = []
    blocks: list[ScoredHands] = []
    for begin, stop in _spans(start, table.num_rows, options.copied or ()):
        piece = table.slice(begin - start, stop - begin)
        pages = ScorePages(options.fans, options.names, options.prefix, compression)
        for batch in piece.to_batches(max_chunksize=BLOCK_ROWS):
            scored = score_hands(batch, options)
            pages.add(scored.scores, scored.times)
            blocks.append(scored)
        chunks = pages.chunks()
        if keeps:
            chunks = [*_encoded(kept_columns(piece, options), compression), *chunks]
        groups.append((piece.num_rows, chunks))
    return Pieces(groups, footer_of(require_pyarrow().schema(schema)).fields), blocks


def _spans(start: int, rows: int, ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First row and end of each row group of a part, of which some end there."""
    stop = start + rows
    for end in (*ends[bisect_right(ends, start) : bisect_left(ends, stop)], stop):
        if start < end:
            yield start, end
            start = end


def _encoded(table: Any, compression: str) -> list[Chunk]:
    """Column chunks of a table with rows: of bytes by ourselves, others as pyarrow writes them."""
    pa = require_pyarrow()
    found: dict[str, Sequence[Chunk]] = {}
    for field in table.schema:
        column, fixed = table.column(field.name), pa.types.is_fixed_size_binary(field.type)
        width = field.type.byte_width if fixed else int(field.type == pa.uint8())
        if not width or column.null_count:
            continue
        array = one_array(column)
        data = np.frombuffer(array.buffers()[1], np.uint8)
        rows = data[array.offset * width :][: len(array) * width].reshape(-1, width)
        found[field.name] = [bytes_chunk(field.name, rows, field.nullable, compression)]
    others = [name for name in table.schema.names if name not in found]
    if others:
        found |= _encoded_by_pyarrow(table.select(others), compression)
    return [chunk for name in table.schema.names for chunk in found[name]]


def _encoded_by_pyarrow(table: Any, compression: str) -> dict[str, Sequence[Chunk]]:
    import pyarrow.parquet as pq

    pa = require_pyarrow()
    sink = pa.BufferOutputStream()
    kinds = {field.name: field.type for field in table.schema}
    small = [name for name, kind in kinds.items() if kind in (pa.uint8(), pa.int16())]
    fixed = [name for name, kind in kinds.items() if pa.types.is_fixed_size_binary(kind)]
    plain = [*small, *fixed, *(name for name, kind in kinds.items() if kind == pa.int64())]
    lists = [f"{name}.list.element" for name, kind in kinds.items() if pa.types.is_list(kind)]
    pq.write_table(
        table,
        sink,
        row_group_size=table.num_rows,
        store_schema=False,
        compression=compression,
        write_page_checksum=True,
        # Looking for repetitions costs 10 ns a number, four times as much as packing its
        # differences, and hands hardly repeat; nor is there anything to say about extremes.
        use_dictionary=[name for name in kinds if name not in plain] + lists,
        column_encoding=dict.fromkeys(small, "DELTA_BINARY_PACKED") or None,
        write_statistics=[name for name in kinds if name not in fixed],
    )
    footer = Footer(memoryview(sink.getvalue()))
    ((_, chunks),) = footer.groups()
    return {name: chunks[leaves] for name, (_, leaves) in footer.columns().items()}


def footer_of(schema: Any) -> Footer:
    """Footer that pyarrow writes for these columns."""
    # Schemas that differ in what is said of their fields are equal.
    return _footer_of_serialized(schema.serialize().to_pybytes())


@lru_cache(maxsize=8)
def _footer_of_serialized(schema: bytes) -> Footer:
    import pyarrow.parquet as pq

    pa = require_pyarrow()
    sink = pa.BufferOutputStream()
    pq.write_table(pa.ipc.read_schema(pa.py_buffer(schema)).empty_table(), sink)
    return Footer(memoryview(sink.getvalue()))
