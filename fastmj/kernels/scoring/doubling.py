"""Scoring by doubling rules: what a hand is, as eight bits, and one look-up for what that is worth.

The rules stand in the table ``outcomes`` alone. Whether a suit splits into sets is found by walking
a small machine over its ranks, three at a time; honours, pungs and pairs are seen in the bit planes
of the counts.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import load_word, popcount

#: Bits of the index of ``outcomes``: what is true of a hand.
SETS, PUNGS, PAIRS, HONORS, ONE_SUIT, MELDED, LAST_DRAWN, LAST_CLAIMED = (1 << i for i in range(8))
#: Fields of an outcome: points (16 bits), types that count, those that double, whether the hand is
#: complete, whether it reaches the minimum. A hand that is not complete is 0.
TYPES_FROM, DOUBLING_FROM, TYPES, COMPLETE_BIT, WINS_BIT = 16, 24, 7, 32, 33
#: Columns of ``melds``: tiles by bit planes, and fields of 3 bits that are added up.
MELD_COLUMNS = 4
NUMBER, EXPOSED, KONGS, CHOWS, BAD = 0, 3, 6, 9, 12
#: Of the machine: entries a state (three ranks' bits of each plane), and what a suit that does not
#: split ends with; one that does ends with its number of pairs.
MOVES, NO_SPLIT = 512, 4
#: In place of an outcome, and as a status: the row is impossible, its cause is still to be found.
IMPOSSIBLE, LOOK_CLOSER = -1, 255
_SUITS = (1 << 27) - 1
_TILES = (1 << 34) - 1
#: The lowest bit of each byte; what brings these together in the highest; bits over 7 of each.
_LOWEST, _TOGETHER = 0x0101010101010101, np.uint64(0x0102040810204080)
_OVER = 0xF8F8F8F8F8F8F8F8 - (1 << 64)


@step
def _end_of(machine, ones, twos, fours, first):
    """Where the machine ends on a suit whose bits begin at ``first``."""
    state = np.int64(0)
    for shift in (first, first + 3, first + 6):
        move = ones >> shift & 7 | (twos >> shift & 7) << 3 | (fours >> shift & 7) << 6
        state = np.int64(machine[MOVES * state + move])
    return state


@step
def _bits(word, weight):
    """One bit of each of eight bytes, side by side: a multiplication brings them together."""
    lowest = np.uint64(word >> weight & _LOWEST)
    return np.int64(lowest * _TOGETHER >> np.uint64(56))


@step
def _planes(counts, row):
    """Counts of a row as bit planes of weight 1, 2 and 4, and whether one is over 7."""
    ones = twos = fours = over = np.int64(0)
    for column in (0, 8, 16, 24):
        word = load_word(counts, row, column)
        ones |= _bits(word, 0) << column
        twos |= _bits(word, 1) << column
        fours |= _bits(word, 2) << column
        over |= word & _OVER
    for tile in (32, 33):
        count = np.int64(counts[row, tile])
        ones |= (count & 1) << tile
        twos |= (count >> 1 & 1) << tile
        fours |= (count >> 2 & 1) << tile
        over |= count >> 3
    return ones, twos, fours, over


@step
def _with_melds(codes, row, melds, ones, twos, fours, over):
    """Planes with a row's melds added, and the sums of their fields."""
    fields = np.int64(0)
    for place in range(4):
        at = MELD_COLUMNS * np.int64(codes[row, place])
        carry = ones & melds[at]
        ones ^= melds[at]
        more = twos & carry | twos & melds[at + 1] | carry & melds[at + 1]
        twos ^= carry ^ melds[at + 1]
        over |= fours & more | fours & melds[at + 2] | more & melds[at + 2]
        fours ^= more ^ melds[at + 2]
        fields += melds[at + 3]
    return ones, twos, fours, over, fields


@step
def _is_wrong(held, several, several_in_all, kongs, win, circumstances, winds, flowers):
    """Whether the winning tile, the circumstances, winds or flowers are impossible.

    Masks of the concealed tiles, of those held twice and more, and of those so with the melds.
    """
    tile = np.int64(1) << (win & 63) & _TILES
    wrong = (winds & ~3 | circumstances & ~15) != 0 or flowers > 8 or win > 33 or not held & tile
    wrong |= circumstances & 2 != 0 and several & tile != 0
    if circumstances & 8:
        robbed = several_in_all & tile != 0 or circumstances & 4 != 0
        wrong |= kongs == 0 if circumstances & 1 else robbed
    return wrong


@step
def _shape(machine, ones, twos, fours, fields):
    """Facts about the sets and pairs of the concealed tiles."""
    pairs = popcount((twos & ~ones) >> 27)
    if (ones & ~twos | fours) >> 27:
        pairs = np.int64(NO_SPLIT)
    for first in (0, 9, 18):
        pairs += _end_of(machine, ones, twos, fours, first)
    facts = np.int64(SETS) if pairs == 1 else np.int64(0)
    if not (fields >> CHOWS & 7 or ones & ~twos | fours) and popcount(twos & ~ones) == 1:
        facts |= PUNGS
    if not (fields >> NUMBER & 7 or ones):
        facts |= PAIRS
    return facts


@step
def _kinds(present):
    """Facts about the kinds of tile."""
    suits = 0
    for first in (0, 9, 18):
        suits += 1 if present >> first & 0x1FF else 0
    if suits == 0:
        return np.int64(HONORS)
    return np.int64(ONE_SUIT) if suits == 1 and not present & ~_SUITS else np.int64(0)


@step
def _outcome(counts, codes, row, win, circumstances, winds, flowers, machine, melds, outcomes):
    """Outcome of a row of ``counts`` (N, 34) and ``codes`` (N, 4), or ``IMPOSSIBLE``."""
    ones, twos, fours, over = _planes(counts, row)
    all_ones, all_twos, all_fours, over, fields = _with_melds(
        codes, row, melds, ones, twos, fours, over
    )
    size = popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours)
    over |= all_fours & (all_ones | all_twos) | fields >> BAD
    if over | (size ^ 14 - 3 * (fields >> NUMBER & 7)) or _is_wrong(
        ones | twos | fours, twos | fours, all_twos | all_fours, fields >> KONGS & 7,
        win, circumstances, winds, flowers,
    ):  # fmt: skip
        return np.int64(IMPOSSIBLE)
    facts = _shape(machine, ones, twos, fours, fields) | _kinds(all_ones | all_twos | all_fours)
    self_drawn = circumstances & 1
    if not self_drawn and fields >> EXPOSED & 7 == 4:
        facts |= MELDED
    if circumstances & 4:
        facts |= LAST_DRAWN if self_drawn else LAST_CLAIMED
    return outcomes[facts]


@bare_kernel
def doubling_rows(
    counts, codes, win_tile, circumstances, seat_wind, prevalent_wind, flowers,
    machine, melds, outcomes, total, base, fan_mask, wins, status, fan_counts, start, stop,
):  # fmt: skip
    """Score rows ``start`` to ``stop``.

    Columns and outputs as in ``score_rows``; ``machine`` uint8, ``melds`` and ``outcomes`` int64,
    one-dimensional; ``fan_counts`` uint8 (N, 7) or (0, 7). Impossible rows get the status
    ``LOOK_CLOSER``.
    """
    want_counts = fan_counts.shape[0] > 0
    for row in range(start, stop):
        outcome = _outcome(
            counts, codes, row, np.int64(win_tile[row]), np.int64(circumstances[row]),
            np.int64(seat_wind[row]) | np.int64(prevalent_wind[row]), np.int64(flowers[row]),
            machine, melds, outcomes,
        )  # fmt: skip
        complete = outcome > 0
        status[row] = LOOK_CLOSER if outcome < 0 else 0 if complete else 1
        outcome = outcome if complete else np.int64(0)
        total[row] = outcome & 0xFFFF
        base[row] = outcome & 0xFFFF
        fan_mask[row, 0] = outcome >> TYPES_FROM & ((1 << TYPES) - 1)
        fan_mask[row, 1] = 0
        wins[row] = outcome >> WINS_BIT & 1
        if want_counts:
            for kind in range(TYPES):
                counted = outcome >> (TYPES_FROM + kind) & 1
                fan_counts[row, kind] = counted + (outcome >> (DOUBLING_FROM + kind) & 1)


@bare_kernel
def doubling_packed(hand, machine, melds, outcomes):
    """Score one hand, uint8 (1, 43) as ``score_packed`` takes it, and answer as that does.

    The types that count stand in the first mask word.
    """
    outcome = _outcome(
        hand, hand[:, 34:38], 0, np.int64(hand[0, 38]), np.int64(hand[0, 39]),
        np.int64(hand[0, 40]) | np.int64(hand[0, 41]), np.int64(hand[0, 42]),
        machine, melds, outcomes,
    )  # fmt: skip
    if outcome <= 0:
        return 1 if outcome == 0 else LOOK_CLOSER, np.int64(0), np.int64(0), 0, 0
    types = outcome >> TYPES_FROM & ((1 << TYPES) - 1)
    return 0, outcome & 0xFFFF, types, 0, 0
