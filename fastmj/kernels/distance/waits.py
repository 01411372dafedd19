"""Waits: the tiles that complete a hand, whether or not a copy of them is left."""

from __future__ import annotations

from ..jit import bare_kernel, inner_kernel, step
from . import layout as at
from .acceptance import rest_shapes, single_tiles
from .rows import four_words, named, planes_of, read_row, shapes_of
from .special import (
    fields_of,
    held_honors,
    held_knitted,
    held_orphans,
    held_pairs,
    most_knitted,
    special_words,
)


@step
def four_waits(waits, shapes):
    """Entries of the four shapes."""
    return (
        int(waits[shapes[0]]),
        int(waits[shapes[1]]),
        int(waits[shapes[2]]),
        int(waits[shapes[3]]),
    )


@step
def may_be_ready(entries):
    """Whether no suit rules a ready hand out: so it is in one deal of 200."""
    return (entries[0] | entries[1] | entries[2] | entries[3]) & at.DEAD == 0


@step
def _stands(entry):
    """1 for a suit of 3n + 2 tiles that stands complete with the pair."""
    return (entry & entry >> 2 & at.COMPLETE) >> 9


@step
def _waits_beside(entry, standing):
    """Tiles that a suit of 3n + 2 tiles waits for when the other such suit stands complete."""
    waiting = (entry & at.TWO_OVER) != 0 and standing > _stands(entry)
    return entry & at.WAIT_TILES if waiting else 0


@inner_kernel
def set_waits(entries):
    """Tiles that complete sets and a pair, for 3n + 1 tiles of which no suit rules it out.

    Either one suit has a tile too many and waits with the pair, or two lack one, of which one
    stands complete with the pair and the other waits for a set.
    """
    a, b, c, d = entries
    ones = (a & at.ONE_OVER) + (b & at.ONE_OVER) + (c & at.ONE_OVER) + (d & at.ONE_OVER)
    twos = (a & at.TWO_OVER) + (b & at.TWO_OVER) + (c & at.TWO_OVER) + (d & at.TWO_OVER)
    tiles = at.WAIT_TILES
    if ones == at.ONE_OVER and twos == 0:
        return a & tiles | (b & tiles) << 9 | (c & tiles) << 18 | (d & tiles) << 27
    if ones != 0 or twos != 2 * at.TWO_OVER:
        return 0
    standing = _stands(a) + _stands(b) + _stands(c) + _stands(d)
    return (
        _waits_beside(a, standing)
        | _waits_beside(b, standing) << 9
        | _waits_beside(c, standing) << 18
        | _waits_beside(d, standing) << 27
    )


@step
def is_complete(entries):
    """Whether sets and a pair stand complete; the hand must have 3n + 2 tiles."""
    a, b, c, d = entries
    paired = (a & at.TWO_OVER) + (b & at.TWO_OVER) + (c & at.TWO_OVER) + (d & at.TWO_OVER)
    return bool(a & b & c & d & at.COMPLETE) and paired == at.TWO_OVER


@inner_kernel
def straight_waits(tables, keys, words):
    """Tiles that complete a knitted straight: beside its nine, or the missing one of them."""
    held, _ = planes_of(tables.planes, keys)
    tiles = 0
    for a in range(6):
        groups = at.ARRANGEMENTS[a]
        first, second, third = fields_of(words, groups)
        number = held_knitted(first, second, third)
        if number >= 8:
            entries = four_waits(tables.waits, rest_shapes(tables, keys, held, groups))
            if number == 9 and may_be_ready(entries):
                tiles |= set_waits(entries)
            elif number == 8 and is_complete(entries):
                tiles |= at.NINES[a] & ~held
    return tiles


@step
def nearly_closed(words, most):
    """Whether seven pairs, thirteen orphans or honours and knitted tiles lack one tile."""
    kinds, paired = held_orphans(words)
    return held_pairs(words) == 6 or kinds + int(paired) == 13 or held_honors(words) + most == 13


@inner_kernel
def closed_waits(tables, keys, words, most):
    """Tiles that complete these three forms, each on its own."""
    held, odd = planes_of(tables.planes, keys)
    kinds, paired = held_orphans(words)
    pairs = odd if held_pairs(words) == 6 else 0
    orphans = singles = 0
    if kinds + int(paired) == 13:
        orphans = at.ORPHAN_KINDS & ~held if paired else at.ORPHAN_KINDS
    if held_honors(words) + most == 13:
        singles = single_tiles(words, held, most)
    return pairs, orphans, singles


@step
def left_of(counts, i, seen, j, mask):
    """Tiles of a mask of which a copy is neither held nor seen elsewhere."""
    full = 0
    for tile in range(34):
        full |= int(int(counts[i, tile]) + int(seen[j, tile]) >= 4) << tile
    return mask & ~full


@bare_kernel
def wait_rows(tables, rows, trusted, mask, live, forms, status, start, stop):
    """Winning tiles (int64), those of them that are left, and the forms they complete (uint8)."""
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i], mask[i], live[i], forms[i] = code, 0, 0, 0
        if code != at.OK:
            continue
        shapes = shapes_of(four_words(tables.parts, keys))
        entries = four_waits(tables.waits, shapes)
        found = set_waits(entries) if may_be_ready(entries) else 0
        having = int(found != 0) << at.REGULAR
        if melds <= 1:
            words = special_words(tables, shapes)
            most = most_knitted(words)
            if melds == 0 and nearly_closed(words, most):
                pairs, orphans, singles = closed_waits(tables, keys, words, most)
                having |= int(pairs != 0) << at.SEVEN_PAIRS
                having |= int(orphans != 0) << at.THIRTEEN_ORPHANS
                having |= int(singles != 0) << at.HONORS_KNITTED
                found |= pairs | orphans | singles
            if most >= 8:
                straight = straight_waits(tables, keys, words)
                having |= int(straight != 0) << at.KNITTED_STRAIGHT
                found |= straight
        if found:
            mask[i], forms[i] = found, having
            live[i] = left_of(rows.counts, i, rows.seen, i * rows.seen_step, found)
