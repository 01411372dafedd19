"""Fans of each row as one long list of numbers, the layout of an Arrow column of lists."""

from __future__ import annotations

import numpy as np

from .jit import bare_kernel
from .machine import popcount

_WORD = 48


@bare_kernel
def count_fans(fan_mask, fan_counts, offsets):
    """Fill ``offsets`` int32 (N + 1,), where each row's list begins; return their length in all.

    ``fan_mask`` int64 (N, 2); ``fan_counts`` uint8 (N, 82), or (0, 82): each fan once. Apart from
    ``list_fans``, so that the list can be made in the right size.
    """
    repeated = fan_counts.shape[0] > 0
    total = np.int64(0)
    for row in range(fan_mask.shape[0]):
        offsets[row] = total
        for word in range(2):
            bits = fan_mask[row, word]
            while bits:
                low = bits & -bits
                bits ^= low
                fan = word * _WORD + popcount(low - 1)
                total += np.int64(fan_counts[row, fan]) if repeated else 1
    offsets[fan_mask.shape[0]] = total
    return total


@bare_kernel
def list_fans(fan_mask, fan_counts, offsets, codes):
    """Fill ``codes`` int8 with the numbers of the fans, each as often as it counts."""
    repeated = fan_counts.shape[0] > 0
    for row in range(fan_mask.shape[0]):
        at = np.int64(offsets[row])
        for word in range(2):
            bits = fan_mask[row, word]
            while bits:
                low = bits & -bits
                bits ^= low
                fan = word * _WORD + popcount(low - 1)
                times = np.int64(fan_counts[row, fan]) if repeated else 1
                for _ in range(times):
                    codes[at] = fan
                    at += 1
