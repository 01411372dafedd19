"""Fans of several sets, by the choice of sets: from the data file under the usual points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernels.scoring import layout as at
from ...rules import FANS, GB98, Rules
from ..store import load_data
from . import sets
from .hashing import Hash, displace, slots_of

Array = npt.NDArray[Any]


class Choices(NamedTuple):
    """Fans of several sets under some points: classes and index of chows, pungs, honours."""

    chows: tuple[list[tuple[sets.Fans, int, sets.Fans]], Array]
    pungs: tuple[list[sets.Fans], Array]
    honors: tuple[list[sets.Fans], Array]


def choices_of(rules: Rules) -> Choices:
    """Choices under the points of a profile."""
    points = sets.combination_points(rules.all_points)
    if points == sets.combination_points(GB98.all_points):
        return _load_choices()
    return Choices(sets.chow_fans(points), sets.pung_fans(points), sets.honor_fans(points))


def _load_choices() -> Choices:
    """Choices under the usual points, from the data file."""
    data = load_data()

    def fans(row: Array) -> sets.Fans:
        return tuple((int(fan), int(row[fan])) for fan in np.flatnonzero(row))

    chows = [
        (fans(row), int(pair), fans(with_pair))
        for row, pair, with_pair in zip(
            data["chow_fans"], data["chow_pair"], data["chow_pair_fans"], strict=True
        )
    ]
    return Choices(
        (chows, data["chow_index"]),
        ([fans(row) for row in data["pung_fans"]], data["pung_index"]),
        ([fans(row) for row in data["honor_fans"]], data["honor_index"]),
    )


def build_choices() -> dict[str, Array]:
    """Build fans and index of the choices under the usual points, and where to find a choice."""
    points = sets.combination_points(GB98.all_points)

    def rows(classes: Iterable[sets.Fans]) -> Array:
        listed = list(classes)
        table = np.zeros((len(listed), len(FANS)), np.uint8)
        for row, fans in zip(table, listed, strict=True):
            for fan, times in fans:
                row[fan] = times
        return table

    chows, chow_index = sets.chow_fans(points)
    pungs, pung_index = sets.pung_fans(points)
    honors, honor_index = sets.honor_fans(points)
    return {
        "chow_fans": rows(fans for fans, _, _ in chows),
        "chow_pair": np.array([pair for _, pair, _ in chows], np.uint8),
        "chow_pair_fans": rows(fans for _, _, fans in chows),
        "chow_index": chow_index,
        "pung_fans": rows(pungs),
        "pung_index": pung_index,
        "honor_fans": rows(honors),
        "honor_index": honor_index,
        **_slots("chow", sets.chow_keys(), at.CHOW_HASH),
        **_slots("pung", sets.pung_keys(), at.PUNG_HASH),
    }


def _slots(kind: str, keys: Array, given: Hash) -> dict[str, Array]:
    displacement = displace(keys, given)
    slots = slots_of(keys, displacement, given).astype(np.uint16)
    return {f"{kind}_displacement": displacement, f"{kind}_slot": slots}
