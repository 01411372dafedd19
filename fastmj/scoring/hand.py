"""Scoring one hand: ``score_hand`` and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ..hands.columns import Bytes
from ..hands.hand import Hand, parse_hand
from ..hands.notation import botzone_parts
from ..hands.packing import PACKED, packed_botzone
from ..hands.status import Status
from ..hands.texts import packed_text
from ..rules import FANS, GB98, AnyRules, DoublingRules, RulesLike, resolve_rules

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..hands.hand import Circumstances
    from ..reference import Block, Explanation

_STATUSES = tuple(Status)
_WORD = 48  # fan f is bit f % 48 of word f // 48
_FLOWER_COLUMN = PACKED - 1
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

    Under doubling rules the fans are types with their factors, the base first:

    >>> from fastmj import REGIONAL
    >>> score = score_hand("[123m,1][456m,1][789m,1][999m,1]55m", rules=REGIONAL)
    >>> score.fans, score.points, score.total
    ({'全求人': 1, '清一色': 2}, {'全求人': 18, '清一色': 18}, 36)
    """

    __slots__ = (
        "_blooms", "_cache", "_hand", "_mask", "_times", "base", "flowers", "rules", "status",
        "total",
    )  # fmt: skip

    def __init__(
        self,
        hand: Hand | Callable[[], Hand],
        rules: AnyRules,
        status: int,
        base: int,
        mask: tuple[int, int],
        times: int,
        flowers: int,
    ):
        self._hand = hand
        self._blooms = flowers
        self.rules = rules
        self.status = _STATUSES[status]
        self.base = base
        counted = flowers and not status and rules.counts_flowers
        self.flowers = flowers * rules.all_points[80] if counted else 0
        self.total = base + self.flowers
        self._mask = mask
        self._times = times
        self._cache: dict[str, Any] | None = None

    @property
    def hand(self) -> Hand:
        """What was scored; of a text that was scored as it stands it is made when asked for."""
        if not isinstance(self._hand, Hand):
            self._hand = self._hand()
        return self._hand

    @property
    def wins(self) -> bool:
        """Whether the hand is complete and reaches the minimum without its flowers."""
        return not self.status and self.base >= self.rules.min_fan

    @property
    def counts(self) -> dict[int, int]:
        """Times that each fan of ``rules.table`` counts, by number; factors, the base first."""
        if isinstance(self.rules, DoublingRules):
            return self.rules.factors(fans_of_mask(*self._mask))
        from ..kernels.scoring.layout import REPEATING

        times = {fan: self._times >> 4 * i & 15 for i, fan in enumerate(REPEATING)}
        counts = {fan: times.get(fan, 1) for fan in fans_of_mask(*self._mask)}
        if self._blooms and not self.status:
            counts[_FLOWER.id] = self._blooms
        return dict(sorted(counts.items()))

    @property
    def fans(self) -> dict[str, int]:
        """Times that each fan counts, by Chinese name, in the order of the table."""
        return {self.rules.table[fan].zh: times for fan, times in self.counts.items()}

    @property
    def fans_en(self) -> dict[str, int]:
        """Times that each fan counts, by English name, in the order of the table."""
        return {self.rules.table[fan].en: times for fan, times in self.counts.items()}

    @property
    def points(self) -> dict[str, int]:
        """Points that each fan adds in all, by Chinese name; they sum up to ``total``."""
        shares = self.rules.shares(self.counts)
        return {self.rules.table[fan].zh: points for fan, points in shares.items()}

    @property
    def sets(self) -> tuple[Block, ...]:
        """Sets, pair and other groups of the reading that counts; none if there is no reading."""
        chosen = self.explain().chosen
        return chosen.reading.blocks if chosen else ()

    def explain(self) -> Explanation:
        """The score with its reasons: which sets make each fan, what does not count and why."""
        if self._cache is None:
            from ..reference import explain

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

    def __hash__(self) -> int:
        return hash((self.hand, self.rules, self.total))

    def __str__(self) -> str:
        lines = [f"{self.hand}", *self._rows()]
        return "\n".join(lines)

    def _rows(self) -> list[str]:
        if self.status:
            return [self.status.message]
        counts, table = self.counts, self.rules.table
        rows = [
            f"{points:>4}  {table[fan]}" + (f" ×{counts[fan]}" if counts[fan] > 1 else "")
            for fan, points in self.rules.shares(counts).items()
        ]
        return [*rows, f"{self.total:>4}  {self.verdict}"]

    @property
    def verdict(self) -> str:
        """Whether the hand wins, in words."""
        if self.status:
            return self.status.message
        if self.wins:
            return f"total, a win ({self.rules.name})"
        flowers = f" ({self.base} without flowers)" if self.flowers else ""
        return f"total{flowers}, below the minimum of {self.rules.min_fan} ({self.rules.name})"

    def _repr_html_(self) -> str:
        from ..pictures import hand_picture, page, table

        if self.status:
            return page(hand_picture(self.hand), self.hand, self.verdict)
        counts, fans = self.counts, self.rules.table
        shares = self.rules.shares(counts).items()
        rows = [[fans[fan].zh, fans[fan].en, counts[fan], points] for fan, points in shares]
        rows.append([self.verdict, "", "", self.total])
        heads = ["番种", "fan", self.rules.unit, "points"]
        return page(hand_picture(self.hand), self.hand, table(heads, rows))


@lru_cache(maxsize=256)
def _single_scorer(rules: AnyRules) -> Any:
    """Function from a packed hand to its raw score, or ``None`` without numba."""
    if isinstance(rules, DoublingRules):
        return _doubling_scorer(rules)
    try:
        from ..kernels.scoring.batch import score_packed
    except ImportError:
        return None
    from ..tables.scoring.load import load_tables
    from ..tables.scoring.profile import compile_rules

    score = partial(score_packed, *load_tables(), *compile_rules(rules))

    def score_uncompiled(packed: Bytes) -> tuple[int, ...]:
        return tuple(map(int, score(packed)))

    return score if hasattr(score_packed, "py_func") else score_uncompiled


def _doubling_scorer(rules: DoublingRules) -> Any:
    try:
        from ..kernels.scoring.doubling import doubling_packed
    except ImportError:
        return None
    from ..tables.scoring.doubling import doubling_tables

    machine, melds, outcomes = doubling_tables(rules)
    return lambda packed: tuple(map(int, doubling_packed(packed, machine, melds, outcomes)))


def _scorer_of(rules: AnyRules) -> Any:
    """As ``_single_scorer``, kept with the rules: to find it by their content costs 0.2 µs."""
    scorer = _single_scorer(rules)
    rules.__dict__["_scorer"] = scorer
    return scorer


def _profile_of(rules: RulesLike) -> tuple[AnyRules, Any]:
    """The profile and its scorer."""
    profile: Any = rules
    scorer = getattr(profile, "_scorer", None)
    if scorer is None:
        profile = resolve_rules(rules)
        scorer = _scorer_of(profile)
    return profile, scorer


def score_hand(
    hand: Hand | str, *, rules: RulesLike = GB98, **circumstances: Unpack[Circumstances]
) -> HandScore:
    """Score one hand.

    Parameters
    ----------
    hand : Hand or str
        A hand, or its text as ``parse_hand`` reads it.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.
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
    profile, scorer = _profile_of(rules)
    if not isinstance(hand, Hand):
        if scorer and isinstance(hand, str) and not circumstances:
            score = _score_row(scorer, packed_text(hand), partial(parse_hand, hand), profile)
            if score is not None:
                return score
        hand = parse_hand(hand)
    if circumstances:
        hand = hand.replace(**circumstances)
    if scorer is None:
        return _score_by_reference(hand, profile)
    status, base, low, high, times = scorer(hand.packed)
    return HandScore(hand, profile, status, base, (low, high), times, hand.flowers)


def score_botzone(
    pack: Iterable[Sequence[Any]],
    hand: str | Iterable[str],
    winTile: str,  # noqa: N803 - the peer's names, so that calls can stay as they are
    flowerCount: int = 0,  # noqa: N803
    isSelfDrawn: bool = False,  # noqa: N803
    is4thTile: bool = False,  # noqa: N803
    isAboutKong: bool = False,  # noqa: N803
    isWallLast: bool = False,  # noqa: N803
    seatWind: int | str = 0,  # noqa: N803
    prevalentWind: int | str = 0,  # noqa: N803
    *,
    rules: RulesLike = GB98,
) -> HandScore:
    """Score one hand in Botzone's codes: PyMahjongGB's ``MahjongFanCalculator``, by its arguments.

    Parameters
    ----------
    pack : iterable of (str, str, int)
        Melds, ``("CHI" | "PENG" | "GANG", tile, offer)``; a chow is named by its middle tile, a
        kong with offer 0 is concealed.
    hand : str or iterable of str
        The standing tiles without the winning tile (with it is understood too).
    winTile : str
        The winning tile.
    flowerCount : int
        0-8.
    isSelfDrawn, is4thTile, isAboutKong, isWallLast : bool
        ``self_drawn``, ``last_of_kind``, ``kong`` and ``last_tile`` of a ``Hand``, in this order.
    seatWind, prevalentWind : int or str
        0-3 or ``E S W N``.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one.

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
    >>> packs, tiles = (("PENG", "F1", 1),), "W1 W2 W3 B4 B5 B6 T7 T8 T9 T9"
    >>> score_botzone(packs, tiles, "T9", 0, False, False, False, True, 1, 0).points
    {'花龙': 8, '海底捞月': 8, '圈风刻': 2}
    """
    packs, tiles = botzone_parts(pack, hand)
    circumstances: Any = {
        "self_drawn": isSelfDrawn, "last_of_kind": is4thTile, "last_tile": isWallLast,
        "kong": isAboutKong, "seat_wind": seatWind, "prevalent_wind": prevalentWind,
        "flowers": flowerCount,
    }  # fmt: skip
    profile, scorer = _profile_of(rules)
    if scorer:
        packed = packed_botzone(packs, tiles, winTile, **circumstances)
        # Packs may be lists that change before the hand is asked for.
        kept = () if packed is None else tuple(map(tuple, packs))
        make = partial(Hand.from_botzone, kept, tiles, winTile, **circumstances)
        score = _score_row(scorer, packed, make, profile)
        if score is not None:
            return score
    return score_hand(Hand.from_botzone(packs, tiles, winTile, **circumstances), rules=profile)


def _score_row(
    scorer: Any, packed: Bytes | None, make: Callable[[], Hand], rules: AnyRules
) -> HandScore | None:
    """Score a row before its hand is made, or ``None`` if it is no possible one."""
    if packed is None:
        return None
    status, base, low, high, times = scorer(packed)
    if status > Status.NOT_COMPLETE:
        return None
    return HandScore(make, rules, status, base, (low, high), times, packed.item(_FLOWER_COLUMN))


def _score_by_reference(hand: Hand, rules: AnyRules) -> HandScore:
    """Score a hand without numba."""
    from ..kernels.scoring.layout import REPEATING
    from ..reference import explain

    explanation = explain(hand, rules)
    if explanation.chosen is None:
        return HandScore(hand, rules, Status.NOT_COMPLETE, 0, (0, 0), 0, hand.flowers)
    counts = explanation.chosen.fans
    words = [0, 0]
    for fan in counts:
        words[fan // _WORD] |= 1 << fan % _WORD
    times = sum(counts.get(fan, 0) << 4 * i for i, fan in enumerate(REPEATING))
    mask = words[0], words[1]
    score = HandScore(hand, rules, Status.OK, explanation.base, mask, times, hand.flowers)
    score._cache = {"explanation": explanation}
    return score
