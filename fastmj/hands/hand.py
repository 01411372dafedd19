"""One winning hand: its tiles, melds and circumstances, judged when it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

from ..quoting import quoted
from .columns import Bytes
from .melds import Meld
from .notation import (
    botzone_parts,
    read_botzone_pack,
    read_botzone_tile,
    read_hand,
    write_hand,
)
from .packing import packed_row, quick_counts
from .shown import html_of
from .status import InvalidHand, Status
from .tiles import (
    KINDS,
    NAMES,
    Honors,
    counts_of,
    format_tiles,
    parse_tile,
    parse_tiles,
    parse_wind,
    whole,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Circumstances(TypedDict, total=False):
    """How a hand was won, by the names that ``Hand`` has for it."""

    self_drawn: bool
    last_of_kind: bool
    last_tile: bool
    kong: bool
    seat_wind: int | str
    prevalent_wind: int | str
    flowers: int


class HandChanges(Circumstances, total=False):
    """What ``Hand.replace`` takes."""

    concealed: str | Iterable[int]
    win_tile: str | int
    melds: Iterable[Meld | str]


#: Bits of the circumstances column.
SELF_DRAWN, LAST_OF_KIND, LAST_TILE, KONG = 1, 2, 4, 8


@dataclass(frozen=True, repr=False)
class Hand:
    """A hand at the moment of winning.

    Parameters
    ----------
    concealed : str or iterable of int
        Concealed tiles with the winning tile: 14 less 3 a meld.
    win_tile : str or int
        The winning tile, one of the concealed tiles.
    melds : iterable of Meld or str
        Sets on the table.
    self_drawn, last_of_kind, last_tile, kong : bool
        Circumstances: self-drawn or won on a discard; the last of its kind to be seen (和绝张); the
        wall's last tile or the discard after it; a kong's replacement tile or a robbed kong.
    seat_wind, prevalent_wind : int or str
        0-3 or ``E S W N``.
    flowers : int
        0-8.

    Raises
    ------
    InvalidHand
        When something is impossible. Tiles that merely do not win make an ordinary hand.

    Examples
    --------
    >>> hand = Hand("123m456p78999s", "9s", ["EEE"], seat_wind="S")
    >>> str(hand)
    '[EEE]123m456p7899s9s|ES0000'

    Notes
    -----
    Source: RULES sections 1 and 6a.
    """

    concealed: tuple[int, ...]
    win_tile: int
    melds: tuple[Meld, ...] = ()
    self_drawn: bool = False
    last_of_kind: bool = False
    last_tile: bool = False
    kong: bool = False
    seat_wind: int = 0
    prevalent_wind: int = 0
    flowers: int = 0

    def __init__(
        self,
        concealed: str | Iterable[int],
        win_tile: str | int,
        melds: Iterable[Meld | str] = (),
        *,
        self_drawn: bool = False,
        last_of_kind: bool = False,
        last_tile: bool = False,
        kong: bool = False,
        seat_wind: int | str = 0,
        prevalent_wind: int | str = 0,
        flowers: int = 0,
    ):
        if win_tile is None or (isinstance(win_tile, str) and not win_tile):
            raise InvalidHand(Status.BAD_WIN_TILE, "no winning tile is given")
        if isinstance(concealed, str):
            concealed = parse_tiles(concealed)
        problems: list[InvalidHand] = []

        def judged(name: str, parse: Callable[[Any], int], value: object) -> int:
            """A value, or -1 with its problem noted: the lowest of all problems is raised."""
            try:
                return parse(value)
            except InvalidHand as error:
                problems.append(error)
                return -1
            except TypeError as error:
                raise TypeError(f"{name}: {error}") from None

        self.__dict__.update(
            concealed=tuple(sorted(_tile_ids(concealed))),
            win_tile=judged("win_tile", _win_tile, win_tile),
            melds=_each("melds", _meld, melds),
            self_drawn=_flag("self_drawn", self_drawn),
            last_of_kind=_flag("last_of_kind", last_of_kind),
            last_tile=_flag("last_tile", last_tile),
            kong=_flag("kong", kong),
            seat_wind=judged("seat_wind", parse_wind, seat_wind),
            prevalent_wind=judged("prevalent_wind", parse_wind, prevalent_wind),
            flowers=whole("flowers", flowers),
        )
        counts = quick_counts(self.concealed, self.win_tile, self.melds)
        if counts and not (problems or self.kong or self.last_of_kind) and 0 <= self.flowers <= 8:
            self.__dict__["counts"] = tuple(counts)
            return
        problems += (InvalidHand(status, message) for status, message in _problems(self))
        if problems:
            raise min(problems, key=lambda error: error.status)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what the hand is, not what was worked out from it."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_botzone(
        cls,
        packs: Iterable[Sequence[Any]],
        hand: str | Iterable[str],
        win_tile: str,
        **circumstances: Unpack[Circumstances],
    ) -> Hand:
        """Hand in Botzone's codes.

        Parameters
        ----------
        packs : iterable of (str, str, int)
            ``("CHI" | "PENG" | "GANG", tile, offer)``; a chow is named by its middle tile, a kong
            with offer 0 is concealed.
        hand : str or iterable of str
            The standing tiles, ``"W1 B2 T3 F1 J1"`` or a list of such codes, without the winning
            tile (with it is understood too).
        win_tile : str
            The winning tile.
        **circumstances
            As for ``Hand``.

        Examples
        --------
        >>> str(Hand.from_botzone([("CHI", "W2", 1)], "B4 B5 B6 T7 T8 T9 F1 F1 J1 J1", "J1"))
        '[123m,1]456p789sEECCC'
        """
        packs, codes = botzone_parts(packs, hand)
        melds = tuple(read_botzone_pack(pack) for pack in packs)
        tiles, win = [read_botzone_tile(code) for code in codes], read_botzone_tile(win_tile)
        if len(tiles) == 13 - 3 * len(melds):
            tiles.append(win)
        return cls(tiles, win, melds, **circumstances)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of each of the 34 kinds among the concealed tiles."""
        return tuple(counts_of(self.concealed))

    @cached_property
    def packed(self) -> Bytes:
        """The columns of the hand's row in a batch one after the other, of the shape (1, 43)."""
        numbers = (self.win_tile, self.circumstances, self.seat_wind, self.prevalent_wind)
        return packed_row(self.counts, self.melds, (*numbers, self.flowers))

    @property
    def circumstances(self) -> int:
        """Circumstances as bits: 1 self-drawn, 2 last of kind, 4 last tile, 8 kong."""
        return (
            SELF_DRAWN * self.self_drawn
            | LAST_OF_KIND * self.last_of_kind
            | LAST_TILE * self.last_tile
            | KONG * self.kong
        )

    def replace(self, **changes: Unpack[HandChanges]) -> Hand:
        """Hand with some fields changed, judged anew."""
        given: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        return Hand(**{**given, **changes})

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __repr__(self) -> str:
        return f"parse_hand({str(self)!r})"

    def __str__(self) -> str:
        return write_hand(
            self.concealed,
            self.win_tile,
            self.melds,
            (self.prevalent_wind, self.seat_wind),
            (self.self_drawn, self.last_of_kind, self.last_tile, self.kong),
            self.flowers,
        )


def _tile_ids(tiles: Iterable[int]) -> Sequence[int]:
    if isinstance(tiles, (tuple, list)):
        try:
            numbers = bytes(tiles)
            if not tiles or max(numbers) < KINDS:
                return numbers
        except (TypeError, ValueError):  # something else than numbers of tiles: one by one
            pass
    return _each("concealed", parse_tile, tiles)


def _win_tile(tile: int | str) -> int:
    try:
        return parse_tile(tile)
    except InvalidHand as error:
        raise InvalidHand(Status.BAD_WIN_TILE, f"the winning tile: {error}") from None


def _each(name: str, read: Callable[[Any], Any], values: Iterable[Any]) -> tuple[Any, ...]:
    if not isinstance(values, Iterable):
        raise TypeError(f"{name}: several are wanted, got {type(values).__name__}")
    try:
        return tuple(map(read, values))
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def _meld(meld: Meld | str) -> Meld:
    if isinstance(meld, (Meld, str)):
        return meld if isinstance(meld, Meld) else Meld.parse(meld)
    raise TypeError(f"a Meld or its text is wanted, got {quoted(meld)}")


def _flag(name: str, value: object) -> bool:
    if value is True or value is False:
        return value
    if getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be true or false, got {quoted(value)}")
    if value not in (0, 1):
        raise InvalidHand(Status.BAD_CIRCUMSTANCES, f"{name} is true or false, got {quoted(value)}")
    return bool(value)


def _problems(hand: Hand) -> Iterator[tuple[Status, str]]:
    """Everything that is impossible about a hand, in the order of the codes."""
    if len(hand.melds) > 4:
        yield Status.BAD_MELD, f"{len(hand.melds)} melds: a hand has at most 4"
        return
    wanted = 14 - 3 * len(hand.melds)
    if len(hand.concealed) != wanted:
        after = f" beside {len(hand.melds)} melds" if hand.melds else ""
        noun = "tile" if len(hand.concealed) == 1 else "tiles"
        hint = {-1: "; is the winning tile left out?", 1: "; is the winning tile passed twice?"}
        yield (
            Status.TILE_COUNT,
            f"{len(hand.concealed)} concealed {noun}{after}, {wanted} are wanted, the winning "
            f"tile among them{hint.get(len(hand.concealed) - wanted, '')}",
        )
    held = Counter(hand.concealed)
    copies = held + Counter(tile for meld in hand.melds for tile in meld.tiles)
    for tile, count in sorted(copies.items()):
        if count > 4:
            yield Status.FIVE_OF_A_KIND, f"{count} copies of {NAMES[tile]}: there are four"
    win = NAMES[hand.win_tile] if hand.win_tile >= 0 else ""
    if win and not held[hand.win_tile]:
        yield (
            Status.WIN_TILE_ABSENT,
            f"the winning tile {win} is not among the concealed tiles "
            f"{format_tiles(hand.concealed)}",
        )
    if not 0 <= hand.flowers <= 8:
        yield Status.BAD_FLOWERS, f"{hand.flowers} flowers: {Status.BAD_FLOWERS.message}"
    if hand.kong and hand.self_drawn and not any(meld.is_kong for meld in hand.melds):
        yield Status.REPLACEMENT_WITHOUT_KONG, Status.REPLACEMENT_WITHOUT_KONG.message
    if hand.kong and not hand.self_drawn and copies[hand.win_tile] > 1:
        yield Status.ROBBED_TILE_HELD, f"{Status.ROBBED_TILE_HELD.message} ({win})"
    if hand.kong and not hand.self_drawn and hand.last_tile:
        yield Status.ROBBED_LAST_TILE, Status.ROBBED_LAST_TILE.message
    if hand.last_of_kind and held[hand.win_tile] > 1:
        yield Status.LAST_OF_KIND_HELD, f"{Status.LAST_OF_KIND_HELD.message} ({win})"


def parse_hand(text: str, honors: Honors = "chinese") -> Hand:
    """Read a hand from its text.

    Parameters
    ----------
    text : str
        Melds in brackets, concealed tiles, the winning tile last; then after a bar the prevalent
        and the seat wind and 0 or 1 for self-drawn, last of its kind, last tile and kong; then
        after a second bar the flowers, as a number or as letters a-h. In brackets three tiles are
        a chow or a pung, four a concealed kong, four with ``,1 ,2 ,3`` a claimed and with
        ``,5 ,6 ,7`` an added kong. Tiles are digits with m p s z, letters ``E S W N C F P``,
        Unicode tiles, or the Chinese and full-width forms of these; letters of flowers may stand
        among them.
    honors : {"chinese", "riichi"}
        Whether ``5z 6z 7z`` are red, green, white or white, green, red.

    Returns
    -------
    Hand

    Raises
    ------
    InvalidHand
        When the text cannot be read or the hand is impossible.

    Examples
    --------
    >>> hand = parse_hand("[123m,1][5555p]456s78s99m9s|EE1000|2")
    >>> hand.self_drawn, hand.flowers, str(hand)
    (True, 2, '[123m,1][5555p]99m45678s9s|EE1000|2')
    """
    read = read_hand(text, honors)
    if not read.tiles:
        raise InvalidHand(Status.TILE_COUNT, f"{quoted(text.strip())} names no concealed tiles")
    return Hand(read.tiles, read.tiles[-1], read.melds, **read.circumstances)


def as_hand(hand: Hand | str) -> Hand:
    """A hand as it is, or read from its text."""
    return hand if isinstance(hand, Hand) else parse_hand(hand)
