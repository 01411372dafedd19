"""What is in a scored data file: how many hands win, their totals, and their fans."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..files import DataError
from ..hands.arrow import one_array, require_pyarrow
from ..hands.named import same_values
from ..hands.status import Status
from ..quoting import quoted
from ..rules import FANS, GB98, AnyRules, FanTable, RulesLike, resolve_rules
from ..scoring.arrow import fan_column_names
from .scan import Format, Place, Source
from .text_files import TextOptions

_WORD = 48


@dataclass(eq=False)
class FileStats:
    """Counts over a scored data file.

    Hands in all, those that win, hands by status, complete hands by total. ``hands_with`` and
    ``times``, int64, tell for each of ``table`` in how many hands and how often it counts: the same
    where the file holds masks, None where it holds no fans.
    """

    rows: int = 0
    wins: int = 0
    statuses: Counter[Status] = field(default_factory=Counter)
    totals: Counter[int] = field(default_factory=Counter)
    hands_with: Any = None
    times: Any = None
    table: FanTable = FANS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FileStats):
            return NotImplemented
        return same_values(self, other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def complete(self) -> int:
        """Hands that are complete."""
        return self.statuses[Status.OK]

    @property
    def invalid(self) -> int:
        """Hands that are impossible."""
        return self.rows - self.complete - self.statuses[Status.NOT_COMPLETE]

    @property
    def mean(self) -> float:
        """Mean total of the complete hands; NaN if there are none."""
        total = sum(points * hands for points, hands in self.totals.items())
        return total / self.complete if self.complete else float("nan")

    def quantile(self, share: float) -> int:
        """Smallest total that at least this share of the complete hands does not pass."""
        seen = 0
        for points, hands in sorted(self.totals.items()):
            seen += hands
            if seen >= share * self.complete:
                return points
        return 0


def stats_of_file(
    path: Place,
    *,
    prefix: str = "",
    input_format: Format | None = None,
    fans: bool = True,
    rules: RulesLike = GB98,
) -> FileStats:
    """Count what is in a file that ``score_file`` wrote; ``DataError`` if it is none.

    Parameters
    ----------
    path, input_format
        As for ``score_file``.
    prefix : str
        The prefix of the columns of scores.
    fans : bool
        Whether to count the fans, too.
    rules : Rules, DoublingRules or str
        Profile, of either kind or by its name, that the file was scored by.

    Examples
    --------
    >>> import tempfile, pyarrow.parquet
    >>> from fastmj import random_wins, score_batch
    >>> file = tempfile.mkdtemp() + "/scored.parquet"
    >>> scores = score_batch(random_wins(1000, seed=1, forms="seven_pairs"), fan_counts=True)
    >>> pyarrow.parquet.write_table(scores.to_arrow(), file)
    >>> stats = stats_of_file(file)
    >>> stats.rows, stats.wins, int(stats.hands_with[FANS["七对"].id])
    (1000, 1000, 903)
    """
    rules = resolve_rules(rules)
    source = Source([path], input_format, TextOptions())
    needed = [prefix + name for name in ("total", "wins", "status")]
    for name in needed:
        if name not in source.schema.names:
            raise DataError(f"{path}: there is no column {quoted(name)}: is it a scored file?")
    kinds = ("list", "columns", "mask", "none") if fans else ("none",)
    there = set(source.schema.names)
    kind = next(kind for kind in kinds if there.issuperset(_fan_columns(kind, prefix, rules)))
    stats = FileStats(table=rules.table)
    if kind != "none":
        stats.hands_with = np.zeros(len(rules.table), np.int64)
        stats.times = np.zeros(len(rules.table), np.int64)
    pa = require_pyarrow()
    for batch in source.batches(needed + _fan_columns(kind, prefix, rules)):
        try:
            _add(stats, batch, prefix, kind, rules)
        except (pa.ArrowException, KeyError, ValueError) as error:
            raise DataError(f"{path}: a column of scores holds something else: {error}") from None
    return stats


def _fan_columns(kind: str, prefix: str, rules: AnyRules) -> list[str]:
    """Columns in which the fans are, if they are written so."""
    return {
        "list": [f"{prefix}fans"],
        "columns": fan_column_names(prefix, rules),
        "mask": [f"{prefix}fan_mask_0", f"{prefix}fan_mask_1"],
        "none": [],
    }[kind]


def _add(stats: FileStats, table: Any, prefix: str, kind: str, rules: AnyRules) -> None:
    pa = require_pyarrow()

    def column(name: str, type_: Any) -> Any:
        return one_array(table.column(prefix + name).cast(type_)).to_numpy(zero_copy_only=False)

    totals, statuses = column("total", pa.int64()), column("status", pa.int64())
    stats.rows += table.num_rows
    stats.wins += int(np.count_nonzero(column("wins", pa.bool_())))
    for status, hands in zip(*np.unique(statuses, return_counts=True), strict=True):
        stats.statuses[Status(int(status))] += int(hands)
    complete = totals[statuses == Status.OK]
    for points, hands in zip(*np.unique(complete, return_counts=True), strict=True):
        stats.totals[int(points)] += int(hands)
    if kind == "list":
        _add_lists(stats, one_array(table.column(f"{prefix}fans")))
    elif kind == "columns":
        for fan, name in enumerate(fan_column_names(rules=rules)):
            times = column(name, pa.int64())
            stats.hands_with[fan] += np.count_nonzero(times)
            stats.times[fan] += times.sum()
    elif kind == "mask":
        for word in range(2):
            bits = column(f"fan_mask_{word}", pa.int64())
            for fan in range(_WORD * word, min(len(stats.table), _WORD * (word + 1))):
                hands = int((bits >> fan % _WORD & 1).sum())
                stats.hands_with[fan] += hands
                stats.times[fan] += hands


def _add_lists(stats: FileStats, lists: Any) -> None:
    """Add lists of names, in which equal ones stand side by side."""
    import pyarrow.compute as pc

    pa = require_pyarrow()
    if pa.types.is_string(lists.type) or pa.types.is_large_string(lists.type):
        lists = pc.if_else(pc.equal(lists, ""), None, lists)
        lists = pc.split_pattern(lists, ";")
    rows = pc.list_parent_indices(lists).to_numpy()
    names = pc.list_flatten(lists)
    if not pa.types.is_dictionary(names.type):
        names = names.cast(pa.string()).dictionary_encode()
    known = np.array([stats.table[name].id for name in names.dictionary.to_pylist()], np.int64)
    codes = known[names.indices.to_numpy(zero_copy_only=False)]
    first = np.ones(len(codes), np.bool_)
    first[1:] = (codes[1:] != codes[:-1]) | (rows[1:] != rows[:-1])
    stats.times += np.bincount(codes, minlength=len(stats.table))
    stats.hands_with += np.bincount(codes[first], minlength=len(stats.table))
