"""Acceptance: which tiles lower the shanten, of a hand as it stands or after each discard."""

from __future__ import annotations

from ..jit import bare_kernel, inner_kernel, step
from . import layout as at
from .regular import lowering_tiles
from .rows import NO_TILE, four_words, keys_without, named, planes_of, read_row, shapes_of
from .shanten import all_shanten
from .special import (
    fields_of,
    held_honors,
    held_knitted,
    held_orphans,
    missing_knitted,
    special_words,
)


@step
def rest_shapes(tables, keys, held, groups):
    """Shapes of what is left when one of each tile held of an arrangement is taken out."""
    a = int(tables.taken[groups[0], held & at.SUIT_TILES])
    b = int(tables.taken[groups[1], held >> 9 & at.SUIT_TILES])
    c = int(tables.taken[groups[2], held >> 18 & at.SUIT_TILES])
    rest = (
        keys[0] - (a & at.TAKEN_LOW_MASK),
        keys[1] - (a >> at.TAKEN_HIGH),
        keys[2] - (b & at.TAKEN_LOW_MASK),
        keys[3] - (b >> at.TAKEN_HIGH),
        keys[4] - (c & at.TAKEN_LOW_MASK),
        keys[5] - (c >> at.TAKEN_HIGH),
        keys[6],
        keys[7],
    )
    return shapes_of(four_words(tables.parts, rest))


@step
def single_tiles(words, held, most):
    """Tiles that bring honours and knitted tiles nearer: what the fullest arrangements miss."""
    tiles = at.HONORS
    for a in range(6):
        first, second, third = fields_of(words, at.ARRANGEMENTS[a])
        if held_knitted(first, second, third) == most:
            tiles |= at.NINES[a]
    return tiles & ~held


@inner_kernel
def straight_tiles(tables, keys, words, held, sets, fewest):
    """Tiles that bring a knitted straight nearer: of the nine, or of the set and pair beside it.

    What is wanted beside the nine is never more than three of a kind, so that taking the nine out
    first is exact, fifth copies included.
    """
    honors = (words[3] >> at.GROUPS & at.GROUP_CLASS_MASK) << 12
    shift = at.KNITTED_BOTH if sets else at.KNITTED_PAIR
    tiles = 0
    for a in range(6):
        groups = at.ARRANGEMENTS[a]
        first, second, third = fields_of(words, groups)
        if missing_knitted(tables.knitted, shift, honors, first, second, third) == fewest:
            tiles |= at.NINES[a] & ~held
            tiles |= lowering_tiles(tables, rest_shapes(tables, keys, held, groups), sets)
    return tiles


@step
def target_of(shanten, form):
    """Shanten of a form (or the lowest), and the forms that have it, as bits."""
    target = shanten[form]
    forms = int(shanten[0] == target)
    forms |= int(shanten[1] == target) << 1
    forms |= int(shanten[2] == target) << 2
    forms |= int(shanten[3] == target) << 3
    forms |= int(shanten[4] == target) << 4
    return target, forms if form == at.BEST else 1 << form


@step
def easy_tiles(words, planes, shanten, forms):
    """Tiles that bring seven pairs, thirteen orphans or honours and knitted tiles nearer."""
    held, odd = planes
    _, paired = held_orphans(words)
    orphans = at.ORPHAN_KINDS & ~(held * int(paired))
    most = 13 - shanten[at.HONORS_KNITTED] - held_honors(words)
    return (
        odd * (forms >> at.SEVEN_PAIRS & 1)
        | orphans * (forms >> at.THIRTEEN_ORPHANS & 1)
        | single_tiles(words, held, most) * (forms >> at.HONORS_KNITTED & 1)
    )


@step
def copies_left(counts, i, seen, j, mask):
    """How many tiles of a mask are neither held nor seen elsewhere."""
    copies = 0
    for tile in range(34):
        copies += (mask >> tile & 1) * (4 - int(counts[i, tile]) - int(seen[j, tile]))
    return copies


@bare_kernel
def acceptance_rows(
    tables, rows, trusted, form, discards, shanten, mask, copies, forms, status, start, stop
):
    """Shanten of a form (or the lowest), tiles that lower it, their copies, forms that have it.

    The arrays int8, int64, int16, uint8 have the shape (N, 1) for the hands as they stand, or (N,
    34) for 14-tile hands after each ``discards``; ``status`` is uint8 (N,).
    """
    tables, rows = named(tables, rows)
    counts, seen = rows.counts, rows.seen
    for i in range(start, stop):
        j = i * rows.seen_step
        keys, melds, code = read_row(tables.parts, rows, i, trusted)
        status[i] = code
        for place in range(34 if discards else 1):
            shanten[i, place], mask[i, place], forms[i, place] = at.NO_HAND, 0, 0
            copies[i, place] = -int(discards)
            if code != at.OK:
                continue
            if discards and counts[i, place] == 0:
                shanten[i, place] = -1
                continue
            left = keys_without(tables.unit_keys, keys, place if discards else NO_TILE)
            shapes = shapes_of(four_words(tables.parts, left))
            found = all_shanten(tables, shapes, melds)
            target, having = target_of(found, form)
            shanten[i, place] = target
            if target == at.RULED_OUT:
                having = 0
            forms[i, place] = having
            tiles = 0
            if target >= 0:
                if having & 1 << at.REGULAR:
                    tiles = lowering_tiles(tables, shapes, 4 - melds)
                if having >> 1:
                    words = special_words(tables, shapes)
                    planes = planes_of(tables.planes, left)
                    tiles |= easy_tiles(words, planes, found, having)
                    if having & 1 << at.KNITTED_STRAIGHT:
                        fewest = found[at.KNITTED_STRAIGHT] + 1
                        tiles |= straight_tiles(tables, left, words, planes[0], 1 - melds, fewest)
            mask[i, place] = tiles
            copies[i, place] = copies_left(counts, i, seen, j, tiles)
