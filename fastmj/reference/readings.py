"""Every reading of a hand: its form, its sets, the place of the winning tile (RULES 2, 3, 6)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

from ..hands.hand import Hand
from ..hands.melds import MeldKind
from ..hands.tiles import HONORS_FROM, KINDS, format_tiles, is_terminal_or_honor


class Form(str, Enum):
    """The winning forms; the last is one of doubling rules alone."""

    REGULAR = "regular"
    SEVEN_PAIRS = "seven_pairs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    HONORS_KNITTED = "honors_knitted"
    KNITTED_STRAIGHT = "knitted_straight"
    NO_SETS = "no_sets"


class BlockKind(str, Enum):
    """What a group of tiles in a reading is."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    PAIR = "pair"
    KNITTED = "knitted"
    SINGLES = "singles"


class Block(NamedTuple):
    """A set, a pair, the nine knitted tiles or some single tiles of a reading."""

    kind: BlockKind
    tiles: tuple[int, ...]
    on_table: bool = False
    exposed: bool = False

    @property
    def tile(self) -> int:
        """The lowest tile."""
        return self.tiles[0]

    def __str__(self) -> str:
        text = format_tiles(self.tiles)
        return f"[{text}]" if self.on_table else text


class Reading(NamedTuple):
    """One way to read a hand; ``win_block`` is the place of the winning tile in ``blocks``."""

    form: Form
    blocks: tuple[Block, ...]
    win_block: int

    def __str__(self) -> str:
        return " ".join(map(str, self.blocks))


#: The six knitted arrangements: 147 of one suit, 258 of another, 369 of the third.
ARRANGEMENTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sorted(9 * suit + first + 3 * step for first, suit in enumerate(order)
                 for step in range(3)))
    for order in permutations(range(3))
)  # fmt: skip
ORPHANS: tuple[int, ...] = tuple(tile for tile in range(KINDS) if is_terminal_or_honor(tile))
HONORS: tuple[int, ...] = tuple(range(HONORS_FROM, KINDS))

Sets = tuple[Block, ...]


@lru_cache(maxsize=200_000)
def _split_suit(counts: tuple[int, ...], first: int, with_pair: bool) -> tuple[Sets, ...]:
    """All ways to split one suit (or the honours) into sets, with a pair or without one."""
    low = next((rank for rank, count in enumerate(counts) if count), None)
    if low is None:
        return () if with_pair else ((),)
    found: list[Sets] = []

    def go_on(ranks: tuple[int, ...], kind: BlockKind, pair_to_come: bool) -> None:
        rest = list(counts)
        for rank in ranks:
            rest[rank] -= 1
        block = Block(kind, tuple(first + rank for rank in ranks))
        for others in _split_suit(tuple(rest), first, pair_to_come):
            found.append((block, *others))

    if counts[low] >= 3:
        go_on((low,) * 3, BlockKind.PUNG, with_pair)
    if counts[low] >= 2 and with_pair:
        go_on((low,) * 2, BlockKind.PAIR, False)
    suited = first < HONORS_FROM
    if suited and low + 2 < len(counts) and counts[low + 1] and counts[low + 2]:
        go_on((low, low + 1, low + 2), BlockKind.CHOW, with_pair)
    return tuple(found)


def _suits(counts: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return counts[0:9], counts[9:18], counts[18:27], counts[27:34]


def split(counts: tuple[int, ...]) -> Iterator[Sets]:
    """All ways to split tiles into sets and one pair."""
    suits = _suits(counts)
    left = [sum(suit) % 3 for suit in suits]
    if sorted(left) != [0, 0, 0, 2]:
        return
    ways = [_split_suit(suit, 9 * s, left[s] == 2) for s, suit in enumerate(suits)]
    for parts in product(*ways):
        yield tuple(sorted((b for part in parts for b in part), key=_block_order))


def _block_order(block: Block) -> tuple[bool, tuple[int, ...]]:
    return block.kind == BlockKind.PAIR, block.tiles


def _less(counts: tuple[int, ...], tiles: tuple[int, ...]) -> tuple[int, ...] | None:
    """Counts without some tiles, or ``None`` when they are not all there."""
    for tile in tiles:
        if not counts[tile]:
            return None
    rest = list(counts)
    for tile in tiles:
        rest[tile] -= 1
    return tuple(rest)


def splits_by_form(counts: tuple[int, ...], melds: int) -> Iterator[tuple[Form, Sets]]:
    """All ways in which concealed tiles complete a hand beside so many melds (section 2)."""
    for blocks in split(counts):
        yield Form.REGULAR, blocks
    if melds <= 1:
        for arrangement in ARRANGEMENTS:
            rest = _less(counts, arrangement)
            if rest is not None:
                for blocks in split(rest):
                    yield Form.KNITTED_STRAIGHT, (Block(BlockKind.KNITTED, arrangement), *blocks)
    if melds:
        return
    if not any(count % 2 for count in counts):
        yield (
            Form.SEVEN_PAIRS,
            tuple(
                Block(BlockKind.PAIR, (tile, tile))
                for tile, count in enumerate(counts)
                for _ in range(count // 2)
            ),
        )
    kinds = tuple(tile for tile, count in enumerate(counts) if count)
    if kinds == ORPHANS:
        yield Form.THIRTEEN_ORPHANS, _singles_and_pair(counts)
    if len(kinds) == 14 and any(set(kinds) <= {*a, *HONORS} for a in ARRANGEMENTS):
        yield Form.HONORS_KNITTED, (Block(BlockKind.SINGLES, kinds),)


def _singles_and_pair(counts: tuple[int, ...]) -> Sets:
    pair = counts.index(2)
    singles = tuple(tile for tile, count in enumerate(counts) if count == 1)
    return Block(BlockKind.SINGLES, singles), Block(BlockKind.PAIR, (pair, pair))


def table_blocks(hand: Hand) -> Sets:
    """Melds of a hand as blocks, in a fixed order."""
    return tuple(
        Block(_MELD_BLOCKS[meld.kind], meld.tiles, True, meld.is_exposed)
        for meld in sorted(hand.melds, key=lambda meld: meld.code)
    )


def list_readings(hand: Hand) -> list[Reading]:
    """Every reading of a hand, in a fixed order; none when the hand is not complete."""
    table = table_blocks(hand)
    readings = []
    for form, concealed in splits_by_form(hand.counts, len(hand.melds)):
        blocks = table + concealed
        placed = set()
        for index in range(len(table), len(blocks)):
            block = blocks[index]
            if hand.win_tile in block.tiles and block not in placed:
                placed.add(block)
                readings.append(Reading(form, blocks, index))
    return readings


_MELD_BLOCKS = {
    MeldKind.CHOW: BlockKind.CHOW,
    MeldKind.PUNG: BlockKind.PUNG,
    MeldKind.MELDED_KONG: BlockKind.KONG,
    MeldKind.CONCEALED_KONG: BlockKind.KONG,
}


def waiting_tiles(hand: Hand) -> tuple[int, ...]:
    """Kinds of tile that the 13 tiles before the win were waiting for, all forms together.

    A kind of which the hand already holds all four copies counts too (section 6).
    """
    before = list(hand.counts)
    before[hand.win_tile] -= 1
    waits = []
    for tile in range(KINDS):
        before[tile] += 1
        if next(splits_by_form(tuple(before), len(hand.melds)), None) is not None:
            waits.append(tile)
        before[tile] -= 1
    return tuple(waits)
