"""Results of the distance functions for one hand: they keep what was found and read well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..hands.tiles import NAMES, format_tiles
from ..pictures import hand_picture, page, table, tiles_pictures
from ..rules import AnyRules
from .results import FORMS, Form

#: English names of the forms, for people.
FORM_NAMES: dict[str, str] = {
    **{form: form.replace("_", " ") for form in FORMS},
    "honors_knitted": "honors and knitted tiles",
}


def shanten_text(shanten: int) -> str:
    """Shanten in words.

    >>> [shanten_text(number) for number in (-1, 0, 2)]
    ['complete', 'ready', '2 from ready']
    """
    return {-1: "complete", 0: "ready"}.get(shanten, f"{shanten} from ready")


def state_text(shanten: int, copies: int) -> str:
    """The same; a hand of whose waits no copy is left to see is not called ready.

    >>> state_text(0, 0), state_text(1, 0)
    ('waits used up', '1 from ready')
    """
    return "waits used up" if shanten == 0 and copies == 0 else shanten_text(shanten)


def forms_text(forms: tuple[Form, ...]) -> str:
    """Names of some forms.

    >>> forms_text(("regular", "seven_pairs"))
    'regular, seven pairs'
    """
    return ", ".join(FORM_NAMES[form] for form in forms)


@dataclass(frozen=True)
class Shanten:
    """Shanten of a hand.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    best : int
        The lowest shanten: -1 complete, 0 ready.
    forms : dict
        Shanten by form, without the forms that the melds rule out.
    """

    hand: str
    best: int
    forms: dict[Form, int]

    def __hash__(self) -> int:
        return hash((self.hand, self.best))

    def _repr_html_(self) -> str:
        rows = [[FORM_NAMES[form], shanten_text(far)] for form, far in self.forms.items()]
        said = f"{self.hand}: {shanten_text(self.best)}"
        return page(hand_picture(self.hand), said, table(["form", ""], rows))

    def __str__(self) -> str:
        parts = ", ".join(f"{FORM_NAMES[form]} {number}" for form, number in self.forms.items())
        return f"{self.hand}: {shanten_text(self.best)} ({parts})"


@dataclass(frozen=True)
class Acceptance:
    """Tiles that bring some tiles nearer to a winning hand.

    Attributes
    ----------
    shanten : int
        Shanten that they lower.
    tiles : tuple of int
        The tiles.
    left : tuple of int
        Copies of each that are neither held nor seen.
    forms : tuple of str
        Forms that have this shanten.
    """

    shanten: int
    tiles: tuple[int, ...]
    left: tuple[int, ...]
    forms: tuple[Form, ...]

    @property
    def copies(self) -> int:
        """Copies left of all accepted tiles."""
        return sum(self.left)

    def _repr_html_(self) -> str:
        rows = [
            [tiles_pictures([[tile]]), NAMES[tile], left]
            for tile, left in zip(self.tiles, self.left, strict=True)
        ]
        return page(self, table(["", "tile", "left"], rows))

    def __str__(self) -> str:
        tiles = format_tiles(self.tiles) or "nothing"
        return (
            f"{state_text(self.shanten, self.copies)} ({forms_text(self.forms)}), "
            f"accepts {tiles} ({self.copies} copies)"
        )


@dataclass(frozen=True)
class Wait:
    """A tile that completes a hand.

    Attributes
    ----------
    tile : int
        The tile.
    left : int
        Copies of it that are neither held nor seen.
    by_discard, self_drawn : int or None
        Totals; None when no copy is left.
    wins_by_discard, wins_self_drawn : bool
        Whether the total, flowers aside, reaches the minimum.
    """

    tile: int
    left: int
    by_discard: int | None
    self_drawn: int | None
    wins_by_discard: bool
    wins_self_drawn: bool

    @property
    def verdict(self) -> str:
        """Whether and how the tile wins, in words."""
        if self.by_discard is None:
            return "no copy left"
        if self.wins_by_discard:
            return "wins" if self.wins_self_drawn else "wins only by discard"
        return "wins only self-drawn" if self.wins_self_drawn else "below the minimum"

    def __str__(self) -> str:
        if self.by_discard is None:
            return f"{NAMES[self.tile]}: {self.verdict}"
        return (
            f"{NAMES[self.tile]}: {self.left} left, {self.by_discard} by discard, "
            f"{self.self_drawn} self-drawn, {self.verdict}"
        )


@dataclass(frozen=True)
class Waits:
    """Winning tiles of a hand.

    They are the formal ones: what completes it, whether or not a copy is left. A hand of all whose
    waits none is left is not ready.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    rules : Rules or DoublingRules
        Those of the totals.
    waits : tuple of Wait
        One for each tile, those of which no copy is left among them.
    """

    hand: str
    rules: AnyRules
    waits: tuple[Wait, ...]

    @property
    def tiles(self) -> tuple[int, ...]:
        """Winning tiles."""
        return tuple(wait.tile for wait in self.waits)

    @property
    def ready(self) -> bool:
        """Whether a copy of some winning tile is neither held nor in the melds nor visible."""
        return any(wait.left for wait in self.waits)

    def __iter__(self) -> Iterator[Wait]:
        return iter(self.waits)

    def __len__(self) -> int:
        return len(self.waits)

    def _repr_html_(self) -> str:
        rows = [
            [
                tiles_pictures([[wait.tile]]), NAMES[wait.tile], wait.left,
                wait.by_discard if wait.left else "", wait.self_drawn if wait.left else "",
                wait.verdict,
            ]
            for wait in self.waits
        ]  # fmt: skip
        heads = ["", "tile", "left", "by discard", "self-drawn", ""]
        said = str(self).splitlines()[0]
        return page(hand_picture(self.hand), said, table(heads, rows))

    def __str__(self) -> str:
        if not self.waits:
            return f"{self.hand}: not ready"
        tiles = format_tiles(self.tiles)
        if not self.ready:
            return f"{self.hand}: not ready, its waits {tiles} are used up"
        lines = [f"{self.hand}: waits for {tiles} ({self.rules.name})"]
        return "\n".join([*lines, *(f"  {wait}" for wait in self.waits)])


@dataclass(frozen=True)
class Discard(Acceptance):
    """What discarding a tile leaves.

    Attributes
    ----------
    tile : int
        The discarded tile.
    shanten, tiles, left, forms
        As for ``Acceptance``, of the tiles that stay; the discarded tile is not left.
    """

    tile: int

    def __str__(self) -> str:
        return f"{NAMES[self.tile]}: {super().__str__()}"


@dataclass(frozen=True)
class Discards:
    """Every discard of a 14-tile hand, the best first.

    Attributes
    ----------
    hand : str
        The hand, melds first.
    shanten : int
        Shanten of the 14 tiles: -1 when they are complete.
    discards : tuple of Discard
        By shanten, then by copies accepted, then by tile.
    """

    hand: str
    shanten: int
    discards: tuple[Discard, ...]

    def __iter__(self) -> Iterator[Discard]:
        return iter(self.discards)

    def __len__(self) -> int:
        return len(self.discards)

    def __getitem__(self, which: int) -> Discard:
        return self.discards[which]

    def _repr_html_(self) -> str:
        rows = [
            [
                tiles_pictures([[one.tile]]), NAMES[one.tile],
                f"{state_text(one.shanten, one.copies)} ({forms_text(one.forms)})",
                tiles_pictures([one.tiles]), one.copies,
            ]
            for one in self.discards
        ]  # fmt: skip
        said = f"{self.hand}: {shanten_text(self.shanten)}"
        heads = ["", "discard", "leaves", "accepts", "copies"]
        return page(hand_picture(self.hand), said, table(heads, rows))

    def __str__(self) -> str:
        lines = [f"{self.hand}: {shanten_text(self.shanten)}; discards"]
        return "\n".join([*lines, *(f"  {discard}" for discard in self.discards)])
