"""The regular form: sets and a pair, by the distance rows of the four suits."""

from __future__ import annotations

from ..jit import step
from . import layout as at


@step
def missing_tiles(tables, shapes, sets):
    """Fewest tiles to draw for so many sets and a pair.

    The row of two suits together is again one of 180, so that the minimum over all ways to share
    the sets, 180 ns when it is worked out, is three look-ups in a table of 32 kB.
    """
    classes, join = tables.classes, tables.join
    left = join[classes[shapes[0]], classes[shapes[1]]]
    right = join[classes[shapes[2]], classes[shapes[3]]]
    return int(tables.need[2 * sets + 1, join[left, right]])


@step
def _lowering(tables, shape, rest, row, sets):
    """Tiles of one suit that lower an entry of its row that lies on a shortest way."""
    bits = int(tables.useful[sets, rest, row])
    spread, words = tables.spread, tables.lower_words
    found = words[tables.lower[shape, 0]] & spread[bits & 31]
    found |= words[tables.lower[shape, 1]] & spread[bits >> 5]
    return (found | found >> 9 | found >> 18 | found >> 27 | found >> 36) & at.SUIT_TILES


@step
def lowering_tiles(tables, shapes, sets):
    """Tiles that make fewer missing for so many sets and a pair, as bits.

    34 ns a hand; adding each of the 34 tiles and looking again takes 380 ns.
    """
    join = tables.join
    a, b = tables.classes[shapes[0]], tables.classes[shapes[1]]
    c, d = tables.classes[shapes[2]], tables.classes[shapes[3]]
    left, right = join[a, b], join[c, d]
    return (
        _lowering(tables, shapes[0], join[b, right], a, sets)
        | _lowering(tables, shapes[1], join[a, right], b, sets) << 9
        | _lowering(tables, shapes[2], join[left, d], c, sets) << 18
        | _lowering(tables, shapes[3], join[left, c], d, sets) << 27
    )
