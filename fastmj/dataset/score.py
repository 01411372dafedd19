"""Scoring one table of a data set: which columns the hands are in, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.arrow import HAND_COLUMNS, REQUIRED, check_hand_types, require_pyarrow
from ..hands.batch import HandBatch
from ..hands.status import InvalidHand, Status
from ..hands.tiles import Honors
from ..rules import GB98, Rules
from ..scoring.arrow import FanNames, Fans, score_schema, score_table
from ..scoring.batch import ScoreBatch, score_batch
from ..threads import run_chunks
from .cells import parse_cells, typed_schema
from .scan import DataError
from .texts import check_text_type, parse_hands
from .write import plain_schema

HAND = "hand"
#: Bad rows of columns that get a message of their own in a table; the rest get that of the status.
#: One costs 20 µs, and where there are so many, they are of a kind.
_WORDED = 1000


@dataclass(frozen=True)
class Options:
    """What is done with every table of a data set; results depend on nothing else.

    Parameters
    ----------
    column : str or None
        Column of hand texts; None for the columns of ``HandBatch``.
    keep : tuple of str
        Input columns that stand before the scores.
    rules, fans, names, prefix, honors
        As for ``score_file``.
    copied : tuple of int or None
        Where the row groups of the input end of which the kept columns are copied as they stand;
        None when they are written with the scores.
    """

    column: str | None
    keep: tuple[str, ...]
    rules: Rules = GB98
    fans: Fans = "list"
    names: FanNames = "zh"
    prefix: str = ""
    honors: Honors = "chinese"
    copied: tuple[int, ...] | None = None

    def needed(self, names: Sequence[str]) -> list[str]:
        """Columns that are kept or hold hands, out of those that there are."""
        hands = HAND_COLUMNS if self.column is None else (self.column,)
        return [name for name in names if name in hands or name in self.keep]


def choose_options(
    schema: Any, *, column: str | None, keep: Sequence[str] | None, **rest: Any
) -> Options:
    """Options for tables of a schema.

    Raises
    ------
    DataError
        When there are no hands in it, in columns of the wrong type, or a column of the scores is
        there already.
    """
    columns = schema.names
    listed = ", ".join(map(repr, columns)) or "none at all"
    has_hands = all(name in columns for name in REQUIRED)
    if column is None and not has_hands:
        if HAND not in columns:
            raise DataError(
                f"there is no column {HAND!r} of hand texts, nor 'counts' and 'win_tile'; "
                f"the columns are {listed}"
            )
        column = HAND
    if column is not None and column not in columns:
        raise DataError(f"there is no column {column!r}; the columns are {listed}")
    try:
        if column is None:
            check_hand_types(typed_schema(schema))
        else:
            check_text_type(schema.field(column).type)
    except TypeError as error:
        where = "" if column is None else f"column {column!r}: "
        raise DataError(f"{where}{error}") from None
    kept = tuple(columns if keep is None else dict.fromkeys(keep))
    for name in kept:
        if name not in columns:
            raise DataError(f"there is no column {name!r} to keep; the columns are {listed}")
    options = Options(column, kept, **rest)
    for name in score_schema(options.fans, options.prefix).names:
        if name in kept:
            raise DataError(
                f"there is a column {name!r} already: give the scores a prefix, or choose which "
                "columns to keep"
            )
    return options


def output_schema(schema: Any, options: Options) -> Any:
    """Schema of the kept columns and the scores beside them."""
    pa = require_pyarrow()
    kept = plain_schema(pa.schema([schema.field(name) for name in options.keep]))
    return pa.schema([*kept, *score_schema(options.fans, options.prefix)])


@dataclass(frozen=True)
class ScoredHands:
    """Scores of the hands of a table, and its bad rows.

    ``bad`` are positions in the table, ascending, ``messages`` what is wrong with each; ``times``
    are as for ``score_table``, where fans are wanted and the scores hold no ``fan_counts``.
    """

    scores: ScoreBatch
    times: npt.NDArray[np.int64] | None
    bad: npt.NDArray[np.int64]
    messages: list[str]


@dataclass(frozen=True)
class ScoredTable(ScoredHands):
    """A table with its scores beside the kept columns, and its bad rows."""

    table: Any


def score_columns(table: Any, options: Options, threads: int | None = 1) -> ScoredTable:
    """Score the hands of an Arrow table and put the scores beside its kept columns.

    Raises
    ------
    DataError
        When a column does not hold what its type says.
    """
    pa = require_pyarrow()
    scored = score_hands(table, options, threads, fan_counts=options.fans == "columns")
    kept = kept_columns(table, options)
    found = score_table(scored.scores, options.fans, options.names, options.prefix, scored.times)
    schema = pa.schema([*kept.schema, *found.schema])
    whole = pa.table([*kept.columns, *found.columns], schema=schema)
    return ScoredTable(scored.scores, scored.times, scored.bad, scored.messages, whole)


def kept_columns(table: Any, options: Options) -> Any:
    """Table of the columns that stand before the scores."""
    kept = table.select(options.keep)
    return kept.cast(plain_schema(kept.schema))


def score_hands(
    data: Any, options: Options, threads: int | None = 1, fan_counts: bool = False
) -> ScoredHands:
    """Score the hands of an Arrow table or record batch; ``fan_counts`` or else ``times``.

    Raises
    ------
    DataError
        When a column does not hold what its type says.
    """
    pa = require_pyarrow()
    try:
        if options.column is None:
            batch = HandBatch.from_arrow(parse_cells(data))
            parsed = None
        else:
            parsed = parse_hands(
                data.column(options.column), honors=options.honors, threads=threads
            )
            batch = parsed.batch
    except (TypeError, pa.ArrowException) as error:
        raise DataError(f"bad column: {error}") from None
    scores, times = _scores(batch, options, threads, fan_counts)
    if parsed is None:
        bad = np.flatnonzero(scores.status > Status.NOT_COMPLETE)
        messages = [
            _message(batch, row, scores.status[row]) if number < _WORDED
            # One sentence for the rest.
            else Status(scores.status[row]).message
            for number, row in enumerate(bad.tolist())
        ]  # fmt: skip
    else:
        bad, messages = parsed.bad, parsed.messages
        scores.status[bad] = parsed.statuses
    return ScoredHands(scores, times, bad, messages)


def _scores(
    batch: HandBatch, options: Options, threads: int | None, fan_counts: bool
) -> tuple[ScoreBatch, npt.NDArray[np.int64] | None]:
    """Scores, and how often the repeating fans count where it matters: 8 columns, not 82."""
    if fan_counts or options.fans not in ("list", "columns"):
        return score_batch(batch, rules=options.rules, threads=threads, fan_counts=fan_counts), None
    from ..kernels.scoring.batch import score_rows
    from ..tables.scoring.load import load_tables
    from ..tables.scoring.profile import compile_rules

    tables, profile = load_tables(), compile_rules(options.rules)
    scores = ScoreBatch(batch, options.rules, False)
    times = np.empty((len(batch), 8), np.uint8)
    run_chunks(
        lambda start, stop: score_rows(
            *batch.columns, tables, profile, scores.total, scores.base, scores.fan_mask,
            scores.wins, scores.status, times, start, stop,
        ),
        len(batch),
        threads,
    )  # fmt: skip
    return scores, times.view(np.int64).reshape(-1)


def _message(batch: HandBatch, row: int, status: int) -> str:
    """What is wrong with a row, named as precisely as can be."""
    try:
        _ = batch[row]
    except InvalidHand as error:
        if error.status == status:
            return str(error)
    return Status(status).message
