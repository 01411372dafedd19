"""What every wait of many hands scores, by discard and by self-draw."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from ..hands.batch import HandBatch, as_bytes, column_of, rows_of_counts
from ..hands.columns import Bytes
from ..hands.status import Status
from ..hands.tiles import HONORS_FROM, KINDS
from ..rules import GB98, DoublingRules, RulesLike, resolve_rules
from .batches import Input, codes_of, waits_of
from .results import Columns, Masks

P = ParamSpec("P")
Totals = npt.NDArray[np.int16]


class WaitScoreBatch(Columns):
    """Scores of the waits of many hands.

    Attributes
    ----------
    by_discard, self_drawn : ndarray of int16, shape (N, 34)
        Total, flowers included, when the hand is completed with a tile of the kind by discard or by
        self-draw; -1 where the tile does not complete the hand or no copy of it is left.
    wins_by_discard, wins_self_drawn : ndarray of int64, shape (N,)
        Tiles with which the hand reaches the minimum of the rule profile, bit t for tile t.
    mask, live : ndarray of int64, shape (N,)
        All waits, and those of which a copy is left, as in ``WaitBatch``.
    status : ndarray of uint8, shape (N,)
        ``Status.OK``, or why the row is no hand.
    """

    __slots__ = (
        "by_discard", "live", "mask", "self_drawn", "wins_by_discard", "wins_self_drawn",
    )  # fmt: skip

    by_discard: Totals
    self_drawn: Totals
    wins_by_discard: Masks
    wins_self_drawn: Masks
    mask: Masks
    live: Masks

    @property
    def only_self_drawn(self) -> Masks:
        """Tiles with which the hand wins when they are drawn, but not by discard."""
        return self.wins_self_drawn & ~self.wins_by_discard


def waits_scores_batch(
    counts: Any,
    *,
    melds: Any = None,
    seat_wind: Any = 0,
    prevalent_wind: Any = 0,
    flowers: Any = 0,
    visible: Any = None,
    rules: RulesLike = GB98,
    threads: int | None = None,
) -> WaitScoreBatch:
    """Totals of every wait of many hands, by discard and by self-draw.

    Parameters
    ----------
    counts : array_like of int, shape (N, 34)
        Number of each kind among the concealed tiles: 13 - 3m tiles beside m melds.
    melds : array_like of int, shape (N, 4), optional
        Meld codes as in a ``HandBatch``.
    seat_wind, prevalent_wind, flowers : array_like of int, shape (N,), or int
        As for a ``HandBatch``.
    visible : array_like of int, shape (N, 34) or (34,), optional
        Copies seen in discards and others' melds. Where three of a wait lie open, with the hand's
        own melds, the fourth scores as the last of its kind.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.
    threads : int, optional
        Threads to use, by default one a core.

    Returns
    -------
    WaitScoreBatch

    Raises
    ------
    TypeError, ValueError
        For a wrong dtype or shape. Rows that are no hand get a status.

    Examples
    --------
    >>> from fastmj.hands.tiles import counts_of, parse_tiles
    >>> found = waits_scores_batch([counts_of(parse_tiles("234m567m345p678s5s"))])
    >>> found.by_discard[0, 22].item(), found.self_drawn[0, 22].item()
    (7, 9)
    >>> found.only_self_drawn == 1 << 22
    array([ True])

    Notes
    -----
    Circumstances other than the two ways to win are left out: last tile, kong.

    Under doubling rules the waits are those of sets and a pair, of seven pairs, and of honours
    without sets; a tile of which the hand holds all four copies is none of them.
    """
    from ..scoring.batch import score_batch

    rules = resolve_rules(rules)
    length = len(rows_of_counts(counts))
    codes = codes_of(melds, length)
    given = Input(counts, codes, visible)
    winds = [
        column_of(name, value, length)
        for name, value in (
            ("seat_wind", seat_wind), ("prevalent_wind", prevalent_wind), ("flowers", flowers),
        )
    ]  # fmt: skip
    waits = waits_of(given, threads)
    status = waits.status.copy()
    for column, most, code in zip(
        winds, (3, 3, 8), (Status.BAD_WIND, Status.BAD_WIND, Status.BAD_FLOWERS), strict=True
    ):
        status[(column > most) & (status == Status.OK)] = code
    live = np.where(status == Status.OK, waits.live, 0)
    mask = np.where(status == Status.OK, waits.mask, 0)
    codes = np.zeros((length, 4), np.uint8) if np.ndim(melds) != 2 else as_bytes("melds", melds)
    if isinstance(rules, DoublingRules):
        mask, live = _doubling_waits(given, codes, mask, status == Status.OK, rules)

    rows, tiles = np.nonzero(live[:, None] >> np.arange(KINDS) & 1)
    complete = given.counts[rows]
    complete[np.arange(len(rows)), tiles] += 1
    open_tiles = np.zeros(len(rows), np.uint8)
    if given.seen is not None:
        open_tiles = np.broadcast_to(given.seen, (length, KINDS))[rows, tiles]
    last_of_kind = (complete[np.arange(len(rows)), tiles] == 1) & (open_tiles == 3)
    totals: list[Totals] = []
    winning: list[Masks] = []
    for self_drawn in (False, True):
        scores = score_batch(
            HandBatch(
                complete,
                melds=codes[rows],
                win_tile=tiles,
                self_drawn=self_drawn,
                last_of_kind=last_of_kind,
                seat_wind=winds[0][rows],
                prevalent_wind=winds[1][rows],
                flowers=winds[2][rows],
            ),
            rules=rules,
            threads=threads,
        )
        total = np.full((length, KINDS), -1, np.int16)
        total[rows, tiles] = scores.total
        totals.append(total)
        wins = np.zeros(length, np.int64)
        np.bitwise_or.at(wins, rows, scores.wins.astype(np.int64) << tiles)
        winning.append(wins)
    return WaitScoreBatch(
        status,
        by_discard=totals[0],
        self_drawn=totals[1],
        wins_by_discard=winning[0],
        wins_self_drawn=winning[1],
        mask=mask,
        live=live,
    )


def _doubling_waits(
    given: Input, codes: Bytes, mask: Masks, valid: npt.NDArray[np.bool_], rules: DoublingRules
) -> tuple[Masks, Masks]:
    """Waits under doubling rules and those of which a copy is left, from those of national forms.

    What else may complete a hand is tried: every tile of its kind for honours alone.
    """
    from ..scoring.batch import score_batch

    groups = [range(HONORS_FROM, KINDS)]
    if not rules.flush_needs_sets:
        groups += [range(first, first + 9) for first in (0, 9, 18)]
    held = given.counts.sum(axis=1)
    for group in groups:
        alone = valid & (given.counts[:, group.start : group.stop].sum(axis=1) == held)
        mask = mask | np.where(alone, sum(1 << tile for tile in group), 0)
    rows, tiles = np.nonzero(mask[:, None] >> np.arange(KINDS) & 1)
    tried = given.counts[rows]
    tried[np.arange(len(rows)), tiles] += 1
    scores = score_batch(HandBatch(tried, melds=codes[rows], win_tile=tiles), rules=rules)
    found = np.zeros(len(mask), np.int64)
    np.bitwise_or.at(found, rows, (scores.status == Status.OK).astype(np.int64) << tiles)
    open_tiles = given.counts if given.seen is None else given.counts + given.seen
    left = ((open_tiles < 4) * (np.int64(1) << np.arange(KINDS))).sum(axis=1)
    return found, found & left


def _renamed(function: Callable[P, WaitScoreBatch]) -> Callable[P, WaitScoreBatch]:
    def waits_scores(*arguments: P.args, **options: P.kwargs) -> WaitScoreBatch:
        """The former name of ``waits_scores_batch``, which says that it goes with many hands."""
        text = "waits_scores is called waits_scores_batch now"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(*arguments, **options)

    return waits_scores


waits_scores = _renamed(waits_scores_batch)
