"""Reading a row: counts as bit planes, suit keys, what the melds add.

The 34 counts become three 34-bit masks, the bits of weight 1, 2 and 4 of every count. Melds are
then added to all tiles at once, and presence, quads, odd counts and totals are single operations.
"""

from __future__ import annotations

import numpy as np

from . import layout as at
from .buffers import MASK_KEY
from .jit import step

_LOW_BITS = 0x0101010101010101
#: Collects the lowest bit of each of 8 bytes into the top byte. Unsigned: the product fills 64 bits,
#: and the compiler takes it for granted that a signed one does not overflow.
_GATHER = np.uint64(0x0102040810204080)
_TOP = np.uint64(56)
_COUNT_BITS = 0x0707070707070707


@step
def read_word(counts, row, column):
    """Eight counts of a row in one int64, the first in the lowest byte (one load on the machine)."""
    return (
        np.int64(counts[row, column])
        | np.int64(counts[row, column + 1]) << 8
        | np.int64(counts[row, column + 2]) << 16
        | np.int64(counts[row, column + 3]) << 24
        | np.int64(counts[row, column + 4]) << 32
        | np.int64(counts[row, column + 5]) << 40
        | np.int64(counts[row, column + 6]) << 48
        | np.int64(counts[row, column + 7]) << 56
    )


@step
def gather(word, weight):
    """One bit of each of the 8 counts in a word, as 8 bits."""
    return np.int64(np.uint64((word >> weight) & _LOW_BITS) * _GATHER >> _TOP)


@step
def read_planes(counts, row):
    """Counts of a row as three 34-bit masks (weights 1, 2, 4), and whether one is over 7."""
    a = read_word(counts, row, 0)
    b = read_word(counts, row, 8)
    c = read_word(counts, row, 16)
    d = read_word(counts, row, 24)
    e = np.int64(counts[row, 32])
    f = np.int64(counts[row, 33])
    ones = (
        gather(a, 0) | gather(b, 0) << 8 | gather(c, 0) << 16 | gather(d, 0) << 24
        | (e & 1) << 32 | (f & 1) << 33
    )  # fmt: skip
    twos = (
        gather(a, 1) | gather(b, 1) << 8 | gather(c, 1) << 16 | gather(d, 1) << 24
        | (e >> 1 & 1) << 32 | (f >> 1 & 1) << 33
    )  # fmt: skip
    fours = (
        gather(a, 2) | gather(b, 2) << 8 | gather(c, 2) << 16 | gather(d, 2) << 24
        | (e >> 2 & 1) << 32 | (f >> 2 & 1) << 33
    )  # fmt: skip
    over = ((a | b | c | d) & ~_COUNT_BITS) | ((e | f) & ~7)
    return ones, twos, fours, over


@step
def suit_key(ints, ones, twos, fours, shift):
    """Base-5 key of the suit that begins at a bit."""
    return (
        np.int64(ints[MASK_KEY + (ones >> shift & 511)])
        + 2 * np.int64(ints[MASK_KEY + (twos >> shift & 511)])
        + 4 * np.int64(ints[MASK_KEY + (fours >> shift & 511)])
    )


@step
def popcount(mask):
    """Number of bits of a mask of at most 34 (the compiler knows the pattern as one instruction)."""
    x = mask & 0x3FFFFFFFF
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101 >> 56) & 255


@step
def take_one(ones, twos, fours, tile_mask):
    """Bit planes with one copy less of each tile of a mask (all of which must be there)."""
    borrow = ~ones & tile_mask
    return ones ^ tile_mask, twos ^ borrow, fours ^ (~twos & borrow)


@step
def add_meld(ones, twos, fours, over, meld_info, at_meld):
    """Bit planes with a meld's tiles added; ``over`` collects the tiles that pass 7."""
    more_ones, more_twos, more_fours = (
        meld_info[at_meld + at.MELD_ONES],
        meld_info[at_meld + at.MELD_TWOS],
        meld_info[at_meld + at.MELD_FOURS],
    )
    carry = ones & more_ones
    high_ones = twos ^ more_twos
    new_twos = high_ones ^ carry
    carry = (twos & more_twos) | (high_ones & carry)
    high_twos = fours ^ more_fours
    over |= (fours & more_fours) | (high_twos & carry)
    return ones ^ more_ones, new_twos, high_twos ^ carry, over
