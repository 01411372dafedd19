"""When each fan holds in a reading (RULES section 4, with 6 and 6a); one function a fan.

A condition returns the groups of blocks that make the fan, one group for each time it counts, or
true or false when the whole hand makes it. Fans made of several sets are in ``combine``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property

from ..hands.hand import Hand
from ..hands.tiles import (
    DRAGONS_FROM,
    HONORS_FROM,
    is_honor,
    is_terminal_or_honor,
    parse_tiles,
    rank_of,
    suit_of,
)
from ..rules import FANS, Rules
from .readings import ARRANGEMENTS, HONORS, BlockKind, Form, Reading

Group = frozenset[int]
Condition = Callable[["View"], "bool | Iterable[int] | Iterable[Group]"]

#: Condition of each fan by number, in the order of the table.
CONDITIONS: dict[int, Condition] = {}

_GREEN = frozenset(parse_tiles("23468sF"))
_REVERSIBLE = frozenset(parse_tiles("1234589p245689sP"))


class View:
    """A reading with what the conditions ask about it."""

    def __init__(self, hand: Hand, reading: Reading, waits: tuple[int, ...], rules: Rules):
        self.hand = hand
        self.reading = reading
        self.rules = rules
        self.waits = waits
        self.form = reading.form
        self.blocks = reading.blocks
        self.everything: Group = frozenset(range(len(self.blocks)))
        self.chows = self._of_kind(BlockKind.CHOW)
        self.pungs = self._of_kind(BlockKind.PUNG, BlockKind.KONG)
        self.kongs = self._of_kind(BlockKind.KONG)
        self.pairs = self._of_kind(BlockKind.PAIR)
        self.copies = Counter(tile for block in self.blocks for tile in block.tiles)
        self.kinds = frozenset(self.copies)
        self.suits = {suit_of(tile) for tile in self.kinds if not is_honor(tile)}
        self.ranks = {rank_of(tile) for tile in self.kinds if not is_honor(tile)}
        self.honors = {tile for tile in self.kinds if is_honor(tile)}
        self.open_melds = [block for block in self.blocks if block.exposed]
        self.concealed_kongs = [i for i in self.kongs if not self.blocks[i].exposed]
        self.melded_kongs = [i for i in self.kongs if self.blocks[i].exposed]

    def _of_kind(self, *kinds: BlockKind) -> list[int]:
        return [i for i, block in enumerate(self.blocks) if block.kind in kinds]

    def tile(self, index: int) -> int:
        """Lowest tile of a block."""
        return self.blocks[index].tile

    @property
    def regular_or_pairs(self) -> bool:
        """Whether the form is one that the fans about suits and ranks look at."""
        return self.form in (Form.REGULAR, Form.SEVEN_PAIRS)

    def only_ranks(self, ranks: str) -> bool:
        """Whether there are only suit tiles of these ranks, in regular form or seven pairs."""
        return (
            self.regular_or_pairs
            and not self.honors
            and self.ranks <= {int(rank) for rank in ranks}
        )

    @cached_property
    def concealed_pungs(self) -> list[int]:
        """Concealed pungs and kongs (section 1)."""
        concealed = [i for i in self.pungs if not self.blocks[i].exposed]
        if self.hand.self_drawn:
            return concealed
        readable_elsewhere = any(
            self.hand.win_tile in block.tiles
            for block in self.blocks
            if not block.on_table and block.kind != BlockKind.PUNG
        )
        return [
            i
            for i in concealed
            if self.blocks[i].on_table or self.tile(i) != self.hand.win_tile or readable_elsewhere
        ]

    @cached_property
    def wait(self) -> str | None:
        """Name of the wait fan, if the winning tile was the only one waited for (section 6)."""
        if len(self.waits) != 1 or self.form in (Form.THIRTEEN_ORPHANS, Form.HONORS_KNITTED):
            return None
        win, block = self.hand.win_tile, self.blocks[self.reading.win_block]
        if self.form == Form.KNITTED_STRAIGHT and not self.rules.knitted_waits:
            nine = next(b for b in self.blocks if b.kind == BlockKind.KNITTED)
            if win in nine.tiles:
                return None
        if block.kind == BlockKind.PAIR:
            return "单钓将"
        if block.kind == BlockKind.CHOW:
            if win == block.tiles[1]:
                return "坎张"
            if (rank_of(win), block.tiles.index(win)) in ((3, 2), (7, 0)):
                return "边张"
        return None


def condition(name: str) -> Callable[[Condition], Condition]:
    """Register the condition of the fan with this Chinese name."""

    def register(function: Condition) -> Condition:
        CONDITIONS[FANS[name].id] = function
        return function

    return register


def groups(view: View, fan: int) -> list[Group]:
    """Groups of blocks that make a fan, one for each time that it counts."""
    held = CONDITIONS[fan](view)
    if isinstance(held, bool):
        return [view.everything] if held else []
    return [frozenset([item]) if isinstance(item, int) else item for item in held]


# --- 88 to 24: single hands


@condition("绿一色")
def _(v: View) -> bool:
    return v.regular_or_pairs and v.kinds <= _GREEN


@condition("九莲宝灯")
def _(v: View) -> bool:
    if v.form != Form.REGULAR or v.hand.melds:
        return False
    before = list(v.hand.counts)
    before[v.hand.win_tile] -= 1
    return any(before[9 * s : 9 * s + 9] == [3, 1, 1, 1, 1, 1, 1, 1, 3] for s in range(3))


@condition("四杠")
def _(v: View) -> Iterable[Group]:
    return [frozenset(v.kongs)] if len(v.kongs) == 4 else []


@condition("连七对")
def _(v: View) -> bool:
    kinds = sorted(v.kinds)
    return (
        v.form == Form.SEVEN_PAIRS
        and len(kinds) == 7
        and not v.honors
        and len(v.suits) == 1
        and kinds[-1] - kinds[0] == 6
    )


@condition("十三幺")
def _(v: View) -> bool:
    return v.form == Form.THIRTEEN_ORPHANS


@condition("清幺九")
def _(v: View) -> bool:
    return v.only_ranks("19")


@condition("字一色")
def _(v: View) -> bool:
    return v.regular_or_pairs and not v.suits


def _concealed_pungs(v: View, wanted: int) -> Iterable[Group]:
    return [frozenset(v.concealed_pungs)] if len(v.concealed_pungs) == wanted else []


@condition("四暗刻")
def _(v: View) -> Iterable[Group]:
    return _concealed_pungs(v, 4)


@condition("三杠")
def _(v: View) -> Iterable[Group]:
    return [frozenset(v.kongs)] if len(v.kongs) == 3 else []


@condition("混幺九")
def _(v: View) -> bool:
    orphans_only = all(is_terminal_or_honor(tile) for tile in v.kinds)
    return v.regular_or_pairs and orphans_only and bool(v.honors) and bool(v.suits)


@condition("七对")
def _(v: View) -> bool:
    return v.form == Form.SEVEN_PAIRS


@condition("七星不靠")
def _(v: View) -> bool:
    return v.form == Form.HONORS_KNITTED and v.kinds >= set(HONORS)


@condition("全双刻")
def _(v: View) -> bool:
    even = not v.honors and v.ranks <= {2, 4, 6, 8}
    return v.form == Form.REGULAR and even and len(v.pungs) == 4


@condition("清一色")
def _(v: View) -> bool:
    return v.regular_or_pairs and len(v.suits) == 1 and not v.honors


@condition("全大")
def _(v: View) -> bool:
    return v.only_ranks("789")


@condition("全中")
def _(v: View) -> bool:
    return v.only_ranks("456")


@condition("全小")
def _(v: View) -> bool:
    return v.only_ranks("123")


# --- 16 to 8


def _every_block_has(v: View, wanted: Callable[[int], bool]) -> bool:
    return v.form == Form.REGULAR and all(any(map(wanted, block.tiles)) for block in v.blocks)


@condition("全带五")
def _(v: View) -> bool:
    return _every_block_has(v, lambda tile: not is_honor(tile) and rank_of(tile) == 5)


@condition("三暗刻")
def _(v: View) -> Iterable[Group]:
    return _concealed_pungs(v, 3)


@condition("全不靠")
def _(v: View) -> bool:
    return v.form == Form.HONORS_KNITTED


@condition("组合龙")
def _(v: View) -> Iterable[Group]:
    nine = [i for i, block in enumerate(v.blocks) if block.kind == BlockKind.KNITTED]
    if v.form == Form.HONORS_KNITTED and any(v.kinds >= set(a) for a in ARRANGEMENTS):
        nine = [0]
    return [frozenset(nine)] if nine else []


@condition("大于五")
def _(v: View) -> bool:
    return v.only_ranks("6789")


@condition("小于五")
def _(v: View) -> bool:
    return v.only_ranks("1234")


@condition("推不倒")
def _(v: View) -> bool:
    return v.kinds <= _REVERSIBLE


@condition("妙手回春")
def _(v: View) -> bool:
    return v.hand.last_tile and v.hand.self_drawn


@condition("海底捞月")
def _(v: View) -> bool:
    return v.hand.last_tile and not v.hand.self_drawn


@condition("杠上开花")
def _(v: View) -> bool:
    return v.hand.kong and v.hand.self_drawn


@condition("抢杠和")
def _(v: View) -> bool:
    return v.hand.kong and not v.hand.self_drawn


# --- 6 to 4


@condition("碰碰和")
def _(v: View) -> bool:
    return v.form == Form.REGULAR and len(v.pungs) == 4


@condition("混一色")
def _(v: View) -> bool:
    return v.regular_or_pairs and len(v.suits) == 1 and bool(v.honors)


@condition("五门齐")
def _(v: View) -> bool:
    forms = (Form.REGULAR, Form.KNITTED_STRAIGHT, Form.SEVEN_PAIRS)
    winds = any(tile < DRAGONS_FROM for tile in v.honors)
    dragons = any(tile >= DRAGONS_FROM for tile in v.honors)
    return v.form in forms and len(v.suits) == 3 and winds and dragons


@condition("全求人")
def _(v: View) -> bool:
    return len(v.open_melds) == 4 and not v.hand.self_drawn


def _kongs(v: View, concealed: int, melded: int) -> list[Group]:
    found = (len(v.concealed_kongs), len(v.melded_kongs))
    return [frozenset(v.kongs)] if found == (concealed, melded) else []


def _concealed_among_many(v: View) -> int:
    """Concealed kongs that may count beside 三杠 or 四杠 where the profile says so (section 7).

    One or two do; of more only the concealed pungs count.
    """
    return len(v.concealed_kongs) if v.rules.kongs_take_concealed and len(v.kongs) >= 3 else 0


@condition("双暗杠")
def _(v: View) -> Iterable[Group]:
    if _concealed_among_many(v) == 2:
        return [frozenset(v.concealed_kongs)]
    return _kongs(v, 2, 0)


@condition("全带幺")
def _(v: View) -> bool:
    return _every_block_has(v, is_terminal_or_honor)


@condition("不求人")
def _(v: View) -> bool:
    return not v.open_melds and v.hand.self_drawn


@condition("双明杠")
def _(v: View) -> Iterable[Group]:
    return _kongs(v, 0, 2)


@condition("和绝张")
def _(v: View) -> bool:
    shown = sum(block.tiles.count(v.hand.win_tile) for block in v.open_melds)
    return v.hand.last_of_kind or shown == 3


# --- 2 and 1


@condition("箭刻")
def _(v: View) -> Iterable[int]:
    return [i for i in v.pungs if v.tile(i) >= DRAGONS_FROM]


@condition("圈风刻")
def _(v: View) -> Iterable[int]:
    return [i for i in v.pungs if v.tile(i) == HONORS_FROM + v.hand.prevalent_wind]


@condition("门风刻")
def _(v: View) -> Iterable[int]:
    return [i for i in v.pungs if v.tile(i) == HONORS_FROM + v.hand.seat_wind]


@condition("门前清")
def _(v: View) -> bool:
    return not v.open_melds and not v.hand.self_drawn


@condition("平和")
def _(v: View) -> bool:
    knitted = v.form == Form.KNITTED_STRAIGHT
    if v.form != Form.REGULAR and not knitted:
        return False
    return len(v.chows) + 3 * knitted == 4 and not is_honor(v.tile(v.pairs[0]))


@condition("四归一")
def _(v: View) -> Iterable[Group]:
    kongs = {v.tile(i) for i in v.kongs}
    hogs = sorted(tile for tile, count in v.copies.items() if count == 4 and tile not in kongs)
    return [frozenset(i for i, b in enumerate(v.blocks) if tile in b.tiles) for tile in hogs]


@condition("双暗刻")
def _(v: View) -> Iterable[Group]:
    return _concealed_pungs(v, 2)


@condition("暗杠")
def _(v: View) -> Iterable[Group]:
    if _concealed_among_many(v) == 1:
        return [frozenset(v.concealed_kongs)]
    return _kongs(v, 1, 0)


@condition("断幺")
def _(v: View) -> bool:
    return not any(is_terminal_or_honor(tile) for tile in v.kinds)


@condition("幺九刻")
def _(v: View) -> Iterable[int]:
    return [i for i in v.pungs if is_terminal_or_honor(v.tile(i))]


@condition("明杠")
def _(v: View) -> Iterable[Group]:
    return _kongs(v, 0, 1)


@condition("缺一门")
def _(v: View) -> bool:
    return len(v.suits) == 2


@condition("无字")
def _(v: View) -> bool:
    return not v.honors


def _waits(v: View, name: str) -> Iterable[int]:
    return [v.reading.win_block] if v.wait == name else []


@condition("边张")
def _(v: View) -> Iterable[int]:
    return _waits(v, "边张")


@condition("坎张")
def _(v: View) -> Iterable[int]:
    return _waits(v, "坎张")


@condition("单钓将")
def _(v: View) -> Iterable[int]:
    return _waits(v, "单钓将")


@condition("自摸")
def _(v: View) -> bool:
    return v.hand.self_drawn


@condition("明暗杠")
def _(v: View) -> Iterable[Group]:
    return _kongs(v, 1, 1)
