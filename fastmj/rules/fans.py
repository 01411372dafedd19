"""The 82 fan rows as data.

A player can check the table below line by line. The conditions are put into code twice, readably
in ``fastmj.reference`` and for speed in ``fastmj.tables``; what a fan is worth and what is not
counted beside it stands only here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import overload

from ..quoting import quoted


@dataclass(frozen=True, slots=True)
class Fan:
    """One row of the fan table.

    Attributes
    ----------
    id : int
        Row number, the position in its table and in fan masks and counts.
    key : str
        English name in snake_case.
    zh, en : str
        Chinese and English (WMO) names.
    points : int
        Value by the table; ``points`` of a profile knows its own.
    condition : str
        When it holds, in words.
    implies : tuple of str
        Chinese names of fans that are not counted beside it (不计).
    implies_own : tuple of str
        The same, but only where they are made of nothing but this fan's own sets.
    implies_one : tuple of str
        Of these, one is not counted.
    repeats : bool
        Whether it may count more than once.
    """

    id: int
    key: str
    zh: str
    en: str
    points: int
    condition: str
    implies: tuple[str, ...] = ()
    implies_own: tuple[str, ...] = ()
    implies_one: tuple[str, ...] = ()
    repeats: bool = False

    def __str__(self) -> str:
        return f"{self.zh} {self.en}"


class FanTable(tuple[Fan, ...]):
    """Fan rows by number, and by Chinese name, English name or key.

    >>> FANS[21].zh, FANS["七对"].points, FANS["half_flush"].id, FANS["Half Flush"].id
    ('清一色', 24, 48, 48)
    """

    @cached_property
    def _by_name(self) -> dict[str, Fan]:
        return {name: fan for fan in self for name in (fan.zh, fan.key)}

    @overload  # type: ignore[override]
    def __getitem__(self, which: int | str) -> Fan: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Fan, ...]: ...
    def __getitem__(self, which: int | str | slice) -> Fan | tuple[Fan, ...]:
        if isinstance(which, str):
            found = self._by_name.get(_plain(which))
            if found is None:
                raise KeyError(f"no fan is called {quoted(which)}")
            return found
        return super().__getitem__(which)

    def ids(self, names: str) -> frozenset[int]:
        """Numbers of some fans, their Chinese names separated by blanks."""
        return frozenset(self[name].id for name in names.split())


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _row(
    number: int,
    zh: str,
    en: str,
    points: int,
    condition: str,
    implies: str = "",
    *,
    own: str = "",
    one: str = "",
    repeats: bool = False,
) -> Fan:
    return Fan(
        number, _plain(en), zh, en, points, condition,
        tuple(implies.split()), tuple(own.split()), tuple(one.split()), repeats,
    )  # fmt: skip


# fmt: off
FANS = FanTable((
    _row(0, "大四喜", "Big Four Winds", 88, "pungs of all 4 winds", "三风刻 碰碰和 圈风刻 门风刻", own="幺九刻"),
    _row(1, "大三元", "Big Three Dragons", 88, "pungs of all 3 dragons", "双箭刻 箭刻"),
    _row(2, "绿一色", "All Green", 88, "only 2 3 4 6 8 of 条 and 发; regular or seven pairs", "混一色"),
    _row(3, "九莲宝灯", "Nine Gates", 88, "1112345678999 of one suit and any tile of it, no meld, no kong", "清一色 门前清 不求人 无字", one="幺九刻"),
    _row(4, "四杠", "Four Kongs", 88, "4 kongs of any kind", "三杠 双暗杠 明暗杠 双明杠 暗杠 明杠 碰碰和 单钓将"),
    _row(5, "连七对", "Seven Shifted Pairs", 88, "7 pairs of one suit, consecutive", "七对 清一色 门前清 不求人 单钓将 无字"),
    _row(6, "十三幺", "Thirteen Orphans", 88, "each terminal and honour once, one of them twice", "五门齐 混幺九 门前清 不求人 单钓将"),
    _row(7, "清幺九", "All Terminals", 64, "only terminals; regular or seven pairs", "碰碰和 双同刻 全带幺 混幺九 幺九刻 无字"),
    _row(8, "小四喜", "Little Four Winds", 64, "pungs of 3 winds, pair of the fourth", "三风刻", own="幺九刻"),
    _row(9, "小三元", "Little Three Dragons", 64, "pungs of 2 dragons, pair of the third", "双箭刻 箭刻"),
    _row(10, "字一色", "All Honors", 64, "only honours; regular or seven pairs", "碰碰和 全带幺 混幺九 幺九刻"),
    _row(11, "四暗刻", "Four Concealed Pungs", 64, "4 concealed pungs or kongs", "三暗刻 双暗刻 碰碰和 门前清 不求人"),
    _row(12, "一色双龙会", "Pure Terminal Chows", 64, "123 123 789 789 + 55 of one suit", "清一色 平和 七对 一般高 老少副 无字"),
    _row(13, "一色四同顺", "Quadruple Chow", 48, "4 equal chows", "一色三同顺 一色三节高 一般高 四归一"),
    _row(14, "一色四节高", "Four Pure Shifted Pungs", 48, "4 pungs of one suit, each one up", "一色三节高 一色三同顺 碰碰和"),
    _row(15, "一色四步高", "Four Pure Shifted Chows", 32, "4 chows of one suit, all steps 1 or all steps 2", "一色三步高 连六 老少副"),
    _row(16, "三杠", "Three Kongs", 32, "exactly 3 kongs", "双暗杠 明暗杠 双明杠 暗杠 明杠"),
    _row(17, "混幺九", "All Terminals and Honors", 32, "only terminals and honours, both present; regular or seven pairs", "碰碰和 全带幺 幺九刻"),
    _row(18, "七对", "Seven Pairs", 24, "7 pairs, four of a kind being two; no melds", "门前清 不求人 单钓将"),
    _row(19, "七星不靠", "Greater Honors and Knitted Tiles", 24, "all 7 honours once and 7 different tiles of one knitted arrangement", "全不靠 五门齐 门前清 不求人 单钓将"),
    _row(20, "全双刻", "All Even Pungs", 24, "4 pungs and pair of 2 4 6 8", "碰碰和 断幺 无字"),
    _row(21, "清一色", "Full Flush", 24, "one suit, no honours; regular or seven pairs", "无字"),
    _row(22, "一色三同顺", "Pure Triple Chow", 24, "3 equal chows", "一色三节高", own="一般高"),
    _row(23, "一色三节高", "Pure Shifted Pungs", 24, "3 pungs of one suit, each one up", "一色三同顺"),
    _row(24, "全大", "Upper Tiles", 24, "only 789; regular or seven pairs", "大于五 无字"),
    _row(25, "全中", "Middle Tiles", 24, "only 456; regular or seven pairs", "断幺 无字"),
    _row(26, "全小", "Lower Tiles", 24, "only 123; regular or seven pairs", "小于五 无字"),
    _row(27, "清龙", "Pure Straight", 16, "123 456 789 of one suit as 3 chows", own="连六 老少副"),
    _row(28, "三色双龙会", "Three-Suited Terminal Chows", 16, "123 789 of two suits + 55 of the third", "喜相逢 老少副 平和 无字"),
    _row(29, "一色三步高", "Pure Shifted Chows", 16, "3 chows of one suit, both steps 1 or both 2", own="连六 老少副"),
    _row(30, "全带五", "All Five", 16, "a 5 in every set and the pair", "断幺 无字"),
    _row(31, "三同刻", "Triple Pung", 16, "3 pungs of one rank in 3 suits", own="双同刻"),
    _row(32, "三暗刻", "Three Concealed Pungs", 16, "3 concealed pungs or kongs", "双暗刻"),
    _row(33, "全不靠", "Lesser Honors and Knitted Tiles", 12, "14 different tiles out of the honours and one knitted arrangement", "五门齐 门前清 不求人 单钓将"),
    _row(34, "组合龙", "Knitted Straight", 12, "all 9 tiles of one knitted arrangement (147 258 369 of three suits)"),
    _row(35, "大于五", "Upper Four", 12, "only 6-9; regular or seven pairs", "无字"),
    _row(36, "小于五", "Lower Four", 12, "only 1-4; regular or seven pairs", "无字"),
    _row(37, "三风刻", "Big Three Winds", 12, "pungs of 3 winds", own="幺九刻"),
    _row(38, "花龙", "Mixed Straight", 8, "123 456 789, one chow in each suit"),
    _row(39, "推不倒", "Reversible Tiles", 8, "only 1234589p 245689s 白; any form", "缺一门"),
    _row(40, "三色三同顺", "Mixed Triple Chow", 8, "equal chows in 3 suits", own="喜相逢"),
    _row(41, "三色三节高", "Mixed Shifted Pungs", 8, "pungs of 3 consecutive ranks, one in each suit"),
    _row(42, "无番和", "Chicken Hand", 8, "no other fan (flowers aside)"),
    _row(43, "妙手回春", "Last Tile Draw", 8, "self-drawn last tile of the wall", "自摸"),
    _row(44, "海底捞月", "Last Tile Claim", 8, "the discard after the wall's last tile"),
    _row(45, "杠上开花", "Out with Replacement Tile", 8, "self-drawn kong replacement (a flower replacement is plain 自摸)", "自摸"),
    _row(46, "抢杠和", "Robbing the Kong", 8, "the tile that another adds to a pung", "和绝张"),
    _row(47, "碰碰和", "All Pungs", 6, "4 pungs + pair"),
    _row(48, "混一色", "Half Flush", 6, "one suit and honours; regular or seven pairs"),
    _row(49, "三色三步高", "Mixed Shifted Chows", 6, "chows of 3 consecutive ranks, one in each suit"),
    _row(50, "五门齐", "All Types", 6, "3 suits, winds and dragons all present; regular, knitted straight or seven pairs"),
    _row(51, "全求人", "Melded Hand", 6, "4 exposed melds, won on a discard", "单钓将"),
    _row(52, "双暗杠", "Two Concealed Kongs", 6, "exactly 2 kongs, both concealed", "双暗刻 暗杠"),
    _row(53, "双箭刻", "Two Dragon Pungs", 6, "pungs of 2 dragons", "箭刻"),
    _row(54, "全带幺", "Outside Hand", 4, "a terminal or honour in every set and the pair"),
    _row(55, "不求人", "Fully Concealed Hand", 4, "no exposed meld, self-drawn", "门前清 自摸"),
    _row(56, "双明杠", "Two Melded Kongs", 4, "exactly 2 kongs, both melded", "明杠"),
    _row(57, "和绝张", "Last Tile", 4, "the other three of the winning tile lie open in discards and exposed melds"),
    _row(58, "箭刻", "Dragon Pung", 2, "pung of a dragon", own="幺九刻", repeats=True),
    _row(59, "圈风刻", "Prevalent Wind", 2, "pung of the prevalent wind", own="幺九刻"),
    _row(60, "门风刻", "Seat Wind", 2, "pung of the seat wind", own="幺九刻"),
    _row(61, "门前清", "Concealed Hand", 2, "no exposed meld, won on a discard"),
    _row(62, "平和", "All Chows", 2, "4 chows + pair of a suit; a knitted straight counts as 3 chows", "无字"),
    _row(63, "四归一", "Tile Hog", 2, "all four of a tile in the hand, not as a kong", repeats=True),
    _row(64, "双同刻", "Double Pung", 2, "pungs of one rank in 2 suits", repeats=True),
    _row(65, "双暗刻", "Two Concealed Pungs", 2, "2 concealed pungs or kongs"),
    _row(66, "暗杠", "Concealed Kong", 2, "1 concealed kong, no other kong"),
    _row(67, "断幺", "All Simples", 2, "no terminals, no honours", "无字"),
    _row(68, "一般高", "Pure Double Chow", 1, "2 equal chows", repeats=True),
    _row(69, "喜相逢", "Mixed Double Chow", 1, "equal chows in 2 suits", repeats=True),
    _row(70, "连六", "Short Straight", 1, "2 chows of one suit, 6 consecutive tiles", repeats=True),
    _row(71, "老少副", "Two Terminal Chows", 1, "123 and 789 of one suit", repeats=True),
    _row(72, "幺九刻", "Pung of Terminals or Honors", 1, "pung of a terminal or honour", repeats=True),
    _row(73, "明杠", "Melded Kong", 1, "1 melded kong, no other kong"),
    _row(74, "缺一门", "One Voided Suit", 1, "exactly one of the 3 suits missing"),
    _row(75, "无字", "No Honors", 1, "no honours"),
    _row(76, "边张", "Edge Wait", 1, "the only winning tile was 3 for 12 or 7 for 89"),
    _row(77, "坎张", "Closed Wait", 1, "the only winning tile was the middle of a chow"),
    _row(78, "单钓将", "Single Wait", 1, "the only winning tile was the pair's second"),
    _row(79, "自摸", "Self-Drawn", 1, "self-drawn"),
    _row(80, "花牌", "Flower Tiles", 1, "each flower; outside the 8-fan minimum", repeats=True),
    _row(81, "明暗杠", "Concealed Kong and Melded Kong", 5, "exactly 2 kongs, 1 concealed and 1 melded", "暗杠 明杠"),
))
# fmt: on

#: Fans made of several sets, of which a choice is made (RULES section 5).
COMBINATION_FANS: frozenset[int] = FANS.ids(
    "大四喜 大三元 小四喜 小三元 一色双龙会 一色四同顺 一色四节高 一色四步高 一色三同顺 一色三节高 "
    "清龙 三色双龙会 一色三步高 三同刻 三风刻 花龙 三色三同顺 三色三节高 三色三步高 双箭刻 "
    "双同刻 一般高 喜相逢 连六 老少副"
)
#: Hands that are concealed by their nature (RULES section 4).
CONCEALED_FORMS: frozenset[int] = FANS.ids("九莲宝灯 连七对 十三幺 四暗刻 七对 七星不靠 全不靠")
