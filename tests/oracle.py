"""Comparing the kernels with the reference, and both with the independent peer."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastmj import FANS, GB98, WMO2006, Hand, HandBatch, Rules, score_batch
from fastmj.hands.melds import MeldKind
from fastmj.hands.notation import write_botzone_tile
from fastmj.reference import explain
from fastmj.rules import OPTIONS

_HOUSE = {
    "fans worth other points": GB98.replace(
        values={"清龙": 12, "花龙": 12, "一色三步高": 6, "连六": 2, "喜相逢": 0, "双同刻": 3,
                "幺九刻": 2, "单钓将": 2, "边张": 0, "三色三节高": 4, "花牌": 2},
        min_fan=6,
    ),
}  # fmt: skip
#: Profiles by name: both standard ones, each with every single option turned over, house values.
PROFILES: dict[str, Rules] = {
    "GB98": GB98,
    "WMO2006": WMO2006,
    **{
        f"{base.name} with {option} {not getattr(base, option)}": base.replace(
            **{option: not getattr(base, option)}
        )
        for base in (GB98, WMO2006)
        for option in OPTIONS
    },
    **_HOUSE,
}


def disagreements_with_reference(
    batch: HandBatch, rules: Rules, rows: range | None = None
) -> list[str]:
    """Rows in which the kernels and the reference differ in fans, points or verdict."""
    chosen = batch if rows is None else batch[rows.start : rows.stop]
    scores = score_batch(chosen, rules=rules, threads=1, fan_counts=True)
    assert scores.fan_counts is not None
    found = []
    for index, hand in enumerate(chosen):
        expected = explain(hand, rules)
        counts = scores.fan_counts[index]
        fans = {int(fan): int(counts[fan]) for fan in np.flatnonzero(counts)}
        complete = expected.chosen is not None
        if (
            fans != expected.fans
            or scores.total[index] != expected.total
            or scores.base[index] != expected.base
            or scores.wins[index] != expected.wins
            or (scores.status[index] == 0) != complete
        ):
            found.append(
                f"{hand}: kernels {scores.total[index]} {named(fans)}, "
                f"reference {expected.total} {named(expected.fans)}"
            )
    return found


def named(fans: dict[int, int]) -> str:
    """Fans with their counts as one readable line."""
    return " ".join(FANS[fan].zh + (f"×{n}" if n > 1 else "") for fan, n in fans.items())


_CODES = [write_botzone_tile(tile) for tile in range(34)]


def peer_arguments(hand: Hand) -> tuple[Any, ...]:
    """Arguments of the peer's calculator for a hand."""
    packs = []
    for meld in hand.melds:
        if meld.kind == MeldKind.CHOW:
            packs.append(("CHI", _CODES[meld.tile + 1], 1))
        elif meld.kind == MeldKind.PUNG:
            packs.append(("PENG", _CODES[meld.tile], 1))
        else:
            packs.append(("GANG", _CODES[meld.tile], int(meld.kind == MeldKind.MELDED_KONG)))
    standing = [_CODES[tile] for tile in hand.concealed]
    standing.remove(_CODES[hand.win_tile])
    return (
        tuple(packs), tuple(standing), _CODES[hand.win_tile], hand.flowers, hand.self_drawn,
        hand.last_of_kind, hand.kong, hand.last_tile, hand.seat_wind, hand.prevalent_wind,
    )  # fmt: skip


def peer_fans(hand: Hand) -> dict[str, int]:
    """What the peer counts, by Chinese name."""
    from MahjongGB import MahjongFanCalculator

    result: dict[str, int] = {}
    for _, times, name, _ in MahjongFanCalculator(*peer_arguments(hand), True):
        result[name] = result.get(name, 0) + times
    return result
