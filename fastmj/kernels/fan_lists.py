"""Fans of each row as one long list of numbers, the layout of columns of lists."""

from __future__ import annotations

import numpy as np

from . import layout as at
from .jit import bare_kernel, step
from .machine import popcount

_FLOWERS = 80
_FLOWER_BIT = 1 << _FLOWERS - at.WORD
_REPEATING_BITS = sum(1 << fan - at.WORD for fan in at.REPEATING)
#: Bits of eight times, a byte each, of which one is set when a fan counts more than once.
_MORE = np.int64(-0x0101010101010102)


@step
def times_in(low, times):
    """How often a repeating fan counts, by its bit of the second mask word."""
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
            if high & _FLOWER_BIT:
                total += np.int64(flowers[row]) - 1
            if times[row] & _MORE:
                bits = high & _REPEATING_BITS
                while bits:
                    low = bits & -bits
                    bits ^= low
                    total += times_in(low, times[row]) - 1
    offsets[fan_mask.shape[0]] = total
    return total


@bare_kernel
def list_fans(fan_mask, times, flowers, offsets, codes):
    """Fill ``codes`` uint8 with the numbers of the fans, each as often as it counts."""
    repeated = times.shape[0] > 0
    for row in range(fan_mask.shape[0]):
        place = np.int64(offsets[row])
        bits = fan_mask[row, 0]
        while bits:
            low = bits & -bits
            bits ^= low
            codes[place] = popcount(low - 1)
            place += 1
        several = np.int64(0)
        if repeated:
            several = _FLOWER_BIT
            if times[row] & _MORE:
                several |= _REPEATING_BITS
        bits = fan_mask[row, 1]
        while bits:
            low = bits & -bits
            bits ^= low
            fan = at.WORD + popcount(low - 1)
            number = np.int64(1)
            if low & several:
                flower = low == _FLOWER_BIT
                number = np.int64(flowers[row]) if flower else times_in(low, times[row])
            for _ in range(number):
                codes[place] = fan
                place += 1
