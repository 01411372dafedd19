"""Rows that are not ordinary: several readings, other forms, not complete, impossible."""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import add_melds, high_product, load_word, popcount
from . import layout as at
from .points import better_of
from .reading import hog_record, score_reading, tile_record, with_waits, without_only_wait
from .special import special_form, third_key, whole_arrangement
from .suits import (
    find_entries,
    places_of,
    sets_of,
    suit_keys,
    sums_of,
    unlike,
    waits_of,
)

#: Outcomes of a row; impossible ones go to ``problems`` for the cause.
COMPLETE, NOT_COMPLETE, IMPOSSIBLE = 0, 1, 2
_ONES, _SMALL = 0x0101010101010101, 0x0707070707070707
#: First ranks of the thirds.
_FIRSTS = 7 | 7 << 9 | 7 << 18


@step
def is_complete(places, keys, sums, longs):
    """Whether the suits can be laid and are four sets and a pair."""
    return unlike(places, keys, longs) | (sums & at.COMPLETE_MASK) ^ at.COMPLETE_SUMS == 0


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
def next_way(entries, places, longs):
    """Entries of the next way to lay a hand, or 0: only one suit can have several."""
    for suit in range(3):
        other = longs[places[suit] + at.SETS] >> at.NEXT
        if other:
            shift = at.ENTRY_BITS * suit
            return entries & ~(((1 << at.ENTRY_BITS) - 1) << shift) | other << shift
    return np.int64(0)


@step
def best_way(
    counts, row, entries, win, hand_sums, meld_sets, tiles, hogs, form, uncounted, tables, profile
):
    """Points and fans of the best way to lay four sets and a pair; ``uncounted`` waits are none."""
    longs = tables.longs
    held = np.int64(counts[row, win])
    best = (np.int64(-1), np.int64(0), np.int64(0), np.int64(0))
    while entries:
        places = places_of(entries)
        sums = hand_sums + sums_of(places, longs)
        waits = waits_of(entries, win, tables) & ~uncounted
        if waits >> at.GATES_LEFT & 1:
            form = np.int64(at.GATES)
            sums += 4 << at.PUNGS
        sums = with_waits(sums, without_only_wait(waits, sums, held), longs)
        sets = meld_sets + sets_of(places, longs)
        found = score_reading(counts, row, sums, sets, tiles, hogs, form, tables, profile)
        best = better_of(best, found, profile)
        entries = next_way(entries, places, longs)
    return best


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
def score_other(
    counts, row, entries, win, row_sums, meld_sums, meld_sets, present, quads, tables, profile
):
    """Outcome, points and fans of a row that is possible, as far as was looked.

    ``row_sums`` of its circumstances, ``meld_sums`` and ``meld_sets`` of its melds, ``present`` the
    mask of its tiles, ``quads`` how many are held four times.
    """
    longs = tables.longs
    best = (np.int64(-1), np.int64(0), np.int64(0), np.int64(0))
    hogs = hog_record(quads, profile.longs)
    keys = suit_keys(counts, row)
    sums = at.BIAS + row_sums + meld_sums
    melds = meld_sums >> at.SET_NUMBER & 7
    number, even = concealed_tiles(counts, row)
    even = melds == 0 and even
    places = places_of(entries)
    form, made = np.int64(at.FORM_REGULAR), np.int64(at.REGULAR)
    uncounted = np.int64(0)
    complete = is_complete(places, keys, sums + sums_of(places, longs), longs)
    if not complete:
        if number != 14 - 3 * melds:
            return IMPOSSIBLE, best
        nine = knitted_tiles(counts, row, present, melds, longs)
        if nine:
            form, made = np.int64(at.FORM_KNITTED), np.int64(at.KNITTED)
            keys, entries = knitted_rest(keys, nine, tables.words)
            places = places_of(entries)
            sums += 3 << at.SET_NUMBER
            complete = is_complete(places, keys, sums + sums_of(places, longs), longs)
            if nine >> win & 1 and not profile.longs[at.KNITTED_WAITS]:
                uncounted = np.int64(1 << at.ONLY_WAIT)
    if complete:
        tiles = tile_record(present, form, profile)
        best = best_way(
            counts, row, entries, win, sums, meld_sets, tiles, hogs, made, uncounted, tables,
            profile,
        )  # fmt: skip
    if melds == 0 and (even or not complete):
        tiles = form_record(present, even, profile)
        if tiles:
            found = score_reading(
                counts, row, at.NO_SETS + row_sums, np.int64(0), tiles, hogs, np.int64(at.REGULAR),
                tables, profile,
            )  # fmt: skip
            best = better_of(best, found, profile)
    return (COMPLETE if best[0] >= 0 else NOT_COMPLETE), best
