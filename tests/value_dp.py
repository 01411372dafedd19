"""The best play of hands with three melds, and what ``weigh`` reaches, worked out.

The model: a wall of some tiles, each of which comes in proportion to the copies that lie neither in
the hand nor in its melds, whatever came before; the hand draws every fourth one, and each of the
others is discarded with the same chance, or stays hidden. The hand wins when it scores enough, or
claims the fourth set (chows from the left only, kongs of three held tiles too) and waits for the
single tile that is left over, or for one that it draws later.

A hand is four tiles, by number; a fourth meld is a set: 0-33 a chow by its lowest tile, 34-67 a
pung, 68-101 a kong.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numba
import numpy as np

from fastmj import GB98, HandBatch, Meld, score_batch
from fastmj.kernels.value.decide import LIST as LIST_AT
from fastmj.kernels.value.decide import (
    MISSING,
    TURNS,
    choose_claim,
    choose_own,
    key_of,
    take_hand,
)
from fastmj.value.lists import Root
from fastmj.value.model import Model
from fastmj.value.play import Games, Table, make_player

ROUND = 4
CHOW, PUNG, KONG, SETS = 0, 34, 68, 102
#: States of which the best play wins less than this are not gone through.
NEGLIGIBLE = 2e-7
BINOMIAL = np.array([[comb(n, k) for k in range(6)] for n in range(40)])


def rank(tiles: Any) -> Any:
    """Numbers of sorted choices of tiles, (..., n)."""
    return sum(BINOMIAL[tiles[..., k] + k, k + 1] for k in range(tiles.shape[-1]))


class Shapes(NamedTuple):
    """What all hands of four tiles have in common."""

    hands: Any  # (H, 4): tiles
    after: Any  # (H, 34): number of the five tiles with one more
    without: Any  # (F, 5): number of the four tiles with one less
    claims: Any  # (C, 5): a hand, the tile it claims, the set, the two tiles left over
    first: Any  # (H + 1,): where its claims begin


@cache
def shapes() -> Shapes:
    """Made once."""
    hands, fives = (
        np.array(sorted(combinations_with_replacement(range(34), n), key=lambda t: t[::-1]))
        for n in (4, 5)
    )
    assert (rank(hands) == np.arange(len(hands))).all()
    after = np.stack(
        [rank(np.sort(np.insert(hands, 0, tile, axis=1), axis=1)) for tile in range(34)], axis=1
    )
    without = np.stack([rank(np.delete(fives, place, axis=1)) for place in range(5)], axis=1)
    claims = []
    for number, hand in enumerate(hands.tolist()):
        for a in range(4):
            for b in range(a + 1, 4):
                rest = [hand[k] for k in range(4) if k not in (a, b)]
                for tile, low in claimed_with(hand[a], hand[b]):
                    claims.append((number, tile, low, *rest))
        for tile in set(hand):
            if hand.count(tile) == 3:
                single = next(other for other in hand if other != tile)
                claims.append((number, tile, KONG + tile, single, single))
    table = np.array(sorted(set(claims)))
    return Shapes(hands, after, without, table, np.searchsorted(table[:, 0], range(len(hands) + 1)))


def claimed_with(low: int, high: int) -> list[tuple[int, int]]:
    """Tiles that make a set with two, and that set."""
    if low == high:
        return [(low, PUNG + low)]
    if low >= 27 or low // 9 != high // 9 or high - low > 2:
        return []
    if high - low == 2:
        return [(low + 1, CHOW + low)]
    found = [(low - 1, CHOW + low - 1)] if low % 9 else []
    return found + ([(high + 1, CHOW + low)] if high % 9 < 8 else [])


class Position(NamedTuple):
    """Three melds, and with which tiles they win."""

    left: Any  # (34,): copies that are not in the melds
    wins: Any  # bool (2, H, 34): by discard and by self-draw
    after: Any  # int64 (SETS, 34): copies left beside the fourth set; all 0 where there is none
    singles: Any  # bool (3, SETS, 34): by discard, self-draw, and behind a kong


def codes_of(melds: list[Meld]) -> Any:
    """Meld codes."""
    return np.array([meld.code for meld in melds] + [0] * (4 - len(melds)), np.uint8)


def position_of(melds: list[Meld], minimum: int = 8) -> Position:
    """Score everything that may win beside three melds."""
    shown = np.bincount([t for meld in melds for t in meld.tiles], minlength=34)
    left, table = 4 - shown, shapes()
    wins = np.zeros((2, len(table.hands), 34), bool)
    complete = []
    for pair in range(34):
        for number in range(KONG):
            tiles = [pair, pair, *tiles_of_set(number)]
            counts = np.bincount(tiles, minlength=34)
            if len(tiles) == 5 and (counts <= left).all():
                complete += [(counts, tile) for tile in sorted(set(tiles))]
    counts, tile = np.array([c for c, _ in complete]), np.array([t for _, t in complete])
    rows = np.arange(len(tile))
    rest = counts.copy()
    rest[rows, tile] -= 1
    hands = rank(np.array([np.repeat(np.arange(34), row) for row in rest]))
    last = (shown[tile] == 3) & (counts[rows, tile] == 1)
    codes = codes_of(melds)
    for drawn in (0, 1):
        found = score_batch(
            HandBatch(
                counts, melds=np.tile(codes, (len(tile), 1)), win_tile=tile,
                self_drawn=bool(drawn), last_of_kind=last,
            )
        )  # fmt: skip
        wins[drawn, hands, tile] |= (found.status == 0) & (found.base >= minimum)
    after = np.zeros((SETS, 34), np.int64)
    singles = np.zeros((3, SETS, 34), bool)
    for number in range(SETS):
        taken = np.bincount(tiles_of_set(number), minlength=34)
        if not taken.any() or (taken > left).any():
            continue
        after[number] = left - taken
        pairs = np.flatnonzero(after[number] >= 2)
        codes[3] = number + 1
        for way, flags in enumerate(({}, {"self_drawn": True}, {"self_drawn": True, "kong": True})):
            found = score_batch(
                HandBatch(
                    2 * np.eye(34, dtype=np.uint8)[pairs], melds=np.tile(codes, (len(pairs), 1)),
                    win_tile=pairs, **flags,
                )
            )  # fmt: skip
            singles[way, number, pairs] = (found.status == 0) & (found.base >= minimum)
    return Position(left, wins, after, singles)


def tiles_of_set(number: int) -> list[int]:
    """Tiles of a set, none if there is no such set."""
    if number >= PUNG:
        return [number % 34] * (3 if number < KONG else 4)
    return [number, number + 1, number + 2] if number < 27 and number % 9 < 7 else []


# --- the best play


@numba.njit(cache=True)
def best_singles(position, claims, wall):
    """Values of a fourth set and a single tile, (wall + 1, 5, SETS, 34), 0 the hand draws next.

    4: a kong was claimed, of which the tile that replaces it is still to come.
    """
    values = np.zeros((wall + 1, 5, SETS, 34))
    for tiles in range(1, wall + 1):
        for number in range(SETS):
            left, stay = position.after[number], values[tiles - 1, 1, number]
            for single in range(34):
                if left[single] == 0:
                    continue
                total = left.sum() - 1
                for way, who in ((1, 0), (2, 4)):
                    for tile in range(34):
                        copies = left[tile] - (tile == single)
                        if tile == single and position.singles[way, number, single]:
                            values[tiles, who, number, single] += copies / total
                        elif copies > 0:
                            more = max(stay[single], stay[tile])
                            values[tiles, who, number, single] += copies / total * more
                for who in range(1, 4):
                    passed = values[tiles - 1, (who + 1) % ROUND, number, single]
                    rate = 0.0
                    if position.singles[0, number, single]:
                        rate = claims * (left[single] - 1) / total
                    values[tiles, who, number, single] = rate + (1 - rate) * passed
    return values


@numba.njit(cache=True)
def best_hands(position, shapes, claims, wall, singles):
    """Values of all hands, (wall + 1, ROUND, H)."""
    hands = len(shapes.hands)
    every = np.zeros((wall + 1, ROUND, hands))
    after = np.zeros(len(shapes.without))
    offered = np.zeros(34)
    for tiles in range(1, wall + 1):
        before, values = every[tiles - 1], every[tiles]
        for five in range(len(after)):
            after[five] = 0
            for place in range(5):
                after[five] = max(after[five], before[1, shapes.without[five, place]])
        for hand in range(hands):
            copies = position.left.copy()
            for tile in shapes.hands[hand]:
                copies[tile] -= 1
            if copies.min() < 0:
                continue
            total, drawn = copies.sum(), 0.0
            for tile in range(34):
                won = position.wins[1, hand, tile]
                drawn += copies[tile] * (1.0 if won else after[shapes.after[hand, tile]])
            values[0, hand] = drawn / total
            for who in range(1, ROUND):
                passed = before[(who + 1) % ROUND, hand]
                offered[:] = passed
                for claim in range(shapes.first[hand], shapes.first[hand + 1]):
                    _, tile, number, one, other = shapes.claims[claim]
                    if number >= PUNG or who == 3:
                        if number >= KONG:
                            worth = singles[tiles - 1, 4, number, one]
                        else:
                            worth = max(
                                singles[tiles - 1, 1, number, one],
                                singles[tiles - 1, 1, number, other],
                            )
                        offered[tile] = max(offered[tile], worth)
                found = 0.0
                for tile in range(34):
                    won = position.wins[0, hand, tile]
                    found += copies[tile] * (1.0 if won else offered[tile])
                values[who, hand] = (1 - claims) * passed + claims * found / total
    return every


# --- the policy: not kept in a cache, which would not notice changed kernels


@numba.njit
def _decide(guide, player, counts, codes, left, seen, who, draws, out):
    """What is discarded after each drawn tile, or claimed of each offered one.

    Into ``out`` (34, 2) the tile; or the meld's code, 0 none, and the single tile that is left
    over. Returns 0, or the melds of a list that is wanting.
    """
    for tile in range(34):
        if left[tile] <= 0:
            continue
        take_hand(guide, player, counts, seen, codes)
        player.state[TURNS] = 64  # far goals are dropped no more
        if player.state[LIST_AT] < 0:
            return key_of(player, 0, 0)
        player.left[tile] -= 1
        if who % 4 == 0:
            player.rows.counts[0, tile] += 1
            out[tile, 0] = choose_own(guide, player, np.int64(tile), np.int64(draws), False)
            continue
        player.rows.seen[0, tile] += 1
        code, discard = choose_claim(guide, player, np.int64(tile), who == 3, np.int64(draws))
        if code < 0:
            return player.state[MISSING]
        out[tile, 0] = code
        for single in range(34):
            if code > 0 and player.best_rest[single] - (single == discard) > 0:
                out[tile, 1] = single
    return 0


class Weighed:
    """A hand with three melds that the policy plays."""

    def __init__(self, melds: list[Meld], tiles: tuple[int, ...], claims: float, wall: int):
        self.position, self.codes, self.claims = position_of(melds), codes_of(melds), claims
        self.start = tuple(sorted(tiles))
        shown = (4 - self.position.left).astype(np.uint8)
        counts = np.bincount(tiles, minlength=34).astype(np.uint8)
        pool = np.repeat(np.arange(34, dtype=np.uint8), 4 - shown - counts)
        winds = {"seat_wind": 0, "prevalent_wind": 0}
        model = Model(claims, 0.0, True, 0)
        table = Table(pool, wall // ROUND, 8, winds, GB98, model)
        self.games = Games(table, Root(counts, shown, self.codes))
        self.player = make_player()

    def decide(self, number: int, tiles: tuple[int, ...], who: int, draws: int) -> list[Any]:
        """What is done with a hand, ``number`` -1 or its fourth set, as ``_decide`` tells it."""
        codes, left = self.codes.copy(), self.position.left
        if number >= 0:
            codes[3], left = number + 1, self.position.after[number]
        counts, out = np.bincount(tiles, minlength=34), np.zeros((34, 2), np.int64)
        while True:
            key = _decide(
                self.games.guide(), self.player, counts.astype(np.uint8), codes,
                left - counts, 4 - left, who, draws, out,
            )  # fmt: skip
            if not key:
                return out.tolist()
            self.games.lists.add(int(key))

    @cache  # noqa: B019 - the hand itself is soon forgotten
    def moves(self, number: int, tiles: tuple[int, ...], who: int, draws: int) -> list[Any]:
        """What comes of a tile of the wall: (None or the next state, chance), with one tile less.

        A state is the fourth set or -1, the tiles, and who draws: 0 the hand itself, 1-3 the
        others, 4 the hand again, behind a kong.
        """
        position, after = self.position, (number, tiles, (who + 1) % ROUND)
        left = position.left if number < 0 else position.after[number]
        copies = left - np.bincount(tiles, minlength=34)
        if number < 0:
            wins = position.wins[int(who == 0), int(rank(np.array(tiles)))]
        else:
            way = {0: 1, 4: 2}.get(who, 0)
            wins = position.singles[way, number] & (np.arange(34) == tiles[0])
        found, passed = [], 1.0
        asked = who % ROUND == 0 or number < 0
        done = self.decide(number, tiles, who, draws) if asked else [[0, 0]] * 34
        for tile in np.flatnonzero(copies).tolist():
            chance = copies[tile] / copies.sum()
            what, single = done[tile]
            if who % ROUND == 0:
                state = None if wins[tile] else (number, _swapped(tiles, tile, what), 1)
                found.append((state, chance))
                continue
            if wins[tile] or what:
                kong = what > KONG
                state = None if wins[tile] else (what - 1, (single,), 4 if kong else 1)
                found.append((state, self.claims * chance))
                passed -= self.claims * chance
        return found + ([(after, passed)] if who % ROUND else [])

    def best(self, wall: int) -> tuple[Any, Any]:
        """Values of the best play, as ``best_hands`` and ``best_singles`` tell them."""
        singles = best_singles(self.position, self.claims, wall)
        return best_hands(self.position, shapes(), self.claims, wall, singles), singles

    def value(self, wall: int, best: tuple[Any, Any]) -> tuple[float, float]:
        """Chance to win, and how much more it may be for what was not gone through.

        That is what even the best play would hardly win with.
        """
        hands, singles = best
        now, won, more = {(-1, self.start, 0): 1.0}, 0.0, 0.0
        for left in range(wall, 0, -1):
            after: dict[Any, float] = defaultdict(float)
            for (number, tiles, who), mass in now.items():
                place = (int(rank(np.array(tiles))),) if number < 0 else (number, tiles[0])
                most = mass * (hands if number < 0 else singles)[(left, who, *place)]
                if most < NEGLIGIBLE:
                    more += most
                    continue
                for state, chance in self.moves(number, tiles, who, (left - 1) // ROUND):
                    if state is None:
                        won += mass * chance
                    else:
                        after[state] += mass * chance
            now = after
        return won, more


def _swapped(tiles: tuple[int, ...], drawn: int, out: int) -> tuple[int, ...]:
    """A hand after a draw and a discard."""
    rest = [*tiles, int(drawn)]
    rest.remove(int(out))
    return tuple(sorted(rest))


def compare(
    melds: list[Meld], tiles: tuple[int, ...], claims: float = 0.9, wall: int = 20
) -> tuple[float, float, float]:
    """Value of the best play and of the policy, and how much more that may be."""
    weighed = Weighed(melds, tiles, claims, wall)
    best = weighed.best(wall)
    return float(best[0][wall, 0, int(rank(np.array(weighed.start)))]), *weighed.value(wall, best)
