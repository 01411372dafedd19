"""Weighing a hand by all it may become: what the policy ``weigh`` goes by.

A goal is a complete hand: the concealed tiles that it wants and a worth, ``phi``. Its weight for a
hand is phi times a factor for each kind of tile, by the copies held, left and wanted (``factors``).
The weight of a hand is the sum over its goals; the best discard leaves the largest.

Goals lie in lists, one a set of melds. What a goal wants of a suit is a pattern, of which there are
some hundred: a weight is a product of four patterns' weights, and what each discard leaves is found
from sums over the patterns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import inner_kernel, step

_KINDS = 34
#: A pattern: four bits a rank, as many of them set as tiles are wanted, so that patterns together
#: want what any of them wants; above them three base-5 numbers, of three ranks each.
RANK_BITS, KEYS_AT, KEY_BITS = 4, 36, 7
_KEY = (1 << KEY_BITS) - 1
#: Columns of a list: where the patterns of each suit begin, and their end; where the goals begin
#: and end; masks of the tiles of which some goal wants one, two, three and four.
PATTERNS, GOALS, WANTED, HEAD_WIDTH = 0, 5, 7, 11
#: Sets that a fourth meld may be: 0-33 a chow by its lowest tile, 34-67 a pung.
LAST_SETS = 68
#: Discards whose weights are nearer than this are alike: the lower tile is taken.
_CLOSE = np.float32(1 + 1e-5)
_ONE = np.int64(1)


class Lists(NamedTuple):
    """Lists of goals, one behind the other."""

    heads: Any  # int64 (L, HEAD_WIDTH)
    patterns: Any  # int64 (P,)
    places: Any  # uint16 (G, 4): the pattern of each suit, counted from the first of the list
    phi: Any  # float32 (G,)
    singles: Any  # int64 (L, LAST_SETS): tiles that win as the only one beside a fourth meld


class Scales(NamedTuple):
    """Memory for weighing."""

    products: Any  # float32 (4, 3, 125): factors of three kinds of a suit, by key
    weights: Any  # float32 (P,): weight of each pattern
    sums: Any  # float32 (P,): weight of all goals with that pattern
    worth: Any  # float32 (G,): weight of each goal
    ratios: Any  # float32 (16,): what a discard does to a factor, by the bits of a rank
    discards: Any  # float32 (34,): weight after each discard


@step
def fill_products(factors, left_draws, held, left, products):
    """Products of the factors of three neighbouring kinds, for all that may be wanted of them."""
    for suit in range(4):
        for part in range(3):
            tile = 9 * suit + 3 * part
            if tile < _KINDS:
                first = factors[left_draws, held[tile], left[tile]]
                if tile == _KINDS - 1:
                    for a in range(5):
                        products[suit, part, a] = first[a]
                    continue
                second = factors[left_draws, held[tile + 1], left[tile + 1]]
                third = factors[left_draws, held[tile + 2], left[tile + 2]]
                for c in range(5):
                    for b in range(5):
                        both = second[b] * third[c]
                        for a in range(5):
                            products[suit, part, a + 5 * b + 25 * c] = first[a] * both


@inner_kernel
def weigh_goals(lists, number, factors, left_draws, held, left, scales):
    """Weight of every goal of a list for a hand, and their sum."""
    fill_products(factors, left_draws, held, left, scales.products)
    head, weights, places = lists.heads[number], scales.weights, lists.places
    first = head[PATTERNS]
    for suit in range(4):
        low, middle = scales.products[suit, 0], scales.products[suit, 1]
        high = scales.products[suit, 2]
        for p in range(head[PATTERNS + suit], head[PATTERNS + suit + 1]):
            keys = lists.patterns[p] >> KEYS_AT
            weights[p - first] = (
                low[keys & _KEY] * middle[keys >> KEY_BITS & _KEY] * high[keys >> 2 * KEY_BITS]
            )
    total = np.float32(0)
    begin = head[GOALS]
    for goal in range(begin, head[GOALS + 1]):
        weight = (
            lists.phi[goal] * weights[places[goal, 0]] * weights[places[goal, 1]]
            * weights[places[goal, 2]] * weights[places[goal, 3]]
        )  # fmt: skip
        scales.worth[goal - begin] = weight
        total += weight
    return total


@step
def add_by_pattern(lists, number, scales):
    """Sum up the weights of the goals for each pattern."""
    head, sums, places = lists.heads[number], scales.sums, lists.places
    for p in range(head[PATTERNS + 4] - head[PATTERNS]):
        sums[p] = 0
    begin = head[GOALS]
    for goal in range(begin, head[GOALS + 1]):
        weight = scales.worth[goal - begin]
        sums[places[goal, 0]] += weight
        sums[places[goal, 1]] += weight
        sums[places[goal, 2]] += weight
        sums[places[goal, 3]] += weight


@step
def weight_without(lists, number, factors, left_draws, held, left, tile, scales):
    """Weight of the hand after a discard, from the sums of its suit's patterns."""
    head, ratios = lists.heads[number], scales.ratios
    suit, shift = tile // 9, RANK_BITS * (tile % 9)
    now = factors[left_draws, held[tile], left[tile]]
    then = factors[left_draws, held[tile] - 1, left[tile]]
    for count in range(5):
        bits = (1 << count) - 1
        ratios[bits] = then[count] / now[count] if now[count] > 0 else np.float32(0)
    first = head[PATTERNS]
    total = np.float32(0)
    for p in range(head[PATTERNS + suit], head[PATTERNS + suit + 1]):
        total += scales.sums[p - first] * ratios[lists.patterns[p] >> shift & 15]
    return total


@inner_kernel
def weigh_discards(lists, number, factors, chances, left_draws, melds, claimed, held, left, scales):
    """Tile after whose discard the hand weighs most, -1 when it weighs nothing, and that weight."""
    best, most = np.int64(-1), np.float32(0)
    total = weigh_goals(lists, number, factors, left_draws, held, left, scales)
    if total > 0 or melds == 3:
        if total > 0:
            add_by_pattern(lists, number, scales)
        for tile in range(_KINDS):
            if held[tile]:
                weight = np.float32(0)
                if total > 0:
                    weight = weight_without(
                        lists, number, factors, left_draws, held, left, tile, scales
                    )
                if melds == 3:
                    weight += weigh_last_claim(
                        lists.singles[number], chances[left_draws], claimed, held, left, tile
                    )
                scales.discards[tile] = weight
                if weight > most * _CLOSE:
                    best, most = np.int64(tile), weight
    return best, most


@inner_kernel
def weigh_hand(lists, number, factors, chances, left_draws, melds, claimed, held, left, scales):
    """Weight of a hand as it stands."""
    total = weigh_goals(lists, number, factors, left_draws, held, left, scales)
    if melds == 3:
        total += weigh_last_claim(
            lists.singles[number], chances[left_draws], claimed, held, left, -1
        )
    return total


@step
def held_without(held, tile, out):
    """Copies of a tile when one of another is gone."""
    return held[tile] - np.int64(tile == out)


@step
def weigh_single(singles, last, chance, held, left, claimed_tile, one, other, out):
    """Best chance to win on a single wait when two tiles have gone into the fourth meld.

    The wait is one of the tiles that are left over, or a better one that is drawn later.
    """
    most = np.float32(0)
    for tile in range(_KINDS):
        if singles[last] >> tile & 1:
            copies = left[tile] - np.int64(tile == claimed_tile)
            rest = held_without(held, tile, out) - np.int64(tile == one) - np.int64(tile == other)
            if rest > 0 and copies > 0:
                most = max(most, chance[copies])
    return most


@inner_kernel
def weigh_last_claim(singles, chance, claimed, held, left, out):
    """Weight of claiming the fourth set and winning on a single wait, after a discard.

    Four melds score where three and the same set concealed do not (全求人). For each two held tiles
    that lack one of a set: the chance to claim that one, times that of the best wait behind it.
    The set must come first, so that half of the orders count, and the win by draw or discard. These
    ways share no tile to come, unlike goals: they are added before they are squared.
    """
    total = np.float32(0)
    for one in range(_KINDS):
        if held_without(held, one, out) <= 0:
            continue
        for apart in range(3):
            other = one + apart
            if apart == 0:
                if held_without(held, one, out) < 2:
                    continue
            elif one >= 27 or one % 9 + apart > 8 or held_without(held, other, out) <= 0:
                continue
            for way in range(2 if apart == 1 else 1):
                rate = claimed
                if apart == 0:
                    wanted, last, rate = one, _KINDS + one, 3 * claimed
                elif apart == 2:
                    wanted, last = one + 1, one
                elif way == 0:
                    wanted, last = one - 1, one - 1
                    if one % 9 == 0:
                        continue
                else:
                    wanted, last = one + 2, one
                    if one % 9 == 7:
                        continue
                if left[wanted] > 0 and singles[last]:
                    single = weigh_single(
                        singles, last, chance, held, left, wanted, one, other, out
                    )
                    total += rate * chance[left[wanted]] * (1 + 3 * claimed) / 2 * single
    return total * total


@inner_kernel
def shrink(lists, number, least, scales, own):
    """Copy the goals that weigh so much into list 0 of ``own``, which may be ``lists``."""
    head, mine = lists.heads[number], own.heads[0]
    begin, stop, first = head[GOALS], head[GOALS + 1], head[PATTERNS]
    edges = (
        head[PATTERNS], head[PATTERNS + 1], head[PATTERNS + 2], head[PATTERNS + 3],
        head[PATTERNS + 4],
    )  # fmt: skip
    size = np.int64(0)
    for goal in range(begin, stop):  # without branches: they would be guessed wrong
        for suit in range(4):
            own.places[size, suit] = lists.places[goal, suit]
        own.phi[size] = lists.phi[goal]
        size += np.int64(scales.worth[goal - begin] >= least)
    renamed = scales.sums  # the sums are made anew before they are read
    for p in range(edges[4] - first):
        renamed[p] = -1
    for goal in range(size):
        for suit in range(4):
            renamed[own.places[goal, suit]] = 0
    kept = np.int64(0)
    for count in range(4):
        mine[WANTED + count] = 0
    for suit in range(4):
        mine[PATTERNS + suit] = kept
        for p in range(edges[suit], edges[suit + 1]):
            if renamed[p - first] == 0:
                renamed[p - first] = np.float32(kept)
                own.patterns[kept] = lists.patterns[p]
                kept += 1
        note_wanted(own, 0, suit, kept)
    mine[PATTERNS + 4] = kept
    for goal in range(size):
        for suit in range(4):
            own.places[goal, suit] = np.uint16(renamed[own.places[goal, suit]])
    mine[GOALS], mine[GOALS + 1] = 0, size
    for last in range(LAST_SETS):
        own.singles[0, last] = lists.singles[number, last]


@step
def note_wanted(lists, number, suit, stop):
    """Write what the patterns of a suit want, which end at ``stop``, into the masks of a list."""
    head, wanted = lists.heads[number], np.int64(0)
    for p in range(head[PATTERNS + suit], stop):
        wanted |= lists.patterns[p]
    for rank in range(9):
        for count in range(4):
            bit = wanted >> (RANK_BITS * rank + count) & 1
            head[WANTED + count] |= bit << (9 * suit + rank)
