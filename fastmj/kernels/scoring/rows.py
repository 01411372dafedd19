"""Reading a row: counts as bit planes, suit keys, what the melds add.

The 34 counts become three 34-bit masks, the bits of weight 1, 2 and 4 of every count. Melds are
then added to all tiles at once, and presence, quads, odd counts and totals are single operations.
"""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import byte_planes
from . import layout as at
from .buffers import MASK_KEY


@step
def read_planes(counts, row):
    """Counts of a row as three 34-bit masks (weights 1, 2, 4), and whether one is over 7."""
    ones, twos, fours, over = byte_planes(counts, row)
    e = np.int64(counts[row, 32])
    f = np.int64(counts[row, 33])
    ones |= (e & 1) << 32 | (f & 1) << 33
    twos |= (e >> 1 & 1) << 32 | (f >> 1 & 1) << 33
    fours |= (e >> 2 & 1) << 32 | (f >> 2 & 1) << 33
    return ones, twos, fours, over | ((e | f) & ~7)


@step
def suit_key(ints, ones, twos, fours, shift):
    """Base-5 key of the suit that begins at a bit."""
    return (
        np.int64(ints[MASK_KEY + (ones >> shift & 511)])
        + 2 * np.int64(ints[MASK_KEY + (twos >> shift & 511)])
        + 4 * np.int64(ints[MASK_KEY + (fours >> shift & 511)])
    )


@step
def take_one(ones, twos, fours, tile_mask):
    """Bit planes with one copy less of each tile of a mask (all of which must be there)."""
    borrow = ~ones & tile_mask
    return ones ^ tile_mask, twos ^ borrow, fours ^ (~twos & borrow)


@step
def add_meld(ones, twos, fours, over, meld_info, at_meld):
    """Bit planes with a meld's tiles added; ``over`` collects the tiles that pass 7."""
    more_ones = meld_info[at_meld + at.MELD_ONES]
    more_twos = meld_info[at_meld + at.MELD_TWOS]
    more_fours = meld_info[at_meld + at.MELD_FOURS]
    carry = ones & more_ones
    high_ones = twos ^ more_twos
    new_twos = high_ones ^ carry
    carry = (twos & more_twos) | (high_ones & carry)
    high_twos = fours ^ more_fours
    over |= (fours & more_fours) | (high_twos & carry)
    return ones ^ more_ones, new_twos, high_twos ^ carry, over
