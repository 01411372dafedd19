"""Random deals. Every row has its own stream of random numbers, as random wins do."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel
from .wins import below, mix

UNIFORM, ONE_SUIT, HONORS = range(3)
#: Out of 8 tiles of a biased deal, how many are drawn from the favoured ones alone.
ONE_SUIT_SHARE, HONORS_SHARE = 7, 4
_SPREAD = np.uint64(0x94D049BB133111EB)


@bare_kernel
def deal_rows(counts, seed, tiles, bias, start, stop):
    """Deal so many tiles without replacement into each row of ``counts`` uint8 (N, 34)."""
    for row in range(start, stop):
        _, state = mix(np.uint64(seed) ^ np.uint64(row) * _SPREAD)
        first, number, share = 27, 7, 0
        if bias == ONE_SUIT:
            state, suit = below(state, 3)
            first, number, share = 9 * suit, 9, ONE_SUIT_SHARE
        elif bias == HONORS:
            share = HONORS_SHARE
        held = 0
        while held < tiles:
            favoured = False
            if share:
                state, drawn = below(state, 8)
                favoured = drawn < share
            if favoured:
                state, drawn = below(state, 4 * number)
                drawn += 4 * first
            else:
                state, drawn = below(state, 136)
            # One of the four copies, each as likely: taken already are as many as are held.
            if drawn & 3 >= counts[row, drawn >> 2]:
                counts[row, drawn >> 2] += 1
                held += 1
