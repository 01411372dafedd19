"""Roll-outs: playing hands on against random draws, by one of two policies.

Each sample has its own stream of random numbers, made from the seed and its number alone, and all
hands are played on against the same draws, turn by turn. Two that come to the same hand are from
then on one: which of two tiles is thrown away first seldom matters, so that most are soon.
"""

from __future__ import annotations

import numpy as np

from ..distance import layout as distance_at
from ..distance.acceptance import acceptance_rows
from ..distance.mend import locked_shanten, mend_acceptance
from ..distance.rows import Rows, four_keys, four_words, shapes_of
from ..distance.shanten import all_shanten
from ..jit import bare_kernel, step
from ..samples.wins import below, mix
from ..scoring.batch import score_tiles
from ..scoring.other import COMPLETE
from .steering import FAR, discard_by_targets, tiles_to_watch

BY_SHANTEN, BY_FAN = 0, 1
_SPREAD = np.uint64(0x94D049BB133111EB)
_KINDS = 34
#: Settings, as one array.
DRAWS, CLAIMED, POLICY, MINIMUM, SEAT, PREVALENT, POOL = range(7)
#: State of a hand that is played on: masks of the tiles held and of those that it can still have
#: (four each), shanten, tiles to look up from, the hand that plays for it (its own number, or -1
#: when all is over).
HELD, POSSIBLE, AWAY, WATCHED, LEADER = 0, 4, 8, 9, 10
STATE_WIDTH = 11


@bare_kernel
def is_won(tables, rows, row):
    """Whether a hand is complete: it has all its tiles, wherever the others are."""
    shapes = shapes_of(four_words(tables.parts, four_keys(rows.counts, row)))
    return all_shanten(tables, shapes, int(rows.melds[0]))[distance_at.BEST] < 0


@step
def masks_at(state, start, first):
    """Four masks of a state."""
    return (
        state[start, first], state[start, first + 1],
        state[start, first + 2], state[start, first + 3],
    )  # fmt: skip


@step
def note_tile(state, start, hands, seen, tile):
    """Bring the masks of one tile up to date."""
    held, possible = np.int64(hands[start, tile]), 4 - np.int64(seen[start, tile])
    bit = np.int64(1) << tile
    for number in range(4):
        old = state[start, HELD + number] & ~bit
        state[start, HELD + number] = old | np.int64(held > number) << tile
        old = state[start, POSSIBLE + number] & ~bit
        state[start, POSSIBLE + number] = old | np.int64(possible > number) << tile


@bare_kernel
def points_of(rows, row, settings, win, self_drawn, scoring, profile):
    """Points and fans of a hand that is won with a tile, -1 when it is not complete.

    The tile is the last of its kind when the three others lie open.
    """
    codes = rows.codes
    last = np.int64(rows.seen[row, win] == 3 and rows.counts[row, win] == 1)
    outcome, points, low, high, _ = score_tiles(
        rows.counts, row, np.int64(codes[0, 0]), np.int64(codes[0, 1]), np.int64(codes[0, 2]),
        np.int64(codes[0, 3]), win, self_drawn | last << 1, settings[SEAT], settings[PREVALENT], 0,
        scoring, profile,
    )  # fmt: skip
    return (points if outcome == COMPLETE else -1), low, high


@bare_kernel
def accept(tables, rows, row, over, memory):
    """Acceptance of a hand as it stands, or after each discard when it has a tile ``over``."""
    shanten, mask, copies, forms, status = memory
    acceptance_rows(
        tables, rows, True, distance_at.BEST, over == 1, shanten, mask, copies, forms, status,
        row, row + 1,
    )  # fmt: skip
    if rows.melds[0]:
        mend_acceptance(
            tables, rows, True, distance_at.BEST, over == 1, shanten, mask, copies, forms, status,
            row, row + 1,
        )  # fmt: skip
    return shanten, mask, copies


@bare_kernel
def discard_by_shanten(tables, rows, row, memory):
    """Tile to discard: the lowest shanten, then the most copies accepted, then the lowest tile."""
    shanten, _, copies = accept(tables, rows, row, 1, memory)
    best = -1
    for tile in range(_KINDS):
        if rows.counts[row, tile] and (
            best < 0
            or shanten[row, tile] < shanten[row, best]
            or (shanten[row, tile] == shanten[row, best] and copies[row, tile] > copies[row, best])
        ):
            best = tile
    return best


@bare_kernel
def look(tables, targets, state, start, rows, settings, costs, memory):
    """Which tiles a hand looks up from, as it stands: shanten and masks are those of 13 tiles."""
    if settings[POLICY] == BY_FAN:
        held, possible = masks_at(state, start, HELD), masks_at(state, start, POSSIBLE)
        missing, watched = tiles_to_watch(targets, held, possible, costs)
        state[start, WATCHED] = watched
        if missing < FAR:
            return
    state[start, WATCHED] = 0
    if state[start, AWAY] > 0:
        _, mask, _ = accept(tables, rows, start, 0, memory)
        state[start, WATCHED] = mask[start, 0]


@bare_kernel
def begin_rows(tables, targets, starts, start_seen, rows, settings, state, costs, memory):
    """Fill the states of hands that are about to be played on."""
    for start in range(starts.shape[0]):
        for column in range(STATE_WIDTH):
            state[start, column] = 0
        for tile in range(_KINDS):
            rows.counts[start, tile] = starts[start, tile]
            rows.seen[start, tile] = start_seen[start, tile]
            note_tile(state, start, rows.counts, rows.seen, tile)
        state[start, AWAY] = locked_shanten(tables, rows, start)
        state[start, LEADER] = start
        look(tables, targets, state, start, rows, settings, costs, memory)


@bare_kernel
def shuffle(order, pool, number, size, seed, sample):
    """Draw so many tiles of the pool without replacement, one sample's own way.

    Returns the state of its stream.
    """
    _, stream = mix(np.uint64(seed) ^ np.uint64(sample) * _SPREAD)
    for place in range(size):
        order[place] = pool[place]
    for place in range(number):
        stream, drawn = below(stream, size - place)
        other = place + drawn
        tile = order[other]
        order[other] = order[place]
        order[place] = tile
    return stream


@bare_kernel
def choose(tables, targets, state, start, rows, settings, costs, memory, accepted):
    """Discard from a hand of 14 tiles that has drawn one it looks up from; returns the tile."""
    out = np.int64(-1)
    if settings[POLICY] == BY_FAN:
        held, possible = masks_at(state, start, HELD), masks_at(state, start, POSSIBLE)
        out, _, state[start, WATCHED] = discard_by_targets(targets, held, possible, costs, accepted)
    steered = out >= 0
    if not steered:
        out = discard_by_shanten(tables, rows, start, memory)
    rows.counts[start, out] -= 1
    rows.seen[start, out] += 1
    note_tile(state, start, rows.counts, rows.seen, out)
    state[start, AWAY] = locked_shanten(tables, rows, start)
    if not steered:
        look(tables, targets, state, start, rows, settings, costs, memory)
    return out


@step
def end(state, start, sample, now, self_drawn, points, low, high, turn, by_self, base, fans):
    """Note a win for a hand and all that it plays for."""
    for other in range(state.shape[0]):
        if state[other, LEADER] == start:
            turn[other, sample], by_self[other, sample] = now + 1, self_drawn
            base[other, sample] = points
            fans[other, sample, 0], fans[other, sample, 1] = low, high
            state[other, LEADER] = -1


@step
def join(state, start, ready, sample, now):
    """Note that a hand has changed: whether it is ready, and whether another one equals it."""
    if state[start, AWAY] == 0:
        for other in range(state.shape[0]):
            if state[other, LEADER] == start and ready[other, sample] == 0:
                ready[other, sample] = now + 2
    for other in range(state.shape[0]):
        if other != start and state[other, LEADER] == other and (
            state[other, HELD] == state[start, HELD]
            and state[other, HELD + 1] == state[start, HELD + 1]
            and state[other, HELD + 2] == state[start, HELD + 2]
            and state[other, HELD + 3] == state[start, HELD + 3]
        ):  # fmt: skip
            for follower in range(state.shape[0]):
                if state[follower, LEADER] == start:
                    state[follower, LEADER] = other
            return


@bare_kernel
def play_rows(
    tables, scoring, profile, targets, starts, start_seen, codes, melds, pool, settings, seed,
    turn, ready, by_self, base, fans, first_state, state, order, hands, seen, costs, memory, locks,
    accepted, first, stop,
):  # fmt: skip
    """Play samples ``first`` to ``stop`` from every start.

    ``starts`` and ``start_seen`` are uint8 (C, 34): the tiles held and the copies seen elsewhere.
    The answers have the shape (C, S): the turn of a win and of being ready (0 never), whether the
    win was drawn, its points, and (C, S, 2) its fans. The other arrays are memory of this call.
    """
    draws, claimed = settings[DRAWS], settings[CLAIMED]
    a_turn = 4 if claimed else 1
    rows = Rows(hands, melds, 0, seen, 1, codes, 0, locks, 0, 1)
    begin_rows(
        tables, targets, starts, start_seen, rows, settings, first_state, costs, memory
    )  # fmt: skip
    for sample in range(first, stop):
        stream = shuffle(order, pool, draws * a_turn, settings[POOL], seed, sample)
        for start in range(starts.shape[0]):
            for column in range(STATE_WIDTH):
                state[start, column] = first_state[start, column]
            for tile in range(_KINDS):
                hands[start, tile] = starts[start, tile]
                seen[start, tile] = start_seen[start, tile]
            turn[start, sample] = base[start, sample] = 0
            ready[start, sample] = 1 if state[start, AWAY] <= 0 else 0
        for now in range(draws):
            drawn = np.int64(order[now * a_turn])
            changed = np.int64(0)
            for start in range(starts.shape[0]):
                if state[start, LEADER] != start:
                    continue
                hands[start, drawn] += 1
                if state[start, AWAY] == 0 and is_won(tables, rows, start):
                    points, low, high = points_of(
                        rows, start, settings, drawn, np.int64(1), scoring, profile
                    )
                    if points >= settings[MINIMUM]:
                        end(state, start, sample, now, 1, points, low, high, turn, by_self, base,
                            fans)  # fmt: skip
                        continue
                if state[start, WATCHED] >> drawn & 1:
                    note_tile(state, start, hands, seen, drawn)
                    out = choose(
                        tables, targets, state, start, rows, settings, costs, memory, accepted
                    )
                    changed |= np.int64(out != drawn) << start
                else:
                    hands[start, drawn] -= 1
                    seen[start, drawn] += 1
                    note_tile(state, start, hands, seen, drawn)
            for start in range(starts.shape[0]):
                if changed >> start & 1:
                    join(state, start, ready, sample, now)
            if claimed:
                for other in range(1, 4):
                    tile = np.int64(order[now * a_turn + other])
                    stream, chance = below(stream, 1 << 30)
                    if chance >= claimed:
                        continue
                    for start in range(starts.shape[0]):
                        if state[start, LEADER] != start:
                            continue
                        if state[start, AWAY] == 0:
                            hands[start, tile] += 1
                            if is_won(tables, rows, start):
                                points, low, high = points_of(
                                    rows, start, settings, tile, np.int64(0), scoring, profile
                                )
                                if points >= settings[MINIMUM]:
                                    end(state, start, sample, now, 0, points, low, high, turn,
                                        by_self, base, fans)  # fmt: skip
                                    continue
                            hands[start, tile] -= 1
                        seen[start, tile] += 1
                        note_tile(state, start, hands, seen, tile)
                        if settings[POLICY] == BY_FAN and state[start, WATCHED] >> tile & 1:
                            look(tables, targets, state, start, rows, settings, costs, memory)


@bare_kernel
def draw_rows(pool, settings, seed, order, offered, memory, first, stop):
    """Tiles that samples draw, uint8 (S, draws, 1 or 4), and which others' are discarded, bool."""
    draws, claimed = settings[DRAWS], settings[CLAIMED]
    a_turn = 4 if claimed else 1
    for sample in range(first, stop):
        stream = shuffle(memory, pool, draws * a_turn, settings[POOL], seed, sample)
        for now in range(draws):
            for other in range(a_turn):
                order[sample - first, now, other] = memory[now * a_turn + other]
                if other:
                    stream, chance = below(stream, 1 << 30)
                    offered[sample - first, now, other - 1] = chance < claimed
