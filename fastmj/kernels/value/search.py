"""Fewest tiles for some sets and a pair when copies are short: a search that is always exact.

The tables know that a tile exists four times, not that some of the copies lie in melds or in sets
that are wanted already. Where that may matter, sets are tried one by one. A set or a pair none of
whose tiles is held ("new") costs 3 or 2 wherever it is laid, so those are only counted, as long as
there are kinds enough to lay them.
"""

from __future__ import annotations

import numpy as np

from ..jit import inner_kernel, step
from ..machine import popcount
from . import layout as at

HELD, SHOWN, REST, SPARE, TARGET = at.HELD, at.SHOWN, at.REST, at.SPARE, at.TARGET
CHOICE, PRICE, PLACE, COST = at.CHOICE, at.PRICE, at.PLACE, at.COST
PUNGS, SEEN = at.PUNGS, at.SEEN
NO_PUNG, MANY = at.NO_PUNG, at.MANY
ANY_PUNGS = -1
#: Numbers of one type: other types would be another compiled copy of the search.
NOTHING_ASKED = (np.int64(0),) * 5
ALL_TILES = (1 << 34) - 1
ALL_CHOWS = 0b001111111_001111111_001111111


@step
def more_needed(scratch, tile, number):
    """Tiles that so many more of a kind add to what is missing."""
    over = scratch[TARGET, tile] - scratch[REST, tile]
    return max(0, over + number) - max(0, over)


@step
def set_cost(scratch, choice):
    """Tiles that a set adds to what is missing, or ``MANY`` when copies are short."""
    if choice >= NO_PUNG:
        tile = choice - NO_PUNG
        if scratch[TARGET, tile] + 3 > scratch[SPARE, tile]:
            return MANY
        return more_needed(scratch, tile, 3)
    total = 0
    for tile in range(choice, choice + 3):
        if scratch[TARGET, tile] + 1 > scratch[SPARE, tile]:
            return MANY
        total += more_needed(scratch, tile, 1)
    return total


@step
def lay(scratch, choice, number):
    """Put a set into the target, or take it out with -1."""
    if choice >= NO_PUNG:
        scratch[TARGET, choice - NO_PUNG] += 3 * number
    else:
        for tile in range(choice, choice + 3):
            scratch[TARGET, tile] += number


@step
def price_choices(scratch, chows, pungs):
    """What each set would cost as the first one, ``MANY`` if it may not be laid.

    The loops have no branches, for vector instructions.
    """
    for tile in range(34):
        scratch[TARGET, tile] = 0
    for tile in range(34):
        held, spare = scratch[REST, tile], scratch[SPARE, tile]
        allowed = (pungs >> tile & 1) * np.int64(spare >= 3)
        scratch[PRICE, NO_PUNG + tile] = max(0, 3 - held) if allowed else MANY
        # the tile by itself, for the chows
        scratch[PRICE, tile] = np.int64(held == 0) if spare >= 1 else MANY
    for tile in range(27):  # upwards: those above are not overwritten yet
        total = scratch[PRICE, tile] + scratch[PRICE, tile + 1] + scratch[PRICE, tile + 2]
        scratch[PRICE, tile] = min(total, MANY) if chows >> tile & 1 else MANY


@inner_kernel
def list_choices(scratch, chows, pungs, new):
    """List the sets that may be laid, the cheapest first; with ``new`` only those with a held tile.

    What a set costs never falls while others are laid, so that the price it begins with bounds what
    it and all behind it will cost.
    """
    price_choices(scratch, chows, pungs)
    number = 0
    for price in range(3 if new else 4):
        for kind in range(2):
            tiles = np.int64(0)
            for tile in range(27 if kind == 0 else 34):
                hit = np.int64(scratch[PRICE, NO_PUNG * kind + tile] == price)
                tiles |= hit << tile
            while tiles:
                low = tiles & -tiles
                scratch[CHOICE, number] = NO_PUNG * kind + popcount(low - 1)
                number += 1
                tiles ^= low
    return number


@step
def unseen(asked, present):
    """How many of some groups of tiles do not occur."""
    missing = 0
    for group in range(5):
        missing += int(asked[group] != 0 and asked[group] & present == 0)
    return missing


@inner_kernel
def end_cost(scratch, depth, sets, pair, new, pairs, exact_pungs, asked, best):
    """Fewest tiles missing when no more sets with held tiles are laid."""
    open_sets = sets - depth
    cost = scratch[COST, depth] + 3 * open_sets
    if (open_sets and not new) or cost >= best:
        return best
    if exact_pungs != ANY_PUNGS and not (0 <= exact_pungs - scratch[PUNGS, depth] <= open_sets):
        return best
    present = scratch[SEEN, depth]
    if not pair:
        return cost if unseen(asked, present) <= open_sets else best
    if new and cost + 2 < best and unseen(asked, present) <= open_sets + 1:
        best = cost + 2
    if asked[0] == 0:  # no branches, for vector instructions
        least = np.int64(MANY)
        for tile in range(34):
            over = scratch[TARGET, tile] - scratch[REST, tile]
            needed = max(0, over + 2) - max(0, over)
            fits = (pairs >> tile & 1) * np.int64(scratch[TARGET, tile] + 2 <= scratch[SPARE, tile])
            least = min(least, needed if fits else np.int64(MANY))
        return min(best, cost + least)
    for tile in range(34):
        if pairs >> tile & 1 and scratch[TARGET, tile] + 2 <= scratch[SPARE, tile]:
            total = cost + more_needed(scratch, tile, 2)
            if total < best and unseen(asked, present | 1 << tile) <= open_sets:
                best = total
                if total == cost:
                    break
    return best


@step
def is_passed(scratch, depth, sets, number, most):
    """Whether all sets are laid, or none that is left on the list stays within so many tiles."""
    place = scratch[PLACE, depth]
    if depth == sets or place >= number:
        return True
    price = scratch[PRICE, scratch[CHOICE, place]]
    return scratch[COST, depth] + (sets - depth) * price > most


@step
def lay_next(scratch, depth, cost):
    """Lay the set of this place, with which so many tiles are missing; returns the depth."""
    place = scratch[PLACE, depth]
    lay(scratch, scratch[CHOICE, place], 1)
    scratch[PLACE, depth + 1] = place
    scratch[COST, depth + 1] = cost
    return depth + 1


@step
def take_back(scratch, depth):
    """Take back the last set, go on to the next on the list; returns the depth, -1 at the end."""
    if depth > 0:
        lay(scratch, scratch[CHOICE, scratch[PLACE, depth - 1]], -1)
        scratch[PLACE, depth - 1] += 1
    return depth - 1


@inner_kernel
def fewest_of(
    scratch, sets, pair, new, chows, pungs, pairs, exact_pungs, asked, present, best, least
):
    """Fewest tiles beyond ``REST`` for so many sets (and a pair), no more of a kind than ``SPARE``.

    ``chows``, ``pungs`` and ``pairs`` are what may be laid; ``asked`` groups of tiles of which one
    must occur, ``present`` those that do. The search ends at once when it finds ``least``; it
    returns ``best`` when nothing is below that.
    """
    number = list_choices(scratch, chows, pungs, new)
    depth = 0
    scratch[PLACE, 0] = 0
    scratch[COST, 0] = 0
    scratch[PUNGS, 0] = 0
    scratch[SEEN, 0] = present
    best = end_cost(scratch, 0, sets, pair, new, pairs, exact_pungs, asked, best)
    while depth >= 0 and best > least:
        if is_passed(scratch, depth, sets, number, best - 1):
            depth = take_back(scratch, depth)
            continue
        choice = scratch[CHOICE, scratch[PLACE, depth]]
        cost = scratch[COST, depth] + set_cost(scratch, choice)
        laid_pungs = scratch[PUNGS, depth] + int(choice >= NO_PUNG)
        pungs_left = exact_pungs - laid_pungs
        if cost >= best or (exact_pungs != ANY_PUNGS and not 0 <= pungs_left < sets - depth):
            scratch[PLACE, depth] += 1
            continue
        tiles = 1 << (choice - NO_PUNG) if choice >= NO_PUNG else 7 << choice
        depth = lay_next(scratch, depth, cost)
        scratch[PUNGS, depth] = laid_pungs
        scratch[SEEN, depth] = scratch[SEEN, depth - 1] | tiles
        best = end_cost(scratch, depth, sets, pair, new, pairs, exact_pungs, asked, best)
    return best
