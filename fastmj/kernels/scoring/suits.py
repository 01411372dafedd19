"""Suits of a row: their counts as keys, and the table entries that are found by them."""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import high_product, load_word
from . import layout as at

_LAST = (1 << at.ENTRY_BITS) - 1
_FACTOR, _BUCKET_BITS, _SLOT_BITS = at.SUIT_HASH


@step
def slot_of(key, words, displacement, factor, bucket_bits, slot_bits):
    """Slot of a key in a table without collisions."""
    mixed = high_product(key, factor)
    bucket = mixed >> 32 - bucket_bits
    slot = mixed >> 32 - bucket_bits - slot_bits & (1 << slot_bits) - 1
    return slot ^ np.int64(words[displacement + bucket])


@step
def suit_keys(counts, row):
    """Keys of the suits and the honours of a row."""
    return (
        load_word(counts, row, 0) | np.int64(counts[row, 8]) << at.RANK_9,
        load_word(counts, row, 9) | np.int64(counts[row, 17]) << at.RANK_9,
        load_word(counts, row, 18) | np.int64(counts[row, 26]) << at.RANK_9,
        load_word(counts, row, 26) & ~255 | at.HONOR_MARK,
    )


@step
def entry_number(key, words):
    """Number of the entry of a key; what is there may be another key's."""
    return slot_of(key, words, at.DISPLACEMENT, _FACTOR, _BUCKET_BITS, _SLOT_BITS)


@step
def find_entries(keys, words):
    """Numbers of the entries of four keys, side by side in a word."""
    return (
        entry_number(keys[0], words)
        | entry_number(keys[1], words) << at.ENTRY_BITS
        | entry_number(keys[2], words) << 2 * at.ENTRY_BITS
        | entry_number(keys[3], words) << 3 * at.ENTRY_BITS
    )


@step
def entry_at(entries, shift):
    """Where an entry of a hand begins; ``shift`` is that of its suit."""
    return at.ENTRIES + at.ENTRY_WIDTH * (entries >> shift & _LAST)


@step
def places_of(entries):
    """Where the four entries of a hand begin."""
    return (
        entry_at(entries, 0),
        entry_at(entries, at.ENTRY_BITS),
        entry_at(entries, 2 * at.ENTRY_BITS),
        entry_at(entries, 3 * at.ENTRY_BITS),
    )


@step
def unlike(places, keys, longs):
    """Not 0 when a suit is no shape that can be laid: the entry found is another key's."""
    return (
        longs[places[0] + at.KEY] ^ keys[0]
        | longs[places[1] + at.KEY] ^ keys[1]
        | longs[places[2] + at.KEY] ^ keys[2]
        | longs[places[3] + at.KEY] ^ keys[3]
    )


@step
def sums_of(places, longs):
    """Sums over the four entries."""
    return (
        longs[places[0] + at.SUMS]
        + longs[places[1] + at.SUMS]
        + longs[places[2] + at.SUMS]
        + longs[places[3] + at.SUMS]
    )


@step
def incomplete(places, keys, sums, longs):
    """0 when the suits can be laid and are four sets and a pair."""
    return unlike(places, keys, longs) | (sums & at.COMPLETE_MASK) ^ at.COMPLETE_SUMS


@step
def sets_of(places, longs):
    """Sets of the three suits side by side."""
    return (
        (longs[places[0] + at.SETS] & at.SETS_MASK)
        + ((longs[places[1] + at.SETS] & at.SETS_MASK) << at.SUIT_BITS)
        + ((longs[places[2] + at.SETS] & at.SETS_MASK) << 2 * at.SUIT_BITS)
    )


@step
def waits_of(entries, win, tables):
    """What the winning tile does in its suit: 7 bits."""
    shifts = np.int64(tables.words[at.TILES + win])
    place = entry_at(entries, shifts & (1 << at.TILE_ENTRY_BITS) - 1)
    return tables.longs[place + at.WAITS] >> (shifts >> at.TILE_ENTRY_BITS) & 127
