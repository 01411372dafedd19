"""A regional system of doubling: its hand types as data, and the profile that settles the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from .base import Profile, ProfileChanges
from .fans import Fan, FanTable

if TYPE_CHECKING:
    from typing_extensions import Unpack

D = TypeVar("D", bound="DoublingRules")

# fmt: off
#: Ways of winning and hand types, with their values. The source states those of 海底 and 全求人; the
#: others are ours. Of equal values the base is the one that stands first.
HAND_TYPES = FanTable((
    Fan(0, "last_of_the_wall", "海底", "Last of the Wall", 6, "the wall's last tile, drawn, or the discard after it"),
    Fan(1, "melded_hand", "全求人", "Melded Hand", 18, "4 exposed melds, won on a discard"),
    Fan(2, "all_honors", "字一色", "All Honors", 6, "only winds and dragons; needs no sets and no pair"),
    Fan(3, "full_flush", "清一色", "Full Flush", 6, "one suit, no honours; 4 sets and a pair, or 7 pairs"),
    Fan(4, "all_pungs", "碰碰胡", "All Pungs", 6, "4 pungs or kongs and a pair"),
    Fan(5, "seven_pairs", "七对", "Seven Pairs", 6, "7 pairs, four of a kind being two; no melds"),
    Fan(6, "plain_hand", "平胡", "Plain Hand", 6, "4 sets and a pair; counts where nothing else does"),
))
# fmt: on
_PLAIN = HAND_TYPES["平胡"].id


class DoublingChanges(ProfileChanges, total=False):
    """What ``DoublingRules.replace`` takes."""

    doubles_again: bool
    dearest_base: bool
    plain_doubles: bool
    claimed_last_tile: bool
    flush_needs_sets: bool


@dataclass(frozen=True, repr=False)
class DoublingRules(Profile):
    """A profile of doubling rules: one type gives its value, each further one doubles it.

    Types are rows of ``HAND_TYPES``, which takes the place of ``FANS``: the masks and counts of
    scores are of its seven rows. A type holds when the tiles can be read as it says; readings are
    not told apart. What a hand needs to be complete is 4 sets and a pair, or 7 pairs, or honours
    alone. Flowers, winds and other circumstances are worth nothing.

    Parameters
    ----------
    name : str
        For display.
    min_fan : int
        What a hand must score to win.
    values : mapping
        Values that differ from those of ``HAND_TYPES``, by Chinese or English name, key or number.
    doubles_again : bool
        Each further type doubles again; else the value is doubled once, however many there are.
    dearest_base : bool
        The value that is doubled is the dearest; else that of the first type in the table.
    plain_doubles : bool
        平胡 counts like any other type; else only where no other holds.
    claimed_last_tile : bool
        海底 holds also on the discard after the wall's last tile.
    flush_needs_sets : bool
        清一色 wants a hand that is complete without it; else any hand of one suit is complete.

    Examples
    --------
    >>> from fastmj import REGIONAL, score_hand
    >>> score_hand("[111m,1][555p,2][999s,3]33p77s7s", rules=REGIONAL, last_tile=True).fans
    {'海底': 1, '碰碰胡': 2}
    >>> house = REGIONAL.replace(name="house", values={"七对": 12})
    >>> house.points("七对"), REGIONAL.points("七对")
    (12, 6)

    Notes
    -----
    Source: RULES section 9. The options are what that leaves open.
    """

    table: ClassVar[FanTable] = HAND_TYPES
    unit: ClassVar[str] = "factor"
    counts_flowers: ClassVar[bool] = False

    min_fan: int = 0
    doubles_again: bool = True
    dearest_base: bool = True
    plain_doubles: bool = False
    claimed_last_tile: bool = True
    flush_needs_sets: bool = True

    __hash__ = Profile.__hash__

    if TYPE_CHECKING:

        def replace(self: D, **changes: Unpack[DoublingChanges]) -> D:
            """As for every profile, with these options."""

    def factors(self, held: Iterable[int]) -> dict[int, int]:
        """Types that count of those that hold, the base first, and what each multiplies by.

        The base has the factor 1, a type that doubles 2.

        >>> from fastmj.rules import REGIONAL
        >>> REGIONAL.factors([0, 1, 4, 6])
        {1: 1, 0: 2, 4: 2}
        """
        types = sorted(set(held))
        if len(types) > 1 and not self.plain_doubles:
            types = [kind for kind in types if kind != _PLAIN]
        if not types:
            return {}
        base = max(types, key=self.points) if self.dearest_base else types[0]
        further = [kind for kind in types if kind != base]
        doubling = further if self.doubles_again else further[:1]
        return {base: 1, **{kind: 2 if kind in doubling else 1 for kind in further}}

    def shares(self, counts: Mapping[int, int]) -> dict[int, int]:
        """What each type adds, the base its value and each doubling what there is by then.

        >>> from fastmj.rules import REGIONAL
        >>> REGIONAL.shares(REGIONAL.factors([0, 1, 4]))
        {1: 18, 0: 18, 4: 36}
        """
        shares: dict[int, int] = {}
        for kind, factor in self.factors(counts).items():
            whole = sum(shares.values())
            shares[kind] = whole * (factor - 1) if shares else self.points(kind)
        return shares


#: The regional system that the source sets beside the national ones.
REGIONAL = DoublingRules(name="REGIONAL")
