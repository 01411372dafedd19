"""Games: one hand played on among three others by the policy ``weigh``, with claims and kongs.

All players draw from one wall, each sample's own; time is counted in its tiles, so that a claim
moves the turn and not the wall. The others' hands are not played: whatever one draws is discarded,
or stays hidden, and each turn one of them may have won, by chances that rise with the round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..distance import layout as distance_at
from ..distance.mend import locked_shanten
from ..distance.rows import four_keys, four_words, shapes_of
from ..distance.shanten import all_shanten
from ..jit import bare_kernel, inner_kernel, step
from . import layout as at
from .decide import (
    AWAY,
    CLAIMED_MELD,
    GOES_ON,
    TURNS,
    WANTS_LIST,
    choose_claim,
    choose_own,
    claim,
    declare,
    is_idle,
    may_answer,
    see,
    take_hand,
)
from .rollouts import draw_wall, is_enough, points_of

_KINDS = 34


class Game(NamedTuple):
    """What stays the same in a game."""

    distance: Any
    scoring: Any
    profile: Any
    fates: Any  # int64 (R, 3)
    settings: Any


@inner_kernel
def is_won(tables, rows, row):
    """Whether a hand is complete: it has all its tiles, wherever the others are."""
    shapes = shapes_of(four_words(tables.parts, four_keys(rows.counts, row)))
    return all_shanten(tables, shapes, int(rows.melds[0]))[distance_at.BEST] < 0


@inner_kernel
def scores_enough(tables, rows, row, settings, scoring, profile):
    """Whether a hand that waits has a tile, not all gone, with which it wins."""
    for tile in range(_KINDS):
        held = rows.counts[row, tile]
        if held + rows.seen[row, tile] < 4:
            rows.counts[row, tile] = held + 1
            won = is_won(tables, rows, row)
            rows.counts[row, tile] = held
            if won and is_enough(rows, row, tile, settings, scoring, profile):
                return True
    return False


@inner_kernel
def wins_with(tables, rows, row, tile, flags, settings, scoring, profile):
    """Points and fans of a hand that has taken up a tile, -1 when it does not win enough."""
    if is_won(tables, rows, row):
        found = points_of(rows, row, settings, tile, flags, scoring, profile)
        if found[0] >= settings[at.MINIMUM]:
            return found
    return np.int64(-1), np.int64(0), np.int64(0)


@inner_kernel
def note_ready(game, player, answers, sample, round_):
    """Bring the shanten up to date, and note when the hand waits, and for enough points."""
    rows, state = player.rows, player.state
    state[AWAY] = locked_shanten(game.distance, rows, 0)
    if state[AWAY] == 0 and answers.ready[sample] == 0:
        if answers.waiting[sample] == 0:
            answers.waiting[sample] = round_
        if scores_enough(game.distance, rows, 0, game.settings, game.scoring, game.profile):
            answers.ready[sample] = round_


@step
def note_win(player, answers, sample, how, found):
    """Note a win of the hand."""
    answers.how[sample] = how
    answers.base[sample], answers.melds[sample] = found[0], player.rows.melds[0]
    answers.fans[sample, 0], answers.fans[sample, 1] = found[1], found[2]


@inner_kernel
def sit_down(game, guide, player, counts, seen, codes, answers, sample):
    """Begin a sample."""
    take_hand(guide, player, counts, seen, codes)
    answers.how[sample] = at.NOBODY
    answers.turn[sample] = answers.ready[sample] = answers.waiting[sample] = 0
    note_ready(game, player, answers, sample, np.int64(1))


@inner_kernel
def play_own(game, guide, player, answers, row, order, tile, flags, place, wall):
    """Take a drawn tile, and win, declare kongs or discard: how it ended, new end of the wall."""
    rows, settings = player.rows, game.settings
    round_ = place // settings[at.A_ROUND] + 1
    while True:
        player.left[tile] -= 1
        rows.counts[0, tile] += 1
        found = wins_with(
            game.distance, rows, 0, tile, flags, settings, game.scoring,
            game.profile,
        )  # fmt: skip
        if found[0] >= 0:
            note_win(player, answers, row, at.BY_DRAW, found)
            return np.int64(at.BY_DRAW), wall
        left = wall - place - 1
        draws, may_meld = left // settings[at.A_ROUND], left > 0 and settings[at.MELDING]
        out = choose_own(guide, player, tile, draws, may_meld)
        if out < 0:
            return np.int64(WANTS_LIST), wall
        if out < _KINDS:
            rows.counts[0, out] -= 1
            see(player, out, 1)
            if out != tile:
                note_ready(game, player, answers, row, round_ + 1)
            return np.int64(GOES_ON), wall
        declare(guide, player, out - _KINDS)
        note_ready(game, player, answers, row, round_ + 1)
        wall -= 1
        tile, flags = np.int64(order[wall]), np.int64(at.REPLACED)


@inner_kernel
def play_offer(game, guide, player, answers, row, order, tile, chow, place, wall):
    """Answer another's discard: win, claim it, or pass; how it ended, new end of the wall."""
    rows, settings = player.rows, game.settings
    round_ = place // settings[at.A_ROUND] + 1
    player.left[tile] -= 1
    rows.counts[0, tile] += 1
    found = wins_with(
        game.distance, rows, 0, tile, np.int64(0), settings, game.scoring,
        game.profile,
    )  # fmt: skip
    rows.counts[0, tile] -= 1
    if found[0] >= 0:
        note_win(player, answers, row, at.BY_CLAIM, found)
        return np.int64(at.BY_CLAIM), wall
    see(player, tile, 1)
    left = wall - place - 1
    if not settings[at.MELDING] or rows.melds[0] == 4 or left == 0:
        return np.int64(GOES_ON), wall
    code, out = choose_claim(guide, player, tile, chow, left // settings[at.A_ROUND])
    if code <= 0:
        return np.int64(GOES_ON if code == 0 else WANTS_LIST), wall
    claim(guide, player, tile, code)
    if code >= at.KONG:
        note_ready(game, player, answers, row, round_ + 1)
        wall -= 1
        flags, replacing = np.int64(at.REPLACED), np.int64(order[wall])
        ended, wall = play_own(
            game, guide, player, answers, row, order, replacing, flags, place, wall
        )
        return np.int64(CLAIMED_MELD) if ended == GOES_ON else ended, wall
    rows.counts[0, out] -= 1
    see(player, out, 1)
    note_ready(game, player, answers, row, round_ + 1)
    return np.int64(CLAIMED_MELD), wall


@step
def play_place(game, guide, player, answers, row, order, coins, who, place, wall):
    """Play one tile of the wall: how it ended or ``GOES_ON``, who discards, end of the wall.

    What most tiles come to is done here: a call passes everything there is, for 0.2 us.
    """
    settings, tile = game.settings, np.int64(order[place])
    fate = game.fates[place // settings[at.A_ROUND]]
    ended = np.int64(GOES_ON)
    if who == 0:
        if is_idle(guide, player, tile, settings[at.MELDING]):
            player.left[tile] -= 1
            player.state[TURNS] += 1
            see(player, tile, 1)
        else:
            flags = np.int64(at.REPLACED if place == 0 and settings[at.AFTER_KONG] else 1)
            ended, wall = play_own(
                game, guide, player, answers, row, order, tile, flags, place, wall
            )
    elif coins[place, 1] < fate[at.FATE_DRAW]:
        return np.int64(at.OTHER_BY_DRAW), who, wall
    elif coins[place, 0] < settings[at.CLAIMED]:
        if may_answer(player, tile, who == 3):
            ended, wall = play_offer(
                game, guide, player, answers, row, order, tile, who == 3, place, wall
            )
            if ended == CLAIMED_MELD:
                who, ended = np.int64(0), np.int64(GOES_ON)
        else:
            player.left[tile] -= 1
            see(player, tile, 1)
    if ended == GOES_ON:
        if who == 0 and coins[place, 2] < fate[at.FATE_OWN]:
            ended = np.int64(at.OTHER_BY_HAND)
        elif who and coins[place, 1] < fate[at.FATE_DISCARD]:
            ended = np.int64(at.OTHER_BY_OTHER)
    return ended, who, wall


@bare_kernel
def play_games(
    game, guide, player, counts, seen, codes, pool, seed, order, coins, answers, first, stop
):
    """Play samples ``first`` to ``stop``, whose answers are rows 0 on.

    Returns ``stop``, or the sample for which a list is wanting: its melds are in the player's
    state. ``order`` uint8 and ``coins`` int64 (WALL, 3) are memory.
    """
    a_round = np.int64(game.settings[at.A_ROUND])
    for sample in range(first, stop):
        row = sample - first
        draw_wall(pool, game.settings, seed, sample, order, coins)
        sit_down(game, guide, player, counts, seen, codes, answers, row)
        place, wall = np.int64(0), np.int64(game.settings[at.WALL])
        who, ended = np.int64(game.settings[at.STARTS_WITH]) % a_round, np.int64(GOES_ON)
        while place < wall and ended == GOES_ON:
            ended, who, wall = play_place(
                game, guide, player, answers, row, order, coins, who, place, wall
            )  # fmt: skip
            who = (who + 1) % a_round
            place += 1
        if ended == WANTS_LIST:
            return np.int64(sample)
        if ended >= 0:
            answers.how[row], answers.turn[row] = ended, (place - 1) // a_round + 1
    return np.int64(stop)
