"""Melds: sets put on the table, and their one-byte code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from ..quoting import quoted, shown
from .status import InvalidHand, Status
from .tiles import HONORS_FROM, KINDS, Honors, format_tiles, parse_tiles, plain


class MeldKind(IntEnum):
    """Kinds of meld, in the order of their codes."""

    CHOW = 0
    PUNG = 1
    MELDED_KONG = 2
    CONCEALED_KONG = 3


_SOURCES = {
    MeldKind.CHOW: (0, 1, 2, 3),
    MeldKind.PUNG: (0, 1, 2, 3),
    MeldKind.MELDED_KONG: (0, 1, 2, 3, 5, 6, 7),
    MeldKind.CONCEALED_KONG: (0,),
}


@dataclass(frozen=True, slots=True)
class Meld:
    """A set on the table.

    Parameters
    ----------
    kind : MeldKind
        Chow, pung, melded kong or concealed kong.
    tile : int
        Its tile, the lowest one of a chow.
    source : int
        Where the claimed tile came from, as hand texts write it after a comma: 1-3, for a kong made
        by adding to a pung 5-7, 0 when unknown. It does not matter for the score, and melds that
        differ only in it are equal.

    Examples
    --------
    >>> Meld.parse("123m").code, Meld.parse("5555p").kind.name, str(Meld.parse("EEEE,6"))
    (1, 'CONCEALED_KONG', '[EEEE,6]')
    """

    kind: MeldKind
    tile: int
    source: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", MeldKind(self.kind))
        if not 0 <= self.tile < KINDS:
            raise InvalidHand(Status.BAD_MELD, f"{self.tile} is no tile id: a meld needs one, 0-33")
        if self.source not in _SOURCES[self.kind]:
            raise InvalidHand(
                Status.BAD_MELD,
                f"{self.source!r} is no source of a {self.kind.name.lower().replace('_', ' ')}",
            )
        if self.kind == MeldKind.CHOW and (self.tile >= HONORS_FROM or self.tile % 9 > 6):
            raise InvalidHand(
                Status.BAD_MELD,
                f"no chow begins with {format_tiles([self.tile])}: a chow is three tiles in a row",
            )

    @classmethod
    def from_tiles(cls, tiles: Iterable[int], source: int = 0) -> Meld:
        """Meld from its tiles; four equal ones are a concealed kong unless a source is given."""
        given = sorted(tiles)
        kind: MeldKind | None = None
        if len(given) in (3, 4) and len(set(given)) == 1:
            if len(given) == 3:
                kind = MeldKind.PUNG
            else:
                kind = MeldKind.MELDED_KONG if source else MeldKind.CONCEALED_KONG
        elif len(given) == 3 and given[2] < HONORS_FROM:
            low = given[0]
            if given == [low, low + 1, low + 2] and low // 9 == (low + 2) // 9:
                kind = MeldKind.CHOW
        if kind is None:
            raise InvalidHand(
                Status.BAD_MELD,
                f"[{shown(format_tiles(given))}] is no meld: a chow is three tiles in a row of one "
                "suit, a pung three and a kong four equal tiles",
            )
        if source in (5, 6, 7) and kind != MeldKind.MELDED_KONG:
            raise InvalidHand(
                Status.BAD_MELD,
                f"[{format_tiles(given)},{source}]: 5, 6 and 7 are for a kong made from a pung",
            )
        return cls(kind, given[0], source)

    @classmethod
    def parse(cls, text: str, honors: Honors = "chinese") -> Meld:
        """Meld from a text such as ``123m``, ``[EEE,2]`` or ``5555p`` (a concealed kong)."""
        if not isinstance(text, str):
            raise TypeError(f"the text of a meld is wanted, got {type(text).__name__}")
        tiles, comma, number = (
            plain(text).strip().removeprefix("[").removesuffix("]").partition(",")
        )
        if comma and number.strip() not in ("1", "2", "3", "5", "6", "7"):
            raise InvalidHand(
                Status.BAD_MELD,
                f"{quoted(text.strip())}: after the comma comes 1, 2 or 3 (who gave the tile), "
                "or 5, 6, 7 for a kong made from a pung",
            )
        return cls.from_tiles(parse_tiles(tiles, honors), int(number) if comma else 0)

    @classmethod
    def from_code(cls, code: int) -> Meld:
        """Meld from its code 1-136 (see ``code``)."""
        if not 1 <= code <= 4 * KINDS:
            raise InvalidHand(
                Status.BAD_MELD, f"{code} is no meld code: codes are 1-136, 0 is none"
            )
        return cls(MeldKind((code - 1) // KINDS), (code - 1) % KINDS)

    @property
    def code(self) -> int:
        """``1 + kind * 34 + tile``, as in the ``melds`` columns of a batch."""
        return 1 + int(self.kind) * KINDS + self.tile

    @property
    def tiles(self) -> tuple[int, ...]:
        """Its three or four tiles."""
        if self.kind == MeldKind.CHOW:
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * (4 if self.is_kong else 3)

    @property
    def is_kong(self) -> bool:
        """Whether it is a kong, melded or concealed."""
        return self.kind >= MeldKind.MELDED_KONG

    @property
    def is_exposed(self) -> bool:
        """Whether it opens the hand: everything but a concealed kong."""
        return self.kind != MeldKind.CONCEALED_KONG

    def __str__(self) -> str:
        source = self.source or (1 if self.kind == MeldKind.MELDED_KONG else 0)
        return f"[{format_tiles(self.tiles)}{f',{source}' if source else ''}]"
