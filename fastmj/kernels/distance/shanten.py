"""Shanten of every row, for all forms or the regular one."""

from __future__ import annotations

from ..jit import bare_kernel, step
from . import layout as at
from .regular import missing_tiles
from .rows import four_words, named, read_row, shapes_of
from .special import (
    fewest_knitted,
    held_honors,
    held_orphans,
    held_pairs,
    most_knitted,
    special_words,
)


@bare_kernel
def regular_rows(tables, rows, trusted, shanten, status, start, stop):
    """Shanten of the regular form (int8), and the status of each row."""
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i] = code
        if code == at.OK:
            shapes = shapes_of(four_words(tables.parts, keys))
            shanten[i] = missing_tiles(tables, shapes, 4 - melds) - 1
        else:
            shanten[i] = at.NO_HAND


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


@bare_kernel
def shanten_rows(tables, rows, trusted, shanten, status, start, stop):
    """Shanten of the five forms and the lowest, ``shanten`` int8 (6, N), and each row's status."""
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i] = code
        if code == at.OK:
            found = all_shanten(tables, shapes_of(four_words(tables.parts, keys)), melds)
            shanten[0, i], shanten[1, i], shanten[2, i] = found[0], found[1], found[2]
            shanten[3, i], shanten[4, i], shanten[5, i] = found[3], found[4], found[5]
        else:
            shanten[:, i] = at.NO_HAND
