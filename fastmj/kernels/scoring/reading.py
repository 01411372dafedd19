"""One reading of a hand: from the decompositions of its suits to the classes of its sets.

A decomposition is two words: ``added`` is added up over the suits, ``joined`` over their tiles.
"""

from __future__ import annotations

import numpy as np

from ..jit import step
from . import layout as at
from .buffers import CHOW_CLASS, CHOW_INDEX, CHOW_RANK, PUNG_CLASS, PUNG_INDEX, PUNG_RANK

_CHOW_CODE = (1 << at.CHOW_BITS) - 1
_RANK = (1 << at.RANK_BITS) - 1
_LANE = (1 << at.INDEX_BITS) - 1
#: Lowest tiles of the three chows 123, and of the three chows 789.
_LOW_CHOWS = 1 | 1 << 9 | 1 << 18
_HIGH_CHOWS = _LOW_CHOWS << 6


@step
def sets_index(rank_a, rank_b, rank_c, longs, table):
    """Index of a choice of sets from its number and rank in each of the three suits."""
    numbers = (rank_a >> at.RANK_BITS) << 6 | (rank_b >> at.RANK_BITS) << 3 | rank_c >> at.RANK_BITS
    lanes = longs[table + numbers]
    return (
        (lanes & _LANE)
        + (rank_a & _RANK) * (lanes >> at.INDEX_BITS & _LANE)
        + (rank_b & _RANK) * (lanes >> 2 * at.INDEX_BITS & _LANE)
        + (rank_c & _RANK)
    )


@step
def chow_record(meld_added, added_a, added_b, added_c, tables, profile):
    """Record of the chows of a reading."""
    codes_b = meld_added >> at.CHOW_BITS
    codes_c = meld_added >> 2 * at.CHOW_BITS
    index = sets_index(
        np.int64(tables.words[CHOW_RANK + (meld_added + added_a & _CHOW_CODE)]),
        np.int64(tables.words[CHOW_RANK + (codes_b + added_b & _CHOW_CODE)]),
        np.int64(tables.words[CHOW_RANK + (codes_c + added_c & _CHOW_CODE)]),
        tables.longs,
        CHOW_INDEX,
    )
    record = at.RECORD_WIDTH * np.int64(profile.words[CHOW_CLASS + index])
    alternative = profile.longs[record + at.ALT_PAIR]
    if alternative < 27:  # with the right pair these four chows are a double dragon
        suit = alternative // 9
        added = added_a if suit == 0 else added_b if suit == 1 else added_c
        if added >> at.SPLIT_PAIR + 4 & 1:
            record = at.RECORD_WIDTH * (profile.longs[record + at.ALT_CLASS] & 0xFFFF)
    return record


@step
def pung_record(pungs, tables, profile):
    """Record of the suit pungs in a mask of tiles."""
    index = sets_index(
        np.int64(tables.words[PUNG_RANK + (pungs & 511)]),
        np.int64(tables.words[PUNG_RANK + (pungs >> 9 & 511)]),
        np.int64(tables.words[PUNG_RANK + (pungs >> 18 & 511)]),
        tables.longs,
        PUNG_INDEX,
    )
    return at.RECORD_WIDTH * np.int64(profile.words[PUNG_CLASS + index])


@step
def open_pung(pungs, starts, win, self_drawn):
    """1 when a discard completed a pung and can be read nowhere else (RULES section 1)."""
    in_chow = starts | starts << 1 | starts << 2
    return (pungs & ~in_chow) >> win & ~self_drawn & 1


@step
def possible_waits(starts, added_win, win, win_rank):
    """Places that the winning tile can take: edge, closed, single, as bits (RULES section 6)."""
    edge = (starts & _LOW_CHOWS) << 2 | (starts & _HIGH_CHOWS)
    closed = starts << 1
    return (
        (edge >> win & 1)
        | (closed >> win & 1) << 1
        | (added_win >> at.SPLIT_PAIR >> win_rank & 1) << 2
    )


@step
def structure_index(sums, concealed_pungs, waits, hand_bits):
    """Index of the structure of a reading; ``sums`` over its blocks, ``hand_bits`` of the hand."""
    return (
        (sums & 7)
        | (1 if sums & 7 << at.SUM_NO_FIVE else 0) << at.MADE_FIVE
        | (1 if sums & 7 << at.SUM_NO_TERMINAL else 0) << at.MADE_TERMINAL
        | concealed_pungs << at.MADE_PUNGS
        | waits << at.MADE_WAITS
        | hand_bits
    )
