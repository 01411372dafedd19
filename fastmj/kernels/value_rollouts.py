"""Roll-outs: playing a hand on against random draws, by one of two policies.

Each sample has its own stream of random numbers, made from the seed and its number alone, and all
discards are played on against the same draws.

``ROUTES`` are ways to enough points, one row each: kind, tiles wanted once to four times at least,
sets that may be any, whether the pair may be any, and the suit of a flush.
"""

from __future__ import annotations

import numpy as np

from . import distance_layout as distance_at
from . import value_layout as at
from .distance_acceptance import acceptance_rows
from .distance_rows import Rows, four_keys, four_words, shapes_of
from .distance_shanten import all_shanten
from .jit import bare_kernel
from .machine import popcount
from .random_wins import below, mix
from .score import COMPLETE
from .value_needs import number_missing, rest_of, row_beside, shape_of, word_entry
from .value_pairs import pairs_cost, singles_costs
from .value_targets import score_tiles

BY_SHANTEN, BY_FAN = 0, 1
SETS_ROUTE, PAIRS_ROUTE, SINGLES_ROUTE, FLUSH_ROUTE = range(4)
ROUTE_WIDTH = 8
_KIND, _WANTED, _SETS, _PAIR, _SUIT = 0, 1, 5, 6, 7
_SPREAD = np.uint64(0x94D049BB133111EB)
_KINDS = 34
#: What a discard is worth: fewest tiles first, then how many ways are how near.
_NEARER = 1 << 40
_MOST_TILES = 15
#: Settings, as one array.
MELDS, DRAWS, CLAIMED, POLICY, MINIMUM, SEAT, PREVALENT, POOL = range(8)


@bare_kernel
def route_cost(tables, value, scratch, levels, routes, route):
    """Tiles that a hand still needs on one way (copies in melds are not looked at)."""
    kind = routes[route, _KIND]
    sets = routes[route, _SETS]
    if kind == PAIRS_ROUTE:
        return pairs_cost(levels, (1 << 34) - 1, 7)
    if kind == SINGLES_ROUTE:
        return singles_costs(levels)[0]
    if kind == FLUSH_ROUTE:
        suit = routes[route, _SUIT]
        word = value.all_words[np.int64(tables.classes[shape_of(tables, value, levels, suit)])]
        return min(word_entry(word, sets, 1), _MOST_TILES)
    wanted = (
        routes[route, _WANTED], routes[route, _WANTED + 1],
        routes[route, _WANTED + 2], routes[route, _WANTED + 3],
    )  # fmt: skip
    missing = number_missing(levels, wanted)
    pair = routes[route, _PAIR]
    if sets == 0 and pair == 0:
        return missing
    none = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    row = row_beside(tables, value, rest_of(levels, wanted), (1 << 34) - 1, none)
    return missing + word_entry(value.all_words[row], sets, pair)


@bare_kernel
def levels_of(scratch, hand):
    """Tiles held once, twice, three and four times at least; ``HELD`` is filled."""
    ones = twos = threes = fours = 0
    for tile in range(_KINDS):
        held = np.int64(hand[0, tile])
        scratch[at.HELD, tile] = held
        ones |= np.int64(held > 0) << tile
        twos |= np.int64(held > 1) << tile
        threes |= np.int64(held > 2) << tile
        fours |= np.int64(held > 3) << tile
    return ones, twos, threes, fours


@bare_kernel
def worth(tables, value, scratch, hand, routes):
    """What a hand is worth to the policy ``fan``: the nearest way counts most."""
    levels = levels_of(scratch, hand)
    fewest, near = np.int64(_MOST_TILES), np.int64(0)
    for route in range(routes.shape[0]):
        cost = route_cost(tables, value, scratch, levels, routes, route)
        fewest = min(fewest, cost)
        near += 1 << 2 * (_MOST_TILES - min(cost, _MOST_TILES))
    return (_MOST_TILES - fewest) * _NEARER + near


@bare_kernel
def shanten_of(tables, hand, melds):
    """Lowest shanten of a hand of 13 or 14 tiles less 3 a meld."""
    return all_shanten(tables, shapes_of(four_words(tables.parts, four_keys(hand, 0))), melds)[5]


@bare_kernel
def points_of(hand, codes, settings, win, self_drawn, scoring, profile):
    """Points and fans of a hand that is won with a tile, -1 when it is not complete."""
    ones = twos = fours = 0
    for tile in range(_KINDS):
        count = np.int64(hand[0, tile])
        ones |= (count & 1) << tile
        twos |= (count >> 1 & 1) << tile
        fours |= (count >> 2 & 1) << tile
    outcome, points, low, high, _ = score_tiles(
        ones, twos, fours, codes, 0, win, self_drawn, settings[SEAT], settings[PREVALENT],
        scoring, profile,
    )  # fmt: skip
    return (points if outcome == COMPLETE else -1), low, high


@bare_kernel
def discard_by_shanten(tables, hand, seen, melds, shanten, mask, copies, forms, status):
    """Tile to discard: the lowest shanten, then the most copies accepted, then the lowest tile."""
    rows = Rows(hand, melds, 0, seen, 0, 1, 1)
    acceptance_rows(
        tables, rows, True, distance_at.BEST, True, shanten, mask, copies, forms, status, 0, 1
    )
    best = -1
    for tile in range(_KINDS):
        if hand[0, tile] and (
            best < 0
            or shanten[0, tile] < shanten[0, best]
            or (shanten[0, tile] == shanten[0, best] and copies[0, tile] > copies[0, best])
        ):
            best = tile
    return best


@bare_kernel
def discard_by_fan(tables, value, scratch, hand, routes):
    """Tile to discard: what leaves the hand worth most; and what that is.

    A whole hand to steer for is looked at once for all discards: each costs a tile or nothing.
    Other ways are looked at for every discard.
    """
    ones, twos, threes, fours = levels_of(scratch, hand)
    levels = (ones, twos, threes, fours)
    for tile in range(_KINDS):
        scratch[at.COST, tile] = _MOST_TILES
        scratch[at.PARTS, tile] = 0
    for route in range(routes.shape[0]):
        whole = (
            routes[route, _KIND] == SETS_ROUTE
            and routes[route, _SETS] == 0 and routes[route, _PAIR] == 0
        )  # fmt: skip
        if not whole:
            for tile in range(_KINDS):
                if ones >> tile & 1:
                    bit = 1 << tile
                    less = (
                        ones & ~(bit & ~twos), twos & ~(bit & ~threes),
                        threes & ~(bit & ~fours), fours & ~bit,
                    )  # fmt: skip
                    scratch[at.HELD, tile] -= 1
                    cost = route_cost(tables, value, scratch, less, routes, route)
                    scratch[at.HELD, tile] += 1
                    scratch[at.COST, tile] = min(scratch[at.COST, tile], cost)
                    scratch[at.PARTS, tile] += 1 << 2 * (_MOST_TILES - min(cost, _MOST_TILES))
            continue
        missing = route_cost(tables, value, scratch, levels, routes, route)
        used = (
            (ones & ~twos & routes[route, _WANTED])
            | (twos & ~threes & routes[route, _WANTED + 1])
            | (threes & ~fours & routes[route, _WANTED + 2])
            | (fours & routes[route, _WANTED + 3])
        )
        for tile in range(_KINDS):
            cost = missing + (used >> tile & 1)
            scratch[at.COST, tile] = min(scratch[at.COST, tile], cost)
            scratch[at.PARTS, tile] += 1 << 2 * (_MOST_TILES - cost)
    best, most = -1, np.int64(-1)
    for tile in range(_KINDS):
        if ones >> tile & 1:
            rest = (_MOST_TILES - scratch[at.COST, tile]) * _NEARER + scratch[at.PARTS, tile]
            if rest > most:
                best, most = tile, rest
    return best, most


@bare_kernel
def shuffle(order, pool, number, size, seed, sample):
    """Draw so many tiles of the pool without replacement, one sample's own way.

    Returns the state of its stream.
    """
    _, state = mix(np.uint64(seed) ^ np.uint64(sample) * _SPREAD)
    for place in range(size):
        order[place] = pool[place]
    for place in range(number):
        state, drawn = below(state, size - place)
        other = place + drawn
        tile = order[other]
        order[other] = order[place]
        order[place] = tile
    return state


@bare_kernel
def play_rows(
    tables, value, scoring, profile, starts, start_seen, codes, melds, pool, settings, routes,
    seed, turn, ready, by_self, base, fans, scratch, order, hand, seen, shanten, mask, copies,
    forms, status, first, stop,
):  # fmt: skip
    """Play samples ``first`` to ``stop`` from every start.

    ``starts`` and ``start_seen`` are uint8 (C, 34): the tiles held and the copies seen elsewhere.
    The answers have the shape (C, S): the turn of a win and of being ready (0 never), whether the
    win was drawn, its points, and (C, S, 2) its fans. The other arrays are memory of this call.
    """
    number = settings[MELDS]
    draws = settings[DRAWS]
    claimed = settings[CLAIMED]
    minimum = settings[MINIMUM]
    a_turn = 4 if claimed else 1
    for sample in range(first, stop):
        after = shuffle(order, pool, draws * a_turn, settings[POOL], seed, sample)
        for start in range(starts.shape[0]):
            state = after
            for tile in range(_KINDS):
                hand[0, tile] = starts[start, tile]
                seen[0, tile] = start_seen[start, tile]
            away = shanten_of(tables, hand, number)
            value_now = np.int64(0)
            accepted = np.int64(0)
            if settings[POLICY] == BY_FAN:
                value_now = worth(tables, value, scratch, hand, routes)
            else:
                rows = Rows(hand, melds, 0, seen, 0, 0, 0)
                acceptance_rows(
                    tables, rows, True, distance_at.BEST, False, shanten, mask, copies, forms,
                    status, 0, 1,
                )  # fmt: skip
                accepted = mask[0, 0]
            turn[start, sample] = 0
            base[start, sample] = 0
            ready[start, sample] = 1 if away <= 0 else 0
            for now in range(draws):
                drawn = np.int64(order[now * a_turn])
                hand[0, drawn] += 1
                if away == 0 and shanten_of(tables, hand, number) < 0:
                    points, low, high = points_of(
                        hand, codes, settings, drawn, np.int64(1), scoring, profile
                    )
                    if points >= minimum:
                        turn[start, sample] = now + 1
                        by_self[start, sample] = 1
                        base[start, sample] = points
                        fans[start, sample, 0] = low
                        fans[start, sample, 1] = high
                        break
                out = drawn
                if settings[POLICY] == BY_FAN:
                    if worth(tables, value, scratch, hand, routes) > value_now:
                        out, value_now = discard_by_fan(tables, value, scratch, hand, routes)
                elif away > 0 and accepted >> drawn & 1:
                    out = discard_by_shanten(
                        tables, hand, seen, melds, shanten, mask, copies, forms, status
                    )
                    accepted = mask[0, out]
                hand[0, out] -= 1
                seen[0, out] += 1
                if out != drawn:
                    away = shanten_of(tables, hand, number)
                    if away == 0 and ready[start, sample] == 0:
                        ready[start, sample] = now + 2
                if claimed == 0:
                    continue
                for other in range(1, 4):
                    tile = np.int64(order[now * a_turn + other])
                    state, chance = below(state, 1 << 30)
                    if chance >= claimed:
                        continue
                    if away == 0:
                        hand[0, tile] += 1
                        if shanten_of(tables, hand, number) < 0:
                            points, low, high = points_of(
                                hand, codes, settings, np.int64(tile), np.int64(0), scoring, profile
                            )
                            if points >= minimum:
                                turn[start, sample] = now + 1
                                by_self[start, sample] = 0
                                base[start, sample] = points
                                fans[start, sample, 0] = low
                                fans[start, sample, 1] = high
                        hand[0, tile] -= 1
                    seen[0, tile] += 1
                    if turn[start, sample]:
                        break
                if turn[start, sample]:
                    break


@bare_kernel
def route_costs(tables, value, scratch, hand, routes, costs):
    """Tiles that a hand needs on each way."""
    levels = levels_of(scratch, hand)
    for route in range(routes.shape[0]):
        costs[route] = route_cost(tables, value, scratch, levels, routes, route)
