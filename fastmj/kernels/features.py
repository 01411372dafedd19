"""Planes of tiles and numbers that a network wants for a hand, from what the distances found."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .distance.layout import BEST, NO_HAND, OK
from .distance.melds import copies_in, meld_planes
from .distance.mend import acceptance_beside, shanten_beside, waits_beside
from .jit import bare_kernel, step
from .scoring.problems import BAD_FLOWERS, BAD_WIND

#: Where the planes begin, of which ``fastmj.features`` has the names; they come in groups of four.
HELD, WIN_TILE, CHOW, PUNG, SEEN, LEFT, ACCEPTED, WAITS, LIVE = 0, 4, 5, 9, 12, 16, 20, 21, 22
SEAT_WIND, PREVALENT_WIND = 23, 24
_FIRST_WIND = 27
#: Rows whose distances are found at a time.
BLOCK = 64


class Scratch(NamedTuple):
    """Memory of a call, in which the distances of a block of rows are found."""

    memory: Any  # int64 of ``locks.MEMORY``
    near: Any  # int8 (6, BLOCK), and the next: what ``shanten_rows`` writes
    near_status: Any  # uint8 (BLOCK,)
    shanten: Any  # int8 (BLOCK, 1), and the next four: what ``acceptance_rows`` writes
    mask: Any  # int64 (BLOCK, 1)
    copies: Any  # int16 (BLOCK, 1)
    forms: Any  # uint8 (BLOCK, 1)
    status: Any  # uint8 (BLOCK,)
    ready: Any  # uint8 (BLOCK, 34): the tiles that wait
    ready_again: Any  # the same, read-only as the kernels want it
    waits: Any  # int64 (BLOCK,), and the next three: what ``wait_rows`` writes
    live: Any  # int64 (BLOCK,)
    forms_waiting: Any  # uint8 (BLOCK,)
    wait_status: Any  # uint8 (BLOCK,)


@step
def _ready_rows(counts, win_tile, ready, start, stop):
    """Counts without the winning tile, where there is one and 14 tiles with it; 255 if not held."""
    for row in range(start, stop):
        tiles = 0
        for tile in range(34):
            tiles += int(counts[row, tile])
            ready[row - start, tile] = counts[row, tile]
        win = int(win_tile[row])
        if tiles % 3 == 2 and win < 34:
            held = int(counts[row, win])
            ready[row - start, win] = held - 1 if held > 0 else 255


@step
def _status(near, seat, prevalent, flowers):
    """What is wrong with a row, the first of all causes."""
    if near != OK:
        return near
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
def _tile_planes(counts, visible, seen_row, melds, masks, planes, row):
    """Planes of what is held, visible and left, and of the masks; how many tiles are held."""
    tiles, lying = 0, meld_planes(melds, row)
    for tile in range(34):
        held, seen = int(counts[row, tile]), int(visible[seen_row, tile])
        left = 4 - held - seen
        if lying[0] >> tile & 1:
            left -= copies_in(lying, tile)
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
def _write_rows(columns, visible, seen_step, found, out, first, last):
    """Features of rows ``first`` to ``last``, whose distances stand in ``found``."""
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers = columns
    planes, shanten, accepted, waiting, alive, copies, context, status = out
    for row in range(first, last):
        place = row - first
        planes[row] = 0
        context[row] = 0
        accepted[row] = waiting[row] = alive[row] = copies[row] = 0
        code = _status(
            int(found.near_status[place]), int(seat_wind[row]), int(prevalent_wind[row]),
            int(flowers[row]),
        )  # fmt: skip
        status[row] = code
        for form in range(6):
            shanten[row, form] = found.near[form, place] if code == OK else NO_HAND
        if code != OK:
            continue
        accepted[row], copies[row] = found.mask[place, 0], found.copies[place, 0]
        # Waits have a status of their own: 14 tiles of which none was drawn last wait for nothing.
        if found.wait_status[place] == OK:
            waiting[row], alive[row] = found.waits[place], found.live[place]
        masks = (np.int64(accepted[row]), np.int64(waiting[row]), np.int64(alive[row]))
        context[row, 0] = _tile_planes(counts, visible, row * seen_step, melds, masks, planes, row)
        context[row, 1], context[row, 2] = _meld_planes(melds, planes, row)
        context[row, 3] = flowers[row]
        context[row, 4] = circumstances[row]
        if win_tile[row] < 34:
            planes[row, WIN_TILE, win_tile[row]] = 1
        planes[row, SEAT_WIND, _FIRST_WIND + int(seat_wind[row])] = 1
        planes[row, PREVALENT_WIND, _FIRST_WIND + int(prevalent_wind[row])] = 1


@bare_kernel
def feature_rows(tables, columns, visible, seen_step, scratch, out, start, stop):
    """Write the features of rows ``start`` to ``stop``; those of rows that are no hand are 0.

    ``columns`` as in ``HandBatch``; ``visible`` uint8 (N, 34) or, with ``seen_step`` 0, (1, 34);
    ``out`` as in ``FeatureBatch``. Tables, scratch and all come as plain tuples.
    """
    found = Scratch(*scratch)
    counts, melds, win_tile = columns[0], columns[1], columns[2]
    for first in range(start, stop, BLOCK):
        last = min(first + BLOCK, stop)
        number = last - first
        seen = visible[first * seen_step : (last - 1) * seen_step + 1]
        # Melds are counted by their codes: the number that stands second is not looked at.
        rows = (
            counts[first:last], win_tile, 0, seen, seen_step, melds[first:last], 1, found.memory,
            0, 1,
        )  # fmt: skip
        shanten_beside(tables, rows, False, found.near, found.near_status, 0, number)
        acceptance_beside(
            tables, rows, False, BEST, False, found.shanten, found.mask, found.copies, found.forms,
            found.status, 0, number,
        )  # fmt: skip
        _ready_rows(counts, win_tile, found.ready, first, last)
        rows = (
            found.ready_again, win_tile, 0, seen, seen_step, melds[first:last], 1, found.memory,
            0, 0,
        )  # fmt: skip
        waits_beside(
            tables, rows, False, found.waits, found.live, found.forms_waiting, found.wait_status,
            0, number,
        )  # fmt: skip
        _write_rows(columns, visible, seen_step, found, out, first, last)
