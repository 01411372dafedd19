"""What the tables found, mended where melds that are known hold copies that they count on.

A second pass over the rows: within the first it would cost hands without melds a third of their
speed, for the compiler then keeps less in registers.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from . import layout as at
from .acceptance import copies_left, target_of
from .locks import (
    is_tight,
    locked_masks,
    locked_missing,
    locked_straight,
    locked_tiles,
    locked_words,
)
from .rows import NO_TILE, four_keys, four_words, keys_without, levels_of, shapes_of
from .shanten import all_shanten


@step
def _locks(rows, i):
    """Copies that lie in the melds of a row, and how many melds there are."""
    return locked_masks(rows.codes, i * rows.code_step), int(rows.melds[i * rows.meld_step])


@step
def _away(tables, rows, i, found, sets, locked):
    """Shanten of the regular form; a hand that the tables call complete has its tiles."""
    if found < 0:
        return np.int64(found)
    words, _ = locked_words(tables, rows, i, NO_TILE, sets, locked)
    return locked_missing(words, sets) - 1


@bare_kernel
def mend_regular(tables, rows, trusted, shanten, status, start, stop):
    """``regular_rows`` once more."""
    for i in range(start, stop):
        locked, melds = _locks(rows, i)
        if status[i] != at.OK or locked[0] == 0:
            continue
        levels = levels_of(tables.planes, four_keys(rows.counts, i))
        if is_tight(levels, melds, locked, False):
            shanten[i] = _away(tables, rows, i, shanten[i], 4 - melds, locked)


@bare_kernel
def mend_shanten(tables, rows, trusted, shanten, status, start, stop):
    """``shanten_rows`` once more: beside melds there are the regular form and the straight."""
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


@bare_kernel
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
def mend_acceptance(
    tables, rows, trusted, form, discards, shanten, mask, copies, forms, status, start, stop
):
    """``acceptance_rows`` once more."""
    for i in range(start, stop):
        locked, melds = _locks(rows, i)
        if status[i] != at.OK or locked[0] == 0:
            continue
        keys = four_keys(rows.counts, i)
        for place in range(34 if discards else 1):
            out = place if discards else NO_TILE
            if discards and rows.counts[i, place] == 0:
                continue
            levels = levels_of(tables.planes, keys_without(tables.unit_keys, keys, out))
            if not is_tight(levels, melds, locked, True):
                continue
            words, left = locked_words(tables, rows, i, out, 4 - melds, locked)
            regular = locked_missing(words, 4 - melds)
            straight, beside = at.RULED_OUT + 1, 0
            if melds == 1:
                straight, beside = locked_straight(levels, locked)
            ruled = at.RULED_OUT
            found = (
                regular - 1, ruled, ruled, ruled, straight - 1, min(regular, straight) - 1
            )  # fmt: skip
            target, having = target_of(found, form)
            shanten[i, place] = target
            if target == at.RULED_OUT:
                continue
            forms[i, place] = having
            tiles = np.int64(0)
            if having >> at.REGULAR & 1:
                tiles = locked_tiles(tables, rows, i, out, 4 - melds, locked, words, left)
            tiles |= beside * (having >> at.KNITTED_STRAIGHT & 1)
            mask[i, place] = tiles if target >= 0 else 0
            copies[i, place] = copies_left(
                rows.counts, i, rows.seen, i * rows.seen_step, mask[i, place]
            )
