"""Driving the scorer: over the rows of a batch, or for one hand packed into bytes."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel
from .buffers import FLOWER, MIN_FAN
from .points import times_of
from .problems import find_problems
from .rows import read_planes
from .score import COMPLETE, IMPOSSIBLE, score_hand

#: Never negative: spares the compiler the look for indices that count from the end.
_POSITIVE = (1 << 48) - 1
_FLOWER_FAN = 80
_FLOWER_BIT = 1 << 32
_STATUSES = 15
_FIELDS = 8

#: Columns of a packed hand: 34 counts, 4 melds, winning tile, circumstances, seat and prevalent
#: wind, flowers.
PACKED = 43


@bare_kernel
def score_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables, profile,
    total, base, fan_mask, wins, status, fan_counts, start, stop,
):  # fmt: skip
    """Score rows ``start`` to ``stop``.

    Columns as in ``HandBatch``; outputs ``total`` and ``base`` int16, ``fan_mask`` int64 (N, 2),
    ``wins`` bool, ``status`` uint8, ``fan_counts`` uint8 (N, 82), or (0, 82) if it is not wanted,
    or (N, 8): how often the repeating fans count where they do (82 columns cost 130 ns a hand).
    """
    minimum = profile.longs[MIN_FAN]
    flower = profile.longs[FLOWER]
    want_counts = fan_counts.shape[0] > 0
    # In stages over blocks of 32 rows, each stage for all rows before the next: no faster (93 ns a
    # hand against 90), though the loads of several rows could overlap.
    for number in range(start, stop):
        row = number & _POSITIVE
        ones, twos, fours, over = read_planes(counts, row)
        blooms = np.int64(flowers[row])
        outcome, points, mask0, mask1, times = score_hand(
            ones, twos, fours, over,
            np.int64(melds[row, 0]), np.int64(melds[row, 1]),
            np.int64(melds[row, 2]), np.int64(melds[row, 3]),
            np.int64(win_tile[row]), np.int64(circumstances[row]),
            np.int64(seat_wind[row]), np.int64(prevalent_wind[row]), blooms,
            tables, profile,
        )  # fmt: skip
        if outcome == IMPOSSIBLE:
            problems = find_problems(
                counts[row], melds[row], np.int64(win_tile[row]), np.int64(circumstances[row]),
                np.int64(seat_wind[row]), np.int64(prevalent_wind[row]), blooms,
                tables.longs,
            )  # fmt: skip
            while outcome < _STATUSES and not problems >> outcome & 1:
                outcome += 1
        if outcome != COMPLETE:
            blooms = np.int64(0)
        mask1 |= _FLOWER_BIT if blooms else 0
        status[row] = outcome
        base[row] = points
        total[row] = points + blooms * flower
        fan_mask[row, 0] = mask0
        fan_mask[row, 1] = mask1
        wins[row] = outcome == COMPLETE and points >= minimum
        if fan_counts.shape[1] == _FIELDS:
            for field in range(_FIELDS):
                fan_counts[row, field] = times >> 4 * field & 15
        elif want_counts:
            for fan in range(fan_counts.shape[1]):
                fan_counts[row, fan] = times_of(fan, mask0, mask1, times)
            fan_counts[row, _FLOWER_FAN] = blooms


@bare_kernel
def score_packed(hand, tables, profile):
    """Score one valid hand, uint8 (1, ``PACKED``).

    Returns the outcome, the points without flowers, the two mask words without flowers and the
    times of the repeating fans.
    """
    ones, twos, fours, over = read_planes(hand, 0)
    return score_hand(
        ones, twos, fours, over,
        np.int64(hand[0, 34]), np.int64(hand[0, 35]), np.int64(hand[0, 36]), np.int64(hand[0, 37]),
        np.int64(hand[0, 38]), np.int64(hand[0, 39]), np.int64(hand[0, 40]), np.int64(hand[0, 41]),
        np.int64(hand[0, 42]), tables, profile,
    )  # fmt: skip
