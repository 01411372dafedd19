"""Making lists of goals: which ones hold some melds, and how they lie in memory."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..scoring.batch import score_tiles
from ..scoring.other import COMPLETE
from . import layout as at
from .targets import (
    FOUND,
    MINIMUM,
    PREVALENT,
    SEAT,
    missing_tiles,
    note_target,
    present_tiles,
)
from .weigh import (
    GOALS,
    HEAD_WIDTH,
    KEY_BITS,
    KEYS_AT,
    LAST_SETS,
    PATTERNS,
    RANK_BITS,
    note_wanted,
)

_KINDS = 34
#: Slots of the table that finds a pattern by its number; a power of two.
SLOTS = 1 << 13
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@bare_kernel
def goals_with(base, scratch, hand, asked, taken, targets, scoring, profile):
    """Goals of a list that hold what lies in some new melds, scored beside them, into ``targets``.

    ``base`` uint8 (B, 34) are the goals; ``taken`` the tiles of the new melds as a hand has them
    (three of a kong); ``hand`` has all meld codes, and ``HELD`` what is then concealed.
    """
    asked[FOUND] = 0
    for goal in range(base.shape[0]):
        fits = True
        for tile in range(_KINDS):
            if taken[tile] > base[goal, tile]:
                fits = False
                break
        if not fits:
            continue
        for tile in range(_KINDS):
            hand[0, tile] = base[goal, tile] - taken[tile]
            fits &= hand[0, tile] <= scratch[at.SPARE, tile]
        if fits:
            missing, added = missing_tiles(scratch, hand)
            if missing == 0:
                added = present_tiles(hand)
            note_target(scratch, hand, asked, targets, added, scoring, profile)


@step
def pattern_at(rows, goal, suit):
    """What a goal wants of a suit, as a base-5 number."""
    number = np.int64(0)
    for rank in range(9):
        tile = 9 * suit + 8 - rank
        if tile < _KINDS:
            number = 5 * number + np.int64(rows[goal, tile])
    return number


@step
def packed_pattern(number):
    """A pattern as ``weigh`` has it, from its base-5 number."""
    packed = np.int64(0)
    for part in range(3):
        packed |= number // 125**part % 125 << (KEYS_AT + KEY_BITS * part)
    for rank in range(9):
        packed |= ((1 << number // 5**rank % 5) - 1) << RANK_BITS * rank
    return packed


@bare_kernel
def add_list(lists, number, rows, phi, slots):
    """Lay goals (rows of counts) as list ``number`` behind those of the list before.

    ``slots`` int64 (2, SLOTS) is memory.
    """
    head = lists.heads[number]
    first = lists.heads[number - 1, PATTERNS + 4]
    begin = lists.heads[number - 1, GOALS + 1]
    for column in range(HEAD_WIDTH):
        head[column] = 0
    size = first
    for suit in range(4):
        head[PATTERNS + suit] = size
        for slot in range(SLOTS):
            slots[0, slot] = -1
        for goal in range(rows.shape[0]):
            pattern = pattern_at(rows, goal, suit)
            slot = np.int64((np.uint64(pattern) * _SPREAD) >> np.uint64(51))
            while slots[0, slot] >= 0 and slots[0, slot] != pattern:
                slot = (slot + 1) & (SLOTS - 1)
            if slots[0, slot] < 0:
                slots[0, slot], slots[1, slot] = pattern, size
                lists.patterns[size] = packed_pattern(pattern)
                size += 1
            lists.places[begin + goal, suit] = slots[1, slot] - first
        note_wanted(lists, number, suit, size)
    head[PATTERNS + 4] = size
    head[GOALS], head[GOALS + 1] = begin, begin + rows.shape[0]
    for goal in range(rows.shape[0]):
        lists.phi[begin + goal] = phi[goal]


@bare_kernel
def fill_singles(lists, number, hand, shown, asked, scoring, profile):
    """Tiles that win on a discard as the only one beside three melds and each fourth set.

    ``hand`` has the codes of three melds, ``shown`` int64 (34,) are their tiles.
    """
    for tile in range(_KINDS):
        hand[0, tile] = 0
    for last in range(LAST_SETS):
        lists.singles[number, last] = 0
        chow = last < _KINDS
        if chow and (last >= 27 or last % 9 > 6):
            continue
        fits = shown[last - _KINDS] <= 1
        if chow:
            fits = shown[last] <= 3 and shown[last + 1] <= 3 and shown[last + 2] <= 3
        for tile in range(_KINDS):
            used = np.int64(last <= tile < last + 3) if chow else 3 * np.int64(tile == last - 34)
            if not fits or shown[tile] + used > 2:
                continue
            hand[0, tile] = 2
            outcome, points, _, _, _ = score_tiles(
                hand, 0, np.int64(hand[0, 34]), np.int64(hand[0, 35]), np.int64(hand[0, 36]),
                np.int64(last + 1), tile, 0, asked[SEAT], asked[PREVALENT], 0, scoring, profile,
            )  # fmt: skip
            hand[0, tile] = 0
            if outcome == COMPLETE and points >= asked[MINIMUM]:
                lists.singles[number, last] |= np.int64(1) << tile
