"""The forms that are not four sets and a pair: which one a hand has."""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import popcount
from . import layout as at

_SUITS = (1 << 27) - 1
_HONORS = 127 << 27
#: Ranks 147, 258 and 369, and one copy of each as the key of a suit.
_THIRDS = (0b001001001, 0b010010010, 0b100100100)
_THIRD_KEYS = (
    1 | 1 << 24 | 1 << 48,
    1 << 8 | 1 << 32 | 1 << 56,
    1 << 16 | 1 << 40 | 1 << at.RANK_9,
)
#: The thirds of the three suits in each of the six knitted arrangements.
_ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
ARRANGEMENTS = tuple(
    _THIRDS[first] | _THIRDS[second] << 9 | _THIRDS[third] << 18 for first, second, third in _ORDERS
)
ORPHANS = 0b100000001 * (1 | 1 << 9 | 1 << 18) | _HONORS

#: Special forms by their place behind the first special record.
THIRTEEN_ORPHANS, LESSER, LESSER_STRAIGHT, GREATER = range(4)


@step
def whole_arrangement(present):
    """The knitted arrangement all nine tiles of which are present, or 0."""
    whole = np.int64(0)
    for place in range(6):
        whole |= ARRANGEMENTS[place] if present & ARRANGEMENTS[place] == ARRANGEMENTS[place] else 0
    return whole


@step
def third_key(arrangement, suit):
    """What a suit's third of an arrangement adds to its key."""
    mask = arrangement >> 9 * suit & 511
    return _THIRD_KEYS[popcount((mask & -mask) - 1)]


@step
def special_form(present):
    """Form of 14 tiles, by the kinds present, that are no sets and no pairs; or -1."""
    if present == ORPHANS:
        return np.int64(THIRTEEN_ORPHANS)
    if popcount(present) == 14:
        suits = present & _SUITS
        for place in range(6):
            if suits & ~ARRANGEMENTS[place] == 0:
                if present & _HONORS == _HONORS:
                    return np.int64(GREATER)
                return np.int64(LESSER_STRAIGHT if suits == ARRANGEMENTS[place] else LESSER)
    return np.int64(-1)
