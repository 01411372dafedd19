"""From classes of facts to fans and points: implied fans removed, points added up, ties broken."""

from __future__ import annotations

import numpy as np

from ..jit import inner_kernel, step
from ..machine import join_records, popcount
from . import layout as at

_TIMES = (1 << at.POINTS_FROM) - 1
_PUNGS_BIT = 1 << at.ALL_PUNGS
_TERMINAL = at.TERMINAL_PUNG - at.WORD
_TERMINAL_BIT = 1 << _TERMINAL
_ONE_TERMINAL = 1 << 4 * at.TERMINAL_FIELD
(_LOW, _LOW_BITS), (_HIGH, _HIGH_BITS) = at.LOST_PARTS
_LOW_MASK, _HIGH_MASK = (1 << _LOW_BITS) - 1, (1 << _HIGH_BITS) - 1
_REPEATING_BITS = sum(1 << fan - at.WORD for fan in at.REPEATING)
#: Fans of the second word that are taken back one by one.
_SELDOM = (~(_LOW_MASK << _LOW | _HIGH_MASK << _HIGH) | _REPEATING_BITS) & ~_TERMINAL_BIT


@step
def add_up(tiles, way, made, chows, pungs, honors, hogs, form, profile):
    """Points and fans of a reading, from where its records begin.

    Records hold all their points, and only those of fans that another record takes away are taken
    back: without a branch where that is often so, else fan by fan (2 of 100 hands). (Points of the
    counted fans by seven look-ups of 12 bits each: 2.5 ns a hand more.) Returns the points, the two
    mask words, the times of the repeating fans (4 bits each).
    """
    longs = profile.longs
    terminal_points = longs[at.POINTS + at.TERMINAL_PUNG]
    mask0, mask1, lost0, lost1 = join_records(longs, tiles, way, made, chows, pungs, honors, hogs)
    added = (
        longs[tiles + at.ADDED] + longs[way + at.ADDED] + longs[made + at.ADDED]
        + longs[chows + at.ADDED] + longs[pungs + at.ADDED] + longs[honors + at.ADDED]
        + longs[hogs + at.ADDED]
    )  # fmt: skip
    if form == at.GATES:  # one pung of terminals is part of it; there always is one
        added -= _ONE_TERMINAL + (terminal_points << at.POINTS_FROM)
        if added >> 4 * at.TERMINAL_FIELD & 15 == 0:
            mask1 &= ~_TERMINAL_BIT
            lost1 &= ~_TERMINAL_BIT
    points = (
        (added >> at.POINTS_FROM)
        - np.int64(profile.words[at.LOST_LOW + (lost1 >> _LOW & _LOW_MASK)])
        - np.int64(profile.words[at.LOST_HIGH + (lost1 >> _HIGH & _HIGH_MASK)])
        - (lost0 >> at.ALL_PUNGS & 1) * longs[at.POINTS + at.ALL_PUNGS]
        - (lost1 >> _TERMINAL & 1) * (added >> 4 * at.TERMINAL_FIELD & 15) * terminal_points
    )
    seldom0, seldom1 = lost0 & ~_PUNGS_BIT, lost1 & _SELDOM
    if seldom0 | seldom1:
        points -= lost_points(seldom0, np.int64(0), np.int64(0), profile)  # none of them repeats
        points -= lost_points(seldom1, np.int64(at.WORD), added, profile)
    return points, mask0, mask1, added & _TIMES


@step
def lost_points(lost, first, times, profile):
    """Points of the fans in a mask word that begins with the fan ``first``."""
    points = np.int64(0)
    while lost:
        fan = first + popcount((lost & -lost) - 1)
        points += profile.longs[at.POINTS + fan] * repeats_of(fan, times)
        lost &= lost - 1
    return points


@step
def repeats_of(fan, times):
    """How often a fan that is there counts."""
    for field in range(8):
        if at.REPEATING[field] == fan:
            return times >> 4 * field & 15
    return np.int64(1)


@step
def times_of(fan, mask0, mask1, times):
    """How often a fan counts, from the mask words and the times of the repeating fans."""
    word = mask0 if fan < at.WORD else mask1
    return repeats_of(fan, times) if word >> (fan % at.WORD) & 1 else np.int64(0)


@step
def better_of(best, other, profile):
    """The one of two readings that counts: points, mask words and times of each."""
    differ = other[1] ^ best[1] | other[2] ^ best[2] | other[3] ^ best[3]
    if other[0] > best[0] or (
        other[0] == best[0] and differ and is_preferred(other, best, profile)
    ):
        return other
    return best


@inner_kernel
def is_preferred(mine, theirs, profile):
    """Whether fans come before others of the same total (RULES section 3).

    The higher single fan, then the next, and so on; then more different types; then the order of
    the table.
    """
    longs = profile.longs
    more = np.int64(0)
    value = np.int64(-1)
    for place in range(at.FANS):
        fan = longs[at.ORDER + place]
        if longs[at.POINTS + fan] != value:
            if more:
                return more > 0
            value = longs[at.POINTS + fan]
        more += times_of(fan, mine[1], mine[2], mine[3]) - times_of(
            fan, theirs[1], theirs[2], theirs[3]
        )
    if more:
        return more > 0
    types = first = np.int64(0)
    for fan in range(at.FANS):
        own = times_of(fan, mine[1], mine[2], mine[3])
        other = times_of(fan, theirs[1], theirs[2], theirs[3])
        types += (1 if own else 0) - (1 if other else 0)
        if first == 0:
            first = own - other
    return types > 0 or (types == 0 and first > 0)
