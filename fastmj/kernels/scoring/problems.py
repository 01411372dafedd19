"""Everything that is impossible about a row, one bit a cause; the scoring loop's slow path."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel
from . import layout as at

# The numbers of ``fastmj.status.Status`` (a test compares them).
NOT_COMPLETE = 1
BAD_TILE, BAD_MELD, TILE_COUNT, FIVE_OF_A_KIND, BAD_WIN_TILE, WIN_TILE_ABSENT = 2, 3, 4, 5, 6, 7
BAD_WIND, BAD_FLOWERS, BAD_CIRCUMSTANCES, REPLACEMENT_WITHOUT_KONG = 8, 9, 10, 11
ROBBED_TILE_HELD, ROBBED_LAST_TILE, LAST_OF_KIND_HELD = 12, 13, 14


@bare_kernel
def find_problems(counts, melds, win, circumstances, seat, prevalent, flowers, meld_info):
    """Mask of the problems of a row: ``1 << status`` for each cause.

    ``counts`` uint8 (34,), ``melds`` uint8 (4,), ``meld_info`` int64 as it begins the tables'
    longs, the rest integers.
    """
    problems = 0
    concealed = 0
    win_copies = 0
    fields = 0
    for place in range(4):
        fields += meld_info[8 * np.int64(melds[place]) + at.MELD_ADDED] >> at.MELD_SUMS
    for tile in range(34):
        count = np.int64(counts[tile])
        concealed += count
        if count > 14:
            problems |= 1 << BAD_TILE
        copies = count
        for place in range(4):
            info = 8 * np.int64(melds[place])
            copies += (
                (meld_info[info + at.MELD_ONES] >> tile & 1)
                + 2 * (meld_info[info + at.MELD_TWOS] >> tile & 1)
                + 4 * (meld_info[info + at.MELD_FOURS] >> tile & 1)
            )
        if copies > 4:
            problems |= 1 << FIVE_OF_A_KIND
        if tile == win:
            win_copies = copies
    if fields >> at.MELD_BAD & 7:
        problems |= 1 << BAD_MELD
    elif concealed != 14 - 3 * (fields >> at.MELD_NUMBER & 7):
        problems |= 1 << TILE_COUNT
    if seat > 3 or prevalent > 3:
        problems |= 1 << BAD_WIND
    if flowers > 8:
        problems |= 1 << BAD_FLOWERS
    if circumstances > 15:
        problems |= 1 << BAD_CIRCUMSTANCES
    held = np.int64(0)
    if win > 33:
        problems |= 1 << BAD_WIN_TILE
    else:
        held = np.int64(counts[win])
        if held == 0:
            problems |= 1 << WIN_TILE_ABSENT
    self_drawn = circumstances & 1
    kong = circumstances >> 3 & 1
    kongs = (fields >> at.MELD_CONCEALED_KONGS & 7) + (fields >> at.MELD_MELDED_KONGS & 7)
    if kong and self_drawn and kongs == 0:
        problems |= 1 << REPLACEMENT_WITHOUT_KONG
    if kong and not self_drawn:
        if win_copies > 1:
            problems |= 1 << ROBBED_TILE_HELD
        if circumstances >> 2 & 1:
            problems |= 1 << ROBBED_LAST_TILE
    if circumstances >> 1 & 1 and held > 1:
        problems |= 1 << LAST_OF_KIND_HELD
    return problems


@bare_kernel
def problem_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, meld_info, found,
    start, stop,
):  # fmt: skip
    """Write the problems of some rows to ``found`` uint16 (N,)."""
    for row in range(start, stop):
        found[row] = find_problems(
            counts[row],
            melds[row],
            np.int64(win_tile[row]),
            np.int64(circumstances[row]),
            np.int64(seat_wind[row]),
            np.int64(prevalent_wind[row]),
            np.int64(flowers[row]),
            meld_info,
        )
