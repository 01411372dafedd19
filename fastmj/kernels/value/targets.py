"""Every complete hand within some draws, scored: the search behind the eight-fan distance.

Sets are laid one after another while they cost no more than the draws; the other forms are laid
tile by tile. The winning tile is one of the drawn ones: noted are the one that scores most, and how
many of them score enough by self-draw and by discard.
"""

from __future__ import annotations

import numpy as np

from ..distance import layout as distance_at
from ..jit import bare_kernel, inner_kernel, step
from ..scoring.batch import score_tiles
from ..scoring.other import COMPLETE
from . import layout as at
from .search import (
    ALL_CHOWS,
    ALL_TILES,
    is_passed,
    lay_next,
    list_choices,
    more_needed,
    set_cost,
    take_back,
)

HELD, REST, SPARE, TARGET = at.HELD, at.REST, at.SPARE, at.TARGET
#: Copies that lie open: in discards and exposed melds.
OPEN = at.SHOWN
CHOICE, PLACE, COST = at.CHOICE, at.PLACE, at.COST
_KINDS = 34
#: Columns of what is asked: minimum, way of winning, seat and prevalent wind; then of answers.
MINIMUM, WAY, SEAT, PREVALENT, FOUND, HIGHEST = range(6)
#: Ways of winning: by discard, by self-draw, whichever.
BY_DISCARD, BY_SELF_DRAW, BY_BOTH = range(3)
#: Columns of a target behind its 34 counts: the tile that scores most and its points; of how many
#: kinds the last tile may be, and with how many of them it scores enough when drawn and when
#: claimed.
TARGET_WIN, TARGET_BASE, TARGET_KINDS, TARGET_DRAWN, TARGET_CLAIMED = range(34, 39)
TARGET_WIDTH = 39


@step
def points_both_ways(scratch, hand, asked, tile, count, scoring, profile):
    """Points with a last tile by discard and by self-draw, -1 for a way that is not asked for.

    ``hand`` uint8 (1, 38) are counts and meld codes.
    """
    last = np.int64(scratch[OPEN, tile] == 3 and count == 1)
    found = (np.int64(-1), np.int64(-1))
    for drawn in range(2):
        if asked[WAY] == BY_BOTH or asked[WAY] == drawn:
            outcome, points, _, _, _ = score_tiles(
                hand, 0, np.int64(hand[0, 34]), np.int64(hand[0, 35]), np.int64(hand[0, 36]),
                np.int64(hand[0, 37]), tile, drawn | last << 1, asked[SEAT], asked[PREVALENT], 0,
                scoring, profile,
            )  # fmt: skip
            if outcome == COMPLETE:
                found = (found[0], points) if drawn else (points, found[1])
    return found


@inner_kernel
def note_target(scratch, hand, asked, targets, added, scoring, profile):
    """Score the target with every winning tile of a mask, and note it if one reaches the minimum.

    ``hand`` has its counts; a winning tile of which the three others lie open (``OPEN``) is the
    last of its kind.
    """
    best, best_win = -1, 0
    kinds = by_draw = by_claim = 0
    for tile in range(_KINDS):
        if added >> tile & 1:
            kinds += 1
            claimed, drawn = points_both_ways(
                scratch, hand, asked, tile, hand[0, tile], scoring, profile
            )
            by_claim += int(claimed >= asked[MINIMUM])
            by_draw += int(drawn >= asked[MINIMUM])
            if max(claimed, drawn) > best:
                best, best_win = max(claimed, drawn), tile
    asked[HIGHEST] = max(asked[HIGHEST], best)
    if best >= asked[MINIMUM]:
        place = asked[FOUND]
        asked[FOUND] = place + 1
        if place < targets.shape[0]:
            for tile in range(_KINDS):
                targets[place, tile] = hand[0, tile]
            targets[place, TARGET_WIN] = best_win
            targets[place, TARGET_BASE] = best
            targets[place, TARGET_KINDS] = kinds
            targets[place, TARGET_DRAWN] = by_draw
            targets[place, TARGET_CLAIMED] = by_claim


@step
def missing_tiles(scratch, hand):
    """Tiles that the hand in ``hand`` has more of than ``HELD``: how many, and a mask of them."""
    added, missing = np.int64(0), np.int64(0)
    for tile in range(_KINDS):
        over = np.int64(hand[0, tile]) - scratch[HELD, tile]
        if over > 0:
            added |= np.int64(1) << tile
            missing += over
    return missing, added


@step
def present_tiles(hand):
    """Mask of the tiles of a hand."""
    present = np.int64(0)
    for tile in range(_KINDS):
        present |= np.int64(hand[0, tile] > 0) << tile
    return present


@bare_kernel
def judge(scratch, hand, asked, targets, drawn, scoring, profile):
    """Note the target if it misses so many tiles, has no more of one than there are, and scores."""
    for tile in range(_KINDS):
        count = scratch[TARGET, tile]
        if count > scratch[SPARE, tile]:
            return
        hand[0, tile] = count
    missing, added = missing_tiles(scratch, hand)
    if missing == drawn:
        if drawn == 0:
            added = present_tiles(hand)
        note_target(scratch, hand, asked, targets, added, scoring, profile)


@step
def _fill(scratch, mask):
    """Begin a target with one of each tile of a mask."""
    for tile in range(_KINDS):
        scratch[TARGET, tile] = mask >> tile & 1


@inner_kernel
def regular_targets(scratch, hand, sets, asked, targets, drawn, scoring, profile, first):
    """All ways to lay so many sets and a pair beside ``first`` (tiles laid already)."""
    number = list_choices(scratch, ALL_CHOWS, ALL_TILES, False)
    _fill(scratch, first)
    missing = 0
    for tile in range(_KINDS):
        missing += int(first >> tile & 1 and scratch[HELD, tile] == 0)
    depth = 0
    scratch[PLACE, 0] = 0
    scratch[COST, 0] = missing
    while depth >= 0:
        if depth == sets:
            for tile in range(_KINDS):
                if scratch[COST, depth] + more_needed(scratch, tile, 2) == drawn:
                    scratch[TARGET, tile] += 2
                    judge(scratch, hand, asked, targets, drawn, scoring, profile)
                    scratch[TARGET, tile] -= 2
        if is_passed(scratch, depth, sets, number, drawn):
            depth = take_back(scratch, depth)
            continue
        choice = scratch[CHOICE, scratch[PLACE, depth]]
        cost = scratch[COST, depth] + set_cost(scratch, choice)
        if cost > drawn:
            scratch[PLACE, depth] += 1
            continue
        depth = lay_next(scratch, depth, cost)


@inner_kernel
def pairs_targets(scratch, hand, asked, targets, drawn, scoring, profile):
    """All seven pairs within the draws."""
    _fill(scratch, 0)
    tile, pairs, cost = 0, 0, 0
    # PLACE holds the pairs that each kind has; the search counts like a clock.
    scratch[PLACE, 0] = 0
    scratch[COST, 0] = 0
    while tile >= 0:
        laid = scratch[PLACE, tile]
        cost = scratch[COST, tile] + max(0, 2 * laid - scratch[HELD, tile]) if laid <= 2 else 99
        if laid > 2 or cost > drawn or pairs + laid > 7:
            scratch[TARGET, tile] = 0
            tile -= 1
            if tile >= 0:
                pairs -= scratch[PLACE, tile]
                scratch[PLACE, tile] += 1
            continue
        scratch[TARGET, tile] = 2 * laid
        if pairs + laid == 7:
            if cost == drawn:
                for other in range(tile + 1, _KINDS):
                    scratch[TARGET, other] = 0
                judge(scratch, hand, asked, targets, drawn, scoring, profile)
            scratch[PLACE, tile] += 1
        elif tile == _KINDS - 1:
            scratch[PLACE, tile] += 1
        else:
            pairs += laid
            tile += 1
            scratch[PLACE, tile] = 0
            scratch[COST, tile] = cost


@inner_kernel
def single_targets(scratch, hand, asked, targets, drawn, scoring, profile):
    """Thirteen orphans, and honours and knitted tiles."""
    kinds = distance_at.ORPHAN_KINDS
    for tile in range(_KINDS):
        if kinds >> tile & 1:
            _fill(scratch, kinds)
            scratch[TARGET, tile] = 2
            judge(scratch, hand, asked, targets, drawn, scoring, profile)
    for arrangement in range(6):
        whole = distance_at.NINES[arrangement] | distance_at.HONORS
        for out in range(_KINDS):
            for other in range(out):
                if whole >> out & 1 and whole >> other & 1:
                    _fill(scratch, whole & ~(1 << out | 1 << other))
                    judge(scratch, hand, asked, targets, drawn, scoring, profile)


@inner_kernel
def find_targets(scratch, hand, melds, asked, targets, drawn, scoring, profile):
    """All complete hands with exactly so many drawn tiles; ``HELD`` and ``SPARE`` are filled."""
    asked[FOUND] = 0
    for tile in range(_KINDS):
        scratch[REST, tile] = scratch[HELD, tile]
    regular_targets(scratch, hand, 4 - melds, asked, targets, drawn, scoring, profile, 0)
    if melds <= 1:
        for arrangement in range(6):
            nine = distance_at.NINES[arrangement]
            regular_targets(scratch, hand, 1 - melds, asked, targets, drawn, scoring, profile, nine)
    if melds == 0:
        pairs_targets(scratch, hand, asked, targets, drawn, scoring, profile)
        single_targets(scratch, hand, asked, targets, drawn, scoring, profile)


@bare_kernel
def target_row(
    counts, gone, open_tiles, codes, row, melds, first, most, hand, asked, targets, scratch,
    scoring, profile,
):  # fmt: skip
    """Fewest draws, from ``first`` to ``most``, to a hand that reaches the minimum, or -1.

    ``gone`` are copies that cannot be drawn, ``open_tiles`` those that all see, uint8 (N, 34);
    ``hand`` uint8 (1, 38) is memory for the counts and meld codes of the hands that are scored.
    """
    for tile in range(_KINDS):
        scratch[HELD, tile] = np.int64(counts[row, tile])
        scratch[SPARE, tile] = 4 - np.int64(gone[row, tile])
        scratch[OPEN, tile] = np.int64(open_tiles[row, tile])
    for place in range(4):
        hand[0, _KINDS + place] = codes[row, place]
    for drawn in range(first, most + 1):
        find_targets(scratch, hand, melds, asked, targets, drawn, scoring, profile)
        if asked[FOUND]:
            return drawn
    return -1
