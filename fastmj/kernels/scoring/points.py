"""From classes of facts to fans and points: implied fans removed, points added up, ties broken."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import counted_fans
from . import layout as at
from .buffers import MASK_POINTS, ORDER, POINTS, REPEATING_POINTS

_CHUNK = (1 << at.CHUNK_BITS) - 1
_TIMES = (1 << at.POINTS_FROM) - 1
_TERMINAL_BIT = at.REPEATING[at.TERMINAL_FIELD] % at.WORD


@step
def add_up(profile, tiles, way, structure, chows, pungs, honors, hogs, nine_gates):
    """Fans that count and their points, from where the records of a reading begin.

    Returns the two mask words, the times of the repeating fans (4 bits each) and the points.
    """
    records, ints = profile.longs, profile.ints
    mask0, mask1 = counted_fans(records, tiles, way, structure, chows, pungs, honors, hogs)
    added = (
        records[chows + at.ADDED]
        + records[pungs + at.ADDED]
        + records[honors + at.ADDED]
        + records[hogs + at.ADDED]
    )
    if nine_gates:  # one pung of terminals is part of it; there always is one
        added -= 1 << 4 * at.TERMINAL_FIELD
        if added >> 4 * at.TERMINAL_FIELD & 15 == 0:
            mask1 &= ~(1 << _TERMINAL_BIT)
    points = added >> at.POINTS_FROM
    points += (
        np.int64(ints[MASK_POINTS + (mask0 & _CHUNK)])
        + ints[MASK_POINTS + at.CHUNK + (mask0 >> at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 2 * at.CHUNK + (mask0 >> 2 * at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 3 * at.CHUNK + (mask0 >> 3 * at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 4 * at.CHUNK + (mask1 & _CHUNK)]
        + ints[MASK_POINTS + 5 * at.CHUNK + (mask1 >> at.CHUNK_BITS & _CHUNK)]
        + ints[MASK_POINTS + 6 * at.CHUNK + (mask1 >> 2 * at.CHUNK_BITS & _CHUNK)]
    )
    points += _repeated(records, mask1, added, at.REVOCABLE[0])
    points += _repeated(records, mask1, added, at.REVOCABLE[1])
    points += _repeated(records, mask1, added, at.REVOCABLE[2])
    return mask0, mask1, added & _TIMES, points


@step
def _repeated(records, mask1, added, field):
    """Points of a repeating fan that another class could have taken away."""
    counted = -(mask1 >> (at.REPEATING[field] - at.WORD) & 1)
    return (added >> 4 * field & 15 & counted) * records[REPEATING_POINTS + field]


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
