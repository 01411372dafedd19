"""What all rule profiles share: values by fan, a minimum, options, and being values themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypedDict, TypeVar

from ..quoting import quoted
from .fans import FANS, FanTable

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MAX_VALUE = 1000


class Values(dict[int, int]):
    """Points by number of the fan, which never change."""

    def _refuse(self, *arguments: Any, **options: Any) -> NoReturn:
        raise TypeError("a profile does not change: make another one with replace(values=...)")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]


def _is_value(value: object) -> bool:
    """Whether something is a whole number of points."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    return number and 0 <= value <= _MAX_VALUE and int(value) == value  # type: ignore[operator, call-overload]


P = TypeVar("P", bound="Profile")


class ProfileChanges(TypedDict, total=False):
    """What ``replace`` takes: the fields."""

    name: str
    min_fan: int
    values: Mapping[Any, int]


@dataclass(frozen=True, repr=False)
class Profile:
    """A rule profile of either kind: ``Rules`` or ``DoublingRules``.

    Profiles are values: they compare and hash by content and never change.

    Parameters
    ----------
    name : str
        For display.
    min_fan : int
        What a hand must score, flowers aside, to win.
    values : mapping
        Points that differ from those of the table, by Chinese or English name, key or number.

    Attributes
    ----------
    table : FanTable
        What the profile counts. Fan masks, counts and numbers of its scores are those of this
        table.
    unit : str
        What the number beside a fan is: the ``"times"`` that it counts or its ``"factor"``.
    counts_flowers : bool
        Whether flowers are worth anything.

    Examples
    --------
    >>> from fastmj import GB98, REGIONAL
    >>> GB98.table[21].zh, REGIONAL.table[0].zh, REGIONAL.unit
    ('清一色', '海底', 'factor')
    """

    table: ClassVar[FanTable] = FANS
    unit: ClassVar[str] = "times"
    counts_flowers: ClassVar[bool] = True

    name: str = "house"
    min_fan: int = 8
    values: Mapping[Any, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", Values(self._as_values(self.values)))
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a text, got {quoted(self.name)}")
        if not _is_value(self.min_fan):
            raise ValueError(
                f"min_fan must be a whole number 0-{_MAX_VALUE}, got {quoted(self.min_fan)}"
            )
        for option in self.options():
            if not isinstance(getattr(self, option), bool):
                raise TypeError(
                    f"{option} must be True or False, got {quoted(getattr(self, option))}"
                )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        """Show what differs from the class's own defaults, so that it can be read back."""
        given = []
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "values":
                value = {self.table[fan].zh: points for fan, points in value.items()}
            if value != (item.default if item.default is not MISSING else {}):
                given.append(f"{item.name}={value!r}")
        return f"{type(self).__name__}({', '.join(given)})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the fields: a read-only mapping cannot be pickled as it is."""
        given = (getattr(self, item.name) for item in fields(self))
        return type(self), tuple(dict(v) if isinstance(v, Mapping) else v for v in given)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Names of the true-or-false options."""
        return tuple(f.name for f in fields(cls) if f.name not in ("name", "min_fan", "values"))

    @cached_property
    def digest(self) -> tuple[object, ...]:
        """Everything that can change a score, as one hashable value (the name is not part)."""
        options = tuple(getattr(self, option) for option in self.options())
        return (self.min_fan, tuple(self.values.items()), options)

    def replace(self: P, **changes: Unpack[ProfileChanges]) -> P:
        """Profile with some fields changed; ``values`` are laid over this profile's own.

        >>> from fastmj import WMO2006
        >>> WMO2006.replace(values={"和绝张": 8}).points("双暗杠")
        8
        """
        unknown = sorted(set(changes) - {item.name for item in fields(self)})
        if unknown:
            known = ", ".join(self.options())
            raise TypeError(f"no such option: {', '.join(unknown)}; there are {known}")
        if "values" in changes:
            self._as_values(changes["values"])  # refuses what is no fan or no value
            given = {self.table[name].id: points for name, points in changes["values"].items()}
            changes["values"] = {**self.values, **given}
        return replace(self, **changes)

    def points(self, fan: int | str) -> int:
        """Points of one fan under this profile."""
        row = self.table[fan]
        return self.values.get(row.id, row.points)

    @cached_property
    def all_points(self) -> tuple[int, ...]:
        """Points of every fan, by number."""
        return tuple(self.points(fan.id) for fan in self.table)

    def shares(self, counts: Mapping[int, int]) -> dict[int, int]:
        """What each fan of a hand adds to its points, by number; ``counts`` by number, too.

        >>> from fastmj import FANS, GB98
        >>> GB98.shares({FANS["四归一"].id: 2, FANS["自摸"].id: 1})
        {63: 4, 79: 1}
        """
        return {fan: times * self.points(fan) for fan, times in counts.items()}

    def _as_values(self, values: Mapping[Any, int]) -> dict[int, int]:
        if not isinstance(values, Mapping):
            raise TypeError(f"values must be a mapping of fans to points, got {quoted(values)}")
        result: dict[int, int] = {}
        for name, points in values.items():
            try:
                fan = self.table[name]
                if not isinstance(name, str) and name < 0:
                    raise IndexError
            except (KeyError, IndexError, TypeError):
                raise ValueError(f"no fan is called {quoted(name)}") from None
            if not _is_value(points):
                raise ValueError(
                    f"{fan}: points must be a whole number 0-{_MAX_VALUE}, got {quoted(points)}"
                )
            if int(points) != fan.points:
                result[fan.id] = int(points)
        return dict(sorted(result.items()))
