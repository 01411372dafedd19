"""When each type of the doubling rules holds (RULES section 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..hands.hand import Hand
from ..hands.tiles import is_honor, suit_of
from ..rules import HAND_TYPES, DoublingRules
from .readings import Block, BlockKind, Form, Reading, list_readings, table_blocks


class HeldTypes(NamedTuple):
    """Types that a hand has, by number, and the reading that shows them."""

    types: tuple[int, ...]
    reading: Reading


class View(NamedTuple):
    """A hand under doubling rules, with the readings that these know."""

    hand: Hand
    rules: DoublingRules
    sets: tuple[Reading, ...]
    pairs: tuple[Reading, ...]
    tiles: tuple[int, ...]

    @property
    def pungs(self) -> tuple[Reading, ...]:
        """Readings of sets without a chow."""
        return tuple(
            reading
            for reading in self.sets
            if not any(block.kind == BlockKind.CHOW for block in reading.blocks)
        )

    @property
    def only_honors(self) -> bool:
        """Whether all tiles are winds and dragons."""
        return all(is_honor(tile) for tile in self.tiles)

    @property
    def one_suit(self) -> bool:
        """Whether all tiles are of one suit, and none an honour."""
        return not any(map(is_honor, self.tiles)) and len(set(map(suit_of, self.tiles))) == 1

    @property
    def complete(self) -> bool:
        """Whether the hand wins: by sets, by pairs, or by what asks for neither."""
        needs_none = self.only_honors or (self.one_suit and not self.rules.flush_needs_sets)
        return bool(self.sets or self.pairs) or needs_none


Condition = Callable[[View], bool]
_CONDITIONS: dict[str, Condition] = {
    "海底": lambda v: v.hand.last_tile and (v.hand.self_drawn or v.rules.claimed_last_tile),
    "全求人": lambda v: (
        sum(meld.is_exposed for meld in v.hand.melds) == 4 and not v.hand.self_drawn
    ),
    "字一色": lambda v: v.only_honors,
    "清一色": lambda v: v.one_suit,
    "碰碰胡": lambda v: bool(v.pungs),
    "七对": lambda v: bool(v.pairs),
    "平胡": lambda v: bool(v.sets),
}


def held_types(hand: Hand, rules: DoublingRules) -> HeldTypes | None:
    """All types that hold, whether they count or not; ``None`` when the hand is not complete.

    >>> from fastmj import REGIONAL, parse_hand
    >>> found = held_types(parse_hand("1199m2288p3377sEE"), REGIONAL)
    >>> [HAND_TYPES[kind].zh for kind in found.types], str(found.reading)
    (['七对'], '11m 99m 22p 88p 33s 77s EE')
    """
    readings = list_readings(hand)
    sets = tuple(reading for reading in readings if reading.form == Form.REGULAR)
    pairs = tuple(reading for reading in readings if reading.form == Form.SEVEN_PAIRS)
    melded = tuple(tile for meld in hand.melds for tile in meld.tiles)
    view = View(hand, rules, sets, pairs, (*hand.concealed, *melded))
    if not view.complete:
        return None
    types = tuple(kind.id for kind in HAND_TYPES if _CONDITIONS[kind.zh](view))
    shown = (*view.pungs, *pairs, *sets, _without_sets(hand))
    return HeldTypes(types, shown[0])


def _without_sets(hand: Hand) -> Reading:
    table = table_blocks(hand)
    blocks = (*table, Block(BlockKind.SINGLES, tuple(hand.concealed)))
    return Reading(Form.NO_SETS, blocks, len(table))


# Every type has its condition.
assert _CONDITIONS.keys() == {kind.zh for kind in HAND_TYPES}
