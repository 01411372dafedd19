"""Everything that is impossible about a row, one bit a cause; the scoring loop's slow path."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, inner_kernel, step
from . import layout as at

# The numbers of ``fastmj.status.Status`` (a test compares them).
NOT_COMPLETE = 1
BAD_TILE, BAD_MELD, TILE_COUNT, FIVE_OF_A_KIND, BAD_WIN_TILE, WIN_TILE_ABSENT = 2, 3, 4, 5, 6, 7
BAD_WIND, BAD_FLOWERS, BAD_CIRCUMSTANCES, REPLACEMENT_WITHOUT_KONG = 8, 9, 10, 11
ROBBED_TILE_HELD, ROBBED_LAST_TILE, LAST_OF_KIND_HELD = 12, 13, 14


_STATUSES = 15


@step
def tile_problems(counts, melds, longs, win):
    """Problems of the counts; how many tiles are concealed, copies of the winning one."""
    problems = concealed = win_copies = np.int64(0)
    for tile in range(34):
        copies = np.int64(counts[tile])
        concealed += copies
        if copies > 14:
            problems |= 1 << BAD_TILE
        for place in range(4):
            record = at.MELDS + at.MELD_WIDTH * np.int64(melds[place])
            more = longs[record + (tile >> 3)] >> 8 * (tile & 7) & 255
            copies += 4 if more == at.KONG else 0 if more == at.IMPOSSIBLE_MELD else more
        if copies > 4:
            problems |= 1 << FIVE_OF_A_KIND
        if tile == win:
            win_copies = copies
    return problems, concealed, win_copies


@inner_kernel
def find_problems(counts, melds, win, circumstances, seat, prevalent, flowers, longs):
    """Mask of the problems of a row: ``1 << status`` for each cause.

    ``counts`` uint8 (34,), ``melds`` uint8 (4,), ``longs`` of the tables, the rest integers.
    """
    problems, concealed, win_copies = tile_problems(counts, melds, longs, win)
    sums = valid = np.int64(0)
    for place in range(4):
        record = at.MELDS + at.MELD_WIDTH * np.int64(melds[place])
        sums += longs[record + at.MELD_SUMS]
        valid += longs[record + at.MELD_VALID]
    if valid < 4:
        problems |= 1 << BAD_MELD
    elif concealed != 14 - 3 * (sums >> at.SET_NUMBER & 7):
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
    if kong and self_drawn and sums >> at.EXPOSED & 127 < 5:  # no kong among the melds
        problems |= 1 << REPLACEMENT_WITHOUT_KONG
    if kong and not self_drawn:
        if win_copies > 1:
            problems |= 1 << ROBBED_TILE_HELD
        if circumstances >> 2 & 1:
            problems |= 1 << ROBBED_LAST_TILE
    if circumstances >> 1 & 1 and held > 1:
        problems |= 1 << LAST_OF_KIND_HELD
    return problems


@inner_kernel
def first_problem(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, longs, row
):
    """Status of an impossible row: its first problem."""
    problems = find_problems(
        counts[row], melds[row], np.int64(win_tile[row]), np.int64(circumstances[row]),
        np.int64(seat_wind[row]), np.int64(prevalent_wind[row]), np.int64(flowers[row]), longs,
    )  # fmt: skip
    status = np.int64(BAD_TILE)
    while status < _STATUSES and not problems >> status & 1:
        status += 1
    return status


@bare_kernel
def problem_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, longs, found,
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
            longs,
        )
