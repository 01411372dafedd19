"""A rule profile as arrays: what each class of facts contributes under it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...hands.tiles import KINDS
from ...kernels.scoring import layout as at
from ...kernels.scoring.buffers import NOTHING, Buffers
from ...rules import FANS, GB98, Rules
from ..store import load_data, pack
from . import facts, sets

Array = npt.NDArray[Any]


def mask_words(fans: Iterable[int]) -> tuple[int, int]:
    """Two words of a fan mask."""
    words = [0, 0]
    for fan in fans:
        words[fan // at.WORD] |= 1 << fan % at.WORD
    return words[0], words[1]


def _record(fans: Iterable[tuple[int, int]], rules: Rules, extra: Iterable[int] = ()) -> list[int]:
    """Record of a class: its fans with the times that they hold; ``extra`` fans do not count.

    What the class takes away from itself is left out at once.
    """
    held = dict(fans)
    implied = set(extra).union(*(rules.implies[fan] for fan in held))
    counted = {fan: times for fan, times in held.items() if fan not in implied}
    added = sum(counted.get(fan, 0) << 4 * position for position, fan in enumerate(at.REPEATING))
    points = sum(rules.points(fan) * times for fan, times in counted.items() if fan in _IRREVOCABLE)
    added |= points << at.POINTS_FROM
    return [*mask_words(counted), *mask_words(implied), added, KINDS, 0, 0]


#: Repeating fans that only fans of their own class can take away.
_IRREVOCABLE = frozenset(fan for field, fan in enumerate(at.REPEATING) if field not in at.REVOCABLE)


def _once(fans: Iterable[int]) -> list[tuple[int, int]]:
    return [(fan, 1) for fan in fans]


def _tile_record(form: int, fans: tuple[int, ...], rules: Rules) -> list[int]:
    """Record of a class of tiles, with what seven pairs do not take."""
    extra: list[int] = []
    if form == at.FORM_PAIRS:
        fans = tuple(fan for fan in fans if fan not in rules.not_for_seven_pairs)
        if rules.hogless_seven_pairs & set(fans):
            extra = [FANS["四归一"].id]
    return _record(_once(fans), rules, extra)


@lru_cache(maxsize=64)
def _compile(rules: Rules) -> Buffers:
    points = sets.combination_points(rules.all_points)
    if points == sets.combination_points(GB98.all_points):
        choices = load_choices()
    else:
        choices = Choices(sets.chow_fans(points), sets.pung_fans(points), sets.honor_fans(points))
    behind = NOTHING // at.RECORD_WIDTH  # the numbers take the place of the first records
    rows: list[list[int]] = [_record((), rules)]

    def add(records: Iterable[list[int]]) -> int:
        first = behind + len(rows)
        rows.extend(records)
        return first

    chow_classes, chow_index = choices.chows
    first_chow = add(_record(fans, rules) for fans, _, _ in chow_classes)
    for position, (_, pair, with_pair) in enumerate(chow_classes):
        if pair < KINDS:
            alternative = add([_record(with_pair, rules)])
            rows[first_chow - behind + position][at.ALT_PAIR] = pair
            rows[first_chow - behind + position][at.ALT_CLASS] = alternative
    pung_classes, pung_index = choices.pungs
    first_pung = add(_record(fans, rules) for fans in pung_classes)
    honor_classes, honor_index = choices.honors
    first_honor = add(_record(fans, rules) for fans in honor_classes)
    tile_classes, tile_index = _tile_classes()
    first_tile = add(_tile_record(form, fans, rules) for form, fans in tile_classes)
    special = add(_record(_once(fans), rules) for fans in facts.special_fans())
    way_index = _indexed(facts.way_fans(rules), 1 << at.WAY_BITS, rules, add)
    made_index = _indexed(facts.made_fans(rules), 1 << at.MADE_BITS, rules, add)
    hog = FANS["四归一"].id
    first_hog = add(_record([(hog, times)] if times else [], rules) for times in range(4))
    _check_irrevocable(rules)

    values = np.array(rules.all_points, np.int32)
    single = values.copy()
    single[list(at.REPEATING)] = 0
    numbers = [
        rules.min_fan,
        int(rules.knitted_waits),
        rules.points("无番和"),
        rules.points("花牌"),
        special,
        at.RECORD_WIDTH * first_hog,
        0,
        0,
        *(rules.points(fan) for fan in at.REPEATING),
    ]
    numbers += [0] * (NOTHING - len(numbers))
    return Buffers(
        pack(at.PROFILE_WORDS, np.uint16, {
            "chow_class": chow_index + first_chow,
            "pung_class": pung_index + first_pung,
            "honor_class": honor_index + first_honor,
            "way_class": way_index,
            "made_class": made_index,
            "tile_class": tile_index + first_tile,
        }),
        pack(at.PROFILE_INTS, np.int32, {
            "points": values,
            "order": np.argsort(-values, kind="stable"),
            "mask_points": _mask_points(single),
        }),
        pack(at.PROFILE_LONGS, np.int64, {"numbers": numbers, "records": rows}),
    )  # fmt: skip


def _indexed(
    fans: Iterable[tuple[int, list[int]]],
    length: int,
    rules: Rules,
    add: Callable[[Iterable[list[int]]], int],
) -> Array:
    """Class by index; each set of fans becomes one record, indices that never occur none."""
    index = np.full(length, NOTHING // at.RECORD_WIDTH, np.uint16)
    classes: dict[tuple[int, ...], int] = {}
    for position, listed in fans:
        key = tuple(listed)
        if key not in classes:
            classes[key] = add([_record(_once(key), rules)])
        index[position] = classes[key]
    return index


def _check_irrevocable(rules: Rules) -> None:
    """Records count the points of some repeating fans at once: nobody else may take them away."""
    own = FANS.ids("大三元 小三元 双箭刻 一色双龙会 三色双龙会 一色四同顺 一色四步高")
    for fan in FANS:
        if fan.id not in own and rules.implies[fan.id] & _IRREVOCABLE:
            raise AssertionError(f"{fan} takes away a fan whose points are already counted")


def _mask_points(values: Array) -> Array:
    """Points of every 12-bit piece of the two words of a mask."""
    bits = (np.arange(at.CHUNK)[:, None] >> np.arange(at.CHUNK_BITS)) & 1
    padded = np.zeros(at.CHUNKS * at.CHUNK_BITS, np.int64)
    padded[: len(values)] = values
    return padded.reshape(at.CHUNKS, at.CHUNK_BITS) @ bits.T


@lru_cache(maxsize=1)
def _tile_classes() -> tuple[list[tuple[int, tuple[int, ...]]], Array]:
    return facts.tile_fans()


class Choices(NamedTuple):
    """Fans of several sets under some points: classes and index of chows, pungs, honours."""

    chows: tuple[list[tuple[sets.Fans, int, sets.Fans]], Array]
    pungs: tuple[list[sets.Fans], Array]
    honors: tuple[list[sets.Fans], Array]


def load_choices() -> Choices:
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
    """Build the arrays that ``load_choices`` reads."""
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
    }


def compile_rules(rules: Rules) -> Buffers:
    """Arrays of a profile, made once for each content."""
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules profile such as GB98, got {type(rules).__name__}")
    return _compile(rules)
