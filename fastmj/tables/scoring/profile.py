"""A rule profile as arrays: what each class of facts contributes under it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...hands.tiles import KINDS
from ...kernels.scoring import layout as at
from ...rules import FANS, Rules
from ..store import load_data, pack
from . import facts, sets
from .choices import choices_of
from .hashing import Hash

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
    points = sum(rules.points(fan) * times for fan, times in counted.items())
    added |= points << at.POINTS_FROM
    return [*mask_words(counted), *mask_words(implied), added, KINDS, 0, 0]


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


class _Records:
    """Records of a profile, class by class, and where each begins in the longs."""

    def __init__(self, rules: Rules):
        self.rules = rules
        self.rows: list[list[int]] = []
        self.sources: list[str] = []
        self.add("nothing", _record((), rules))

    def add(self, source: str, record: list[int]) -> int:
        """Add a record of some source of fans; returns where it begins."""
        self.rows.append(record)
        self.sources.append(source)
        place: int = at.RECORDS + at.RECORD_WIDTH * (len(self.rows) - 1)
        return place

    def add_all(self, source: str, classes: Iterable[Iterable[tuple[int, int]]]) -> Array:
        """Add records of classes; returns where they begin."""
        return np.array([self.add(source, _record(fans, self.rules)) for fans in classes])

    def indexed(self, source: str, fans: Iterable[tuple[int, list[int]]], length: int) -> Array:
        """Record by index; each set of fans becomes one, indices that never occur have none."""
        index = np.full(length, at.NOTHING)
        places: dict[tuple[int, ...], int] = {}
        for position, listed in fans:
            key = tuple(listed)
            if key not in places:
                places[key] = self.add(source, _record(_once(key), self.rules))
            index[position] = places[key]
        return index

    def chows(self, classes: list[tuple[sets.Fans, int, sets.Fans]]) -> Array:
        """Add records of chows, and of those that some pair changes."""
        places = self.add_all("chows", (fans for fans, _, _ in classes))
        for place, (_, pair, with_pair) in zip(places, classes, strict=True):
            if pair < KINDS:
                row = self.rows[(place - at.RECORDS) // at.RECORD_WIDTH]
                row[at.ALT_PAIR] = pair
                row[at.ALT_RECORD] = self.add("chows", _record(with_pair, self.rules))
        return places

    def check(self) -> None:
        """Points are added up record by record: no fan may be held by two, 幺九刻 apart."""
        if at.RECORDS + at.RECORD_WIDTH * len(self.rows) >= 1 << 16:
            raise AssertionError("too many records for 16 bits")
        held: dict[str, int] = {}
        for source, row in zip(self.sources, self.rows, strict=True):
            held[source] = held.get(source, 0) | row[at.HELD0] | row[at.HELD1] << at.WORD
        # A hand has either tiles of a regular form or a special one.
        held["tiles"] |= held.pop("special")
        seen = 0
        for mask in held.values():
            if seen & mask & ~(1 << at.REPEATING[at.TERMINAL_FIELD]):
                raise AssertionError("a fan is held by two sources of fans")
            seen |= mask


@lru_cache(maxsize=64)
def _compile(rules: Rules) -> at.Buffers:
    data, choices = load_data(), choices_of(rules)
    records = _Records(rules)
    words = {
        "chows": _by_slot(
            records.chows(choices.chows[0])[choices.chows[1]], data["chow_slot"], at.CHOW_HASH
        ),
        "pungs": _by_slot(
            records.add_all("pungs", choices.pungs[0])[choices.pungs[1]],
            data["pung_slot"], at.PUNG_HASH,
        ),
        "honors": records.add_all("honors", choices.honors[0])[choices.honors[1]],
        "ways": records.indexed("ways", facts.way_fans(rules), 1 << at.WAY_BITS),
        "made": records.indexed("made", facts.made_fans(rules), 3 << at.MADE_BITS),
    }  # fmt: skip
    classes, index = _tile_classes()
    tiles = [records.add("tiles", _tile_record(form, fans, rules)) for form, fans in classes]
    words["tile_classes"] = np.array(tiles)[index]
    special = records.add_all("special", map(_once, facts.special_fans()))
    hog = FANS["四归一"].id
    hogs = records.add_all("hogs", ([(hog, times)] if times else [] for times in range(4)))
    records.check()
    values = np.array(rules.all_points)
    words["lost_low"], words["lost_high"] = _lost_points(values)
    numbers: dict[str, int] = {
        "min_fan": rules.min_fan,
        "knitted_waits": int(rules.knitted_waits),
        "chicken": rules.points("无番和"),
        "flower": rules.points("花牌"),
        "special": special[0],
        "first_hog": hogs[0],
    }
    longs: dict[str, npt.ArrayLike] = {
        "numbers": _padded([numbers[name] for name in at.NUMBERS], at.RECORD_WIDTH),
        "points": values,
        "order": _padded(np.argsort(-values, kind="stable"), at.PROFILE_LONGS["order"]),
        "records": records.rows,
    }
    return at.Buffers(
        pack(at.PROFILE_WORDS, np.uint16, words), pack(at.PROFILE_LONGS, np.int64, longs)
    )


def _padded(numbers: npt.ArrayLike, length: int) -> Array:
    given = np.asarray(numbers)
    return np.pad(given, (0, length - len(given)))


def _by_slot(places: Array, slots: Array, given: Hash) -> Array:
    """Records of the choices of sets, each in the slot of its key."""
    table = np.full(1 << given[2], at.NOTHING)
    table[slots] = places
    return table


def _lost_points(values: Array) -> list[Array]:
    """Points of every piece of the second mask word that is looked up, repeating fans left out."""
    single = values.copy()
    single[list(at.REPEATING)] = 0
    tables = []
    for first, width in at.LOST_PARTS:
        bits = np.arange(1 << width)[:, None] >> np.arange(width) & 1
        tables.append(bits @ single[at.WORD + first : at.WORD + first + width])
    return tables


@lru_cache(maxsize=1)
def _tile_classes() -> tuple[list[tuple[int, tuple[int, ...]]], Array]:
    return facts.tile_fans()


def compile_rules(rules: Rules) -> at.Buffers:
    """Arrays of a profile, made once for each content."""
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be a Rules profile such as GB98, got {type(rules).__name__}")
    return _compile(rules)
