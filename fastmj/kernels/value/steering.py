"""Steering for complete hands that score enough: what the policy ``fan`` discards.

``targets`` are whole hands, int64 (4, T): masks of the concealed tiles wanted once, twice, three
and four times at least. Hands are such masks too, and so are the copies that a hand can still have
of each tile: those held and those not yet seen. The loops over targets are written for vector
instructions: no branches, one column after another.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import popcount
from .needs import rest_of

#: More tiles than any target misses: of a target that cannot be reached any more.
FAR = 99
#: Targets of which one look tells whether one of the nearest, which are few, is among them: so
#: many that the compiler makes vector instructions of it. ``costs`` has whole blocks, the rest
#: ``FAR``.
BLOCK = 128


@step
def lacking_tiles(targets, t, held):
    """Tiles that a target wants and a hand has not, as a mask."""
    return (
        targets[0, t] & ~held[0]
        | targets[1, t] & ~held[1]
        | targets[2, t] & ~held[2]
        | targets[3, t] & ~held[3]
    )


@bare_kernel
def target_costs(targets, held, possible, costs):
    """Tiles that each target misses, into ``costs`` uint8; returns the fewest."""
    fewest = np.int64(FAR)
    for t in range(targets.shape[1]):
        missing = (
            popcount(targets[0, t] & ~held[0])
            + popcount(targets[1, t] & ~held[1])
            + popcount(targets[2, t] & ~held[2])
            + popcount(targets[3, t] & ~held[3])
        )
        gone = (
            targets[0, t] & ~possible[0]
            | targets[1, t] & ~possible[1]
            | targets[2, t] & ~possible[2]
            | targets[3, t] & ~possible[3]
        )
        cost = FAR if gone != 0 else missing
        costs[t] = cost
        fewest = min(fewest, cost)
    return fewest


@bare_kernel
def tiles_to_watch(targets, held, possible, costs):
    """Fewest tiles missing for a target; tiles of which one more may change what to discard.

    These are what the nearest targets miss, and those one tile behind them.
    """
    fewest = target_costs(targets, held, possible, costs)
    watched = np.int64(0)
    for t in range(targets.shape[1]):
        near = np.int64(-1) if costs[t] <= fewest + 1 else np.int64(0)
        watched |= lacking_tiles(targets, t, held) & near
    return fewest, watched if fewest < FAR else np.int64((1 << 34) - 1)


@step
def used_tiles(targets, t, only):
    """Tiles of which a target wants all copies held (``only`` masks of exactly one to four).

    To discard one of them is to miss one tile more.
    """
    return (
        only[0] & targets[0, t]
        | only[1] & targets[1, t]
        | only[2] & targets[2, t]
        | only[3] & targets[3, t]
    )


@step
def note_free_tiles(targets, t, held, only, accepted):
    """Note a target for each tile that it does not use: what it lacks, and one more of them."""
    free = held[0] & ~used_tiles(targets, t, only)
    lacking = lacking_tiles(targets, t, held)
    while free:
        low = free & -free
        tile = popcount(low - 1)
        accepted[0, tile] |= lacking
        accepted[1, tile] += 1
        free ^= low


@bare_kernel
def discard_by_targets(targets, held, possible, costs, accepted):
    """Tile to discard, or -1 when no target can be reached; and what ``tiles_to_watch`` says then.

    What is left misses the fewest tiles for its nearest target; of such discards, the one after
    which most copies not yet seen bring it nearer still; then the one that leaves most targets as
    near; then the lowest tile. ``accepted`` int64 (2, 34) is working memory. (Tiles to watch may
    include some of a target that the discard puts out of reach.)
    """
    fewest = target_costs(targets, held, possible, costs)
    if fewest >= FAR:
        return -1, fewest, np.int64(0)
    for tile in range(34):
        accepted[0, tile] = 0
        accepted[1, tile] = 0
    only = (held[0] & ~held[1], held[1] & ~held[2], held[2] & ~held[3], held[3])
    for block in range(costs.shape[0] // BLOCK):
        least = np.int64(FAR)
        for place in range(BLOCK):
            least = min(least, np.int64(costs[block * BLOCK + place]))
        if least > fewest:
            continue
        for place in range(BLOCK):
            t = block * BLOCK + place
            if costs[t] == fewest:
                note_free_tiles(targets, t, held, only, accepted)
    left = rest_of(possible, held)
    best, most, ways = -1, np.int64(-1), np.int64(0)
    for tile in range(34):
        if accepted[1, tile]:
            tiles = accepted[0, tile]
            copies = (
                popcount(tiles & left[0])
                + popcount(tiles & left[1])
                + popcount(tiles & left[2])
                + popcount(tiles & left[3])
            )
            if copies > most or (copies == most and accepted[1, tile] > ways):
                best, most, ways = tile, copies, accepted[1, tile]
    watched = np.int64(0)
    for t in range(targets.shape[1]):
        used = used_tiles(targets, t, only)
        near = np.int64(-1) if costs[t] + (used >> best & 1) <= fewest + 1 else np.int64(0)
        watched |= (lacking_tiles(targets, t, held) | used & np.int64(1) << best) & near
    return best, fewest, watched
