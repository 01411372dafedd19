"""Rule profiles: the values, the minimum and every contested ruling, as options of a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from .fans import CONCEALED_FORMS, FANS

#: Fans about the suits and ranks of the tiles that seven pairs did not take in 1998.
_STRICT98_PAIRS = FANS.ids("绿一色 字一色 清幺九 混幺九 全大 全中 全小 大于五 小于五")
_STRICT98_VOIDED = FANS.ids("大三元 小三元 三风刻 一色四同顺 一色四节高 一色四步高")
_MAX_VALUE = 1000


def _as_values(values: Mapping[Any, int]) -> dict[int, int]:
    result: dict[int, int] = {}
    for name, points in values.items():
        try:
            fan = FANS[name]
            if not isinstance(name, str) and name < 0:
                raise IndexError
        except (KeyError, IndexError, TypeError):
            raise ValueError(f"no fan is called {name!r}") from None
        if not 0 <= int(points) <= _MAX_VALUE or int(points) != points:
            raise ValueError(f"{fan}: points must be a whole number 0-{_MAX_VALUE}, got {points!r}")
        if int(points) != fan.points:
            result[fan.id] = int(points)
    return dict(sorted(result.items()))


@dataclass(frozen=True)
class Rules:
    """A rule profile: fan values, the minimum to win, and every contested ruling.

    Profiles are values: they compare and hash by content and never change. Make a house profile
    with ``replace``.

    Parameters
    ----------
    name : str
        For display.
    min_fan : int
        What a hand must score, flowers aside, to win.
    values : mapping
        Points that differ from the 1998 table, by Chinese or English name, key or number.
    fully_concealed_forms : bool
        Self-drawn hands that are concealed by their nature take 不求人 (4) instead of 自摸 (1).
    nine_gates_pungs : bool
        九莲宝灯 takes 幺九刻 for a second terminal pung.
    green_half_flush : bool
        绿一色 takes 混一色 too.
    hog_in_special_pairs : bool
        绿一色 and 清幺九 made of seven pairs take 四归一.
    terminals_double_pung : bool
        清幺九 takes 双同刻.
    kongs_take_concealed : bool
        三杠 and 四杠 take 暗杠 where one of their kongs is concealed, 双暗杠 where two are. Three or
        four concealed kongs are 三暗刻 or 四暗刻 and nothing else.
    knitted_waits : bool
        A winning tile of one of a knitted straight's nine kinds may count as a wait of the rest.
    strict98_voided : bool
        缺一门 is not counted beside 大三元 小三元 三风刻 一色四同顺 一色四节高 一色四步高.
    strict98_pairs : bool
        Seven pairs take none of 绿一色 字一色 清幺九 混幺九 全大 全中 全小 大于五 小于五.

    Examples
    --------
    >>> house = GB98.replace(name="house", knitted_waits=False, values={"双暗杠": 8}, min_fan=6)
    >>> house.points("双暗杠"), GB98.points("双暗杠"), house.min_fan
    (8, 6, 6)

    Notes
    -----
    Source: RULES section 7.
    """

    name: str = "house"
    min_fan: int = 8
    values: Mapping[Any, int] = field(default_factory=dict)
    fully_concealed_forms: bool = False
    nine_gates_pungs: bool = True
    green_half_flush: bool = False
    hog_in_special_pairs: bool = True
    terminals_double_pung: bool = False
    kongs_take_concealed: bool = False
    knitted_waits: bool = True
    strict98_voided: bool = False
    strict98_pairs: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(_as_values(self.values)))
        if not 0 <= int(self.min_fan) <= _MAX_VALUE or int(self.min_fan) != self.min_fan:
            raise ValueError(f"min_fan must be a whole number 0-{_MAX_VALUE}, got {self.min_fan!r}")
        for option in OPTIONS:
            if not isinstance(getattr(self, option), bool):
                raise TypeError(f"{option} must be True or False, got {getattr(self, option)!r}")

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the fields: a read-only mapping cannot be pickled as it is."""
        given = (getattr(self, item.name) for item in fields(self))
        return Rules, tuple(dict(v) if isinstance(v, Mapping) else v for v in given)

    @cached_property
    def digest(self) -> tuple[object, ...]:
        """Everything that can change a score, as one hashable value (the name is not part)."""
        options = tuple(getattr(self, option) for option in OPTIONS)
        return (self.min_fan, tuple(self.values.items()), options)

    def replace(self, **changes: Any) -> Rules:
        """Profile with some fields changed; ``values`` are laid over this profile's own.

        >>> WMO2006.replace(values={"和绝张": 8}).points("双暗杠")
        8
        """
        unknown = sorted(set(changes) - {item.name for item in fields(self)})
        if unknown:
            raise TypeError(f"no such option: {', '.join(unknown)}; there are {', '.join(OPTIONS)}")
        if "values" in changes:
            _as_values(changes["values"])  # refuses what is no fan or no value
            given = {FANS[name].id: points for name, points in changes["values"].items()}
            changes["values"] = {**self.values, **given}
        return replace(self, **changes)

    def points(self, fan: int | str) -> int:
        """Points of one fan under this profile."""
        row = FANS[fan]
        return self.values.get(row.id, row.points)

    @cached_property
    def all_points(self) -> tuple[int, ...]:
        """Points of every fan, by number."""
        return tuple(self.points(fan.id) for fan in FANS)

    @cached_property
    def implies(self) -> tuple[frozenset[int], ...]:
        """For each fan the numbers of those that are not counted beside it."""
        table = [set(FANS.ids(" ".join(fan.implies))) for fan in FANS]

        def uncounted(fan: str, other: str, not_beside: bool) -> None:
            (table[FANS[fan].id].add if not_beside else table[FANS[fan].id].discard)(FANS[other].id)

        for number in CONCEALED_FORMS:
            uncounted(FANS[number].zh, "不求人", not self.fully_concealed_forms)
        uncounted("绿一色", "混一色", not self.green_half_flush)
        uncounted("九莲宝灯", "幺九刻", not self.nine_gates_pungs)
        uncounted("清幺九", "双同刻", not self.terminals_double_pung)
        for kongs in ("三杠", "四杠"):
            uncounted(kongs, "暗杠", not self.kongs_take_concealed)
            uncounted(kongs, "双暗杠", not self.kongs_take_concealed)
        for number in _STRICT98_VOIDED:
            uncounted(FANS[number].zh, "缺一门", self.strict98_voided)
        return tuple(frozenset(others) for others in table)

    @cached_property
    def not_for_seven_pairs(self) -> frozenset[int]:
        """Fans that seven pairs never take under this profile."""
        return _STRICT98_PAIRS if self.strict98_pairs else frozenset()

    @cached_property
    def hogless_seven_pairs(self) -> frozenset[int]:
        """Fans beside which seven pairs do not take 四归一."""
        return frozenset() if self.hog_in_special_pairs else FANS.ids("绿一色 清幺九")


#: Names of the true-or-false options of a profile.
OPTIONS: tuple[str, ...] = tuple(
    item.name for item in fields(Rules) if item.name not in ("name", "min_fan", "values")
)

#: The 1998 rules with the later consensus: the default.
GB98 = Rules(name="GB98")
#: The 2006 rules of the World Mahjong Organization.
WMO2006 = Rules(
    name="WMO2006",
    values={"双暗杠": 8, "明暗杠": 6},
    fully_concealed_forms=True,
    nine_gates_pungs=False,
    green_half_flush=True,
    hog_in_special_pairs=False,
    terminals_double_pung=True,
    kongs_take_concealed=True,
    knitted_waits=False,
)
#: Profiles by the name that the command takes.
PROFILES: dict[str, Rules] = {"gb98": GB98, "wmo2006": WMO2006}
