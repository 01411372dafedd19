"""One hand as a batch of one, from a text, a ``Hand`` or counts with melds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..hands.batch import array_of
from ..hands.hand import Hand
from ..hands.melds import Meld
from ..hands.notation import HandFields, read_hand
from ..hands.status import InvalidHand, Status
from ..hands.tiles import (
    KINDS,
    NAMES,
    Honors,
    counts_of,
    format_tiles,
    parse_tiles,
    tiles_of,
    whole,
)
from ..quoting import quoted

#: A hand: a text, a ``Hand``, or 34 counts of the concealed tiles.
AnyHand: TypeAlias = Any
#: Melds beside counts: each a ``Meld``, its text or its code (0 none).
AnyMelds: TypeAlias = Iterable[Any] | None


@dataclass(frozen=True)
class HandRow:
    """A hand text as a batch of one."""

    text: str
    columns: dict[str, Any]  # counts, melds
    visible: Any
    circumstances: dict[str, Any]

    @property
    def held(self) -> tuple[int, ...]:
        """Kinds of concealed tiles."""
        return tuple(np.flatnonzero(self.columns["counts"][0]).tolist())

    @property
    def winds(self) -> dict[str, Any]:
        """Seat and prevalent wind as the batch functions take them, east where there is none."""
        names = ("seat_wind", "prevalent_wind")
        return {name: int(self.circumstances.get(name, 0)) for name in names}

    def left(self, tiles: tuple[int, ...]) -> tuple[int, ...]:
        """Count the copies of each tile that are neither held nor in the melds nor visible."""
        gone = self.columns["counts"][0] + self.visible[0]
        for code in self.columns["melds"][0]:
            if code:
                for tile in Meld.from_code(int(code)).tiles:
                    gone[tile] += 1
        return tuple(4 - int(gone[tile]) for tile in tiles)


def _meld_of(meld: Any) -> Meld:
    if isinstance(meld, Meld):
        return meld
    return Meld.parse(meld) if isinstance(meld, str) else Meld.from_code(whole("melds", meld))


def _counts_of(name: str, counts: Any) -> list[int]:
    """34 counts as whole numbers."""
    array = array_of(f"{name} or {KINDS} counts", counts)
    if array.shape != (KINDS,) or array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} or {KINDS} counts are wanted, got {type(counts).__name__}"
            + (f" of shape {array.shape}" if array.ndim else "")
        )
    if array.min() < 0 or array.max() > 4:
        worst = int(array.argmin() if array.min() < 0 else array.argmax())
        raise InvalidHand(
            Status.FIVE_OF_A_KIND, f"{array[worst]} copies of {NAMES[worst]}: there are four"
        )
    numbers: list[int] = array.tolist()
    return numbers


def _fields_of(hand: AnyHand, melds: AnyMelds, honors: Honors, drawn: bool) -> HandFields:
    """What a hand says; the winning tile of a ``Hand`` is the one ``drawn`` last."""
    if melds is not None and isinstance(hand, (str, Hand)):
        raise TypeError("melds are given beside counts: a text or a Hand has its own")
    if isinstance(hand, str):
        return read_hand(hand, honors)
    if isinstance(hand, Hand):
        tiles = list(hand.concealed)
        if not drawn:
            tiles.remove(hand.win_tile)
        names = ("seat_wind", "prevalent_wind", "flowers")
        return HandFields(tiles, hand.melds, {name: getattr(hand, name) for name in names})
    tiles = tiles_of(_counts_of("a text, a Hand", hand))
    if melds is None:
        return HandFields(tiles, (), {})
    melds = melds.tolist() if isinstance(melds, np.ndarray) else melds
    if isinstance(melds, str) or not isinstance(melds, Iterable):
        raise TypeError(f"melds: a list of melds or of their codes is wanted, got {quoted(melds)}")
    named = [_meld_of(meld) for meld in melds if not isinstance(meld, int) or meld]
    return HandFields(tiles, tuple(named), {})


def read_row(
    hand: AnyHand, visible: Any, honors: Honors, over: tuple[int, ...], melds: AnyMelds = None
) -> HandRow:
    """Read a hand of 13 less 3 a meld and ``over`` more tiles, and judge it."""
    fields = _fields_of(hand, melds, honors, drawn=max(over) > 0)
    _judge(fields, over)
    if isinstance(visible, str):
        seen = counts_of(parse_tiles(visible, honors))
    else:
        seen = _counts_of("visible: a text", visible)
    held = counts_of([*fields.tiles, *(tile for meld in fields.melds for tile in meld.tiles)])
    for tile, (mine, others) in enumerate(zip(held, seen, strict=True)):
        if mine + others > 4:
            where = " with the visible ones" if others else ""
            raise InvalidHand(
                Status.FIVE_OF_A_KIND,
                f"{mine + others} copies of {NAMES[tile]}{where}: there are four",
            )
    counts = counts_of(fields.tiles)
    written = "".join(map(str, fields.melds)) + format_tiles(tiles_of(counts))
    codes = [meld.code for meld in fields.melds] + [0] * (4 - len(fields.melds))
    columns = {"counts": np.array([counts], np.uint8), "melds": np.array([codes], np.uint8)}
    return HandRow(written, columns, np.array([seen], np.uint8), fields.circumstances)


def _judge(fields: HandFields, over: tuple[int, ...]) -> None:
    """Refuse a wrong number of tiles or melds, and flags of a win."""
    melds = fields.melds
    if len(melds) > 4:
        raise InvalidHand(Status.BAD_MELD, f"{len(melds)} melds: a hand has at most 4")
    wanted = [13 - 3 * len(melds) + more for more in over]
    if len(fields.tiles) not in wanted:
        after = f" beside {len(melds)} meld{'s' * (len(melds) > 1)}" if melds else ""
        hint = ""
        if over == (0,) and len(fields.tiles) == wanted[0] + 1:
            hint = "; leave the drawn tile out, or ask for the discards"
        if over == (1,) and len(fields.tiles) == wanted[0] - 1:
            hint = "; the drawn tile belongs to the hand"
        raise InvalidHand(
            Status.TILE_COUNT,
            f"{len(fields.tiles)} concealed tiles{after}, {' or '.join(map(str, wanted))} are "
            f"wanted{hint}",
        )
    flags = [name for name, value in fields.circumstances.items() if value is True]
    if flags:
        raise InvalidHand(
            Status.BAD_CIRCUMSTANCES, f"{flags[0]}: a hand that has not been won has no such flag"
        )
