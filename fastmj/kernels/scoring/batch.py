"""Driving the scorer: over the rows of a batch, or for one hand."""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, inner_kernel, step
from ..machine import prefetch
from . import layout as at
from .other import COMPLETE, IMPOSSIBLE
from .points import times_of
from .problems import first_problem
from .row import score_row
from .suits import find_entries, places_of, suit_keys

#: Rows whose suits are looked up before the first of them is scored.
AHEAD = 64
_FLOWER_FAN = 80
_FLOWER_BIT = 1 << 32
_FIELDS = 8


@step
def look_up_rows(counts, tables, fan_mask, first, stop):
    """Find the entries of some rows, and send for them: the caches are slower than the hash.

    The numbers wait in the memory of the results. Rows one by one without it: 7 ns a hand more.
    """
    for number in range(first, stop):
        # No sign: an index never counts from the end. (A mask of 48 bits said the same, but in some
        # builds the next row then waited for this one: 3 ns a hand.)
        row = np.uint64(number)
        entries = find_entries(suit_keys(counts, row), tables.words)
        places = places_of(entries)
        prefetch(tables.longs, places[0])
        prefetch(tables.longs, places[1])
        prefetch(tables.longs, places[2])
        fan_mask[row, 0] = entries


@step
def write_counts(fan_counts, row, mask0, mask1, times, flowers):
    """Write how often each fan counts, or only the repeating ones; or nothing."""
    if fan_counts.shape[1] == _FIELDS:
        for field in range(_FIELDS):
            fan_counts[row, field] = times >> 4 * field & 15
    elif fan_counts.shape[0] > 0:
        for fan in range(fan_counts.shape[1]):
            fan_counts[row, fan] = times_of(fan, mask0, mask1, times)
        fan_counts[row, _FLOWER_FAN] = flowers


@step
def score_into(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables, profile,
    total, base, fan_mask, wins, status, fan_counts, row, entries,
):  # fmt: skip
    """Score a row whose entries are found, and write its results."""
    blooms = np.int64(flowers[row])
    outcome, points, mask0, mask1, times = score_row(
        counts, row, entries,
        np.int64(melds[row, 0]), np.int64(melds[row, 1]),
        np.int64(melds[row, 2]), np.int64(melds[row, 3]),
        np.int64(win_tile[row]), np.int64(circumstances[row]),
        np.int64(seat_wind[row]), np.int64(prevalent_wind[row]), blooms,
        tables, profile,
    )  # fmt: skip
    if outcome == IMPOSSIBLE:
        outcome = first_problem(
            counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers,
            tables.longs, row,
        )  # fmt: skip
    if outcome != COMPLETE:
        blooms = np.int64(0)
    mask1 |= _FLOWER_BIT if blooms else 0
    status[row] = outcome
    base[row] = points
    total[row] = points + blooms * profile.longs[at.FLOWER]
    fan_mask[row, 0] = mask0
    fan_mask[row, 1] = mask1
    wins[row] = outcome == COMPLETE and points >= profile.longs[at.MIN_FAN]
    write_counts(fan_counts, row, mask0, mask1, times, blooms)


@bare_kernel
def score_rows(
    words, longs, profile_words, profile_longs,
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers,
    total, base, fan_mask, wins, status, fan_counts, start, stop,
):  # fmt: skip
    """Score rows ``start`` to ``stop``.

    Columns as in ``HandBatch``; outputs ``total`` and ``base`` int16, ``fan_mask`` int64 (N, 2),
    ``wins`` bool, ``status`` uint8, ``fan_counts`` uint8 (N, 82), or (0, 82) if it is not wanted,
    or (N, 8): how often the repeating fans count where they do (82 columns cost 130 ns a hand).
    The buffers of the tables and the profile come one by one: taking named tuples apart costs a
    call a microsecond.
    """
    tables = at.Buffers(words, longs)
    profile = at.Buffers(profile_words, profile_longs)
    for first in range(start, stop, AHEAD):
        last = min(first + AHEAD, stop)
        look_up_rows(counts, tables, fan_mask, first, last)
        for number in range(first, last):
            row = np.uint64(number)
            score_into(
                counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables,
                profile, total, base, fan_mask, wins, status, fan_counts, row, fan_mask[row, 0],
            )  # fmt: skip


@inner_kernel
def score_tiles(
    counts, row, meld0, meld1, meld2, meld3, win, flags, seat, prevalent, flowers, tables, profile
):
    """Score a row of counts, uint8; one compiled copy for all who ask for a single hand.

    Returns the outcome, the points without flowers, the two mask words without flowers and the
    times of the repeating fans.
    """
    entries = find_entries(suit_keys(counts, row), tables.words)
    return score_row(
        counts, row, entries, meld0, meld1, meld2, meld3, win, flags, seat, prevalent, flowers,
        tables, profile,
    )  # fmt: skip


@bare_kernel
def score_packed(words, longs, profile_words, profile_longs, hand):
    """Score one hand, uint8 (1, 43), as ``score_tiles``.

    Columns: 34 counts, 4 melds, winning tile, circumstances, seat and prevalent wind, flowers.
    """
    return score_tiles(
        hand, 0,
        np.int64(hand[0, 34]), np.int64(hand[0, 35]), np.int64(hand[0, 36]), np.int64(hand[0, 37]),
        np.int64(hand[0, 38]), np.int64(hand[0, 39]), np.int64(hand[0, 40]), np.int64(hand[0, 41]),
        np.int64(hand[0, 42]),
        at.Buffers(words, longs), at.Buffers(profile_words, profile_longs),
    )  # fmt: skip
