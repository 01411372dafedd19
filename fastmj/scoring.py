"""Scoring one hand or many: ``score_hand``, ``score_batch``, ``validate`` and their results."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from .batches import HandBatch, row_of
from .hands import Hand, parse_hand
from .rules import FANS, GB98, Rules
from .status import InvalidHand, Status
from .threads import run_chunks

if TYPE_CHECKING:
    from .reference import Block, Explanation

_WORD = 48  # fan f is bit f % 48 of word f // 48
_FLOWER = FANS["花牌"]
_FLOWER_BIT = 1 << _FLOWER.id % _WORD


def fans_of_mask(low: int, high: int) -> tuple[int, ...]:
    """Numbers of the fans in the two words of a mask.

    >>> fans_of_mask(1 << 21, 1 << 14)
    (21, 62)
    """
    return tuple(
        fan for fan in range(len(FANS)) if (high if fan >= _WORD else low) >> fan % _WORD & 1
    )


class HandScore:
    """Score of one hand.

    Attributes
    ----------
    hand, rules
        What was scored, and by which profile.
    total : int
        Points with flowers; 0 when the tiles do not form a winning hand.
    base : int
        Points without flowers, which the minimum looks at.
    flowers : int
        Points of the flowers.
    wins : bool
        Whether the hand is complete and reaches the minimum.
    status : Status
        ``OK``, or ``NOT_COMPLETE`` when the tiles do not form a winning hand.

    Examples
    --------
    >>> from fastmj import score_hand
    >>> score = score_hand("123456789m12355p|EE0000|1")
    >>> score.total, score.base, score.wins
    (24, 23, True)
    >>> score.fans
    {'清龙': 1, '门前清': 1, '平和': 1, '喜相逢': 1, '缺一门': 1, '单钓将': 1, '花牌': 1}
    """

    __slots__ = ("_cache", "_mask", "_times", "base", "flowers", "hand", "rules", "status", "total")

    def __init__(
        self,
        hand: Hand,
        rules: Rules,
        status: int,
        base: int,
        mask: tuple[int, int],
        times: int,
    ):
        self.hand = hand
        self.rules = rules
        self.status = status
        self.base = base
        self.flowers = 0 if status else hand.flowers * rules.all_points[80]
        self.total = base + self.flowers
        self._mask = mask
        self._times = times
        self._cache: dict[str, Any] | None = None

    @property
    def wins(self) -> bool:
        """Whether the hand is complete and reaches the minimum without its flowers."""
        return not self.status and self.base >= self.rules.min_fan

    @property
    def counts(self) -> dict[int, int]:
        """Times that each fan counts, by number."""
        from .kernels.layout import REPEATING

        times = {fan: self._times >> 4 * i & 15 for i, fan in enumerate(REPEATING)}
        counts = {fan: times.get(fan, 1) for fan in fans_of_mask(*self._mask)}
        if self.flowers or (self.hand.flowers and not self.status):
            counts[_FLOWER.id] = self.hand.flowers
        return dict(sorted(counts.items()))

    @property
    def fans(self) -> dict[str, int]:
        """Times that each fan counts, by Chinese name, in the order of the table."""
        return {FANS[fan].zh: times for fan, times in self.counts.items()}

    @property
    def fans_en(self) -> dict[str, int]:
        """Times that each fan counts, by English name, in the order of the table."""
        return {FANS[fan].en: times for fan, times in self.counts.items()}

    @property
    def points(self) -> dict[str, int]:
        """Points that each fan adds in all, by Chinese name; they sum up to ``total``."""
        return {FANS[fan].zh: times * self.rules.points(fan) for fan, times in self.counts.items()}

    @property
    def sets(self) -> tuple[Block, ...]:
        """Sets, pair and other groups of the reading that counts; none if there is no reading."""
        chosen = self.explain().chosen
        return chosen.reading.blocks if chosen else ()

    def explain(self) -> Explanation:
        """The score with its reasons: which sets make each fan, what does not count and why."""
        if self._cache is None:
            from .reference import explain

            self._cache = {"explanation": explain(self.hand, self.rules)}
        explanation: Explanation = self._cache["explanation"]
        return explanation

    def __repr__(self) -> str:
        return f"<HandScore {self.total} of {self.hand}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HandScore):
            return NotImplemented
        return (self.hand, self.rules, self.total, self.counts) == (
            other.hand,
            other.rules,
            other.total,
            other.counts,
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = [f"{self.hand}", *self._rows()]
        return "\n".join(lines)

    def _rows(self) -> list[str]:
        if self.status:
            return [Status(self.status).message]
        rows = [
            f"{points:>4}  {FANS[fan]}" + (f" ×{self.counts[fan]}" if self.counts[fan] > 1 else "")
            for fan, points in zip(self.counts, self.points.values(), strict=True)
        ]
        return [*rows, f"{self.total:>4}  {self.verdict}"]

    @property
    def verdict(self) -> str:
        """Whether the hand wins, in words."""
        if self.status:
            return Status(self.status).message
        if self.wins:
            return f"total, a win ({self.rules.name})"
        flowers = f" ({self.base} without flowers)" if self.flowers else ""
        return f"total{flowers}, below the minimum of {self.rules.min_fan} ({self.rules.name})"

    def _repr_html_(self) -> str:
        from .svg import hand_svg

        rows = "".join(
            f"<tr><td>{escape(FANS[fan].zh)}</td><td>{escape(FANS[fan].en)}</td>"
            f"<td>{times}</td><td>{times * self.rules.points(fan)}</td></tr>"
            for fan, times in self.counts.items()
        )
        return (
            f"<div>{hand_svg(self.hand)}</div><table><tr><th>番种</th><th>Fan</th>"
            f"<th>×</th><th>points</th></tr>{rows}<tr><th colspan=3>{escape(self.verdict)}</th>"
            f"<th>{self.total}</th></tr></table>"
        )


class ScoreBatch:
    """Scores of many hands, as columns.

    Attributes
    ----------
    total : ndarray of int16, shape (N,)
        Points with flowers; 0 where a row is not a complete, valid hand.
    base : ndarray of int16, shape (N,)
        Points without flowers, which the minimum looks at.
    fan_mask : ndarray of int64, shape (N, 2)
        Fans that count: fan f is bit ``f % 48`` of word ``f // 48``.
    fan_counts : ndarray of uint8, shape (N, 82), or None
        Times that each fan counts, if they were asked for.
    wins : ndarray of bool, shape (N,)
        Whether a row is complete and reaches the minimum.
    status : ndarray of uint8, shape (N,)
        A ``Status`` for each row.
    batch, rules
        What was scored, and by which profile.
    """

    __slots__ = ("base", "batch", "fan_counts", "fan_mask", "rules", "status", "total", "wins")

    def __init__(self, batch: HandBatch, rules: Rules, fan_counts: bool):
        length = len(batch)
        self.batch = batch
        self.rules = rules
        self.total: npt.NDArray[np.int16] = np.empty(length, np.int16)
        self.base: npt.NDArray[np.int16] = np.empty(length, np.int16)
        self.fan_mask: npt.NDArray[np.int64] = np.empty((length, 2), np.int64)
        self.wins: npt.NDArray[np.bool_] = np.empty(length, np.bool_)
        self.status: npt.NDArray[np.uint8] = np.empty(length, np.uint8)
        self.fan_counts: npt.NDArray[np.uint8] | None = (
            np.empty((length, len(FANS)), np.uint8) if fan_counts else None
        )

    def fan_names(self, index: int, language: str = "zh") -> tuple[str, ...]:
        """Names of the fans that count in a row; ``language`` is ``"zh"`` or ``"en"``."""
        if language not in ("zh", "en"):
            raise ValueError(f"language must be 'zh' or 'en', got {language!r}")
        low, high = self.fan_mask[index].tolist()
        return tuple(getattr(FANS[fan], language) for fan in fans_of_mask(low, high))

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
            else once), 82 columns ``fan_...`` of times, two columns as in ``fan_mask``, or nothing.
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
        from .arrow import score_table

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

    def __iter__(self) -> Iterator[HandScore]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        invalid = int(np.count_nonzero(self.status > Status.NOT_COMPLETE))
        return (
            f"<ScoreBatch of {len(self):,} hands ({self.rules.name}): "
            f"{np.count_nonzero(self.wins):,} win" + (f", {invalid:,} invalid>" if invalid else ">")
        )


def score_batch(
    batch: HandBatch,
    *,
    rules: Rules = GB98,
    threads: int | None = None,
    fan_counts: bool = False,
) -> ScoreBatch:
    """Score many hands.

    Parameters
    ----------
    batch : HandBatch
        N hands. Rows that are impossible or not complete get a status, and a total of 0.
    rules : Rules
        Rule profile.
    threads : int, optional
        Threads to use, by default one a core. The result does not depend on it.
    fan_counts : bool
        Whether to count how often each fan counts, besides which fans do.

    Returns
    -------
    ScoreBatch

    Examples
    --------
    >>> from fastmj import HandBatch, random_wins
    >>> scores = score_batch(HandBatch.from_hands(["123456789m12344p", "11223344556677s"]))
    >>> scores.total, scores.fan_names(1)
    (array([22, 88], dtype=int16), ('连七对',))

    Notes
    -----
    Source: RULES section 3, by table look-ups; ``fastmj.reference`` is the readable twin.
    """
    if not isinstance(batch, HandBatch):
        raise TypeError(
            f"score_batch wants a HandBatch, got {type(batch).__name__}; make one with "
            "HandBatch(counts, win_tile=...) or HandBatch.from_hands(texts)"
        )
    from .kernels.batch import score_rows
    from .tables.profile import compile_rules
    from .tables.scoring import load_tables

    tables, profile = load_tables(), compile_rules(rules)
    scores = ScoreBatch(batch, rules, fan_counts)
    counts = _NO_COUNTS if scores.fan_counts is None else scores.fan_counts

    def work(start: int, stop: int) -> None:
        score_rows(
            *batch.columns, tables, profile, scores.total, scores.base, scores.fan_mask,
            scores.wins, scores.status, counts, start, stop,
        )  # fmt: skip

    run_chunks(work, len(batch), threads)
    return scores


_NO_COUNTS = np.zeros((0, len(FANS)), np.uint8)


@lru_cache(maxsize=256)
def _single_scorer(rules: Rules) -> Any:
    """Function from a packed hand to its raw score, or ``None`` without numba."""
    try:
        from .kernels.batch import score_packed
    except ImportError:
        return None
    from .tables.profile import compile_rules
    from .tables.scoring import load_tables

    tables, profile = load_tables(), compile_rules(rules)

    def score(packed: npt.NDArray[np.uint8]) -> tuple[int, int, int, int, int]:
        raw: tuple[int, int, int, int, int] = score_packed(packed, tables, profile)
        return raw

    def score_uncompiled(packed: npt.NDArray[np.uint8]) -> tuple[int, ...]:
        return tuple(map(int, score_packed(packed, tables, profile)))

    return score if hasattr(score_packed, "py_func") else score_uncompiled


def _pack(hand: Hand) -> npt.NDArray[np.uint8]:
    """A hand as the bytes of its columns, kept with the hand."""
    row = row_of(hand)
    packed = np.concatenate([column.reshape(-1) for column in row.columns]).reshape(1, -1)
    packed.flags.writeable = False
    hand.__dict__["_packed"] = packed
    return packed


def score_hand(hand: Hand | str, *, rules: Rules = GB98, **circumstances: Any) -> HandScore:
    """Score one hand.

    Parameters
    ----------
    hand : Hand or str
        A hand, or its text as ``parse_hand`` reads it.
    rules : Rules
        Rule profile.
    **circumstances
        What to change in the hand first: ``self_drawn=True``, ``seat_wind="S"``, ``flowers=2`` and
        so on, as for ``Hand``.

    Returns
    -------
    HandScore
        Tiles that do not win are an ordinary answer, with a total of 0.

    Raises
    ------
    InvalidHand
        When the hand is impossible.

    Examples
    --------
    >>> score_hand("123456789m12355p", self_drawn=True).total
    25
    """
    if not isinstance(hand, Hand):
        hand = parse_hand(hand)
    if circumstances:
        hand = hand.replace(**circumstances)
    scorer = _single_scorer(rules)
    if scorer is None:
        return _score_by_reference(hand, rules)
    packed = hand.__dict__.get("_packed")
    status, base, low, high, times = scorer(_pack(hand) if packed is None else packed)
    return HandScore(hand, rules, status, base, (low, high), times)


def _score_by_reference(hand: Hand, rules: Rules) -> HandScore:
    """Score a hand without numba."""
    from .kernels.layout import REPEATING
    from .reference import explain

    explanation = explain(hand, rules)
    if explanation.chosen is None:
        return HandScore(hand, rules, Status.NOT_COMPLETE, 0, (0, 0), 0)
    counts = explanation.chosen.fans
    words = [0, 0]
    for fan in counts:
        words[fan // _WORD] |= 1 << fan % _WORD
    times = sum(counts.get(fan, 0) << 4 * i for i, fan in enumerate(REPEATING))
    score = HandScore(hand, rules, Status.OK, explanation.base, (words[0], words[1]), times)
    score._cache = {"explanation": explanation}
    return score


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
    from .kernels.problems import problem_rows
    from .tables.scoring import load_tables

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
