"""Fans by facts that need no sets: suits and ranks present, circumstances, structure.

Each function lists, for every value of a packed index, the fans whose condition holds (RULES
section 4). Classes say which fans; ``profile`` adds what a rule profile makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.scoring import layout as at
from ...rules import FANS, Rules

Array = npt.NDArray[Any]

TILE_INDICES = 3 << at.TILES_FORM


def _ids(*names: str) -> list[int]:
    return [FANS[name].id for name in names]


def tile_fans() -> tuple[list[tuple[int, tuple[int, ...]]], Array]:
    """Fans about the suits and ranks present.

    Returns
    -------
    classes : list of (form, fans)
    index : ndarray of uint16
        Class by ranks present (9 bits), number of suits (2 bits), winds, dragons, all green, all
        reversible, form.
    """
    number = np.arange(TILE_INDICES)

    def bit(position: int) -> Array:
        return (number >> position & 1).astype(bool)

    ranks, suits = number & 511, number >> 9 & 3
    winds, dragons = bit(at.TILES_WINDS), bit(at.TILES_DRAGONS)
    honors = winds | dragons
    form = number >> at.TILES_FORM
    regular, knitted, pairs = (
        form == which for which in (at.FORM_REGULAR, at.FORM_KNITTED, at.FORM_PAIRS)
    )
    two_forms = regular | pairs

    def only(wanted: str) -> Array:
        allowed = sum(1 << int(rank) - 1 for rank in wanted)
        return np.asarray((ranks & ~allowed == 0) & ~honors)

    seven_in_a_row = np.isin(ranks, [127 << low for low in range(3)]) & (suits == 1) & ~honors
    orphans_only = ranks & ~0b100000001 == 0
    holds = {
        "绿一色": bit(at.TILES_GREEN) & two_forms,
        "连七对": seven_in_a_row & pairs,
        "清幺九": only("19") & two_forms,
        "字一色": (suits == 0) & two_forms,
        "混幺九": orphans_only & honors & (suits > 0) & two_forms,
        "七对": pairs,
        "全双刻": only("2468") & regular,
        "清一色": (suits == 1) & ~honors & two_forms,
        "全大": only("789") & two_forms,
        "全中": only("456") & two_forms,
        "全小": only("123") & two_forms,
        "组合龙": knitted,
        "大于五": only("6789") & two_forms,
        "小于五": only("1234") & two_forms,
        "推不倒": bit(at.TILES_REVERSIBLE),
        "混一色": (suits == 1) & honors & two_forms,
        "五门齐": (suits == 3) & winds & dragons,
        "断幺": only("2345678"),
        "缺一门": suits == 2,
        "无字": ~honors,
    }
    fans = np.array(_ids(*holds))
    columns = np.stack([held.astype(np.int64) for held in holds.values()], axis=1)
    packed = columns @ (1 << np.arange(len(fans))) | form << len(fans)
    values, index = np.unique(packed, return_inverse=True)
    classes = [
        (int(value) >> len(fans), tuple(int(f) for i, f in enumerate(fans) if value >> i & 1))
        for value in values
    ]
    return classes, index.astype(np.uint16)


def special_fans() -> list[tuple[int, ...]]:
    """Fans of thirteen orphans, then of honours and knitted tiles.

    These are lesser, lesser with the knitted straight, greater.
    """
    return [
        tuple(_ids("十三幺")),
        tuple(_ids("全不靠")),
        tuple(_ids("全不靠", "组合龙")),
        tuple(_ids("全不靠", "七星不靠")),
    ]


def way_fans(rules: Rules) -> Iterator[tuple[int, list[int]]]:
    """Fans about the way of winning, concealment and kongs, with their index.

    Only what can occur is listed: four melds at most, flags as they come.
    """
    for concealed, melded, exposed in product(range(5), repeat=3):
        if melded > exposed or concealed + exposed > 4:
            continue
        kongs = _kong_fans(concealed, melded, rules)
        melds = exposed - melded + 5 * melded + 25 * concealed
        base = melds << at.EXPOSED - at.WAY_FROM
        for flags, natural in product(range(16), range(2)):
            index = base | flags << at.FLAGS - at.WAY_FROM | natural << at.NATURAL - at.WAY_FROM
            yield index, _ids(*_winning(flags, exposed, bool(natural), rules), *kongs)


def _winning(flags: int, exposed: int, natural: bool, rules: Rules) -> list[str]:
    """Names of the fans about circumstances and concealment."""
    self_drawn, last_of_kind, last_tile, kong = (flags >> i & 1 for i in range(4))
    names = []
    if self_drawn:
        names.append("自摸")
    if last_tile:
        names.append("妙手回春" if self_drawn else "海底捞月")
    if kong:
        names.append("杠上开花" if self_drawn else "抢杠和")
    if last_of_kind:
        names.append("和绝张")
    if not exposed:
        if not self_drawn:
            names.append("门前清")
        elif rules.fully_concealed_forms or not natural:
            names.append("不求人")
    if exposed == 4 and not self_drawn:
        names.append("全求人")
    return names


def _kong_fans(concealed: int, melded: int, rules: Rules) -> list[str]:
    few = {(1, 0): "暗杠", (0, 1): "明杠", (2, 0): "双暗杠", (1, 1): "明暗杠", (0, 2): "双明杠"}
    many = {3: "三杠", 4: "四杠"}
    if (concealed, melded) in few:
        return [few[concealed, melded]]
    if concealed + melded not in many:
        return []
    names = [many[concealed + melded]]
    if rules.kongs_take_concealed and concealed in (1, 2):
        names.append("暗杠" if concealed == 1 else "双暗杠")
    return names


def made_fans(rules: Rules) -> Iterator[tuple[int, list[int]]]:
    """Fans about how a reading is put together, with their index.

    Concealed pungs, the best of the possible waits, what every block holds, all chows or all pungs,
    nine gates.
    """
    waits = [_best_wait(possible, rules) for possible in range(8)]
    pung_names = ("", "", "双暗刻", "三暗刻", "四暗刻")
    forms = ((False, False), (True, False), (False, True))
    bits = product(range(5), range(2), range(2), range(2), forms)
    for chows, no_five, no_terminal, suit_pair, (knitted, nine_gates) in bits:
        names = ["九莲宝灯"] if nine_gates else []
        if not knitted and not (no_five and no_terminal):
            names.append("全带幺" if no_five else "全带五")
        if chows == (1 if knitted else 4):
            names += ["平和"] if suit_pair else []
        elif chows == 0 and not knitted:
            names.append("碰碰和")
        sums = (
            chows << at.CHOWS
            | no_five << at.ANY_NO_FIVE
            | no_terminal << at.ANY_NO_TERMINAL
            | suit_pair << at.SUIT_PAIR
        )
        form = at.GATES if nine_gates else at.KNITTED if knitted else at.REGULAR
        # Nine gates count four pungs more (``at.GATES``); they never have four of their own.
        for concealed, possible in product(range(4 if nine_gates else 5), range(8)):
            pungs = concealed + 4 * nine_gates
            own = sums | pungs << at.PUNGS | possible << at.WAITED
            index = form + (own >> at.MADE_FROM)
            yield index, _ids(*names, *filter(None, (pung_names[concealed], waits[possible])))


def _best_wait(possible: int, rules: Rules) -> str:
    """Wait fan to take of the possible ones: the highest, then the first in the table."""
    names = [name for i, name in enumerate(("边张", "坎张", "单钓将")) if possible >> i & 1]
    return max(names, key=rules.points) if names else ""
