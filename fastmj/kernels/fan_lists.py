"""Fans of each row as one long list of numbers, the layout of columns of lists."""

from __future__ import annotations

import numpy as np

from .jit import bare_kernel, step
from .machine import popcount
from .scoring import layout as at

#: Entries after the last one that ``list_fans`` may write over.
SLACK = 16

#: Fans of the first and of the second word that are listed without asking whether they are there:
#: more stand in 2 hands of 100.
_LOW_AT_ONCE, _AT_ONCE = 3, 6
_FLOWERS = 80
#: Times that a fan counts at most: so many flowers there are.
_MOST_TIMES = 8
_FLOWER_BIT = 1 << _FLOWERS - at.WORD
# Their times stand in the order of the fans.
assert list(at.REPEATING) == sorted(at.REPEATING)
_REPEATING_BITS = sum(1 << fan - at.WORD for fan in at.REPEATING)
#: Bits of eight times, a byte each, of which one is set when a fan counts more than once.
_MORE = np.int64(-0x0101010101010102)
#: What a word is multiplied by for the sum of its bytes to stand in the highest.
_BYTE_SUM = np.uint64(0x0101010101010101)


@bare_kernel
def most_fans(fan_mask, times, flowers):
    """Entries that ``list_fans`` may want, at most: without looking closer, 1 ns a hand."""
    total = np.int64(0)
    for row in range(fan_mask.shape[0]):
        total += popcount(fan_mask[row, 0]) + popcount(fan_mask[row, 1])
    for row in range(times.shape[0]):
        total += np.int64(flowers[row]) + (np.uint64(times[row]) * _BYTE_SUM >> np.uint64(56))
    return total


@step
def times_in(low, times):
    """How often a fan counts, by its bit of the second mask word: one of the repeating, or once."""
    if low & _REPEATING_BITS:
        return times >> 8 * popcount(_REPEATING_BITS & (low - 1)) & 255
    return np.int64(1)


@step
def list_bits(bits, first, at_once, codes, place):
    """Write the numbers of the bits of a word, which begin with ``first``; return what is next.

    The first few at once, whether there are so many or not: where a loop ends cannot be predicted,
    and what is too much is written over: 17 ns a hand, 27 with loops alone.
    """
    number = popcount(bits)
    for i in range(at_once):
        codes[place + i] = first + popcount((bits & -bits) - 1)
        bits &= bits - 1
    if number > at_once:
        for i in range(at_once, number):
            codes[place + i] = first + popcount((bits & -bits) - 1)
            bits &= bits - 1
    return place + number


@step
def list_often(bits, times, codes, place):
    """As ``list_bits`` for the second word, each as often as it counts; too much here, too."""
    while bits:
        low = bits & -bits
        for i in range(_MOST_TIMES):
            codes[place + i] = at.WORD + popcount(low - 1)
        place += times_in(low, times)
        bits ^= low
    return place


@bare_kernel
def list_fans(fan_mask, times, flowers, offsets, codes):
    """List the numbers of the fans; return how many they are.

    ``fan_mask`` int64 (N, 2); ``times`` int64 (N,), how often the repeating fans count, a byte
    each, and ``flowers`` uint8 (N,), or both (0,): each fan once. Fills ``offsets`` int32 (N + 1,),
    where each row's list begins, and ``codes`` uint8, of ``most_fans`` and ``SLACK`` entries.
    """
    repeated = times.shape[0] > 0
    place = np.int64(0)
    for row in range(fan_mask.shape[0]):
        offsets[row] = place
        high = fan_mask[row, 1]
        place = list_bits(fan_mask[row, 0], np.int64(0), _LOW_AT_ONCE, codes, place)
        before = high & (_FLOWER_BIT - 1)
        if repeated and times[row] & _MORE:
            place = list_often(before, times[row], codes, place)
        else:
            place = list_bits(before, np.int64(at.WORD), _AT_ONCE, codes, place)
        number = high >> _FLOWERS - at.WORD & 1
        for i in range(_MOST_TIMES):
            codes[place + i] = _FLOWERS
        place += np.int64(flowers[row]) * number if repeated else number
        if high >= 2 * _FLOWER_BIT:
            codes[place] = _FLOWERS + 1
            place += 1
    offsets[fan_mask.shape[0]] = place
    return place
