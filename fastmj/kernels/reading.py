"""One reading of a hand: from the decompositions of its suits to the classes of its sets."""

from __future__ import annotations

import numpy as np

from . import layout as at
from .buffers import (
    BEST_WAIT,
    CHOW_CLASS,
    CHOW_OFFSET,
    CHOW_RANK,
    CHOW_SIZE,
    PUNG_CLASS,
    PUNG_OFFSET,
    PUNG_RANK,
    PUNG_SIZE,
)
from .jit import step
from .rows import popcount

_CHOW_CODE = (1 << at.SPLIT_CHOWS) - 1
_RANK = (1 << at.RANK_BITS) - 1


@step
def sets_index(rank_a, rank_b, rank_c, ints, sizes, offsets):
    """Index of a choice of sets from its number and rank in each of the three suits."""
    number_b = rank_b >> at.RANK_BITS
    number_c = rank_c >> at.RANK_BITS
    return (
        np.int64(ints[offsets + (rank_a >> at.RANK_BITS) * 25 + number_b * 5 + number_c])
        + ((rank_a & _RANK) * np.int64(ints[sizes + number_b]) + (rank_b & _RANK))
        * np.int64(ints[sizes + number_c])
        + (rank_c & _RANK)
    )


@step
def chow_facts(meld_chows, split_a, split_b, split_c, tables, profile):
    """Record of the chows of a reading, and their number."""
    a = np.int64(tables.words[CHOW_RANK + ((meld_chows + split_a) & _CHOW_CODE)])
    b = np.int64(tables.words[CHOW_RANK + (((meld_chows >> 16) + split_b) & _CHOW_CODE)])
    c = np.int64(tables.words[CHOW_RANK + (((meld_chows >> 32) + split_c) & _CHOW_CODE)])
    index = sets_index(a, b, c, tables.ints, CHOW_SIZE, CHOW_OFFSET)
    record = at.RECORD_WIDTH * np.int64(profile.words[CHOW_CLASS + index])
    alternative = profile.longs[record + at.ALT_PAIR]
    if alternative < 27:  # with the right pair these four chows are a double dragon
        suit = alternative // 9
        split = split_a if suit == 0 else split_b if suit == 1 else split_c
        if split >> at.SPLIT_PAIR & 15 == 4:
            record = at.RECORD_WIDTH * (profile.longs[record + at.ALT_CLASS] & 0xFFFF)
    return record, (a >> at.RANK_BITS) + (b >> at.RANK_BITS) + (c >> at.RANK_BITS)


@step
def pung_record(pungs, tables, profile):
    """Record of the suit pungs in a mask of tiles."""
    index = sets_index(
        np.int64(tables.words[PUNG_RANK + (pungs & 511)]),
        np.int64(tables.words[PUNG_RANK + (pungs >> 9 & 511)]),
        np.int64(tables.words[PUNG_RANK + (pungs >> 18 & 511)]),
        tables.ints,
        PUNG_SIZE,
        PUNG_OFFSET,
    )
    return at.RECORD_WIDTH * np.int64(profile.words[PUNG_CLASS + index])


@step
def concealed_pung_mask(split_a, split_b, split_c, split_h):
    """Tiles of the pungs among the concealed tiles."""
    return (
        (split_a >> at.SPLIT_PUNGS & 511)
        | (split_b >> at.SPLIT_PUNGS & 511) << 9
        | (split_c >> at.SPLIT_PUNGS & 511) << 18
        | (split_h >> at.SPLIT_PUNGS & 127) << 27
    )


@step
def open_pung(concealed, win, split_win, win_rank, self_drawn):
    """1 when a discard completed a pung and can be read nowhere else (RULES section 1)."""
    starts = split_win >> at.SPLIT_STARTS & 127
    in_chow = (starts | starts << 1 | starts << 2) >> win_rank
    return (concealed >> win) & ~in_chow & ~self_drawn & 1


@step
def wait_of(split_win, win_rank, only, numbers):
    """The best wait fan of the places that the winning tile can take (RULES section 6)."""
    starts = split_win >> at.SPLIT_STARTS & 127
    edge = (starts if win_rank == 2 else 0) | (starts >> 6 if win_rank == 6 else 0)
    closed = (starts << 1) >> win_rank
    single = 1 if split_win >> at.SPLIT_PAIR & 15 == win_rank else 0
    return numbers[BEST_WAIT + only * ((edge & 1) | (closed & 1) << 1 | single << 2)]


@step
def every_block(blocks, fields):
    """Whether every block holds a 5, or a terminal or honour; ``blocks`` joins the splits."""
    no_five = (blocks >> at.SPLIT_NO_FIVE & 1) | (fields >> at.FIELD_NO_FIVE & 15)
    no_terminal = (blocks >> at.SPLIT_NO_TERMINAL & 1) | (fields >> at.FIELD_NO_TERMINAL & 15)
    if no_five == 0:
        return at.EVERY_FIVE
    return at.EVERY_NONE if no_terminal else at.EVERY_TERMINAL


@step
def made_of(chows, knitted, pair_is_suit):
    """Whether the sets are all chows (with a suit pair) or all pungs."""
    if chows == (1 if knitted else 4):
        return at.STRUCTURE_CHOWS if pair_is_suit else at.STRUCTURE_NONE
    return at.STRUCTURE_PUNGS if chows == 0 and not knitted else at.STRUCTURE_NONE


@step
def structure_index(concealed_pungs, wait, every, made, nine_gates):
    """Index of the structure of a reading, as ``fastmj.tables.facts`` lays it out."""
    return (((concealed_pungs * 4 + wait) * 3 + every) * 3 + made) * 2 + nine_gates


@step
def concealed_pung_count(concealed, opened, concealed_kongs):
    """Number of concealed pungs and kongs."""
    return popcount(concealed) - opened + concealed_kongs
