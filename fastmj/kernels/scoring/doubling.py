"""Scoring by doubling rules: what a hand is, as eight bits, and one look-up for what that is worth.

The rules stand in the table ``outcomes`` alone. Whether a suit splits into sets is found by walking
a small machine over its ranks, three at a time; honours, pungs and pairs are seen in the bit planes
of the counts.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import byte_planes, popcount

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


@step
def _end_of(machine, ones, twos, fours, first):
    """Where the machine ends on a suit whose bits begin at ``first``."""
    state = np.int64(0)
    for shift in (first, first + 3, first + 6):
        move = ones >> shift & 7 | (twos >> shift & 7) << 3 | (fours >> shift & 7) << 6
        state = np.int64(machine[MOVES * state + move])
    return state


@step
def _outcome(counts, codes, row, win, circumstances, winds, flowers, machine, melds, outcomes):
    """Outcome of a row of ``counts`` (N, 34) and ``codes`` (N, 4), or ``IMPOSSIBLE``."""
    ones, twos, fours, over = byte_planes(counts, row)
    for tile in (32, 33):
        count = np.int64(counts[row, tile])
        ones |= (count & 1) << tile
        twos |= (count >> 1 & 1) << tile
        fours |= (count >> 2 & 1) << tile
        over |= count >> 3
    all_ones, all_twos, all_fours = ones, twos, fours
    fields = np.int64(0)
    for place in range(4):
        at = MELD_COLUMNS * np.int64(codes[row, place])
        carry = all_ones & melds[at]
        all_ones ^= melds[at]
        more = all_twos & carry | all_twos & melds[at + 1] | carry & melds[at + 1]
        all_twos ^= carry ^ melds[at + 1]
        over |= all_fours & more | all_fours & melds[at + 2] | more & melds[at + 2]
        all_fours ^= more ^ melds[at + 2]
        fields += melds[at + 3]
    number = fields >> NUMBER & 7
    size = popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours)
    self_drawn = circumstances & 1
    kong = circumstances >> 3 & 1
    tile = np.int64(1) << (win & 63)
    impossible = (
        (
            over
            | (all_fours & (all_ones | all_twos))
            | (fields >> BAD)
            | (size ^ (14 - 3 * number))
            | (winds & ~3)
            | (circumstances & ~15)
        )
        != 0
        or flowers > 8
        or not (ones | twos | fours) & tile & _TILES
        or win > 33
    )
    impossible |= (circumstances & 2) != 0 and ((twos | fours) & tile) != 0
    if kong:
        robbed = ((all_twos | all_fours) & tile) != 0 or (circumstances & 4) != 0
        impossible |= (fields >> KONGS & 7) == 0 if self_drawn else robbed
    if impossible:
        return np.int64(IMPOSSIBLE)

    odd, two, four = ones >> 27, (twos & ~ones) >> 27, fours >> 27
    ends = popcount(two)
    if odd & ~(twos >> 27) or four:
        ends = np.int64(NO_SPLIT)
    for first in (0, 9, 18):
        ends += _end_of(machine, ones, twos, fours, first)
    present = all_ones | all_twos | all_fours
    suits = 0
    for first in (0, 9, 18):
        suits += 1 if present >> first & 0x1FF else 0
    no_chows = not fields >> CHOWS & 7
    facts = np.int64(0)
    facts |= SETS if ends == 1 else 0
    facts |= PUNGS if no_chows and not (ones & ~twos | fours) and popcount(twos & ~ones) == 1 else 0
    facts |= PAIRS if not (number | ones) else 0
    facts |= HONORS if not present & _SUITS else 0
    facts |= ONE_SUIT if suits == 1 and not present & ~_SUITS else 0
    facts |= MELDED if not self_drawn and fields >> EXPOSED & 7 == 4 else 0
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
    """Score one valid hand, uint8 (1, 43) as ``score_packed`` takes it, and answer as that does.

    The types that count stand in the first mask word.
    """
    outcome = _outcome(
        hand, hand[:, 34:38], 0, np.int64(hand[0, 38]), np.int64(hand[0, 39]),
        np.int64(hand[0, 40]) | np.int64(hand[0, 41]), np.int64(hand[0, 42]),
        machine, melds, outcomes,
    )  # fmt: skip
    if outcome <= 0:
        return 1, np.int64(0), np.int64(0), 0, 0
    types = outcome >> TYPES_FROM & ((1 << TYPES) - 1)
    return 0, outcome & 0xFFFF, types, 0, 0
