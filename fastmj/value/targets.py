"""Eight-fan shanten: how far a hand is from one that scores enough to win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distance.batches import Input, codes_of, shanten_of
from ..distance.reading import AnyHand, AnyMelds, read_row
from ..distance.results import Columns, Shantens
from ..hands.batch import as_bytes, rows_of_counts
from ..hands.columns import Bytes
from ..hands.hand import Hand
from ..hands.melds import Meld
from ..hands.status import Status
from ..hands.tiles import NAMES, Honors, tiles_of
from ..rules import FANS, GB98, NationalRulesLike, Rules, national_rules
from ..samples.arguments import true_or_false, whole_between
from ..scoring.hand import HandScore, score_hand
from .fans import fan_distance_batch, wind_columns

#: Largest distance that is found by search; beyond it the fan distances bound it.
MOST_EXACT = 4
#: Distance of which no bound is known.
UNKNOWN = 127
_KEPT = 20_000
#: Rows that a thread takes at a time: a search takes a millisecond.
_ROWS = 32
#: Fans that depend on how the hand is won, so that being near them promises nothing; and those
#: that a ruling keeps from some seven pairs.
_UNSURE = FANS.ids("四暗刻 三暗刻 双暗刻 不求人 门前清 全求人")
_UNSURE_PAIRS = FANS.ids("绿一色 字一色 清幺九 混幺九 全大 全中 全小 大于五 小于五")
_UNSURE_HOG = FANS.ids("四归一")
#: Far more than any hand scores. What the best one scores depends on every value and ruling of the
#: profile, and would have to be searched for.
_MOST_FAN = 100_000


class MinFanBatch(Columns):
    """Distances of many hands to a win.

    Attributes
    ----------
    distance : ndarray of int8, shape (N,)
        Fewest tiles to draw, less one, to a complete hand that reaches the minimum; 127 when no
        bound is known.
    exact : ndarray of bool, shape (N,)
        Whether that is proven; else it is an upper bound.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand; its distance is then -128.
    """

    __slots__ = ("distance", "exact")

    distance: Shantens
    exact: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class MinFanShanten:
    """How far a hand is from one that scores enough.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    min_fan : int
        What the complete hand must score.
    distance : int
        Fewest tiles to draw, less one; 127 when no bound is known.
    exact : bool
        Whether that is proven; else it is an upper bound and there are no targets.
    targets : tuple of HandScore
        The complete hands, the highest first.
    tiles : tuple of int
        Tiles that some target takes.
    left : tuple of int
        Copies of each that are neither held nor in the melds nor visible.
    """

    hand: str
    min_fan: int
    distance: int
    exact: bool
    targets: tuple[HandScore, ...]
    tiles: tuple[int, ...]
    left: tuple[int, ...]

    def __str__(self) -> str:
        if not self.exact:
            bound = "unknown" if self.distance == UNKNOWN else f"at most {self.distance}"
            return f"{self.hand}: distance to {self.min_fan} fan {bound}"
        helping = " ".join(
            f"{NAMES[tile]}({left})" for tile, left in zip(self.tiles, self.left, strict=True)
        )
        return (
            f"{self.hand}: distance to {self.min_fan} fan {self.distance}, "
            f"{len(self.targets)} targets, helped by {helping or 'nothing more'}"
        )


def asked_for(minimum: int, way: int, seat_wind: int, prevalent_wind: int) -> npt.NDArray[np.int64]:
    """What the search is asked for, and room for its answers (``kernels.value.targets``)."""
    return np.array([minimum, int(way), seat_wind, prevalent_wind, 0, 0], np.int64)


def shown_tiles(codes: Bytes) -> tuple[Bytes, Bytes]:
    """Number of melds (N,) of meld codes (N, 4), and the tiles that lie in them (N, 34)."""
    from ..kernels.distance.melds import meld_rows

    number = np.zeros(len(codes), np.uint8)
    shown = np.zeros((len(codes), 34), np.uint8)
    meld_rows(codes, number, shown, 0, len(codes))
    return number, shown


def resolve_minimum(min_fan: int | None, rules: Rules) -> int:
    """Points that a win needs: what is given, checked, or the profile's minimum.

    What hands on their way are worth is known for national rules alone.
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules profile such as GB98, got {type(rules).__name__}")
    if min_fan is None:
        return rules.min_fan
    return whole_between("min_fan", min_fan, 0, _MOST_FAN)


def targets_within(
    drawn: int, counts: Bytes, gone: Bytes, open_tiles: Bytes, codes: Bytes, minimum: int,
    way: int, winds: dict[str, int], rules: Rules, most: int,
) -> npt.NDArray[np.int16]:  # fmt: skip
    """Complete hands that score enough, of which a hand misses exactly so many tiles.

    ``counts``, ``gone`` (copies that cannot be drawn) and ``open_tiles`` (those that all see: of
    which three lie there, the fourth is the last of its kind) are (1, 34), ``codes`` (1, 4);
    ``way`` is 0 by discard, 1 by self-draw, 2 whichever. Rows as ``kernels.value.targets`` writes
    them, in the order of their counts; of more than ``most`` those found first.
    """
    from ..kernels.value.layout import SCRATCH
    from ..kernels.value.targets import FOUND, TARGET_WIDTH, target_row
    from ..tables.scoring.load import load_tables
    from ..tables.scoring.profile import compile_rules

    asked = asked_for(minimum, way, **winds)
    targets = np.zeros((most, TARGET_WIDTH), np.int16)
    target_row(
        as_bytes("counts", counts), as_bytes("gone", gone), as_bytes("open tiles", open_tiles),
        as_bytes("melds", codes), 0, int((codes != 0).sum()), drawn, drawn,
        np.zeros((1, 38), np.uint8), asked, targets,
        np.zeros(SCRATCH, np.int64), load_tables(), compile_rules(rules),
    )  # fmt: skip
    return distinct(targets[: min(int(asked[FOUND]), most)])


def distinct(rows: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Rows without those that repeat the 34 counts of another, in the order of the counts."""
    digits = 8 ** np.arange(16, -1, -1)
    words = rows[:, :17] @ digits, rows[:, 17:34] @ digits
    order = np.lexsort(words[::-1])
    new = np.ones(len(rows), np.bool_)
    if len(rows):
        new[1:] = (np.diff(words[0][order]) != 0) | (np.diff(words[1][order]) != 0)
    return rows[order[new]]


def _enough(rules: Rules, minimum: int) -> list[int]:
    """Fans that make a hand score the minimum: worth it, as is what may count in their place."""
    unsure = set(_UNSURE)
    unsure.update(_UNSURE_PAIRS if rules.strict98_pairs else ())
    unsure.update(() if rules.hog_in_special_pairs else _UNSURE_HOG)
    worth = {fan.id for fan in FANS if rules.points(fan.id) >= minimum}
    while True:
        lost = {fan for cheap in FANS if cheap.id not in worth for fan in rules.implies[cheap.id]}
        if not lost & worth:
            return sorted(worth - unsure)
        worth -= lost


def min_fan_shanten_batch(
    counts: Any,
    *,
    melds: Any = None,
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    self_drawn: bool = True,
    seat_wind: Any = 0,
    prevalent_wind: Any = 0,
    visible: Any = None,
    most_exact: int = MOST_EXACT,
    threads: int | None = None,
) -> MinFanBatch:
    """How far many hands are from one that scores enough to win.

    Parameters
    ----------
    counts, melds, seat_wind, prevalent_wind, threads
        As for ``fan_distance_batch``.
    rules : Rules or str
        Rule profile, or the name of one: gb98, wmo2006.
    min_fan : int, optional
        What the complete hand must score, flowers aside; by default the profile's minimum. The most
        that a hand can have depends on the profile and is not known: beyond it nothing is found.
    self_drawn : bool
        Whether the winning tile is drawn or claimed from a discard.
    visible : array_like of int, shape (N, 34) or (34,), optional
        Copies seen in discards and others' melds. Where three of a tile lie open, with the hand's
        own melds, the fourth scores as the last of its kind; a tile of which none is left still
        counts as one to draw.
    most_exact : int
        Largest distance to search for, 0-4.

    Returns
    -------
    MinFanBatch

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> found = min_fan_shanten_batch([counts_of(parse_tiles("234m567m345p678s5s"))])
    >>> found.distance, found.exact
    (array([0], dtype=int8), array([ True]))
    """
    from ..kernels.value.layout import SCRATCH
    from ..kernels.value.targets import TARGET_WIDTH, target_row
    from ..tables.scoring.load import load_tables
    from ..tables.scoring.profile import compile_rules
    from ..threads import run_chunks

    rules = national_rules(rules)
    self_drawn = true_or_false("self_drawn", self_drawn)
    most_exact = whole_between("most_exact", most_exact, 0, MOST_EXACT)
    minimum = resolve_minimum(min_fan, rules)
    held = rows_of_counts(counts)
    length = len(held)
    codes = codes_of(melds, length)
    given = Input(held, codes, visible)
    near = shanten_of(given, threads)
    winds = wind_columns(length, seat_wind, prevalent_wind)
    status = near.status.copy()
    for wind in winds.values():
        status[(status == Status.OK) & (wind > 3)] = Status.BAD_WIND
    number, shown = shown_tiles(codes)
    shown = as_bytes("shown", shown)
    open_tiles = shown if given.seen is None else as_bytes("visible", given.seen)
    distance, exact = np.full(length, -128, np.int8), np.zeros(length, np.bool_)
    scoring, profile = load_tables(), compile_rules(rules)

    def work(start: int, stop: int) -> None:
        scratch = np.zeros(SCRATCH, np.int64)
        targets = np.zeros((1, TARGET_WIDTH), np.int16)
        hand = np.zeros((1, 38), np.uint8)
        for row in range(start, stop):
            if status[row] != Status.OK:
                continue
            asked = asked_for(minimum, self_drawn, *(int(wind[row]) for wind in winds.values()))
            drawn = target_row(
                held, shown, open_tiles, codes, row, int(number[row]), int(near.best[row]) + 1,
                most_exact + 1, hand, asked, targets, scratch, scoring, profile,
            )  # fmt: skip
            if drawn >= 0:
                distance[row], exact[row] = drawn - 1, True

    run_chunks(work, length, threads, _ROWS)
    far = np.flatnonzero((status == Status.OK) & ~exact)
    if len(far):
        bounds = fan_distance_batch(
            held[far], melds=codes[far], threads=threads,
            **{name: wind[far] for name, wind in winds.items()},
        ).distance[:, _enough(rules, minimum)]  # fmt: skip
        distance[far] = np.where(bounds >= -1, bounds, UNKNOWN).min(1, initial=UNKNOWN)
    return MinFanBatch(status, distance=distance, exact=exact)


def min_fan_shanten(
    hand: AnyHand,
    *,
    melds: AnyMelds = None,
    rules: NationalRulesLike = GB98,
    min_fan: int | None = None,
    self_drawn: bool = True,
    visible: Any = "",
    honors: Honors = "chinese",
) -> MinFanShanten:
    """How far a hand is from one that scores enough to win, and the hands that do.

    Parameters
    ----------
    hand, melds
        As for ``shanten``: a text, winds and flowers behind it, a ``Hand``, or counts with melds.
    rules, min_fan, self_drawn
        As for ``min_fan_shanten_batch``.
    visible : str or array_like of int
        Tiles seen in discards and others' melds, as for ``min_fan_shanten_batch``.
    honors : {"chinese", "riichi"}
        As for ``parse_hand``.

    Returns
    -------
    MinFanShanten

    Raises
    ------
    InvalidHand
        When a text cannot be read or the hand is impossible.

    Examples
    --------
    >>> print(min_fan_shanten("123456m78p99s123s"))
    123456m78p12399s: distance to 8 fan 0, 2 targets, helped by 6p(4) 9p(4)

    Notes
    -----
    Every complete hand with as many drawn tiles as the plain distance is scored, then with one
    more, and so on up to five drawn tiles (distance 4). The winning tile is one of the drawn ones;
    of a hand that is complete already, any. Farther hands get the least distance of a fan that is
    worth enough alone: an upper bound.
    """
    rules = national_rules(rules)
    minimum = resolve_minimum(min_fan, rules)
    row = read_row(hand, visible, honors, (0, 1), melds)
    counts, codes = row.columns["counts"], as_bytes("melds", row.columns["melds"])
    winds = row.winds
    found = min_fan_shanten_batch(
        counts, melds=codes, rules=rules, min_fan=minimum, self_drawn=self_drawn,
        visible=row.visible, threads=1, **winds,
    )  # fmt: skip
    distance, exact = int(found.distance[0]), bool(found.exact[0])
    if not exact:
        return MinFanShanten(row.text, minimum, distance, False, (), (), ())
    shown = shown_tiles(codes)[1]
    open_tiles = shown + row.visible
    rows = targets_within(
        distance + 1, as_bytes("counts", counts), shown, as_bytes("visible", open_tiles), codes,
        minimum, self_drawn, winds, rules, _KEPT,
    )  # fmt: skip
    melds = tuple(Meld.from_code(int(code)) for code in codes[0] if code)
    scores = []
    for each in rows.tolist():
        tile = each[34]
        last = each[tile] == 1 and open_tiles[0, tile] == 3
        hand = Hand(
            tiles_of(each[:34]), tile, melds, self_drawn=self_drawn, last_of_kind=last, **winds
        )
        scores.append(score_hand(hand, rules=rules))
    scores.sort(key=lambda score: (-score.base, score.hand.concealed))
    wanted = (rows[:, :34] > counts[0]).any(0)
    tiles = tuple(np.flatnonzero(wanted).tolist())
    return MinFanShanten(row.text, minimum, distance, True, tuple(scores), tiles, row.left(tiles))
