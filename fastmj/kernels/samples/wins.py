"""Random complete hands.

Every row has its own stream of random numbers, made from the seed and the row's number alone, so a
row does not depend on the machine, the threads or its neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel, step
from ..scoring.special import ARRANGEMENTS, ORPHANS

REGULAR, ONE_SUIT, SEVEN_PAIRS, THIRTEEN_ORPHANS, HONORS_KNITTED, KNITTED_STRAIGHT = range(6)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = (np.uint64(shift) for shift in (27, 30, 31, 32))

_ALL = (1 << 34) - 1
_HONORS = 127 << 27
_SUIT = 511


def _ranks(*ranks):
    """Mask of some ranks in all three suits."""
    one = sum(1 << rank - 1 for rank in ranks)
    return one | one << 9 | one << 18


#: Themes of regular hands: tiles of the sets, tiles of the pair, per cent of chows. They are what
#: makes rare fans occur; the first stands for "anything".
THEMES = (
    (_ALL, _ALL, 60),
    (_ALL, _ALL, 95),
    (_ALL, _ALL, 10),
    (_SUIT | _HONORS, _SUIT | _HONORS, 50),
    (_ranks(1, 2, 3, 7, 8, 9) | _HONORS, _ranks(1, 9) | _HONORS, 70),
    (_ranks(1, 9) | _HONORS, _ranks(1, 9) | _HONORS, 0),
    (_ranks(1, 9), _ranks(1, 9), 0),
    (_HONORS, _HONORS, 0),
    (15 << 27 | _SUIT, 15 << 27 | _SUIT, 30),
    (7 << 31 | _SUIT, 7 << 31 | _SUIT, 30),
    (_ranks(1, 2, 3), _ranks(1, 2, 3), 70),
    (_ranks(4, 5, 6), _ranks(4, 5, 6), 70),
    (_ranks(7, 8, 9), _ranks(7, 8, 9), 70),
    (_ranks(1, 2, 3, 4), _ranks(1, 2, 3, 4), 60),
    (_ranks(6, 7, 8, 9), _ranks(6, 7, 8, 9), 60),
    (_ranks(3, 4, 5, 6, 7), _ranks(5), 90),
    (_ranks(2, 4, 6, 8), _ranks(2, 4, 6, 8), 0),
    (_ranks(1, 2, 3, 7, 8, 9), _ranks(5), 100),
    (_ranks(2, 3, 4, 5, 6, 7, 8), _ranks(2, 3, 4, 5, 6, 7, 8), 60),
    ((0b010101110 << 18) | 1 << 32, (0b010101110 << 18) | 1 << 32, 60),
    (
        (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33,
        (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33,
        60,
    ),
)
_THEME_ROWS = np.array(THEMES, np.int64)


def theme_table() -> Any:
    """Themes as an int64 array (number, 3)."""
    return _THEME_ROWS.copy()


@step
def mix(state):
    """Next state of a stream and its random number of 64 bits."""
    state = state + _GOLDEN
    z = (state ^ (state >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return state, z ^ (z >> _S31)


@step
def below(state, limit):
    """Next state of a stream and a random number below a limit."""
    state, z = mix(state)
    return state, np.int64((z >> _S32) * np.uint64(limit) >> _S32)


@step
def tile_of(state, allowed):
    """Random tile out of a mask, which must not be empty."""
    tile = np.int64(-1)
    while tile < 0:
        state, drawn = below(state, 34)
        if allowed >> drawn & 1:
            tile = drawn
    return state, tile


@kernel
def _add_set(state, allowed, chow_percent, copies):
    """Lay a random set on ``copies``; returns the state, its kind (0 chow, 1 pung) and its tile."""
    while True:
        state, tile = tile_of(state, allowed)
        state, percent = below(state, 100)
        if percent < chow_percent:
            if tile < 27 and tile % 9 < 7 and allowed >> tile & 7 == 7:
                copies[tile] += 1
                copies[tile + 1] += 1
                copies[tile + 2] += 1
                return state, 0, tile
            if chow_percent == 100:
                continue
        copies[tile] += 3
        return state, 1, tile


@kernel
def _regular(state, allowed, pair_allowed, chow_percent, sets, melds, kong_percent, counts, codes,
             copies):  # fmt: skip
    """Sets, some of them melds, and a pair that need at most four copies of a tile.

    Writes the concealed counts (34,) over what they hold before, and the meld codes (4,).
    """
    before = counts.copy()
    while True:
        copies[:] = before
        counts[:] = before
        codes[:] = 0
        for place in range(sets):
            state, kind, tile = _add_set(state, allowed, chow_percent, copies)
            if place < melds:
                state, percent = below(state, 100)
                if kind == 1 and percent < kong_percent:
                    copies[tile] += 1
                    state, kind = below(state, 2)
                    kind += 2
                codes[place] = 1 + kind * 34 + tile
            elif kind == 0:
                counts[tile] += 1
                counts[tile + 1] += 1
                counts[tile + 2] += 1
            else:
                counts[tile] += 3
        state, tile = tile_of(state, pair_allowed)
        copies[tile] += 2
        counts[tile] += 2
        good = True
        for tile in range(34):
            if copies[tile] > 4:
                good = False
        if good:
            return state


@kernel
def _seven_pairs(state, allowed, counts):
    """Seven pairs out of a mask of at least four kinds."""
    pairs = 0
    while pairs < 7:
        state, tile = tile_of(state, allowed)
        if counts[tile] < 4:
            counts[tile] += 2
            pairs += 1
    return state


@kernel
def _singles(state, allowed, number, counts):
    """So many different tiles out of a mask."""
    while number:
        state, tile = tile_of(state, allowed)
        if counts[tile] == 0:
            counts[tile] = 1
            number -= 1
    return state


@kernel
def _one_suit(state, shift, melds, kong_percent, counts, codes, copies):
    """A hand of one suit, with a bias to neighbouring ranks and so to many readings."""
    state, kind = below(state, 100)
    allowed = _SUIT << shift
    if kind < 4 and melds <= 0:  # the thirteen tiles of nine gates and any one
        for rank in range(9):
            counts[shift + rank] = 3 if rank == 0 or rank == 8 else 1
        state, rank = below(state, 9)
        counts[shift + rank] += 1
        return state, shift + rank
    chow_percent = 60
    if kind < 40:  # few ranks, many copies
        state, low = below(state, 6)
        allowed = 15 << shift + low
        state, chow_percent = below(state, 101)
    elif kind < 55:
        chow_percent = 100
    elif kind < 65:
        chow_percent = 0
        state, low = below(state, 5)
        allowed = 31 << shift + low
    state = _regular(
        state, allowed, _SUIT << shift, chow_percent, 4, max(melds, 0), kong_percent, counts,
        codes, copies,
    )  # fmt: skip
    return state, np.int64(-1)


@kernel
def random_win_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, forms_out,
    seed, weights, fixed_melds, with_circumstances, themes, start, stop,
):  # fmt: skip
    """Write random complete hands to rows ``start`` to ``stop``, whose columns are zero.

    ``weights`` int64 (6,) of the forms; ``fixed_melds`` the number of melds or -1; ``themes`` int64
    (n, 3); ``forms_out`` uint8 (N,) takes the form of each row.
    """
    copies = np.zeros(34, np.uint8)
    all_weights = 0
    for form in range(6):
        all_weights += weights[form]
    for row in range(start, stop):
        state, z = mix(np.uint64(seed) ^ np.uint64(row) * _MIX2)
        state = z
        state, drawn = below(state, all_weights)
        form = 0
        while drawn >= weights[form]:
            drawn -= weights[form]
            form += 1
        forms_out[row] = form
        hand = counts[row]
        codes = melds[row]
        win = np.int64(-1)
        state, meld_count = below(state, 5)
        if fixed_melds >= 0:
            meld_count = np.int64(fixed_melds)
        state, kong_percent = below(state, 4)
        kong_percent = 75 if kong_percent == 0 else 12
        state, suit = below(state, 3)
        state, theme = below(state, 2 * themes.shape[0])
        if theme >= themes.shape[0]:
            theme = np.int64(0)
        if form == REGULAR:
            allowed = themes[theme, 0]
            pair_allowed = themes[theme, 1]
            if allowed & (_SUIT | _SUIT << 9) == _SUIT:  # one suit of three
                allowed = (allowed & ~_SUIT) | _SUIT << 9 * suit
                pair_allowed = (pair_allowed & ~_SUIT) | _SUIT << 9 * suit
            state = _regular(
                state, allowed, pair_allowed, themes[theme, 2], 4, meld_count, kong_percent, hand,
                codes, copies,
            )  # fmt: skip
        elif form == ONE_SUIT:
            if fixed_melds < 0:  # mostly concealed, where readings abound
                state, meld_count = below(state, 8)
                meld_count = max(meld_count - 5, 0)
            state, win = _one_suit(state, 9 * suit, meld_count, kong_percent, hand, codes, copies)
        elif form == SEVEN_PAIRS:
            state, kind = below(state, 10)
            if kind == 0:
                state, low = below(state, 3)
                for rank in range(7):
                    hand[9 * suit + low + rank] = 2
            else:
                allowed = themes[theme, 0] if kind < 7 else _SUIT << 9 * suit
                if allowed & (_SUIT | _SUIT << 9) == _SUIT:
                    allowed = (allowed & ~_SUIT) | _SUIT << 9 * suit
                state = _seven_pairs(state, allowed, hand)
        elif form == THIRTEEN_ORPHANS:
            for tile in range(34):
                hand[tile] = ORPHANS >> tile & 1
            state, tile = tile_of(state, ORPHANS)
            hand[tile] += 1
        elif form == HONORS_KNITTED:
            state, order = below(state, 6)
            state, greater = below(state, 3)
            state, honors = below(state, 3)
            honors = np.int64(7) if greater == 0 else honors + 5
            state = _singles(state, _HONORS, honors, hand)
            state = _singles(state, ARRANGEMENTS[order], 14 - honors, hand)
        else:
            state, order = below(state, 6)
            for tile in range(27):
                hand[tile] = ARRANGEMENTS[order] >> tile & 1
            if fixed_melds < 0:
                state, meld_count = below(state, 2)
            state = _regular(
                state, _ALL, _ALL, 60, 1, meld_count, kong_percent, hand, codes, copies
            )

        if win < 0:
            concealed = 0
            for tile in range(34):
                concealed += hand[tile]
            state, drawn = below(state, concealed)
            win = np.int64(0)
            while drawn >= hand[win]:
                drawn -= hand[win]
                win += 1
        win_tile[row] = win
        if with_circumstances:
            circumstances[row], seat_wind[row], prevalent_wind[row], flowers[row] = _circumstances(
                state, hand, codes, win
            )


@kernel
def _circumstances(state, hand, codes, win):
    """Random circumstances that do not contradict the hand, two winds and flowers."""
    state, self_drawn = below(state, 2)
    state, last_of_kind = below(state, 12)
    state, last_tile = below(state, 12)
    state, kong = below(state, 8)
    state, seat = below(state, 4)
    state, prevalent = below(state, 4)
    state, flowers = below(state, 18)
    kongs = 0
    melded = 0
    for place in range(4):
        code = np.int64(codes[place])
        if code == 0:
            continue
        kind, tile = (code - 1) // 34, (code - 1) % 34
        kongs += kind >= 2
        melded += tile == win or (kind == 0 and tile <= win <= tile + 2)
    bits = self_drawn
    if last_of_kind == 0 and hand[win] == 1:
        bits |= 2
    if kong == 0 and self_drawn == 1 and kongs:
        bits |= 8
    if kong == 0 and self_drawn == 0 and hand[win] == 1 and melded == 0:
        bits |= 8
    if last_tile == 0 and not (bits & 8 and self_drawn == 0):
        bits |= 4
    return bits, seat, prevalent, flowers if flowers <= 8 else 0
