"""What the policy ``weigh`` does with a hand: discards, kongs, and claims of others' discards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..distance.rows import Rows
from ..jit import bare_kernel, inner_kernel, step
from . import layout as at
from .weigh import WANTED, shrink, weigh_discards, weigh_hand

_KINDS = 34
#: Columns of a player's state: the list that is gone by, whether it is the player's own shortened
#: one, shanten, pungs as a mask, whether the hand weighed anything, own turns taken, and the melds
#: of the list that is wanting.
LIST, SHORT, AWAY, PUNGS, STEERED, TURNS, MISSING, STATE = range(8)
#: What a step answers beside how the game ended: it goes on; a list is wanting; the discard was
#: claimed, and a tile discarded.
GOES_ON, WANTS_LIST, CLAIMED_MELD = -1, -2, -3
#: Own turns after which far goals are dropped.
_SHRINKS = np.int64(0b1001001001010101)
#: Part of the best weight below which a goal is far.
_FAR = np.float32(1e-4)


class Guide(NamedTuple):
    """What the policy goes by."""

    lists: Any  # Lists
    keys: Any  # int64 (K,): melds of the lists, -1 none; K is a power of two
    numbers: Any  # int64 (K,): which list
    factors: Any  # float32 (T, 5, 5, 5): by draws left, copies held, left and wanted
    chances: Any  # float32 (T, 5): to draw one of so many copies
    claimed: Any  # float32: chance that a tile that another draws is discarded


class Player(NamedTuple):
    """A hand that is played on, and memory."""

    rows: Rows  # of one hand
    left: Any  # int64 (34,): copies not seen
    rest: Any  # uint8 (34,): the hand after a claim
    best_rest: Any
    codes: Any  # int64 (5,)
    state: Any  # int64 (STATE,)
    own: Any  # Lists of one
    scales: Any


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
def find_list(guide, key):
    """Number of the list of some melds, -1 when it must be made."""
    slot = slot_of(guide.keys, key)
    return guide.numbers[slot] if guide.keys[slot] == key else np.int64(-1)


@step
def melds_of(player):
    """How many melds the hand has."""
    return np.int64(player.rows.melds[0])


@bare_kernel
def take_hand(guide, player, counts, seen, codes):
    """Give a player a hand, ``seen`` outside its concealed tiles; ``LIST`` is -1 when wanting."""
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
        if at.PUNG <= code < at.KONG:
            state[PUNGS] |= np.int64(1) << (code - at.PUNG)
    state[LIST] = find_list(guide, key_of(player, 0, 0))


@inner_kernel
def weigh_present(guide, player, draws):
    """Weight of the hand as it stands."""
    state, rows = player.state, player.rows
    lists = player.own if state[SHORT] else guide.lists
    return weigh_hand(
        lists, state[LIST], guide.factors, guide.chances, draws, melds_of(player), guide.claimed,
        rows.counts[0], player.left, player.scales,
    )  # fmt: skip


@step
def may_kong(player, tile):
    """Code of the kong that the hand may declare of a tile, or 0."""
    held = player.rows.counts[0, tile]
    if held == 4:
        return at.CONCEALED + tile
    if held and player.state[PUNGS] >> tile & 1:
        return at.KONG + tile
    return 0


@inner_kernel
def weigh_kong(guide, player, code, draws):
    """Weight of the hand after a kong, before the tile that replaces it; -1 when a list is wanting.

    The tiles of the kong, ``code``, are taken out of the hand or of what another discarded.
    """
    tile = (code - at.KONG) % _KINDS
    held = np.int64(player.rows.counts[0, tile])
    added = player.state[PUNGS] >> tile & 1
    key = key_of(player, code, at.PUNG + tile if added else 0)
    number = find_list(guide, key)
    if number < 0:
        player.state[MISSING] = key
        return np.float32(-1)
    for other in range(_KINDS):
        player.rest[other] = player.rows.counts[0, other]
    player.rest[tile] = 0
    melds = melds_of(player) + np.int64(added == 0 or held == 4)
    return weigh_hand(
        guide.lists, number, guide.factors, guide.chances, draws, melds, guide.claimed, player.rest,
        player.left, player.scales,
    )  # fmt: skip


@step
def is_idle(guide, player, tile, may_meld):
    """Whether a drawn tile, not taken up yet, cannot win and is of no use to any goal."""
    state = player.state
    if state[AWAY] == 0 or not state[STEERED] or player.rows.melds[0] == 3:
        return False
    lists = player.own if state[SHORT] else guide.lists
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
def choose_own(guide, player, drawn, draws, may_meld):
    """What to do with a hand that has drawn: a tile to discard, or ``_KINDS`` and a kong's code.

    -1 says that a list is wanting. Where no goal can be reached the drawn tile is discarded.
    """
    state, rows = player.state, player.rows
    melds, turn = melds_of(player), state[TURNS]
    state[TURNS] += 1
    out, weight = np.int64(-1), np.float32(0)
    for again in range(2):  # when all near goals are dead, the far ones may live
        lists = player.own if state[SHORT] else guide.lists
        out, weight = weigh_discards(
            lists, state[LIST], guide.factors, guide.chances, draws, melds, guide.claimed,
            rows.counts[0], player.left, player.scales,
        )  # fmt: skip
        if again or out >= 0 or not state[SHORT]:
            break
        state[SHORT], state[LIST] = 0, find_list(guide, key_of(player, 0, 0))
    state[STEERED] = out >= 0
    if out < 0:
        out = np.int64(drawn)
    elif turn < 64 and _SHRINKS >> turn & 1:
        lists = player.own if state[SHORT] else guide.lists
        shrink(lists, state[LIST], _FAR * weight, player.scales, player.own)
        state[SHORT], state[LIST] = 1, 0
    if may_meld:
        best = weight
        for tile in range(_KINDS):
            code = may_kong(player, tile)
            if code:
                found = weigh_kong(guide, player, code, draws)
                if found < 0:
                    return np.int64(-1)
                if found > best:
                    best, out = found, np.int64(_KINDS + code)
    return out


@bare_kernel
def choose_claim(guide, player, tile, chow, draws):
    """Code of the meld to claim a discard for, 0 to pass or -1 when a list is wanting.

    Also the tile to discard then; the hand without what the meld takes is in ``best_rest``.
    """
    rows, melds, rest = player.rows, melds_of(player), player.rest
    best, best_code, best_out = np.float32(0), np.int64(0), np.int64(-1)
    for way in range(5):
        code, low = np.int64(0), tile - way
        if way == 3:
            code = at.PUNG + tile if rows.counts[0, tile] >= 2 else 0
        elif way == 4:
            code = at.KONG + tile if rows.counts[0, tile] == 3 else 0
        elif chow and tile < 27 and tile % 9 >= way and low % 9 <= 6:
            code = at.CHOW + low
            for other in range(low, low + 3):
                if other != tile and rows.counts[0, other] == 0:
                    code = 0
        if code == 0:
            continue
        out = np.int64(-1)
        if way == 4:
            weight = weigh_kong(guide, player, code, draws)
            if weight < 0:
                return np.int64(-1), out
        else:
            key = key_of(player, code, 0)
            number = find_list(guide, key)
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
                guide.lists, number, guide.factors, guide.chances, draws, melds + 1, guide.claimed,
                rest, player.left, player.scales,
            )  # fmt: skip
        if weight > best:
            best, best_code, best_out = weight, code, out
            for other in range(_KINDS):
                player.best_rest[other] = rest[other]
    if best > 0 and best > weigh_present(guide, player, draws):
        return best_code, best_out
    return np.int64(0), np.int64(-1)


@bare_kernel
def expose(guide, player, code, replaced):
    """Add a meld to the hand; its tiles have been taken out."""
    rows, state = player.rows, player.state
    place = melds_of(player)
    for other in range(4):
        if replaced and rows.codes[0, other] == replaced:
            place = other
    rows.codes[0, place] = code
    if not replaced:
        rows.melds[0] += 1
    if at.PUNG <= code < at.KONG:
        state[PUNGS] |= np.int64(1) << (code - at.PUNG)
    state[LIST] = find_list(guide, key_of(player, 0, 0))
    state[SHORT], state[STEERED] = 0, 1


@step
def see(player, tile, number):
    """Note that so many copies of a tile lie open from now on."""
    player.rows.seen[0, tile] += number


@bare_kernel
def claim(guide, player, tile, code):
    """Claim a discard for a meld."""
    low = code - at.CHOW
    if code < at.PUNG:
        for other in range(low, low + 3):
            see(player, other, int(other != tile))
    else:
        see(player, tile, 2 if code < at.KONG else 3)
    for other in range(_KINDS):
        player.rows.counts[0, other] = player.best_rest[other]
    expose(guide, player, code, 0)


@bare_kernel
def declare(guide, player, code):
    """Declare a kong of tiles in the hand: a concealed one, or one added to a pung."""
    tile = (code - at.KONG) % _KINDS
    rows = player.rows
    see(player, tile, rows.counts[0, tile])
    rows.counts[0, tile] = 0
    added = code < at.CONCEALED
    player.state[PUNGS] &= ~(np.int64(1) << tile)
    expose(guide, player, code, at.PUNG + tile if added else 0)
