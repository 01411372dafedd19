"""Shanten of every row, for all forms or the regular one."""

from __future__ import annotations

from ..jit import bare_kernel, step
from . import layout as at
from .locks import locked_forms, locked_masks, near_tiles, tight_tiles
from .regular import missing_tiles
from .rows import NO_TILE, four_words, planes_of, read_row, shapes_of
from .special import (
    fewest_knitted,
    held_honors,
    held_orphans,
    held_pairs,
    most_knitted,
    special_words,
)


@step
def all_shanten(tables, shapes, melds):
    """Shanten of the five forms, and the lowest."""
    regular = missing_tiles(tables, shapes, 4 - melds) - 1
    if melds > 1:
        return regular, at.RULED_OUT, at.RULED_OUT, at.RULED_OUT, at.RULED_OUT, regular
    words = special_words(tables, shapes)
    if melds == 1:
        straight = fewest_knitted(tables.knitted, words, at.KNITTED_PAIR) - 1
        best = min(regular, straight)
        return regular, at.RULED_OUT, at.RULED_OUT, at.RULED_OUT, straight, best
    pairs = 6 - held_pairs(words)
    kinds, paired = held_orphans(words)
    orphans = 13 - kinds - int(paired)
    singles = 13 - held_honors(words) - most_knitted(words)
    straight = fewest_knitted(tables.knitted, words, at.KNITTED_BOTH) - 1
    best = min(min(min(regular, pairs), min(orphans, singles)), straight)
    return regular, pairs, orphans, singles, straight, best


@step
def _locks(tables, rows, i, keys, melds):
    """Copies that lie in melds, and the tight tiles for which that may matter.

    What is wholly new can be laid elsewhere, so that a tight tile matters only where it or one near
    it is held. Beside one meld a straight may want any of them.
    """
    locked = locked_masks(rows.codes, i * rows.code_step)
    tight = tight_tiles(rows, i, NO_TILE, locked)
    if tight and melds > 1:
        held, _ = planes_of(tables.planes, keys)
        tight &= held | near_tiles(held)
    return locked, tight


@step
def with_locks(found, melds, regular, straight):
    """What the tables found, with the forms that melds allow counted anew."""
    if melds > 1:
        straight = found[at.KNITTED_STRAIGHT]
    best = min(regular, straight)
    return regular, found[1], found[2], found[3], straight, best


@step
def shanten_of(tables, rows, i, keys, melds):
    """Shanten of the five forms, and the lowest, with the copies that there are."""
    shapes = shapes_of(four_words(tables.parts, keys))
    found = all_shanten(tables, shapes, melds)
    if melds:
        locked, tight = _locks(tables, rows, i, keys, melds)
        if tight:
            regular, straight, _, _ = locked_forms(
                tables, rows, i, NO_TILE, shapes, melds, locked, tight, found[at.REGULAR]
            )
            found = with_locks(found, melds, regular, straight)
    return found


@bare_kernel
def regular_rows(tables, rows, trusted, shanten, status, start, stop):
    """Shanten of the regular form (int8), and the status of each row."""
    for i in range(start, stop):
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i] = code
        if code != at.OK:
            shanten[i] = at.NO_HAND
            continue
        shapes = shapes_of(four_words(tables.parts, keys))
        found = missing_tiles(tables, shapes, 4 - melds) - 1
        if melds:
            locked, tight = _locks(tables, rows, i, keys, melds)
            if tight:
                found = locked_forms(
                    tables, rows, i, NO_TILE, shapes, melds, locked, tight, found
                )[0]
        shanten[i] = found


@bare_kernel
def shanten_rows(tables, rows, trusted, shanten, status, start, stop):
    """Shanten of the five forms and the lowest, ``shanten`` int8 (6, N), and each row's status."""
    for i in range(start, stop):
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i] = code
        if code == at.OK:
            found = shanten_of(tables, rows, i, keys, melds)
            shanten[0, i], shanten[1, i], shanten[2, i] = found[0], found[1], found[2]
            shanten[3, i], shanten[4, i], shanten[5, i] = found[3], found[4], found[5]
        else:
            shanten[:, i] = at.NO_HAND
