"""Scoring one record batch: which columns the hands are in, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..files import DataError
from ..hands.arrow import HAND_COLUMNS, REQUIRED, check_hand_types, hand_columns, require_pyarrow
from ..hands.batch import HandBatch
from ..hands.parsed import parse_hands
from ..hands.status import InvalidHand, Status
from ..hands.texts import check_text_type
from ..hands.tiles import Honors
from ..quoting import quoted
from ..rules import GB98, AnyRules
from ..scoring.arrow import FanNames, Fans, score_schema, score_table
from ..scoring.batch import score_batch

HAND = "hand"
#: Bad rows of a batch of which each gets a sentence of its own: 50 µs a row.
_WORDED = 1000


@dataclass(frozen=True)
class Options:
    """What is done with every batch of a data set; results depend on nothing else.

    As for ``score_file`` and ``score_table``; ``column`` is None for the columns of ``HandBatch``.
    """

    column: str | None
    keep: tuple[str, ...]
    rules: AnyRules = GB98
    fans: Fans = "list"
    names: FanNames = "zh"
    prefix: str = ""
    honors: Honors = "chinese"
    coded: bool = False

    def needed(self, names: Sequence[str]) -> list[str]:
        """Columns that are kept or hold hands, out of those that there are."""
        hands = HAND_COLUMNS if self.column is None else (self.column,)
        return [name for name in names if name in hands or name in self.keep]


def choose_options(
    schema: Any, *, column: str | None, keep: Sequence[str] | None, **rest: Any
) -> Options:
    """Options for tables of a schema; ``DataError`` where it has no hands, or scores already."""
    columns = schema.names
    listed = quoted(columns)[1:-1] or "none at all"
    has_hands = all(name in columns for name in REQUIRED)
    if column is None and not has_hands:
        if HAND not in columns:
            raise DataError(
                f"there is no column {quoted(HAND)} of hand texts, nor 'counts' and 'win_tile'; "
                f"the columns are {listed}"
            )
        column = HAND
    if column is not None and column not in columns:
        raise DataError(f"there is no column {quoted(column)}; the columns are {listed}")
    try:
        if column is None:
            check_hand_types(schema, cells=True)
        else:
            check_text_type(schema.field(column).type)
    except TypeError as error:
        where = "" if column is None else f"column {quoted(column)}: "
        raise DataError(f"{where}{error}") from None
    kept = tuple(columns if keep is None else dict.fromkeys(keep))
    for name in kept:
        if name not in columns:
            raise DataError(f"there is no column {quoted(name)} to keep; the columns are {listed}")
    options = Options(column, kept, **rest)
    for name in score_schema(options.fans, options.prefix, rules=options.rules).names:
        if name in kept:
            raise DataError(
                f"there is a column {quoted(name)} already: give the scores a prefix, or choose "
                "which columns to keep"
            )
    return options


def kept_schema(schema: Any, options: Options) -> Any:
    """Schema of the kept columns: dictionaries as their values, for batches may have others."""
    fields = map(schema.field, options.keep)
    return require_pyarrow().schema([field.with_type(_plain(field.type)) for field in fields])


def _plain(kind: Any) -> Any:
    pa = require_pyarrow()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        made = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return made(kind.value_field.with_type(_plain(kind.value_type)))
    return _plain(kind.value_type) if pa.types.is_dictionary(kind) else kind


def output_schema(schema: Any, options: Options) -> Any:
    """Schema of the kept columns and the scores beside them."""
    pa = require_pyarrow()
    scores = score_schema(options.fans, options.prefix, options.coded, options.rules)
    return pa.schema([*kept_schema(schema, options), *scores])


@dataclass(frozen=True)
class BadRow:
    """A row that is no possible hand: its number from 0, the cause, and what is wrong."""

    row: int
    status: Status
    message: str


@dataclass(frozen=True)
class Scored:
    """A table of kept columns and scores; what is in it; and its bad rows, numbered from 0."""

    table: Any
    rows: int
    wins: int
    not_complete: int
    bad: list[BadRow]


def score_columns(data: Any, options: Options, threads: int | None = 1) -> Scored:
    """Score the hands of an Arrow table or record batch, beside its kept columns."""
    pa = require_pyarrow()
    bad: list[BadRow] = []
    try:
        if options.column is None:
            batch = HandBatch.from_columns(*hand_columns(data, cells=True))
        else:
            parsed = parse_hands(
                data.column(options.column), honors=options.honors, threads=threads
            )
            batch = parsed.batch
            bad = [
                BadRow(row, Status(status), message)
                for row, status, message in zip(
                    parsed.bad.tolist(), parsed.statuses.tolist(), parsed.messages, strict=True
                )
            ]
    except (TypeError, pa.ArrowException) as error:
        raise DataError(f"bad column: {error}") from None
    counted = options.fans in ("list", "columns")
    scores = score_batch(batch, rules=options.rules, threads=threads, fan_counts=counted)
    if options.column is None:
        bad = _bad_rows(batch, scores.status)
    else:
        scores.status[[one.row for one in bad]] = [one.status for one in bad]
    found = score_table(scores, options.fans, options.names, options.prefix, options.coded)
    kept = data.select(options.keep).cast(kept_schema(data.schema, options))
    table = pa.table(
        [*kept.columns, *found.columns], schema=pa.schema([*kept.schema, *found.schema])
    )
    incomplete = int(np.count_nonzero(scores.status == Status.NOT_COMPLETE))
    return Scored(table, len(batch), int(np.count_nonzero(scores.wins)), incomplete, bad)


def _bad_rows(batch: HandBatch, statuses: Any) -> list[BadRow]:
    """Impossible rows; the first ones named as precisely as can be."""
    found: list[BadRow] = []
    for row in np.flatnonzero(statuses > Status.NOT_COMPLETE).tolist():
        status = Status(statuses[row])
        message = status.message
        try:
            _ = batch[row] if len(found) < _WORDED else None
        except InvalidHand as error:
            message = str(error) if error.status == status else message
        found.append(BadRow(row, status, message))
    return found
