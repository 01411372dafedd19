"""Planes of tiles and numbers that a network wants for a hand, from what the distances found."""

from __future__ import annotations

import numpy as np

from .distance.layout import NO_HAND, OK
from .jit import bare_kernel, step
from .scoring.problems import BAD_FLOWERS, BAD_WIND

#: Where the planes begin, of which ``fastmj.features`` has the names; they come in groups of four.
HELD, WIN_TILE, CHOW, PUNG, SEEN, LEFT, ACCEPTED, WAITS, LIVE = 0, 4, 5, 9, 12, 16, 20, 21, 22
SEAT_WIND, PREVALENT_WIND = 23, 24
_FIRST_WIND = 27


@bare_kernel
def ready_rows(counts, win_tile, ready, start, stop):
    """Counts without the winning tile, where there is one and 14 tiles with it; 255 if not held."""
    for row in range(start, stop):
        tiles = 0
        for tile in range(34):
            tiles += int(counts[row, tile])
            ready[row, tile] = counts[row, tile]
        win = int(win_tile[row])
        if tiles % 3 == 2 and win < 34:
            held = int(counts[row, win])
            ready[row, win] = held - 1 if held > 0 else 255


@step
def _status(near, accepted, seat, prevalent, flowers):
    """What is wrong with a row, the first of all causes."""
    if near != OK or accepted != OK:
        return near if near != OK else accepted
    if seat > 3 or prevalent > 3:
        return BAD_WIND
    return BAD_FLOWERS if flowers > 8 else OK


@step
def _meld_planes(melds, planes, row):
    """Planes of the melds of a row of zeros; how many there are, and concealed kongs among them."""
    number = kongs = 0
    for place in range(4):
        code = int(melds[row, place]) - 1
        if code < 0:
            continue
        number += 1
        kind, tile = code // 34, code % 34
        kongs += int(kind == 3)
        if kind > 0:
            planes[row, PUNG + kind - 1, tile] = 1
            continue
        for low in range(tile, tile + 3):
            level = CHOW
            while planes[row, level, low]:
                level += 1
            planes[row, level, low] = 1
    return number, kongs


@step
def _tile_planes(counts, visible, seen_row, gone, masks, planes, row):
    """Planes of what is held, visible and left, and of the masks; how many tiles are held."""
    tiles = 0
    for tile in range(34):
        held, seen = int(counts[row, tile]), int(visible[seen_row, tile])
        left = 4 - held - int(gone[row, tile])
        tiles += held
        for number in range(4):
            planes[row, HELD + number, tile] = held > number
            planes[row, SEEN + number, tile] = seen > number
            planes[row, LEFT + number, tile] = left > number
        planes[row, ACCEPTED, tile] = masks[0] >> tile & 1
        planes[row, WAITS, tile] = masks[1] >> tile & 1
        planes[row, LIVE, tile] = masks[2] >> tile & 1
    return tiles


@bare_kernel
def feature_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, visible, seen_step,
    gone, near, near_status, mask, left, accepted_status, waits, live, wait_status,
    planes, shanten, accepted, waiting, alive, copies, context, status, start, stop,
):  # fmt: skip
    """Write the features of rows ``start`` to ``stop``; those of rows that are no hand are 0.

    Columns as in ``HandBatch``; ``visible`` uint8 (N, 34) or, with ``seen_step`` 0, (1, 34);
    ``gone`` uint8 (N, 34), what is visible and in melds; then the results of ``shanten_rows``,
    ``acceptance_rows`` and ``wait_rows``; outputs as in ``FeatureBatch``.
    """
    for row in range(start, stop):
        planes[row] = 0
        context[row] = 0
        accepted[row] = waiting[row] = alive[row] = copies[row] = 0
        code = _status(
            int(near_status[row]), int(accepted_status[row]), int(seat_wind[row]),
            int(prevalent_wind[row]), int(flowers[row]),
        )  # fmt: skip
        status[row] = code
        for form in range(6):
            shanten[row, form] = near[form, row] if code == OK else NO_HAND
        if code != OK:
            continue
        accepted[row], copies[row] = mask[row, 0], left[row, 0]
        # Waits have a status of their own: 14 tiles of which none was drawn last wait for nothing.
        if wait_status[row] == OK:
            waiting[row], alive[row] = waits[row], live[row]
        masks = (np.int64(accepted[row]), np.int64(waiting[row]), np.int64(alive[row]))
        context[row, 0] = _tile_planes(
            counts, visible, row * seen_step, gone, masks, planes, row
        )  # fmt: skip
        context[row, 1], context[row, 2] = _meld_planes(melds, planes, row)
        context[row, 3] = flowers[row]
        context[row, 4] = circumstances[row]
        if win_tile[row] < 34:
            planes[row, WIN_TILE, win_tile[row]] = 1
        planes[row, SEAT_WIND, _FIRST_WIND + int(seat_wind[row])] = 1
        planes[row, PREVALENT_WIND, _FIRST_WIND + int(prevalent_wind[row])] = 1
