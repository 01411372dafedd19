"""Scoring many hands: ``score_batch``, ``validate`` and their results."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, NoReturn, overload

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch
from ..hands.named import no_array
from ..hands.status import InvalidHand, Status
from ..quoting import quoted
from ..rules import FANS, GB98, AnyRules, DoublingRules, RulesLike, resolve_rules
from ..threads import run_chunks
from .hand import HandScore, fans_of_mask, score_hand


class ScoreBatch:
    """Scores of many hands, as columns.

    Attributes
    ----------
    total : ndarray of int16, shape (N,)
        Points with flowers; 0 where a row is not a complete, valid hand.
    base : ndarray of int16, shape (N,)
        Points without flowers, which the minimum looks at.
    fan_mask : ndarray of int64, shape (N, 2)
        Fans that count: fan f of ``rules.table`` is bit ``f % 48`` of word ``f // 48``.
    fan_counts : ndarray of uint8, shape (N, 82), or None
        Times that each fan counts, if they were asked for.
    wins : ndarray of bool, shape (N,)
        Whether a row is complete and reaches the minimum.
    status : ndarray of uint8, shape (N,)
        A ``Status`` for each row.
    batch, rules
        What was scored, and by which profile.

    Notes
    -----
    Under doubling rules the fans are the seven types of ``HAND_TYPES``, which is ``rules.table``
    then: the mask has the types that count, ``fan_counts`` is of the shape (N, 7) and holds the
    factor of each, 1 for the base and 2 for one that doubles; ``total`` and ``base`` are equal.
    """

    __slots__ = ("base", "batch", "fan_counts", "fan_mask", "rules", "status", "total", "wins")

    def __init__(self, batch: HandBatch, rules: AnyRules, fan_counts: bool):
        length = len(batch)
        self.batch = batch
        self.rules = rules
        self.total: npt.NDArray[np.int16] = np.empty(length, np.int16)
        self.base: npt.NDArray[np.int16] = np.empty(length, np.int16)
        self.fan_mask: npt.NDArray[np.int64] = np.empty((length, 2), np.int64)
        self.wins: npt.NDArray[np.bool_] = np.empty(length, np.bool_)
        self.status: npt.NDArray[np.uint8] = np.empty(length, np.uint8)
        self.fan_counts: npt.NDArray[np.uint8] | None = (
            np.empty((length, len(rules.table)), np.uint8) if fan_counts else None
        )

    def fan_names(self, index: int, language: str = "zh") -> tuple[str, ...]:
        """Names of the fans that count in a row; ``language`` is ``"zh"`` or ``"en"``."""
        if language not in ("zh", "en"):
            raise ValueError(f"language must be 'zh' or 'en', got {quoted(language)}")
        low, high = self.fan_mask[index].tolist()
        return tuple(getattr(self.rules.table[fan], language) for fan in fans_of_mask(low, high))

    def to_arrow(
        self,
        fans: Literal["list", "columns", "mask", "none"] = "list",
        names: Literal["zh", "en", "key"] = "zh",
        prefix: str = "",
    ) -> Any:
        """Arrow table of the scores; numbers are not copied. Needs pyarrow.

        Parameters
        ----------
        fans : {"list", "columns", "mask", "none"}
            A column of lists of names (each as often as it counts, if ``fan_counts`` are there,
            else once; types of doubling rules once), a column ``fan_...`` of times or factors for
            each of ``rules.table``, two columns as in ``fan_mask``, or nothing.
        names : {"zh", "en", "key"}
            Names in the lists.
        prefix : str
            Put before every column name.

        Examples
        --------
        >>> from fastmj import HandBatch, score_batch
        >>> scores = score_batch(HandBatch.from_hands(["11223344556677s"]))
        >>> scores.to_arrow().to_pylist()
        [{'total': 88, 'base': 88, 'wins': True, 'status': 0, 'fans': ['连七对']}]
        """
        from ..scoring.arrow import score_table

        return score_table(self, fans, names, prefix)

    def __len__(self) -> int:
        return len(self.total)

    @overload
    def __getitem__(self, which: int) -> HandScore: ...
    @overload
    def __getitem__(self, which: slice | npt.NDArray[Any]) -> ScoreBatch: ...
    def __getitem__(self, which: Any) -> HandScore | ScoreBatch:
        """One score (``InvalidHand`` if the row is impossible), or some rows."""
        if np.ndim(which) == 0 and not isinstance(which, slice):
            return score_hand(self.batch[operator.index(which)], rules=self.rules)
        if not isinstance(which, slice):
            which = np.asarray(which) if np.size(which) else np.zeros(0, np.intp)
        part = ScoreBatch.__new__(ScoreBatch)
        part.batch, part.rules = self.batch[which], self.rules
        for name in ("total", "base", "fan_mask", "wins", "status"):
            setattr(part, name, getattr(self, name)[which])
        part.fan_counts = None if self.fan_counts is None else self.fan_counts[which]
        return part

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's stream protocol: polars, pandas, DuckDB and pyarrow take scores as they are."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        no_array(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreBatch):
            return NotImplemented
        if (self.fan_counts is None) != (other.fan_counts is None):
            return False
        names = ("total", "base", "fan_mask", "wins", "status", "fan_counts")
        return (self.rules, self.batch) == (other.rules, other.batch) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in names
        )

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[HandScore]:
        return (self[index] for index in range(len(self)))

    def _repr_html_(self) -> str:
        from ..pictures.html import SHOWN, hand_cells, more, page, table

        rows = []
        for row in range(min(SHOWN, len(self))):
            status = Status(self.status[row])
            fans = " ".join(self.fan_names(row)) or (status.message if status else "")
            points = int(self.total[row])
            picture = hand_cells(self.batch, row)[0]
            rows.append([row, picture, points, bool(self.wins[row]), fans])
        shown = table(["", "hand", "total", "wins", "fans"], rows)
        return page(repr(self)[1:-1], shown, *more(len(self)))

    def __repr__(self) -> str:
        invalid = int(np.count_nonzero(self.status > Status.NOT_COMPLETE))
        return (
            f"<ScoreBatch of {len(self):,} hands ({self.rules.name}): "
            f"{np.count_nonzero(self.wins):,} win" + (f", {invalid:,} invalid>" if invalid else ">")
        )


def score_batch(
    batch: HandBatch,
    *,
    rules: RulesLike = GB98,
    threads: int | None = None,
    fan_counts: bool = False,
    out: ScoreBatch | None = None,
) -> ScoreBatch:
    """Score many hands.

    Parameters
    ----------
    batch : HandBatch
        N hands. Rows that are impossible or not complete get a status, and a total of 0.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.
    fan_counts : bool
        Whether to count how often each fan counts, besides which fans do.
    out : ScoreBatch, optional
        Scores of as many hands, whose arrays are written into instead of new ones; with fan counts
        if it has them.

    Returns
    -------
    ScoreBatch
        ``out``, if it is given.

    Raises
    ------
    TypeError, ValueError
        When ``batch`` or ``out`` is something else, or ``out`` does not fit.

    Examples
    --------
    >>> from fastmj import HandBatch, random_wins
    >>> scores = score_batch(HandBatch.from_hands(["123456789m12344p", "11223344556677s"]))
    >>> scores.total, scores.fan_names(1)
    (array([22, 88], dtype=int16), ('连七对',))

    Notes
    -----
    Source: RULES section 3, by table look-ups, and section 9; ``fastmj.reference`` is the readable
    twin.
    """
    if not isinstance(batch, HandBatch):
        raise TypeError(
            f"score_batch wants a HandBatch, got {type(batch).__name__}; make one with "
            "HandBatch(counts, win_tile=...) or HandBatch.from_hands(texts); parse_hands(texts) "
            "also takes bad ones"
        )
    rules = resolve_rules(rules)
    scores = ScoreBatch(batch, rules, fan_counts) if out is None else out
    if out is not None:
        _check_out(out, len(batch), len(rules.table), fan_counts)
        out.batch, out.rules = batch, rules
    if isinstance(rules, DoublingRules):
        return _score_doubling(scores, rules, threads)
    scorer = getattr(rules, "_rows_scorer", None) or _rows_scorer(rules)
    counts = _NO_COUNTS if scores.fan_counts is None else scores.fan_counts
    arrays = (
        *batch.columns, scores.total, scores.base, scores.fan_mask, scores.wins, scores.status,
        counts,
    )  # fmt: skip
    run_chunks(partial(scorer, *arrays), len(batch), threads)
    return scores


_NO_COUNTS = np.zeros((0, len(FANS)), np.uint8)


def _check_out(out: ScoreBatch, length: int, fans: int, fan_counts: bool) -> None:
    """Refuse what the scores of so many hands cannot be written into."""
    if not isinstance(out, ScoreBatch):
        raise TypeError(f"out: a ScoreBatch is wanted, got {type(out).__name__}")
    arrays: list[npt.NDArray[Any]] = [out.total, out.base, out.fan_mask, out.wins, out.status]
    if out.fan_counts is not None:
        arrays.append(out.fan_counts)
    if len(out) != length:
        raise ValueError(f"out has {len(out):,} rows, the batch {length:,}")
    if (fan_counts and len(arrays) == 5) or (len(arrays) == 6 and arrays[5].shape[1] != fans):
        raise ValueError(f"out has no counts of {fans} fans: make it with fan_counts=True")
    if not all(array.flags.carray for array in arrays):
        raise ValueError("out has arrays that are read-only or not contiguous")


def _rows_scorer(rules: AnyRules) -> Any:
    """Kernel with its tables, kept with the rules: to find them by their content costs 0.5 µs."""
    from ..kernels.scoring.batch import score_rows
    from ..tables.scoring.load import load_tables
    from ..tables.scoring.profile import compile_rules

    assert not isinstance(rules, DoublingRules)
    scorer = partial(score_rows, *load_tables(), *compile_rules(rules))
    rules.__dict__["_rows_scorer"] = scorer
    return scorer


def _score_doubling(scores: ScoreBatch, rules: DoublingRules, threads: int | None) -> ScoreBatch:
    from ..kernels.scoring.doubling import LOOK_CLOSER, doubling_rows
    from ..tables.scoring.doubling import doubling_tables

    batch, tables = scores.batch, doubling_tables(rules)
    counts = _NO_COUNTS if scores.fan_counts is None else scores.fan_counts

    def work(start: int, stop: int) -> None:
        doubling_rows(
            *batch.columns, *tables, scores.total, scores.base, scores.fan_mask, scores.wins,
            scores.status, counts, start, stop,
        )  # fmt: skip

    run_chunks(work, len(batch), threads)
    impossible = np.flatnonzero(scores.status == LOOK_CLOSER)
    if impossible.size:
        problems = validate(batch[impossible], threads=threads)
        # Of several causes the first.
        scores.status[impossible] = (problems[:, None] >> np.arange(len(Status)) & 1).argmax(axis=1)
    return scores


def validate(batch: HandBatch, *, threads: int | None = None) -> npt.NDArray[np.uint16]:
    """Every problem of every row.

    Parameters
    ----------
    batch : HandBatch
        N hands.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    ndarray of uint16, shape (N,)
        Bit ``1 << status`` is set for each ``Status`` that applies; 0 means that nothing is
        impossible (whether the hand is complete is not looked at). ``problems_of`` names them.

    Examples
    --------
    >>> import numpy as np
    >>> from fastmj import HandBatch
    >>> batch = HandBatch(np.full((1, 34), 5), win_tile=40, flowers=9)
    >>> [status.name for status in problems_of(validate(batch)[0])]
    ['TILE_COUNT', 'FIVE_OF_A_KIND', 'BAD_WIN_TILE', 'BAD_FLOWERS']
    """
    if not isinstance(batch, HandBatch):
        raise TypeError(f"validate wants a HandBatch, got {type(batch).__name__}")
    from ..kernels.scoring.problems import problem_rows
    from ..tables.scoring.load import load_tables

    found = np.zeros(len(batch), np.uint16)
    longs = load_tables().longs
    run_chunks(
        lambda start, stop: problem_rows(*batch.columns, longs, found, start, stop),
        len(batch),
        threads,
    )
    return found


def problems_of(mask: int) -> tuple[Status, ...]:
    """Causes in a problem mask of ``validate``."""
    return tuple(status for status in Status if status.is_invalid and int(mask) >> status & 1)


def require_valid(batch: HandBatch) -> None:
    """Raise ``InvalidHand`` for the first impossible row of a batch, if there is one."""
    bad = np.flatnonzero(validate(batch))
    if bad.size:
        row = int(bad[0])
        try:
            _ = batch[row]
        except InvalidHand as error:
            raise InvalidHand(error.status, f"row {row}: {error}") from None
