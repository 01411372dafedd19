"""Fans of each row as one long list of numbers, the layout of columns of lists."""

from __future__ import annotations

import numpy as np

from . import layout as at
from .jit import bare_kernel, step
from .machine import popcount

#: Entries after the last one that ``list_fans`` may write over.
SLACK = 16

_AT_ONCE = 6
_FLOWERS = 80
_MOST_FLOWERS = 8
_FLOWER_BIT = 1 << _FLOWERS - at.WORD
_REPEATING_BITS = sum(1 << fan - at.WORD for fan in at.REPEATING)
#: Bits of eight times, a byte each, of which one is set when a fan counts more than once.
_MORE = np.int64(-0x0101010101010102)


@step
def times_in(low, times):
    """How often a repeating fan counts, by its bit of the second mask word; others once."""
    for field in range(8):
        if low == 1 << at.REPEATING[field] - at.WORD:
            return times >> 8 * field & 255
    return np.int64(1)


@bare_kernel
def count_fans(fan_mask, times, flowers, offsets):
    """Fill ``offsets`` int32 (N + 1,), where each row's list begins; return their length in all.

    ``fan_mask`` int64 (N, 2); ``times`` int64 (N,), how often the repeating fans count, a byte
    each, and ``flowers`` uint8 (N,), or both (0,): each fan once. Apart from ``list_fans``, so that
    the list can be made in the right size.
    """
    repeated = times.shape[0] > 0
    total = np.int64(0)
    for row in range(fan_mask.shape[0]):
        offsets[row] = total
        high = fan_mask[row, 1]
        total += popcount(fan_mask[row, 0]) + popcount(high)
        if repeated:
            total += (np.int64(flowers[row]) - 1) * (high >> _FLOWERS - at.WORD & 1)
            if times[row] & _MORE:
                bits = high & _REPEATING_BITS
                while bits:
                    low = bits & -bits
                    bits ^= low
                    total += times_in(low, times[row]) - 1
    offsets[fan_mask.shape[0]] = total
    return total


@step
def list_bits(bits, first, codes, place):
    """Write the numbers of the bits of a word, which begin with ``first``; return what is next.

    The first few at once, whether there are so many or not: where a loop ends cannot be predicted,
    and what is too much is written over: 17 ns a hand, 27 with loops alone.
    """
    number = popcount(bits)
    for i in range(_AT_ONCE):
        codes[place + i] = first + popcount((bits & -bits) - 1)
        bits &= bits - 1
    if number > _AT_ONCE:
        for i in range(_AT_ONCE, number):
            codes[place + i] = first + popcount((bits & -bits) - 1)
            bits &= bits - 1
    return place + number


@bare_kernel
def list_fans(fan_mask, times, flowers, offsets, codes):
    """Fill ``codes`` uint8 with the numbers of the fans, each as often as it counts.

    ``codes`` has ``SLACK`` entries more than there are fans.
    """
    repeated = times.shape[0] > 0
    for row in range(fan_mask.shape[0]):
        place = np.int64(offsets[row])
        low_word = fan_mask[row, 0]
        high = fan_mask[row, 1]
        if low_word:
            place = list_bits(low_word, np.int64(0), codes, place)
        before = high & (_FLOWER_BIT - 1)
        if repeated and times[row] & _MORE:
            while before:
                low = before & -before
                before ^= low
                for _ in range(times_in(low, times[row])):
                    codes[place] = at.WORD + popcount(low - 1)
                    place += 1
        else:
            place = list_bits(before, np.int64(at.WORD), codes, place)
        number = high >> _FLOWERS - at.WORD & 1
        for i in range(_MOST_FLOWERS):
            codes[place + i] = _FLOWERS
        place += np.int64(flowers[row]) * number if repeated else number
        if high >= 2 * _FLOWER_BIT:
            codes[place] = _FLOWERS + 1


@bare_kernel
def mark_fans(fan_mask, bits, totals):
    """Set a bit for each fan of each row in ``bits`` uint8 (82, N / 8), the lowest first.

    ``totals`` int64 (82,) count the rows of each fan; both are zeros before.
    """
    for row in range(fan_mask.shape[0]):
        for word in range(2):
            held = fan_mask[row, word]
            while held:
                low = held & -held
                held ^= low
                fan = at.WORD * word + popcount(low - 1)
                bits[fan, row >> 3] |= 1 << (row & 7)
                totals[fan] += 1
