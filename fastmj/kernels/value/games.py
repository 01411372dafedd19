"""Games: one hand played on among three others by the policy ``weigh``, with claims and kongs.

All players draw from one wall, each sample's own; time is counted in its tiles, so that a claim
moves the turn and not the wall. The others' hands are not played: whatever one draws is discarded,
or stays hidden, and each turn one of them may have won, by chances that rise with the round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..distance.mend import locked_shanten
from ..distance.rows import Rows
from ..jit import bare_kernel, step
from . import layout as at
from .rollouts import discard_by_shanten, draw_wall, scores_enough, wins_with
from .weigh import WANTED, shrink, weigh_discards, weigh_hand

_KINDS = 34
#: Meld codes less the tile.
_CHOW, _PUNG, _KONG, _CONCEALED = 1, 35, 69, 103
#: Columns of a player's state: the list that is gone by, whether it is the player's own shortened
#: one, shanten, pungs as a mask, whether the hand weighed anything, own turns taken, and the melds
#: of the list that is wanting.
LIST, SHORT, AWAY, PUNGS, STEERED, TURNS, MISSING, STATE = range(8)
#: What a step answers beside how the game ended: it goes on; a list is wanting; the discard was
#: claimed, and a tile discarded.
GOES_ON, WANTS_LIST, CLAIMED_MELD = -1, -2, -3
#: Own turns after which far goals are dropped.
_SHRINKS = np.int64(0b1001001001010101)
#: Part of the best weight below which a goal is far; part of the last weight below which a claim is
#: not held against passing.
_FAR, _STALE = np.float32(1e-4), np.float32(0.5)


class Rules(NamedTuple):
    """Everything that stays the same in a game."""

    distance: Any
    scoring: Any
    profile: Any
    lists: Any  # Lists
    keys: Any  # int64 (K,): melds of the lists, -1 none; K is a power of two
    numbers: Any  # int64 (K,): which list
    factors: Any  # float32 (T, 5, 5, 5): by draws left, copies held, left and wanted
    chances: Any  # float32 (T, 5): to draw one of so many copies
    claimed: Any  # float32: chance that a tile that another draws is discarded
    fates: Any  # int64 (R, 3)
    settings: Any


class Player(NamedTuple):
    """A hand that is played on, and memory."""

    rows: Rows  # of one hand
    left: Any  # int64 (34,): copies not seen
    rest: Any  # uint8 (34,): the hand after a claim
    best_rest: Any
    codes: Any  # int64 (5,)
    state: Any  # int64 (STATE,)
    last: Any  # float32 (1,): weight after the last own discard
    own: Any  # Lists of one
    scales: Any
    memory: Any  # of discard_by_shanten


@step
def key_of(player, added, replaced):
    """Melds of a hand with one more, sorted, as one number; one may be replaced by it."""
    codes, number = player.codes, 0
    for place in range(4):
        code = np.int64(player.rows.codes[0, place])
        if code and code != replaced:
            codes[number] = code
            number += 1
    if added:
        codes[number] = added
        number += 1
    key = np.int64(0)
    for _ in range(number):
        least = 0
        for place in range(1, number):
            if codes[place] < codes[least]:
                least = place
        key = key << 8 | codes[least]
        codes[least] = 1 << 10
    return key


@bare_kernel
def slot_of(keys, key):
    """Slot of a key in a table whose length is a power of two, or the free one to put it in."""
    slot = (key * np.int64(0x5E3779B1) >> 13) & (keys.shape[0] - 1)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (keys.shape[0] - 1)
    return slot


@step
def find_list(game, key):
    """Number of the list of some melds, -1 when it must be made."""
    slot = slot_of(game.keys, key)
    return game.numbers[slot] if game.keys[slot] == key else np.int64(-1)


@step
def melds_of(player):
    """How many melds the hand has."""
    return np.int64(player.rows.melds[0])


@bare_kernel
def weigh_present(game, player, draws):
    """Weight of the hand as it stands."""
    state, rows = player.state, player.rows
    lists = player.own if state[SHORT] else game.lists
    return weigh_hand(
        lists, state[LIST], game.factors, game.chances, draws, melds_of(player), game.claimed,
        rows.counts[0], player.left, player.scales,
    )  # fmt: skip


@step
def may_kong(player, tile):
    """Code of the kong that the hand may declare of a tile, or 0."""
    held = player.rows.counts[0, tile]
    if held == 4:
        return _CONCEALED + tile
    if held and player.state[PUNGS] >> tile & 1:
        return _KONG + tile
    return 0


@bare_kernel
def weigh_kong(game, player, code, draws):
    """Weight of the hand after a kong, before the tile that replaces it; -1 when a list is wanting.

    The tiles of the kong, ``code``, are taken out of the hand or of what another discarded.
    """
    tile = (code - _KONG) % _KINDS
    held = np.int64(player.rows.counts[0, tile])
    added = player.state[PUNGS] >> tile & 1
    key = key_of(player, code, _PUNG + tile if added else 0)
    number = find_list(game, key)
    if number < 0:
        player.state[MISSING] = key
        return np.float32(-1)
    for other in range(_KINDS):
        player.rest[other] = player.rows.counts[0, other]
    player.rest[tile] = 0
    melds = melds_of(player) + np.int64(added == 0 or held == 4)
    return weigh_hand(
        game.lists, number, game.factors, game.chances, draws, melds, game.claimed, player.rest,
        player.left, player.scales,
    )  # fmt: skip


@step
def is_idle(game, player, tile, may_meld):
    """Whether a drawn tile, not taken up yet, cannot win and is of no use to any goal."""
    state = player.state
    if state[AWAY] == 0 or not state[STEERED] or player.rows.melds[0] == 3:
        return False
    lists = player.own if state[SHORT] else game.lists
    held = player.rows.counts[0, tile]
    if held == 4 or lists.heads[state[LIST], WANTED + held] >> tile & 1:
        return False
    return not (may_meld and (held == 3 or state[PUNGS] >> tile & 1))


@step
def may_answer(player, tile, chow):
    """Whether a tile that another player discards may be won with or claimed."""
    counts, rank = player.rows.counts, tile % 9
    if player.state[AWAY] == 0 or counts[0, tile] >= 2:
        return True
    if not chow or tile >= 27:
        return False
    below, above = rank > 0 and counts[0, tile - 1] > 0, rank < 8 and counts[0, tile + 1] > 0
    return (
        (below and above)
        or (below and rank > 1 and counts[0, tile - 2] > 0)
        or (above and rank < 7 and counts[0, tile + 2] > 0)
    )


@bare_kernel
def choose_own(game, player, drawn, draws, may_meld):
    """What to do with a hand that has drawn: a tile to discard, or ``_KINDS`` and a kong's code.

    -1 says that a list is wanting.
    """
    state, rows = player.state, player.rows
    lists = player.own if state[SHORT] else game.lists
    melds = melds_of(player)
    turn = state[TURNS]
    state[TURNS] += 1
    out, weight = weigh_discards(
        lists, state[LIST], game.factors, game.chances, draws, melds, game.claimed,
        rows.counts[0], player.left, player.scales,
    )  # fmt: skip
    state[STEERED] = out >= 0
    if out < 0:
        out = np.int64(discard_by_shanten(game.distance, rows, 0, player.memory))
    elif turn < 64 and _SHRINKS >> turn & 1:
        shrink(lists, state[LIST], _FAR * weight, player.scales, player.own)
        state[SHORT], state[LIST] = 1, 0
    player.last[0] = weight
    if may_meld:
        best = weight
        for tile in range(_KINDS):
            code = may_kong(player, tile)
            if code:
                found = weigh_kong(game, player, code, draws)
                if found < 0:
                    return np.int64(-1)
                if found > best:
                    best, out = found, np.int64(_KINDS + code)
    return out


@bare_kernel
def choose_claim(game, player, tile, chow, draws):
    """Code of the meld to claim a discard for, 0 to pass or -1 when a list is wanting.

    Also the tile to discard then; the hand without what the meld takes is in ``best_rest``.
    """
    rows, melds, rest = player.rows, melds_of(player), player.rest
    best, best_code, best_out = np.float32(0), np.int64(0), np.int64(-1)
    for way in range(5):
        code, low = np.int64(0), tile - way
        if way == 3:
            code = _PUNG + tile if rows.counts[0, tile] >= 2 else 0
        elif way == 4:
            code = _KONG + tile if rows.counts[0, tile] == 3 else 0
        elif chow and tile < 27 and tile % 9 >= way and low % 9 <= 6:
            code = _CHOW + low
            for other in range(low, low + 3):
                if other != tile and rows.counts[0, other] == 0:
                    code = 0
        if code == 0:
            continue
        out = np.int64(-1)
        if way == 4:
            weight = weigh_kong(game, player, code, draws)
            if weight < 0:
                return np.int64(-1), out
        else:
            key = key_of(player, code, 0)
            number = find_list(game, key)
            if number < 0:
                player.state[MISSING] = key
                return np.int64(-1), out
            for other in range(_KINDS):
                rest[other] = rows.counts[0, other]
            if way == 3:
                rest[tile] -= 2
            else:
                for other in range(low, low + 3):
                    rest[other] -= np.uint8(other != tile)
            out, weight = weigh_discards(
                game.lists, number, game.factors, game.chances, draws, melds + 1, game.claimed,
                rest, player.left, player.scales,
            )  # fmt: skip
        if weight > best:
            best, best_code, best_out = weight, code, out
            for other in range(_KINDS):
                player.best_rest[other] = rest[other]
    if best > _STALE * player.last[0] and best > weigh_present(game, player, draws):
        player.last[0] = best
        return best_code, best_out
    return np.int64(0), np.int64(-1)


@bare_kernel
def expose(game, player, code, replaced):
    """Add a meld to the hand; its tiles have been taken out."""
    rows, state = player.rows, player.state
    place = melds_of(player)
    for other in range(4):
        if replaced and rows.codes[0, other] == replaced:
            place = other
    rows.codes[0, place] = code
    if not replaced:
        rows.melds[0] += 1
    if _PUNG <= code < _KONG:
        state[PUNGS] |= np.int64(1) << (code - _PUNG)
    state[LIST] = find_list(game, key_of(player, 0, 0))
    state[SHORT], state[STEERED] = 0, 1


@step
def see(player, tile, number):
    """Note that so many copies of a tile lie open from now on."""
    player.rows.seen[0, tile] += number


@bare_kernel
def claim(game, player, tile, code):
    """Claim a discard for a meld."""
    low = code - _CHOW
    if code < _PUNG:
        for other in range(low, low + 3):
            see(player, other, int(other != tile))
    else:
        see(player, tile, 2 if code < _KONG else 3)
    for other in range(_KINDS):
        player.rows.counts[0, other] = player.best_rest[other]
    expose(game, player, code, 0)


@bare_kernel
def declare(game, player, code):
    """Declare a kong of tiles in the hand: a concealed one, or one added to a pung."""
    tile = (code - _KONG) % _KINDS
    rows = player.rows
    see(player, tile, rows.counts[0, tile])
    rows.counts[0, tile] = 0
    added = code < _CONCEALED
    player.state[PUNGS] &= ~(np.int64(1) << tile)
    expose(game, player, code, _PUNG + tile if added else 0)


@bare_kernel
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


@bare_kernel
def sit_down(game, player, counts, seen, codes, answers, sample):
    """Begin a sample."""
    rows, state = player.rows, player.state
    rows.melds[0] = 0
    for column in range(STATE):
        state[column] = 0
    for tile in range(_KINDS):
        rows.counts[0, tile], rows.seen[0, tile] = counts[tile], seen[tile]
        player.left[tile] = 4 - np.int64(counts[tile]) - np.int64(seen[tile])
    for place in range(4):
        code = np.int64(codes[place])
        rows.codes[0, place] = code
        rows.melds[0] += code > 0
        if _PUNG <= code < _KONG:
            state[PUNGS] |= np.int64(1) << (code - _PUNG)
    state[LIST] = find_list(game, key_of(player, 0, 0))
    player.last[0] = np.float32(0)
    answers.how[sample] = at.NOBODY
    answers.turn[sample] = answers.ready[sample] = answers.waiting[sample] = 0
    note_ready(game, player, answers, sample, np.int64(1))


@bare_kernel
def play_own(game, player, answers, row, order, tile, flags, place, wall):
    """Take a drawn tile, and win, declare kongs or discard: how it ended, new end of the wall."""
    rows, settings = player.rows, game.settings
    round_ = place // settings[at.A_ROUND] + 1
    while True:
        player.left[tile] -= 1
        rows.counts[0, tile] += 1
        found = wins_with(
            game.distance, rows, 0, player.state[AWAY], tile, flags, settings, game.scoring,
            game.profile,
        )  # fmt: skip
        if found[0] >= 0:
            note_win(player, answers, row, at.BY_DRAW, found)
            return np.int64(at.BY_DRAW), wall
        left = wall - place - 1
        draws, may_meld = left // settings[at.A_ROUND], left > 0 and settings[at.MELDING]
        out = choose_own(game, player, tile, draws, may_meld)
        if out < 0:
            return np.int64(WANTS_LIST), wall
        if out < _KINDS:
            rows.counts[0, out] -= 1
            see(player, out, 1)
            if out != tile:
                note_ready(game, player, answers, row, round_ + 1)
            return np.int64(GOES_ON), wall
        declare(game, player, out - _KINDS)
        note_ready(game, player, answers, row, round_ + 1)
        wall -= 1
        tile, flags = np.int64(order[wall]), np.int64(at.REPLACED)


@bare_kernel
def play_offer(game, player, answers, row, order, tile, chow, place, wall):
    """Answer another's discard: win, claim it, or pass; how it ended, new end of the wall."""
    rows, settings = player.rows, game.settings
    round_ = place // settings[at.A_ROUND] + 1
    player.left[tile] -= 1
    rows.counts[0, tile] += 1
    found = wins_with(
        game.distance, rows, 0, player.state[AWAY], tile, np.int64(0), settings, game.scoring,
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
    code, out = choose_claim(game, player, tile, chow, left // settings[at.A_ROUND])
    if code <= 0:
        return np.int64(GOES_ON if code == 0 else WANTS_LIST), wall
    claim(game, player, tile, code)
    if code >= _KONG:
        note_ready(game, player, answers, row, round_ + 1)
        wall -= 1
        flags, replacing = np.int64(at.REPLACED), np.int64(order[wall])
        ended, wall = play_own(game, player, answers, row, order, replacing, flags, place, wall)
        return np.int64(CLAIMED_MELD) if ended == GOES_ON else ended, wall
    if out < 0:
        out = np.int64(discard_by_shanten(game.distance, rows, 0, player.memory))
    rows.counts[0, out] -= 1
    see(player, out, 1)
    note_ready(game, player, answers, row, round_ + 1)
    return np.int64(CLAIMED_MELD), wall


@step
def play_place(game, player, answers, row, order, coins, who, place, wall):
    """Play one tile of the wall: how it ended or ``GOES_ON``, who discards, end of the wall.

    What most tiles come to is done here: a call passes everything there is, for 0.2 us.
    """
    settings, tile = game.settings, np.int64(order[place])
    fate = game.fates[place // settings[at.A_ROUND]]
    ended = np.int64(GOES_ON)
    if who == 0:
        if is_idle(game, player, tile, settings[at.MELDING]):
            player.left[tile] -= 1
            player.state[TURNS] += 1
            see(player, tile, 1)
        else:
            flags = np.int64(at.REPLACED if place == 0 and settings[at.AFTER_KONG] else 1)
            ended, wall = play_own(game, player, answers, row, order, tile, flags, place, wall)
    elif coins[place, 1] < fate[at.FATE_DRAW]:
        return np.int64(at.OTHER_BY_DRAW), who, wall
    elif coins[place, 0] < settings[at.CLAIMED]:
        if may_answer(player, tile, who == 3):
            ended, wall = play_offer(game, player, answers, row, order, tile, who == 3, place, wall)
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


@step
def play_game(game, player, order, coins, answers, row):
    """Play one sample: how it ended, ``GOES_ON`` when the wall is empty, or ``WANTS_LIST``."""
    place, wall = np.int64(0), np.int64(game.settings[at.WALL])
    a_round = np.int64(game.settings[at.A_ROUND])
    who, ended = np.int64(game.settings[at.STARTS_WITH]) % a_round, np.int64(GOES_ON)
    while place < wall and ended == GOES_ON:
        ended, who, wall = play_place(game, player, answers, row, order, coins, who, place, wall)
        if ended >= 0:
            answers.how[row] = ended
            answers.turn[row] = place // a_round + 1
        who = (who + 1) % a_round
        place += 1
    return ended


@bare_kernel
def play_games(game, player, counts, seen, codes, pool, seed, order, coins, answers, first, stop):
    """Play samples ``first`` to ``stop``, whose answers are rows 0 on.

    Returns ``stop``, or the sample for which a list is wanting: its melds are in the player's
    state. ``order`` uint8 and ``coins`` int64 (WALL, 3) are memory.
    """
    settings = game.settings
    for sample in range(first, stop):
        draw_wall(pool, settings, seed, sample, order, coins)
        sit_down(game, player, counts, seen, codes, answers, sample - first)
        if play_game(game, player, order, coins, answers, sample - first) == WANTS_LIST:
            return np.int64(sample)
    return np.int64(stop)
