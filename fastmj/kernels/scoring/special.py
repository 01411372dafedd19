"""The forms that are not four sets and a pair: which one a hand has."""

from __future__ import annotations

from ..jit import bare_kernel, step

_SUITS = (1 << 27) - 1
_HONORS = 127 << 27
#: Ranks 147, 258 and 369.
_THIRDS = (0b001001001, 0b010010010, 0b100100100)
#: The thirds of the three suits in each of the six knitted arrangements.
_ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
ARRANGEMENTS = tuple(
    _THIRDS[first] | _THIRDS[second] << 9 | _THIRDS[third] << 18 for first, second, third in _ORDERS
)
ORPHANS = 0b100000001 * (1 | 1 << 9 | 1 << 18) | _HONORS

LESSER, LESSER_STRAIGHT, GREATER = 1, 2, 3


@bare_kernel
def whole_arrangement(present):
    """The knitted arrangement all nine tiles of which are present, or 0."""
    for place in range(6):
        if present & ARRANGEMENTS[place] == ARRANGEMENTS[place]:
            return ARRANGEMENTS[place]
    return 0


@step
def is_orphans(ones, twos, fours):
    """Whether 14 tiles are thirteen orphans: each of the 13 kinds, one of them twice."""
    return (ones | twos) == ORPHANS and fours == 0 and (ones & twos) == 0 and (
        twos & (twos - 1)
    ) == 0  # fmt: skip


@bare_kernel
def singles_form(ones, twos, fours):
    """Honours and knitted tiles out of 14 tiles: 0 none, else lesser, with straight, greater."""
    if twos | fours:
        return 0
    suits = ones & _SUITS
    for place in range(6):
        if suits & ~ARRANGEMENTS[place] == 0:
            if ones & _HONORS == _HONORS:
                return GREATER
            return LESSER_STRAIGHT if suits == ARRANGEMENTS[place] else LESSER
    return 0
