"""Rows beside melds that are known: what the tables find, mended where melds hold copies of it.

A second pass over the rows: within the first it would cost hands without melds a third of their
speed, for the compiler then keeps less in registers.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, inner_kernel, step
from ..machine import popcount
from . import layout as at
from .acceptance import acceptance_rows, copies_left, target_of
from .locks import (
    is_tight,
    locked_masks,
    locked_missing,
    locked_straight,
    locked_tiles,
    locked_words,
)
from .melds import copies_in, meld_planes
from .rows import (
    NO_TILE,
    four_keys,
    four_words,
    keys_without,
    levels_of,
    melds_of,
    named,
    shapes_of,
)
from .shanten import all_shanten, regular_rows, shanten_rows
from .waits import wait_rows


@step
def _locks(rows, i):
    """Copies that lie in the melds of a row, and how many melds there are."""
    return locked_masks(rows.codes, i * rows.code_step), melds_of(rows, i)


@step
def _copies_locked(locked, mask):
    """How many copies of the tiles of a mask lie in melds."""
    one, two, three, four = locked
    return (
        int(popcount(mask & one)) + int(popcount(mask & two))
        + int(popcount(mask & three)) + int(popcount(mask & four))
    )  # fmt: skip


@step
def _away(tables, rows, i, found, sets, locked):
    """Shanten of the regular form; a hand that the tables call complete has its tiles."""
    if found < 0:
        return np.int64(found)
    words, _ = locked_words(tables, rows, i, NO_TILE, sets, locked)
    return locked_missing(words, sets) - 1


@bare_kernel
def regular_beside(tables, rows, trusted, shanten, status, start, stop):
    """``regular_rows`` beside melds that are known."""
    regular_rows(tables, rows, trusted, shanten, status, start, stop)
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        locked, melds = _locks(rows, i)
        if status[i] != at.OK or locked[0] == 0:
            continue
        levels = levels_of(tables.planes, four_keys(rows.counts, i))
        if is_tight(levels, melds, locked, False):
            shanten[i] = _away(tables, rows, i, shanten[i], 4 - melds, locked)


@bare_kernel
def shanten_beside(tables, rows, trusted, shanten, status, start, stop):
    """``shanten_rows`` beside melds that are known: the regular form and the straight are left."""
    shanten_rows(tables, rows, trusted, shanten, status, start, stop)
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        locked, melds = _locks(rows, i)
        if status[i] != at.OK or locked[0] == 0:
            continue
        levels = levels_of(tables.planes, four_keys(rows.counts, i))
        if is_tight(levels, melds, locked, False):
            regular = _away(tables, rows, i, shanten[at.REGULAR, i], 4 - melds, locked)
            shanten[at.REGULAR, i] = regular
            if melds == 1:
                missing, _ = locked_straight(levels, locked)
                shanten[at.KNITTED_STRAIGHT, i] = missing - 1
            shanten[at.BEST, i] = min(regular, shanten[at.KNITTED_STRAIGHT, i])


@inner_kernel
def locked_shanten(tables, rows, i):
    """Lowest shanten of one row of 13 or 14 tiles less 3 a meld."""
    locked, melds = _locks(rows, i)
    keys = four_keys(rows.counts, i)
    found = all_shanten(tables, shapes_of(four_words(tables.parts, keys)), melds)[at.BEST]
    if found < 0 or locked[0] == 0:
        return int(found)
    levels = levels_of(tables.planes, keys)
    if not is_tight(levels, melds, locked, False):
        return int(found)
    away = _away(tables, rows, i, found, 4 - melds, locked)
    if melds == 1:
        away = min(away, locked_straight(levels, locked)[0] - 1)
    return int(away)


@bare_kernel
def waits_beside(tables, rows, trusted, mask, live, forms, status, start, stop):
    """``wait_rows`` beside melds that are known."""
    wait_rows(tables, rows, trusted, mask, live, forms, status, start, stop)
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        if live[i] == 0:
            continue
        planes = meld_planes(rows.codes, i)
        doubtful = live[i] & planes[0]
        for tile in range(34 if doubtful else 0):
            if doubtful >> tile & 1:
                held = int(rows.counts[i, tile]) + int(rows.seen[i * rows.seen_step, tile])
                if held + copies_in(planes, tile) >= 4:
                    live[i] &= ~(np.int64(1) << tile)


@step
def _mend_place(tables, rows, i, out, melds, locked, levels, form):
    """Shanten of a form, tiles that lower it and forms that have it, with a tile taken out."""
    words, left = locked_words(tables, rows, i, out, 4 - melds, locked)
    regular = locked_missing(words, 4 - melds)
    straight, beside = at.RULED_OUT + 1, 0
    if melds == 1:
        straight, beside = locked_straight(levels, locked)
    ruled = at.RULED_OUT
    found = regular - 1, ruled, ruled, ruled, straight - 1, min(regular, straight) - 1
    target, having = target_of(found, form)
    tiles = np.int64(0)
    if 0 <= target < at.RULED_OUT:
        if having >> at.REGULAR & 1:
            tiles = locked_tiles(tables, rows, i, out, 4 - melds, locked, words, left)
        tiles |= beside * (having >> at.KNITTED_STRAIGHT & 1)
    return target, tiles, 0 if target == at.RULED_OUT else having


@bare_kernel
def acceptance_beside(
    tables, rows, trusted, form, discards, shanten, mask, copies, forms, status, start, stop
):
    """``acceptance_rows`` beside melds that are known."""
    acceptance_rows(
        tables, rows, trusted, form, discards, shanten, mask, copies, forms, status, start, stop
    )
    tables, rows = named(tables, rows)
    counts, seen = rows.counts, rows.seen
    for i in range(start, stop):
        locked, melds = _locks(rows, i)
        if status[i] != at.OK or locked[0] == 0:
            continue
        keys = four_keys(counts, i)
        for place in range(34 if discards else 1):
            out = place if discards else NO_TILE
            if discards and counts[i, place] == 0:
                continue
            levels = levels_of(tables.planes, keys_without(tables.unit_keys, keys, out))
            if is_tight(levels, melds, locked, True):
                shanten[i, place], mask[i, place], forms[i, place] = _mend_place(
                    tables, rows, i, out, melds, locked, levels, form
                )
                copies[i, place] = copies_left(counts, i, seen, i * rows.seen_step, mask[i, place])
            if rows.code_step:
                copies[i, place] -= _copies_locked(locked, mask[i, place])
