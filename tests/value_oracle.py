"""Fan distances once more, naively: every complete hand within some draws, judged by the reference.

A hand of n tiles is within d draws of each complete hand that keeps all but d of its own tiles.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement

import numpy as np

from fastmj import FANS, GB98, Hand, Meld, shanten_batch
from fastmj.hands.tiles import tiles_of
from fastmj.reference.combine import candidates
from fastmj.reference.conditions import CONDITIONS, View, groups
from fastmj.reference.readings import list_readings

#: Fans that the distances leave out.
LEFT_OUT = {
    *("四杠", "三杠", "无番和", "妙手回春", "海底捞月", "杠上开花", "抢杠和", "双暗杠", "双明杠"),
    *("和绝张", "暗杠", "明杠", "边张", "坎张", "单钓将", "自摸", "花牌", "明暗杠"),
}
LOOKED_AT = [fan.id for fan in FANS if fan.zh not in LEFT_OUT]
NINE_GATES, CONCEALED, MELDED = FANS["九莲宝灯"].id, FANS["门前清"].id, FANS["全求人"].id


@cache
def additions(number: int) -> np.ndarray:
    """Every choice of so many tiles, as counts."""
    rows = [np.bincount(c, minlength=34) for c in combinations_with_replacement(range(34), number)]
    return np.array(rows, np.int8)


def complete_hands(counts: np.ndarray, melds: list[Meld], draws: int) -> np.ndarray:
    """Every complete hand with exactly so many tiles that one has not, no tile five times."""
    shown = np.zeros(34, np.int8)
    for meld in melds:
        np.add.at(shown, list(meld.tiles), 1)
    tiles = tiles_of(counts.tolist())
    wanted = 14 - 3 * len(melds)
    if draws > wanted:
        return np.zeros((0, 34), np.int8)
    kept = set(combinations(tiles, wanted - draws))
    found = []
    for keep in kept:
        whole = np.bincount(keep, minlength=34).astype(np.int8) + additions(draws)
        whole = whole[
            ((whole + shown).max(1) <= 4) & (np.maximum(whole - counts, 0).sum(1) == draws)
        ]
        best = shanten_batch(whole, melds=len(melds), threads=1).best
        found.append(whole[best < 0])
    return np.unique(np.concatenate(found), axis=0) if found else np.zeros((0, 34), np.int8)


def fans_of(
    counts: np.ndarray, held: np.ndarray, melds: list[Meld], seat: int, prevalent: int,
    open_fans: set[int],
) -> set[int]:  # fmt: skip
    """Those of some fans whose condition holds in some reading of a hand, the last tile drawn.

    That is one that was not ``held``; of a hand that was complete any.
    """
    tiles = tiles_of(counts.tolist())
    fans: set[int] = set()
    drawn = [tile for tile in dict.fromkeys(tiles) if counts[tile] > held[tile]]
    for number, win in enumerate(drawn or dict.fromkeys(tiles)):
        hand = Hand(tiles, win, melds, self_drawn=True, seat_wind=seat, prevalent_wind=prevalent)
        for reading in list_readings(hand):
            view = View(hand, reading, (), GB98)
            if NINE_GATES in open_fans and groups(view, NINE_GATES):
                fans.add(NINE_GATES)
            if number == 0:
                fans |= {fan for fan in CONDITIONS if fan in open_fans and groups(view, fan)}
                fans |= {c.fan for c in candidates(reading.blocks) if c.fan in open_fans}
        if NINE_GATES not in open_fans:
            break
    if not any(meld.is_exposed for meld in melds):
        fans.add(CONCEALED)
    if len(melds) == 4 and all(meld.is_exposed for meld in melds):
        fans.add(MELDED)
    return fans


def fan_distances(
    counts: np.ndarray, melds: list[Meld], draws: int, seat: int = 0, prevalent: int = 0
) -> dict[int, int]:
    """Distance of the fans within so many draws."""
    found: dict[int, int] = {}
    first = int(shanten_batch([counts], melds=len(melds)).best[0]) + 1
    for number in range(first, draws + 1):
        open_fans = set(LOOKED_AT) - set(found)
        for whole in complete_hands(counts, melds, number):
            for fan in fans_of(whole, counts, melds, seat, prevalent, open_fans):
                found.setdefault(fan, number - 1)
                open_fans.discard(fan)
    return found
