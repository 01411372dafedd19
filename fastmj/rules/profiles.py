"""Profiles of the national rules: every contested ruling as an option of a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ..quoting import quoted
from .base import Profile, ProfileChanges
from .doubling import REGIONAL, DoublingRules
from .fans import CONCEALED_FORMS, FANS

if TYPE_CHECKING:
    from typing_extensions import Unpack

R = TypeVar("R", bound="Rules")
#: Fans about the suits and ranks of the tiles that seven pairs did not take in 1998.
_STRICT98_PAIRS = FANS.ids("绿一色 字一色 清幺九 混幺九 全大 全中 全小 大于五 小于五")
_STRICT98_VOIDED = FANS.ids("大三元 小三元 三风刻 一色四同顺 一色四节高 一色四步高")


class RulesChanges(ProfileChanges, total=False):
    """What ``Rules.replace`` takes."""

    fully_concealed_forms: bool
    nine_gates_pungs: bool
    green_half_flush: bool
    hog_in_special_pairs: bool
    terminals_double_pung: bool
    kongs_take_concealed: bool
    knitted_waits: bool
    strict98_voided: bool
    strict98_pairs: bool


@dataclass(frozen=True, repr=False)
class Rules(Profile):
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
        三杠 and 四杠 take 暗杠 where one of their kongs is concealed, 双暗杠 where two are; three
        or four concealed kongs are 三暗刻 or 四暗刻 and nothing else.
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

    fully_concealed_forms: bool = False
    nine_gates_pungs: bool = True
    green_half_flush: bool = False
    hog_in_special_pairs: bool = True
    terminals_double_pung: bool = False
    kongs_take_concealed: bool = False
    knitted_waits: bool = True
    strict98_voided: bool = False
    strict98_pairs: bool = False

    __hash__ = Profile.__hash__

    if TYPE_CHECKING:

        def replace(self: R, **changes: Unpack[RulesChanges]) -> R:
            """As for every profile, with these options."""

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
OPTIONS: tuple[str, ...] = Rules.options()

#: Profiles of either kind.
AnyRules: TypeAlias = Rules | DoublingRules
#: What ``rules=`` takes: a profile or the name of one; of national rules alone.
RulesLike: TypeAlias = Rules | DoublingRules | str
NationalRulesLike: TypeAlias = Rules | str

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
PROFILES: dict[str, AnyRules] = {"gb98": GB98, "wmo2006": WMO2006, "regional": REGIONAL}


def resolve_rules(rules: RulesLike) -> AnyRules:
    """A profile as it is, or by its name.

    >>> resolve_rules("gb98")
    Rules(name='GB98')
    """
    if isinstance(rules, (Rules, DoublingRules)):
        return rules
    if not isinstance(rules, str):
        names = ", ".join(PROFILES)
        raise TypeError(
            f"rules must be a profile such as GB98, or the name of one ({names}), "
            f"got {type(rules).__name__}"
        )
    if rules.lower() not in PROFILES:
        raise ValueError(f"no rules are called {quoted(rules)}: there are {', '.join(PROFILES)}")
    return PROFILES[rules.lower()]


def national_rules(rules: NationalRulesLike) -> Rules:
    """A profile of the national rules, or by its name, where others are not known."""
    found = resolve_rules(rules)
    if not isinstance(found, Rules):
        raise TypeError(
            f"rules must be a Rules profile such as GB98: {found.name} are doubling rules, "
            "which only scoring, waits and data files know"
        )
    return found
