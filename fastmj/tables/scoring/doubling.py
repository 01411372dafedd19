"""Tables of the doubling kernel: what splits suits, the melds, what each hand is worth."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...hands.melds import Meld, MeldKind
from ...hands.status import InvalidHand
from ...hands.tiles import KINDS
from ...kernels.scoring import doubling as at
from ...rules import HAND_TYPES, DoublingRules

Array = npt.NDArray[Any]
#: Chows begun at the rank before and at the one before that, and the pairs taken: what the next
#: ranks must hold, one way for each choice so far.
Ways = frozenset[tuple[int, int, int]]


def doubling_tables(rules: DoublingRules) -> tuple[Array, Array, Array]:
    """Tables of the kernel in its order: the machine, the melds, the outcomes."""
    return suit_machine(), meld_planes(), doubling_outcomes(rules)


@lru_cache(maxsize=1)
def suit_machine() -> Array:
    """States of the machine that reads a suit's counts, three ranks a move, uint8.

    The three ranks' bits of each plane are the move. After two moves a state says what the last
    three ranks must hold; after the third there stands how the suit ends: its pairs, 0 or 1, or
    ``NO_SPLIT``. States that go on alike are one.
    """
    numbers: dict[tuple[int, ...], int] = {}
    rows: list[tuple[int, ...]] = [()]

    def row_of(ways: Ways, depth: int) -> tuple[int, ...]:
        row = []
        for move in range(at.MOVES):
            after = ways
            for rank in range(3):
                after = _read(after, sum((move >> rank + 3 * bit & 1) << bit for bit in range(3)))
            row.append(_end(after) if depth == 2 else state_of(after, depth + 1))
        return tuple(row)

    @cache
    def state_of(ways: Ways, depth: int) -> int:
        row = row_of(ways, depth)
        if (depth, *row) not in numbers:
            numbers[(depth, *row)] = len(rows)
            rows.append(row)
        return numbers[(depth, *row)]

    rows[0] = row_of(frozenset({(0, 0, 0)}), 0)
    return _frozen(np.array(rows, np.uint8).reshape(-1))


@cache
def _read(ways: Ways, count: int) -> Ways:
    """Ways after one more rank: what is left of it beside the chows that run is chows, pung, pair.

    Three chows more are as many pungs. A fifth copy leaves no way.
    """
    return frozenset(
        (chows, last, pairs + pair)
        for last, before, pairs in ways
        for chows, pung, pair in product(range(3), range(2), range(2 - pairs))
        if chows + 3 * pung + 2 * pair == count - last - before and count <= 4
    )


def _end(ways: Ways) -> int:
    return next((pairs for pairs in (0, 1) if (0, 0, pairs) in ways), at.NO_SPLIT)


@lru_cache(maxsize=1)
def meld_planes() -> Array:
    """Tiles and fields of each meld code, int64; codes that name no meld are marked."""
    table = np.zeros((256, at.MELD_COLUMNS), np.int64)
    table[1:, 3] = 1 << at.BAD
    for code in range(1, 4 * KINDS + 1):
        try:
            meld = Meld.from_code(code)
        except InvalidHand:
            continue
        for tile in set(meld.tiles):
            copies = meld.tiles.count(tile)
            for plane in range(3):
                table[code, plane] |= (copies >> plane & 1) << tile
        kong = meld.kind in (MeldKind.MELDED_KONG, MeldKind.CONCEALED_KONG)
        table[code, 3] = (
            1 << at.NUMBER
            | meld.is_exposed << at.EXPOSED
            | kong << at.KONGS
            | (meld.kind == MeldKind.CHOW) << at.CHOWS
        )
    return _frozen(table.reshape(-1))


@lru_cache(maxsize=64)
def doubling_outcomes(rules: DoublingRules) -> Array:
    """What each kind of hand is worth under a profile, int64 (256,)."""
    return _frozen(np.array([_outcome(facts, rules) for facts in range(256)], np.int64))


def _outcome(facts: int, rules: DoublingRules) -> int:
    one_suit = bool(facts & at.ONE_SUIT)
    if not facts & (at.SETS | at.PAIRS | at.HONORS) and (not one_suit or rules.flush_needs_sets):
        return 0
    holds = {
        "海底": facts & (at.LAST_DRAWN | (at.LAST_CLAIMED if rules.claimed_last_tile else 0)),
        "全求人": facts & at.MELDED,
        "字一色": facts & at.HONORS,
        "清一色": one_suit,
        "碰碰胡": facts & at.PUNGS,
        "七对": facts & at.PAIRS,
        "平胡": facts & at.SETS,
    }
    factors = rules.factors(HAND_TYPES[name].id for name, held in holds.items() if held)
    total = sum(rules.shares(factors).values())
    word = total | 1 << at.COMPLETE_BIT | (total >= rules.min_fan) << at.WINS_BIT
    for kind, factor in factors.items():
        word |= 1 << at.TYPES_FROM + kind | (factor == 2) << at.DOUBLING_FROM + kind
    return word


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array
