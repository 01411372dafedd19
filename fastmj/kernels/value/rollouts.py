"""Roll-outs: playing hands on against random draws, by one of two policies.

Each sample has its own stream of random numbers, made from the seed and its number alone, and all
hands are played on against the same draws, turn by turn. Two that come to the same hand are from
then on one: which of two tiles is thrown away first seldom matters, so that most are soon.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..distance import layout as distance_at
from ..distance.acceptance import acceptance_rows
from ..distance.mend import acceptance_beside, locked_shanten
from ..distance.rows import Rows
from ..jit import bare_kernel, inner_kernel, step
from ..samples.wins import below, mix
from ..scoring.batch import score_tiles
from ..scoring.other import COMPLETE
from . import layout as at
from .steering import FAR, discard_by_targets, tiles_to_watch

_SPREAD = np.uint64(0x94D049BB133111EB)
_KINDS = 34
#: State of a hand that is played on: masks of the tiles held and of those that it can still have
#: (four each), shanten, tiles that it waits for, whether one of them scores enough, tiles to look
#: up from, the hand that plays for it (its own number, or -1 when all is over).
HELD, POSSIBLE, AWAY, WAITS, ENOUGH, WATCHED, LEADER = 0, 4, 8, 9, 10, 11, 12
STATE_WIDTH = 13


class Outcomes(NamedTuple):
    """How samples ended, (C, S) of C hands or (S,) of one."""

    how: Any  # uint8
    turn: Any  # int16: round of the end, 0 when nobody won
    base: Any  # int16: points of the hand's win
    fans: Any  # int64 (..., 2): its fans
    melds: Any  # uint8: melds that it had
    ready: Any  # int16: first round before which it waited for enough points, 0 never
    waiting: Any  # int16: the same whatever the points


@step
def masks_at(state, start, first):
    """Four masks of a state."""
    return (
        state[start, first], state[start, first + 1],
        state[start, first + 2], state[start, first + 3],
    )  # fmt: skip


@step
def take_up(state, start, hands, tile):
    """Take a tile into a hand, and into its masks."""
    state[start, HELD + np.int64(hands[start, tile])] |= np.int64(1) << tile
    hands[start, tile] += 1


@step
def put_down(state, start, hands, tile):
    """Take a tile out of a hand, and out of its masks."""
    hands[start, tile] -= 1
    state[start, HELD + np.int64(hands[start, tile])] &= ~(np.int64(1) << tile)


@step
def note_seen(state, start, seen, tile):
    """Note that a copy of a tile lies elsewhere."""
    seen[start, tile] += 1
    state[start, POSSIBLE + 4 - np.int64(seen[start, tile])] &= ~(np.int64(1) << tile)


@inner_kernel
def points_of(rows, row, settings, win, flags, scoring, profile):
    """Points and fans of a hand that is won with a tile, -1 when it is not complete.

    ``flags`` are its circumstances; it is the last of its kind when the three others lie open.
    """
    codes = rows.codes
    last = np.int64(rows.seen[row, win] == 3 and rows.counts[row, win] == 1)
    outcome, points, low, high, _ = score_tiles(
        rows.counts, row, np.int64(codes[0, 0]), np.int64(codes[0, 1]), np.int64(codes[0, 2]),
        np.int64(codes[0, 3]), win, flags | last << 1, settings[at.SEAT], settings[at.PREVALENT], 0,
        scoring, profile,
    )  # fmt: skip
    return (points if outcome == COMPLETE else -1), low, high


@step
def is_enough(rows, row, tile, settings, scoring, profile):
    """Whether a hand that a tile completes, not all of which are gone, scores enough with it."""
    if rows.counts[row, tile] + rows.seen[row, tile] == 4:
        return False
    rows.counts[row, tile] += 1
    found = points_of(rows, row, settings, tile, np.int64(1), scoring, profile)[0]
    if found < settings[at.MINIMUM] and settings[at.CLAIMED]:
        found = points_of(rows, row, settings, tile, np.int64(0), scoring, profile)[0]
    rows.counts[row, tile] -= 1
    return found >= settings[at.MINIMUM]


@step
def accept(tables, rows, row, over, memory):
    """Acceptance of a hand as it stands, or after each discard when it has a tile ``over``."""
    shanten, mask, copies, forms, status = memory
    if rows.melds[0] == 0:
        acceptance_rows(
            tables, rows, True, distance_at.BEST, over == 1, shanten, mask, copies, forms, status,
            row, row + 1,
        )  # fmt: skip
    else:
        acceptance_beside(
            tables, rows, True, distance_at.BEST, over == 1, shanten, mask, copies, forms, status,
            row, row + 1,
        )  # fmt: skip
    return shanten, mask, copies


@bare_kernel
def wait(tables, state, start, rows, settings, scoring, profile, memory):
    """Note which tiles a hand waits for, and whether one of them scores enough."""
    _, mask, _ = accept(tables, rows, start, 0, memory)
    state[start, WAITS], state[start, ENOUGH] = mask[start, 0], 0
    for tile in range(_KINDS):
        if mask[start, 0] >> tile & 1 and not state[start, ENOUGH]:
            state[start, ENOUGH] = is_enough(rows, start, tile, settings, scoring, profile)


@step
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
    if settings[at.POLICY] == at.BY_FAN:
        held, possible = masks_at(state, start, HELD), masks_at(state, start, POSSIBLE)
        missing, watched = tiles_to_watch(targets, held, possible, costs)
        state[start, WATCHED] = watched
        if missing < FAR:
            return
    state[start, WATCHED] = 0
    if state[start, AWAY] > 0:
        _, mask, _ = accept(tables, rows, start, 0, memory)
        state[start, WATCHED] = mask[start, 0]


@inner_kernel
def begin_rows(tables, targets, starts, start_seen, rows, settings, state, costs, memory):
    """Fill the states of hands that are about to be played on."""
    for start in range(starts.shape[0]):
        for column in range(STATE_WIDTH):
            state[start, column] = 0
        for tile in range(_KINDS):
            rows.counts[start, tile] = rows.seen[start, tile] = 0
            for number in range(4):
                state[start, POSSIBLE + number] |= np.int64(1) << tile
            for _ in range(starts[start, tile]):
                take_up(state, start, rows.counts, tile)
            for _ in range(start_seen[start, tile]):
                note_seen(state, start, rows.seen, tile)
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


@step
def choose(tables, targets, state, start, rows, settings, costs, memory, accepted):
    """Discard from a hand of 14 tiles that has drawn one it looks up from; returns the tile."""
    out = np.int64(-1)
    if settings[at.POLICY] == at.BY_FAN:
        held, possible = masks_at(state, start, HELD), masks_at(state, start, POSSIBLE)
        out, _, state[start, WATCHED] = discard_by_targets(targets, held, possible, costs, accepted)
    steered = out >= 0
    if not steered:
        out = discard_by_shanten(tables, rows, start, memory)
    put_down(state, start, rows.counts, out)
    note_seen(state, start, rows.seen, out)
    if steered:
        state[start, AWAY] = locked_shanten(tables, rows, start)
        return out
    shanten, mask = memory[0][start, out], memory[1][start, out]
    state[start, AWAY], state[start, WATCHED] = shanten, mask if shanten > 0 else 0
    if settings[at.POLICY] == at.BY_FAN:
        look(tables, targets, state, start, rows, settings, costs, memory)
    return out


@step
def end(state, start, sample, round_, how, found, outcomes):
    """Note a win for a hand and all that it plays for."""
    for other in range(state.shape[0]):
        if state[other, LEADER] == start:
            outcomes.how[other, sample], outcomes.turn[other, sample] = how, round_
            outcomes.base[other, sample] = found[0]
            outcomes.fans[other, sample, 0], outcomes.fans[other, sample, 1] = found[1], found[2]
            state[other, LEADER] = -1


@step
def end_all(state, sample, round_, how, outcomes):
    """Note that another player has won: whoever still plays has lost."""
    for other in range(state.shape[0]):
        if state[other, LEADER] >= 0:
            outcomes.how[other, sample], outcomes.turn[other, sample] = how, round_
            state[other, LEADER] = -1


@step
def note_ready(state, start, outcomes, sample, round_):
    """Note for a hand and all that it plays for that it waits, and for enough points."""
    for other in range(state.shape[0]):
        if state[other, LEADER] == start and state[start, AWAY] == 0:
            if outcomes.waiting[other, sample] == 0:
                outcomes.waiting[other, sample] = round_
            if state[start, ENOUGH] and outcomes.ready[other, sample] == 0:
                outcomes.ready[other, sample] = round_


@step
def join(state, start):
    """Let a hand that has changed play for one that equals it."""
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


@step
def ends_with(
    scoring, profile, settings, rows, state, outcomes, sample, start, tile, flags, how, round_
):
    """Let a hand end if it wins with a tile; whether it did."""
    if not state[start, WAITS] >> tile & 1:
        return False
    rows.counts[start, tile] += 1
    found = points_of(rows, start, settings, tile, flags, scoring, profile)
    rows.counts[start, tile] -= 1
    if found[0] < settings[at.MINIMUM]:
        return False
    end(state, start, sample, round_, how, found, outcomes)
    return True


@step
def draw_and_discard(
    tables, scoring, profile, targets, settings, rows, state, outcomes, sample, drawn, round_,
    costs, memory, accepted,
):  # fmt: skip
    """Let all hands draw a tile, and win or discard."""
    hands, seen, changed = rows.counts, rows.seen, np.int64(0)
    flags = np.int64(at.REPLACED if round_ == 1 and settings[at.AFTER_KONG] else 1)
    for start in range(state.shape[0]):
        if state[start, LEADER] != start:
            continue
        if ends_with(
            scoring, profile, settings, rows, state, outcomes, sample, start, drawn, flags,
            at.BY_DRAW, round_,
        ):  # fmt: skip
            continue
        if state[start, WATCHED] >> drawn & 1:
            take_up(state, start, hands, drawn)
            out = choose(tables, targets, state, start, rows, settings, costs, memory, accepted)
            changed |= np.int64(out != drawn) << start
        else:
            note_seen(state, start, seen, drawn)
    for start in range(state.shape[0]):
        if changed >> start & 1:
            state[start, WAITS] = 0
            if state[start, AWAY] == 0:
                wait(tables, state, start, rows, settings, scoring, profile, memory)
                note_ready(state, start, outcomes, sample, round_ + 1)
            join(state, start)


@step
def offer(
    tables, scoring, profile, targets, settings, rows, state, outcomes, sample, tile, round_, costs,
    memory,
):  # fmt: skip
    """Let all hands win with a tile that another player discards, or see it."""
    for start in range(state.shape[0]):
        if state[start, LEADER] != start:
            continue
        if ends_with(
            scoring, profile, settings, rows, state, outcomes, sample, start, tile, np.int64(0),
            at.BY_CLAIM, round_,
        ):  # fmt: skip
            continue
        note_seen(state, start, rows.seen, tile)
        if settings[at.POLICY] == at.BY_FAN and state[start, WATCHED] >> tile & 1:
            look(tables, targets, state, start, rows, settings, costs, memory)


@bare_kernel
def play_rows(
    tables, scoring, profile, targets, starts, start_seen, codes, melds, pool, settings, fates,
    seed, outcomes, first_state, state, order, coins, hands, seen, costs, memory, locks, accepted,
    first, stop,
):  # fmt: skip
    """Play samples ``first`` to ``stop``, whose outcomes are rows 0 on, from every start.

    ``starts`` and ``start_seen`` are uint8 (C, 34): the tiles held and the copies seen elsewhere;
    ``fates`` int64 (R, 3) others' chances in each round. The other arrays are memory of this call.
    """
    rows = Rows(hands, melds, 0, seen, 1, codes, 0, locks, 0, 1)
    begin_rows(
        tables, targets, starts, start_seen, rows, settings, first_state, costs, memory
    )  # fmt: skip
    for start in range(starts.shape[0]):
        if first_state[start, AWAY] == 0:
            wait(tables, first_state, start, rows, settings, scoring, profile, memory)
    a_round = np.int64(settings[at.A_ROUND])
    first_seat = np.int64(settings[at.STARTS_WITH]) % a_round
    for number in range(first, stop):
        draw_wall(pool, settings, seed, number, order, coins)
        sample = number - first
        for start in range(starts.shape[0]):
            for column in range(STATE_WIDTH):
                state[start, column] = first_state[start, column]
            for tile in range(_KINDS):
                hands[start, tile] = starts[start, tile]
                seen[start, tile] = start_seen[start, tile]
            outcomes.how[start, sample] = at.NOBODY
            outcomes.turn[start, sample] = outcomes.base[start, sample] = 0
            outcomes.ready[start, sample] = outcomes.waiting[start, sample] = 0
            outcomes.melds[start, sample] = melds[0]
            note_ready(state, start, outcomes, sample, 1)
        who, round_ = first_seat, np.int64(1)
        for place in range(settings[at.WALL]):
            tile = np.int64(order[place])
            if who == 0:
                draw_and_discard(
                    tables, scoring, profile, targets, settings, rows, state, outcomes, sample,
                    tile, round_, costs, memory, accepted,
                )  # fmt: skip
                if coins[place, 2] < fates[round_ - 1, at.FATE_OWN]:
                    end_all(state, sample, round_, at.OTHER_BY_HAND, outcomes)
            else:
                if coins[place, 1] < fates[round_ - 1, at.FATE_DRAW]:
                    end_all(state, sample, round_, at.OTHER_BY_DRAW, outcomes)
                if coins[place, 0] < settings[at.CLAIMED]:
                    offer(
                        tables, scoring, profile, targets, settings, rows, state, outcomes, sample,
                        tile, round_, costs, memory,
                    )  # fmt: skip
                if coins[place, 1] < fates[round_ - 1, at.FATE_DISCARD]:
                    end_all(state, sample, round_, at.OTHER_BY_OTHER, outcomes)
            who = who + 1 if who + 1 < a_round else np.int64(0)
            if who == first_seat:
                round_ += 1


@bare_kernel
def draw_wall(pool, settings, seed, sample, order, coins):
    """Tiles of the wall of a sample, uint8, and three coins of each, int64 (WALL, 3)."""
    stream = shuffle(order, pool, settings[at.WALL], settings[at.POOL], seed, sample)
    if settings[at.A_ROUND] > 1:  # else nobody else plays
        for place in range(settings[at.WALL]):
            for coin in range(3):
                stream, coins[place, coin] = below(stream, at.CERTAIN)
