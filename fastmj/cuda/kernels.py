"""What runs on the device: the processor's steps, a row each thread."""

from __future__ import annotations

import numpy as np
from numba import cuda

from ..kernels.distance.locks import MEMORY
from ..kernels.distance.mend import shanten_beside
from ..kernels.distance.rows import Rows
from ..kernels.distance.shanten import shanten_rows
from ..kernels.jit import device_kernel
from ..kernels.scoring.batch import score_into
from ..kernels.scoring.suits import find_entries, suit_keys

_KINDS = 34


@device_kernel
def score_hands(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables, profile,
    total, base, fan_mask, wins, status, fan_counts,
):  # fmt: skip
    """``score_rows``, without looking ahead: other threads work while one waits for memory."""
    row = cuda.grid(1)
    if row < counts.shape[0]:
        score_into(
            counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables,
            profile, total, base, fan_mask, wins, status, fan_counts, row,
            find_entries(suit_keys(counts, row), tables.words),
        )  # fmt: skip


@device_kernel
def shanten_hands(counts, melds, meld_step, tables, shanten, status):
    """``shanten_rows`` beside so many melds."""
    row = cuda.grid(1)
    if row < counts.shape[0]:
        seen = cuda.local.array((1, _KINDS), np.uint8)
        for tile in range(_KINDS):
            seen[0, tile] = 0
        # Codes and memory are not looked at.
        rows = Rows(counts, melds, meld_step, seen, 0, counts, 0, counts, 0, 1)
        shanten_rows(tables, rows, False, shanten, status, row, row + 1)


@device_kernel
def shanten_beside_melds(counts, codes, tables, shanten, status):
    """``shanten_beside``, melds that are known."""
    row = cuda.grid(1)
    if row < counts.shape[0]:
        seen = cuda.local.array((1, _KINDS), np.uint8)
        memory = cuda.local.array(MEMORY, np.int64)
        for tile in range(_KINDS):
            seen[0, tile] = 0
        # The number of melds is not looked at.
        rows = Rows(counts, seen[0], 0, seen, 0, codes, 1, memory, 0, 1)
        shanten_beside(tables, rows, False, shanten, status, row, row + 1)
