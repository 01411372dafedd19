"""Rows with other readings than the first way to lay four sets and a pair."""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import add_melds, high_product, load_word, popcount
from . import layout as at
from .points import better_of
from .reading import score_reading, tile_record, with_waits, without_only_wait
from .special import special_form, third_key, whole_arrangement
from .suits import find_entries, incomplete, places_of, sets_of, suit_keys, sums_of, waits_of
from .ways import next_way, way

#: Outcomes of a row; impossible ones go to ``problems`` for the cause.
COMPLETE, NOT_COMPLETE, IMPOSSIBLE = 0, 1, 2
_ONES, _SMALL = 0x0101010101010101, 0x0707070707070707
#: First ranks of the thirds.
_FIRSTS = 7 | 7 << 9 | 7 << 18


@step
def concealed_tiles(counts, row):
    """Number of concealed tiles, and whether each kind is there twice or four times.

    The number is -1 when a count is over 7.
    """
    a, b = load_word(counts, row, 0), load_word(counts, row, 8)
    c, d = load_word(counts, row, 16), load_word(counts, row, 24)
    e, f = np.int64(counts[row, 32]), np.int64(counts[row, 33])
    every = a | b | c | d | e | f
    # Sums of four counts of up to 7 have room in a byte; the product adds all bytes up in its last.
    sums = (a & _SMALL) + (b & _SMALL) + (c & _SMALL) + (d & _SMALL)
    number = (high_product(sums, _ONES) >> 24) + e + f
    return (np.int64(-1) if every & ~_SMALL else number), every & _ONES == 0


@step
def knitted_tiles(counts, row, present, melds, longs):
    """The nine tiles of a knitted arrangement if they are held, or 0."""
    if melds > 1:
        return np.int64(0)
    if melds:
        none = at.MELDS
        present, _, _, _ = add_melds(counts, row, longs, none, none, none, none, 0)
    thirds = present & present >> 3 & present >> 6 & _FIRSTS
    return whole_arrangement(present) if popcount(thirds) >= 3 else np.int64(0)


@step
def knitted_rest(keys, nine, words):
    """Keys and entries of a hand without the nine tiles of an arrangement."""
    rest = (
        keys[0] - third_key(nine, 0),
        keys[1] - third_key(nine, 1),
        keys[2] - third_key(nine, 2),
        keys[3],
    )
    return rest, find_entries(rest, words)


@step
def form_record(present, even, profile):
    """Record of the tiles of a form without sets, or 0."""
    if even:
        return tile_record(present, at.FORM_PAIRS, profile)
    form = special_form(present)
    if form < 0:
        return np.int64(0)
    return (profile.longs[at.SPECIAL] & 0xFFFF) + at.RECORD_WIDTH * form


@step
def without_sets(row_sums, tiles):
    """What ``score_reading`` asks of a form without sets, as ``way``."""
    return at.NO_SETS + row_sums, np.int64(0), tiles, np.int64(at.REGULAR)


@step
def other_form(counts, row, win, held, row_sums, hand_sums, meld_sets, present, tables, profile):
    """Outcome of a row that is not four sets and a pair, as far as was looked, and its reading."""
    longs = tables.longs
    melds = hand_sums >> at.SET_NUMBER & 7
    number, even = concealed_tiles(counts, row)
    if number != 14 - 3 * melds:
        return np.int64(IMPOSSIBLE), without_sets(row_sums, np.int64(0))
    nine = knitted_tiles(counts, row, present, melds, longs)
    if nine:
        keys, entries = knitted_rest(suit_keys(counts, row), nine, tables.words)
        places = places_of(entries)
        sums = hand_sums + (3 << at.SET_NUMBER) + sums_of(places, longs)
        if incomplete(places, keys, sums, longs) == 0:
            waits = waits_of(entries, win, tables)
            if nine >> win & 1 and not profile.longs[at.KNITTED_WAITS]:
                waits &= ~(1 << at.ONLY_WAIT)
            return np.int64(COMPLETE), (
                with_waits(sums, without_only_wait(waits, sums, held), longs),
                meld_sets + sets_of(places, longs),
                tile_record(present, at.FORM_KNITTED, profile),
                np.int64(at.KNITTED),
            )
    tiles = form_record(present, even, profile) if melds == 0 else np.int64(0)
    return np.int64(COMPLETE if tiles else NOT_COMPLETE), without_sets(row_sums, tiles)


@step
def best_reading(
    counts, row, entries, best, win, held, row_sums, hand_sums, meld_sets, present, hogs, tables,
    profile,
):  # fmt: skip
    """The best reading of four sets and a pair: the first way's, or of another, or as pairs."""
    longs = tables.longs
    places = places_of(entries)
    even = hand_sums + sums_of(places, longs) >> at.ANY_ODD & 1 == 0
    while True:
        entries = next_way(entries, places, longs)
        if entries:
            places = places_of(entries)
            sums = hand_sums + sums_of(places, longs)
            reading = way(entries, places, sums, win, held, meld_sets, present, tables, profile)
        elif even:
            even = False
            reading = without_sets(row_sums, tile_record(present, at.FORM_PAIRS, profile))
        else:
            return best
        sums, sets, tiles, made = reading
        found = score_reading(counts, row, sums, sets, tiles, hogs, made, tables, profile)
        best = better_of(best, found, profile)
