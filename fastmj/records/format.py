"""Games as sequences of events, and the names that logs have for tiles and fans.

Tiles are ``W1-W9`` 万, ``B1-B9`` 饼, ``T1-T9`` 条, ``F1-F4`` winds, ``J1-J3`` dragons, ``H1-H8``
flowers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache

from ..hands.notation import read_botzone_tile, write_botzone_tile
from ..hands.status import InvalidHand
from ..hands.tiles import KINDS
from ..quoting import quoted
from ..rules import FANS
from ..scoring.settlement import BASIC_POINTS

#: Number of a player who is nobody.
NOBODY = -1
#: Tiles in a player's own wall, and in the one wall of a game with flowers.
OWN_WALL, SHARED_WALL = 34, 144
#: More points than a game can have, and times that a fan can count.
MOST_POINTS, MOST_TIMES = 1_000_000_000, 100
#: How a judge's log ends when a player declared a win that is none.
FALSE_WIN = "WH"


class BadRecord(ValueError):  # noqa: N818 - a noun, like InvalidHand
    """A game record that cannot be read or that breaks the rules of the game.

    Attributes
    ----------
    line : int
        Line of a text log, or entry of a judge's log, both counted from 1 and 0 as they are shown;
        0 when it has none.
    """

    def __init__(self, message: str, line: int = 0, unit: str = "line"):
        super().__init__(f"{unit} {line}: {message}" if line else message)
        self.line = line
        self._reason = (message, line, unit)

    def __reduce__(self) -> tuple[type[BadRecord], tuple[str, int, str]]:
        """Pickle with the place, so that errors cross process pools."""
        return type(self), self._reason


class EventKind(IntEnum):
    """What a player does."""

    DRAW = 0
    PLAY = 1
    CHOW = 2
    PUNG = 3
    KONG = 4
    CONCEALED_KONG = 5
    ADDED_KONG = 6
    WIN = 7
    FLOWER = 8
    #: A win that is none (错和): it costs points, and the play goes on.
    FALSE_WIN = 9


#: Words of the text log.
WORDS: dict[str, EventKind] = {
    "Draw": EventKind.DRAW,
    "Play": EventKind.PLAY,
    "Chi": EventKind.CHOW,
    "Peng": EventKind.PUNG,
    "Gang": EventKind.KONG,
    "AnGang": EventKind.CONCEALED_KONG,
    "BuGang": EventKind.ADDED_KONG,
    "Hu": EventKind.WIN,
    "BuHua": EventKind.FLOWER,
}
_WORD_OF = {kind: word for word, kind in WORDS.items()} | {EventKind.FALSE_WIN: "false Hu"}
#: Names of fans in records that differ from those of the table. The two 连环 are the steps of two
#: of the 步高, which have both in the table.
_FAN_NAMES = {
    "嵌张": "坎张",
    "碰碰胡": "碰碰和",
    "抢杠胡": "抢杠和",
    "胡绝张": "和绝张",
    "无番胡": "无番和",
    "海底": "海底捞月",
    "单钓": "单钓将",
    "单调将": "单钓将",
    "一明一暗杠": "明暗杠",
    "九莲": "九莲宝灯",
    "一色四连环": "一色四步高",
    "一色三连环": "一色三步高",
}
#: What stands for the characters that a wrong encoding has cost a log.
_LOST = frozenset("?\ufffd")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a game.

    Parameters
    ----------
    kind : EventKind
        What happens.
    player : int
        Who does it, 0-3; that is the seat wind too: 0 is east, 1, who is next, south.
    tile : int
        The tile, 0-33, as logs give it: of a chow the middle one, of a self-drawn win the tile
        drawn or, in older logs, the discard before. Flowers are 34-41.
    ignored : tuple of Event
        Claims that came second, at a claim: those that other players made of the same discard.
    """

    kind: EventKind
    player: int
    tile: int
    ignored: tuple[Event, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        text = f"Player {self.player} {_WORD_OF[self.kind]} {write_tile(self.tile)}"
        return " ".join([text, *(f"Ignore {claim}" for claim in self.ignored)])


@cache
def plain_event(kind: EventKind, player: int, tile: int) -> Event:
    """Event without ignored claims: one object for all that are equal, of some 1,700.

    Making an event takes longer than reading its line does.
    """
    return Event(kind, player, tile)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a record says of a winning hand.

    Parameters
    ----------
    total : int or None
        Points with flowers.
    fans : dict
        Fans with the times that they count, by Chinese name.
    unnamed : tuple of int
        Times of the fans whose names are lost: ``???*2`` in a log of a wrong encoding.
    """

    total: int | None
    fans: dict[str, int] = field(hash=False)
    unnamed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Game:
    """One game: what Botzone calls a match and the rules a hand.

    Parameters
    ----------
    name : str
        Id of the match.
    prevalent_wind : int
        0 east, 1 south, 2 west, 3 north.
    deals : tuple of four tuples of int
        The tiles dealt to each player: 13, and the flowers among them.
    events : tuple of Event
        What happened, in order.
    total : int or None
        Points that the log declares for the winning hand; ``None`` when nobody won.
    fans : dict
        Declared fans with the times that they count, by Chinese name.
    scores : tuple of int
        What each player won or lost.
    end : str
        ``"win"``, ``"draw"``, or what the judge said of a player's mistake.
    line : int
        Where the game begins in the log.
    unit : str
        What ``line`` and ``lines`` count, in errors.
    unnamed : tuple of int
        Times of the declared fans whose names are lost.
    lines : tuple of int
        Where each event stands in the log.
    players : tuple of str
        Names of the players by seat, where the record has them.
    wall : int
        Tiles in the one wall that all draw from; 0 when each player has an own wall of 34.
    penalties : tuple of int
        What each player won or lost by false wins; ``scores`` have it within them.
    base : int
        What everybody pays whatever the hand, 8 in the rules.
    others : tuple of Declared
        Further winners of the same tile, where a site's rules allow them, in the order of the
        events.
    can_hu : tuple of int
        What a judge's displays say that each seat would win with, five numbers a display: the
        events before it and the four seats. In one row, for many small objects are slow to keep.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> game = play_game(seed=1)
    >>> game.end, str(game.events[0])
    ('win', 'Player 0 Draw T9')
    """

    name: str
    prevalent_wind: int
    deals: tuple[tuple[int, ...], ...]
    events: tuple[Event, ...]
    total: int | None
    fans: dict[str, int] = field(hash=False)
    scores: tuple[int, ...]
    end: str
    line: int = field(default=0, compare=False)
    unit: str = field(default="line", compare=False)
    unnamed: tuple[int, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    players: tuple[str, ...] = field(default=(), compare=False)
    wall: int = -1
    penalties: tuple[int, ...] = (0, 0, 0, 0)
    base: int = BASIC_POINTS
    others: tuple[Declared, ...] = ()
    can_hu: tuple[int, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        points = (*self.scores, *self.penalties, self.base)
        if not -MOST_POINTS < min(points) <= max(points) < MOST_POINTS:
            raise BadRecord("the scores are larger than any game's", self.line, self.unit)
        if self.wall < 0:
            object.__setattr__(self, "wall", SHARED_WALL if self._flowers else 0)

    @property
    def _flowers(self) -> bool:
        return any(tile >= KINDS for deal in self.deals for tile in deal) or any(
            event.kind == EventKind.FLOWER for event in self.events
        )

    @property
    def has_flowers(self) -> bool:
        """Whether the game is played with flowers, and so from one wall of 144."""
        return self.wall == SHARED_WALL

    def line_of(self, position: int) -> int:
        """Where an event stands in the log; where the game begins for none."""
        return self.lines[position] if 0 <= position < len(self.lines) else self.line

    @property
    def shown(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Displays of ``can_hu``: the number of events before each, and what the seats win with."""
        flat = self.can_hu
        return tuple((flat[at], flat[at + 1 : at + 5]) for at in range(0, len(flat), 5))

    @property
    def declared(self) -> tuple[Declared, ...]:
        """What the record says of each winning hand, in the order of the events."""
        if self.total is None:
            return ()
        return (Declared(self.total, self.fans, self.unnamed), *self.others)


def read_tile(code: str) -> int:
    """Tile of a code, flowers as 34-41.

    >>> read_tile("F1"), read_tile("H8")
    (27, 41)
    """
    tile = BY_CODE.get(code)
    if tile is not None:
        return tile
    try:
        return read_botzone_tile(code)
    except InvalidHand as error:
        raise BadRecord(str(error)) from None


def write_tile(tile: int) -> str:
    """Code of a tile, flowers among them.

    >>> write_tile(8), write_tile(34)
    ('W9', 'H1')
    """
    return _CODES[tile]


_CODES = (*map(write_botzone_tile, range(KINDS)), *(f"H{flower}" for flower in range(1, 9)))
#: Tile of each code.
BY_CODE = {code: tile for tile, code in enumerate(_CODES)}


def is_number(text: str) -> bool:
    """Whether a text is a whole number of a size that occurs in games."""
    return text.isascii() and text.isdigit() and len(text) <= 9


def write_fans(fans: dict[str, int], unnamed: Iterable[int] = ()) -> str:
    """Fans as a log declares them.

    >>> write_fans({"一般高": 2, "平和": 1}, unnamed=[1])
    '一般高*2+平和*1+?*1'
    """
    terms = [*fans.items(), *(("?", times) for times in unnamed)]
    return "+".join(f"{name}*{times}" for name, times in terms)


def read_fans(text: str) -> tuple[dict[str, int], tuple[int, ...]]:
    """Fans that a log declares, as ``sort_fans`` gives them.

    >>> read_fans("嵌张*1+一般高*2")
    ({'坎张': 1, '一般高': 2}, ())
    """
    terms = []
    for part in filter(None, (part.strip() for part in text.split("+"))):
        name, _, times = part.partition("*")
        if times and not is_number(times):
            raise BadRecord(f"{quoted(part)}: a fan is NAME*TIMES")
        terms.append((name.strip(), int(times or 1)))
    return sort_fans(terms)


def sort_fans(terms: Iterable[tuple[str, int]]) -> tuple[dict[str, int], tuple[int, ...]]:
    """Fans by the names of the table, unknown ones by their own, and times of those without one.

    >>> sort_fans([("嵌张", 1), ("???", 1), ("??", 2)])
    ({'坎张': 1}, (1, 2))
    """
    fans: dict[str, int] = {}
    unnamed = []
    for name, times in terms:
        if _LOST.isdisjoint(name):
            name = fan_name(name)
            fans[name] = fans.get(name, 0) + times
        else:
            unnamed.append(times)
    return fans, tuple(unnamed)


def fan_name(name: str) -> str:
    """Chinese name of a fan as in the table."""
    name = _FAN_NAMES.get(name, name)
    try:
        return FANS[name].zh
    except KeyError:
        return name
