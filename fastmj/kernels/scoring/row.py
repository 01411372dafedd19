"""One row: its sums, whether it is four sets and a pair, and what it is worth."""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import add_melds, popcount
from . import layout as at
from .other import COMPLETE, IMPOSSIBLE, best_reading, other_form
from .reading import hog_record, score_reading
from .suits import incomplete, places_of, suit_keys, sums_of
from .ways import way

_LAST_OF_KIND, _KONG = 2, 8
_MELD_KINDS = 127
_CHICKEN_BIT = 42


@step
def conflict_of(flags, held, copies, meld_sums):
    """1 when the circumstances contradict the tiles (RULES section 2)."""
    kong = flags >> 3
    no_kong = 1 if meld_sums >> at.EXPOSED & _MELD_KINDS < 5 else 0
    replacement = kong & flags & no_kong
    robbed = kong & ~flags & ((1 if copies > 1 else 0) | flags >> 2)
    last = flags >> 1 & (1 if held > 1 else 0)
    return (replacement | robbed | last) & 1


@step
def out_of_range(win, flags, seat, prevalent, flowers):
    """Not 0 when a number is larger than it can be."""
    return (
        (1 if win > 33 else 0) | flags >> 4 | seat >> 2 | prevalent >> 2 | (1 if flowers > 8 else 0)
    )


@step
def score_row(counts, row, entries, meld0, meld1, meld2, meld3, win, flags, seat, prevalent,
              flowers, tables, profile):  # fmt: skip
    """Score a row: ``entries`` of its suits, codes of its melds, circumstances.

    Returns the outcome, the points without flowers, the two mask words (flowers left out) and the
    times of the repeating fans.
    """
    longs = tables.longs
    bad = out_of_range(win, flags, seat, prevalent, flowers)
    win = min(win, 33)
    at0, at1 = at.MELDS + at.MELD_WIDTH * meld0, at.MELDS + at.MELD_WIDTH * meld1
    at2, at3 = at.MELDS + at.MELD_WIDTH * meld2, at.MELDS + at.MELD_WIDTH * meld3
    present, quads, over, copies = add_melds(counts, row, longs, at0, at1, at2, at3, win)
    meld_sums = (
        longs[at0 + at.MELD_SUMS] + longs[at1 + at.MELD_SUMS]
        + longs[at2 + at.MELD_SUMS] + longs[at3 + at.MELD_SUMS]
    )  # fmt: skip
    meld_sets = (
        longs[at0 + at.MELD_SETS] + longs[at1 + at.MELD_SETS]
        + longs[at2 + at.MELD_SETS] + longs[at3 + at.MELD_SETS]
    )  # fmt: skip
    held = np.int64(counts[row, win])
    bad |= over | (1 if held == 0 else 0)
    if flags & (_LAST_OF_KIND | _KONG):
        bad |= conflict_of(flags, held, copies, meld_sums)
    flags |= _LAST_OF_KIND if copies - held == 3 else 0  # three in exposed melds: the last one
    row_sums = flags << at.FLAGS | (seat | prevalent << 2) << at.WINDS
    hand_sums = at.BIAS + row_sums + meld_sums
    places = places_of(entries)
    sums = hand_sums + sums_of(places, longs)
    hogs = hog_record(popcount(quads), profile.longs)
    complete = bad | incomplete(places, suit_keys(counts, row), sums, longs) == 0
    if complete:
        reading = way(entries, places, sums, win, held, meld_sets, present, tables, profile)
    elif bad:
        return np.int64(IMPOSSIBLE), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    else:
        outcome, reading = other_form(
            counts, row, win, held, row_sums, hand_sums, meld_sets, present, tables, profile
        )
        if outcome != COMPLETE:
            return outcome, np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    reading_sums, sets, tiles, made = reading
    found = score_reading(counts, row, reading_sums, sets, tiles, hogs, made, tables, profile)
    if complete and (sums & at.SINGLE_MASK) ^ at.SINGLE_SUMS:
        found = best_reading(
            counts, row, entries, found, win, held, row_sums, hand_sums, meld_sets, present, hogs,
            tables, profile,
        )  # fmt: skip
    points, mask0, mask1, times = found
    if mask0 | mask1 == 0:
        points, mask0, times = profile.longs[at.CHICKEN], np.int64(1 << _CHICKEN_BIT), np.int64(0)
    return np.int64(COMPLETE), points, mask0, mask1, times
