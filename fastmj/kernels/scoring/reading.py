"""One reading of a hand: from its sums and sets to the records of what it holds."""

from __future__ import annotations

import numpy as np

from ..jit import step
from . import layout as at
from .points import add_up
from .suits import slot_of

_WAIT_MASK = 63
_DOUBLE_DRAGON = 27  # pairs that turn chows into one are of a suit
_GREEN = (0b010101110 << 18) | 1 << 32
_REVERSIBLE = (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33
#: Highest bits of the suits, the winds and the dragons in a mask of tiles, and all others.
_TOPS = 1 << 8 | 1 << 17 | 1 << 26 | 1 << 30 | 1 << 33
_BELOW = (1 << 34) - 1 ^ _TOPS


@step
def tile_record(present, form, profile):
    """Record of the tiles of a hand: ranks and suits present, honours, green, reversible."""
    ranks = (present | present >> 9 | present >> 18) & 511
    # Adding ones to the rest of a group carries into its highest bit if there is any.
    groups = ((present & _BELOW) + _BELOW) | present
    suits = (groups >> 8 & 1) + (groups >> 17 & 1) + (groups >> 26 & 1)
    index = (
        ranks
        | suits << 9
        | (groups >> 30 & 1) << at.TILES_WINDS
        | (groups >> 33 & 1) << at.TILES_DRAGONS
        | (1 if present & ~_GREEN == 0 else 0) << at.TILES_GREEN
        | (1 if present & ~_REVERSIBLE == 0 else 0) << at.TILES_REVERSIBLE
        | form << at.TILES_FORM
    )
    return np.int64(profile.words[at.TILE_RECORD + index])


@step
def hog_record(quads, longs):
    """Record of four of a tile that are no kong, so often."""
    return (longs[at.FIRST_HOG] & 0xFFFF) + at.RECORD_WIDTH * quads


@step
def with_waits(sums, waits, longs):
    """Sums with the waits in their place, and one pung less if a discard completed it.

    What they add is looked up by six bits of the winning tile, whether the pair's suit takes a
    tile, and whether it was self-drawn (RULES sections 1 and 6).
    """
    place = (waits & _WAIT_MASK) | (sums >> at.TAKES_TILE - at.TAKES & 3 << at.TAKES)
    return (sums & ~(7 << at.WAITED)) + longs[at.WAIT_SUMS + place]


@step
def without_only_wait(waits, sums, held):
    """Waits of a tile that was not the only one, because six pairs waited for another single.

    They did if two counts are odd now, that of the winning tile and another one.
    """
    six_pairs = (1 if sums >> at.ODD & 127 == 1 else 0) & held
    return waits & ~(six_pairs << at.ONLY_WAIT)


@step
def chow_record(counts, row, sets, tables, profile):
    """Record of the chows of a reading."""
    factor, bucket_bits, slot_bits = at.CHOW_HASH
    slot = slot_of(
        sets & at.CHOWS_MASK, tables.words, at.CHOW_DISPLACEMENT, factor, bucket_bits, slot_bits
    )
    record = np.int64(profile.words[at.CHOW_RECORD + slot])
    pair = profile.longs[record + at.ALT_PAIR]
    # With the right pair these four chows are a double dragon; none of them holds its tile.
    if pair < _DOUBLE_DRAGON and counts[row, pair] == 2:
        record = profile.longs[record + at.ALT_RECORD] & 0xFFFF
    return record


@step
def pung_record(sets, tables, profile):
    """Record of the suit pungs of a reading."""
    factor, bucket_bits, slot_bits = at.PUNG_HASH
    slot = slot_of(
        sets & at.PUNGS_MASK, tables.words, at.PUNG_DISPLACEMENT, factor, bucket_bits, slot_bits
    )
    return np.int64(profile.words[at.PUNG_RECORD + slot])


@step
def score_reading(counts, row, sums, sets, tiles, hogs, form, tables, profile):
    """Points and fans of a reading.

    ``sums`` with the waits, ``sets`` with those of the melds, ``tiles`` and ``hogs`` the records of
    the hand, ``form`` the part of the structures that it belongs to.
    """
    words = profile.words
    made = form + (sums >> at.MADE_FROM & (1 << at.MADE_BITS) - 1)
    way = sums >> at.WAY_FROM & at.WAY_MASK
    honors = sums >> at.HONOR_PUNGS & (1 << at.HONOR_BITS) - 1
    return add_up(
        tiles,
        np.int64(words[at.WAY_RECORD + way]),
        np.int64(words[at.MADE_RECORD + made]),
        chow_record(counts, row, sets, tables, profile),
        pung_record(sets, tables, profile),
        np.int64(words[at.HONOR_RECORD + honors]),
        hogs,
        form,
        profile,
    )
