"""From classes of facts to fans and points: implied fans removed, points added up, ties broken."""

from __future__ import annotations

import numpy as np

from . import layout as at
from .buffers import FIRST_VALUE, MASK_POINTS, ORDER, POINTS
from .jit import bare_kernel, step

_CHUNK = (1 << at.CHUNK_BITS) - 1
_REPEATING_BITS = sum(1 << fan % at.WORD for fan in at.REPEATING)
_HOG_BIT = at.REPEATING[at.HOG_FIELD] % at.WORD
_TERMINAL_BIT = at.REPEATING[at.TERMINAL_FIELD] % at.WORD


@step
def add_up(profile, tiles, circumstances, structure, chows, pungs, honors,
           hogs, nine_gates):  # fmt: skip
    """Fans that count and their points.

    The classes are given by where their records begin. Returns the two mask words, the times of the repeating fans (4 bits each) and the points.
    """
    records, ints = profile.longs, profile.ints
    held0 = (
        records[tiles + at.HELD0] | records[circumstances + at.HELD0] | records[structure + at.HELD0]
        | records[chows + at.HELD0] | records[pungs + at.HELD0] | records[honors + at.HELD0]
    )  # fmt: skip
    held1 = (
        records[tiles + at.HELD1] | records[circumstances + at.HELD1] | records[structure + at.HELD1]
        | records[chows + at.HELD1] | records[pungs + at.HELD1] | records[honors + at.HELD1]
    )  # fmt: skip
    implied0 = (
        records[tiles + at.IMPLIED0] | records[circumstances + at.IMPLIED0]
        | records[structure + at.IMPLIED0] | records[chows + at.IMPLIED0]
        | records[pungs + at.IMPLIED0] | records[honors + at.IMPLIED0]
    )  # fmt: skip
    implied1 = (
        records[tiles + at.IMPLIED1] | records[circumstances + at.IMPLIED1]
        | records[structure + at.IMPLIED1] | records[chows + at.IMPLIED1]
        | records[pungs + at.IMPLIED1] | records[honors + at.IMPLIED1]
    )  # fmt: skip
    times = (
        records[chows + at.TIMES] + records[pungs + at.TIMES] + records[honors + at.TIMES]
        + (hogs << 4 * at.HOG_FIELD)
    )  # fmt: skip
    held1 |= (1 if hogs else 0) << _HOG_BIT
    if nine_gates:  # one pung of terminals is part of it; there always is one
        times -= 1 << 4 * at.TERMINAL_FIELD
        if times >> 4 * at.TERMINAL_FIELD == 0:
            held1 &= ~(1 << _TERMINAL_BIT)
    mask0 = held0 & ~implied0
    mask1 = held1 & ~implied1
    points = (
        ints[MASK_POINTS + (mask0 & _CHUNK)]
        + ints[MASK_POINTS + 1 * at.CHUNK + (mask0 >> at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 2 * at.CHUNK + (mask0 >> 2 * at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 3 * at.CHUNK + (mask0 >> 3 * at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 4 * at.CHUNK + (mask1 & _CHUNK)]
        + ints[MASK_POINTS + 5 * at.CHUNK + (mask1 >> at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 6 * at.CHUNK + (mask1 >> 2 * at.CHUNK_BITS & _CHUNK)]
    )
    if mask1 & _REPEATING_BITS:
        for field in range(8):
            counted = mask1 >> (at.REPEATING[field] - at.WORD) & 1
            points += (times >> 4 * field & 15) * counted * records[FIRST_VALUE + field]
    return mask0, mask1, times, points


@step
def times_of(fan, mask0, mask1, times):
    """How often a fan counts, from the mask words and the times of the repeating fans."""
    word = mask0 if fan < at.WORD else mask1
    if not word >> (fan % at.WORD) & 1:
        return 0
    for field in range(8):
        if at.REPEATING[field] == fan:
            return times >> 4 * field & 15
    return 1


@bare_kernel
def is_preferred(mask0, mask1, times, other0, other1, other_times, profile):
    """Whether fans come before others of the same total (RULES section 3).

    The higher single fan, then the next, and so on; then more different types; then the order of
    the table.
    """
    ints = profile.ints
    more = 0
    value = -1
    for place in range(at.FANS):
        fan = np.int64(ints[ORDER + place])
        if ints[POINTS + fan] != value:
            if more:
                return more > 0
            value = np.int64(ints[POINTS + fan])
        more += times_of(fan, mask0, mask1, times) - times_of(fan, other0, other1, other_times)
    if more:
        return more > 0
    types = 0
    first = 0
    for fan in range(at.FANS):
        mine = times_of(fan, mask0, mask1, times)
        theirs = times_of(fan, other0, other1, other_times)
        types += (1 if mine else 0) - (1 if theirs else 0)
        if first == 0:
            first = mine - theirs
    return types > 0 or (types == 0 and first > 0)
