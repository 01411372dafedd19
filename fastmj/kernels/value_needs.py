"""Fans of several sets: what one row of needs costs a hand."""

from __future__ import annotations

import numpy as np

from . import distance_layout as distance_at
from . import value_layout as at
from .jit import bare_kernel, step
from .value_search import (
    ALL_CHOWS,
    ALL_TILES,
    ANY_PUNGS,
    NOTHING_ASKED,
    fewest_of,
    may_be_short,
    pair_cost,
)

HELD, SHOWN, REST, SPARE, MELDS = at.HELD, at.SHOWN, at.REST, at.SPARE, at.MELDS
MANY, NO_PUNG = at.MANY, at.NO_PUNG
_SUITS = (1 << 27) - 1
_HONORS = 127 << 27


@step
def word_entry(word, sets, pair):
    """Tiles needed for so many sets and a pair or none."""
    needed = word >> (8 * sets + 4 * pair) & 15
    return needed if needed < at.NEVER else MANY


@bare_kernel
def suit_class(tables, scratch, suit):
    """Class of what the rest has of a suit (3 for the honours)."""
    first = 9 * suit
    low = high = 0
    for rank in range(3, -1, -1):
        low = 5 * low + scratch[REST, first + rank]
    for rank in range(8 if suit < 3 else 6, 3, -1):
        high = 5 * high + scratch[REST, first + rank]
    if suit < 3:
        high += distance_at.SUIT_HIGH
    else:
        low += distance_at.HONOR_LOW
        high += distance_at.HONOR_HIGH
    word = np.int64(tables.parts[low]) + np.int64(tables.parts[high])
    return np.int64(tables.classes[word & distance_at.SHAPE])


@bare_kernel
def rest_cost(tables, value, scratch, classes, sets, pair, beside, best):
    """Fewest tiles for so many sets and the pair beside what is wanted, or ``best``.

    ``REST`` and ``SPARE`` are filled; ``classes`` are those of the rest.
    """
    pairs = ALL_TILES if beside == at.ANYTHING else _SUITS
    if sets == 0:
        return min(best, pair_cost(scratch, pairs)) if pair else min(best, 0)
    if beside == at.CHOWS_ONLY:
        return fewest_of(
            scratch, sets, pair, True, ALL_CHOWS, 0, _SUITS, ANY_PUNGS, NOTHING_ASKED, 0, best, 0
        )
    a, b, c, d = classes
    if beside == at.NO_HONORS:
        d = np.int64(tables.classes[at.NO_HONOR_SHAPE])
    row = tables.join[tables.join[a, b], tables.join[c, d]]
    least = word_entry(value.all_words[row], sets, pair)
    if least >= best:
        return best
    if not may_be_short(scratch, sets):
        return least
    return fewest_of(
        scratch, sets, pair, True, ALL_CHOWS, pairs, pairs, ANY_PUNGS, NOTHING_ASKED, 0, best, least
    )


@step
def want_tiles(scratch, choice):
    """Add a set's tiles to what is wanted (``TARGET``)."""
    if choice >= NO_PUNG:
        scratch[at.TARGET, choice - NO_PUNG] += 3
    else:
        for tile in range(choice, choice + 3):
            scratch[at.TARGET, tile] += 1


@bare_kernel
def sets_to_lay(value, scratch, row, melds):
    """How many sets of a row must still be laid, their tiles in ``TARGET``; -1: melds rule it out.

    A set that lies on the table already counts as laid, each meld for one.
    """
    needs = value.needs
    for tile in range(34):
        scratch[at.TARGET, tile] = 0
    taken = laid = 0
    for place in range(needs[row, at.NUMBER]):
        choice = needs[row, at.SETS + place]
        found = False
        for meld in range(melds):
            if not found and not taken >> meld & 1 and scratch[MELDS, meld] == choice:
                taken |= 1 << meld
                found = True
        if not found:
            want_tiles(scratch, choice)
            laid += 1
    pair = needs[row, at.PAIR]
    if pair >= 0:
        scratch[at.TARGET, pair] += 2
    nine = needs[row, at.NINE]
    if nine >= 0:
        laid += 3
        for arrangement in range(6):
            if arrangement == nine:
                for tile in range(27):
                    scratch[at.TARGET, tile] += distance_at.NINES[arrangement] >> tile & 1
    if laid > 4 - melds:
        return -1
    beside = needs[row, at.BESIDE]
    for meld in range(melds):
        kind = scratch[MELDS, meld]
        if (beside == at.NO_HONORS and kind >= NO_PUNG + 27) or (
            beside == at.CHOWS_ONLY and kind >= NO_PUNG
        ):
            return -1
    return laid


@step
def piece_class(tables, value, scratch, suit, piece, whole):
    """Class of what is left of a suit without some tiles; ``PIECE`` keeps what is known."""
    if piece < 0:
        return whole
    known = scratch[at.PIECE, piece]
    if known < 0:
        for rank in range(9 if suit < 3 else 7):
            tile = 9 * suit + rank
            scratch[REST, tile] = max(0, scratch[HELD, tile] - value.pieces[piece, rank])
        known = suit_class(tables, scratch, suit)
        scratch[at.PIECE, piece] = known
    return known


@bare_kernel
def need_cost(tables, value, scratch, classes, row, laid, missing, best):
    """Tiles missing for a row of needs of a hand without melds, or ``best`` if that is no less.

    ``missing`` are those missing for what the row wants, of which ``laid`` are sets.
    """
    needs, pieces = value.needs, value.need_pieces
    a = piece_class(tables, value, scratch, 0, pieces[row, 0], classes[0])
    b = piece_class(tables, value, scratch, 1, pieces[row, 1], classes[1])
    c = piece_class(tables, value, scratch, 2, pieces[row, 2], classes[2])
    d = piece_class(tables, value, scratch, 3, pieces[row, 3], classes[3])
    beside = needs[row, at.BESIDE]
    pair = np.int64(needs[row, at.PAIR] < 0)
    if laid < 4 and beside != at.CHOWS_ONLY:
        if beside == at.NO_HONORS:
            d = np.int64(tables.classes[at.NO_HONOR_SHAPE])
        joined = tables.join[tables.join[a, b], tables.join[c, d]]
        if missing + word_entry(value.all_words[joined], 4 - laid, pair) >= best:
            return best
    masks = value.need_masks
    for tile in range(34):
        wanted = (
            (masks[row, 0] >> tile & 1)
            + (masks[row, 1] >> tile & 1)
            + (masks[row, 2] >> tile & 1)
            + (masks[row, 3] >> tile & 1)
        )
        scratch[REST, tile] = max(0, scratch[HELD, tile] - wanted)
        scratch[SPARE, tile] = 4 - wanted
    return missing + rest_cost(
        tables, value, scratch, (a, b, c, d), 4 - laid, pair, beside, best - missing
    )


@bare_kernel
def need_beside_melds(tables, value, scratch, classes, row, melds, best):
    """``need_cost`` beside melds, which may be part of what is wanted or leave too few copies."""
    needs, masks = value.needs, value.need_masks
    laid = sets_to_lay(value, scratch, row, melds)
    if laid < 0:
        return best
    missing = 0
    for tile in range(34):
        wanted = scratch[at.TARGET, tile]
        held = scratch[HELD, tile]
        spare = 4 - scratch[SHOWN, tile] - wanted
        if spare < 0:
            return best
        missing += max(0, wanted - held)
        scratch[REST, tile] = max(0, held - wanted)
        scratch[SPARE, tile] = spare
    if missing >= best:
        return best
    tiles = masks[row, 0]
    a, b, c, d = classes
    if tiles & 511:
        a = suit_class(tables, scratch, 0)
    if tiles >> 9 & 511:
        b = suit_class(tables, scratch, 1)
    if tiles >> 18 & 511:
        c = suit_class(tables, scratch, 2)
    if tiles >> 27:
        d = suit_class(tables, scratch, 3)
    sets = 4 - melds - laid
    pair = np.int64(needs[row, at.PAIR] < 0)
    beside = needs[row, at.BESIDE]
    return missing + rest_cost(
        tables, value, scratch, (a, b, c, d), sets, pair, beside, best - missing
    )
