"""The text logs of Botzone matches.

A log holds matches one after another. A match is a line ``Match ID``, a line ``Wind 0..3``, four
lines ``Player N Deal`` with 13 tiles, then one line an event, and at the end either ``Huang`` or
``Player N Hu TILE`` and ``Fan TOTAL NAME*TIMES+...``, and ``Score`` with four numbers. Behind a
claim stand those that came second, each as ``Ignore Player N Chi TILE``. Winds and players are
numbered in the order east, south, west, north.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from ..hands.tiles import KINDS
from ..quoting import quoted, shown
from .format import (
    SHARED_WALL,
    WORDS,
    BadRecord,
    Event,
    EventKind,
    Game,
    is_number,
    plain_event,
    read_fans,
    read_tile,
    write_fans,
    write_tile,
)

_BY_LOWER = {word.lower(): kind for word, kind in WORDS.items()}
_CLAIMS = (EventKind.CHOW, EventKind.PUNG, EventKind.KONG, EventKind.WIN)
#: Lines that most of a log consists of: looked up in a tenth of the time that reading word by word
#: takes.
_PLAIN: dict[str, Event] = {
    f"Player {player} {word} {write_tile(tile)}": plain_event(kind, player, tile)
    for player in range(4)
    for word, kind in WORDS.items()
    if kind not in (EventKind.WIN, EventKind.FLOWER)
    for tile in range(KINDS)
}


def read_log(
    lines: Iterable[str], on_error: Callable[[BadRecord], None] | None = None
) -> Iterator[Game]:
    """Games of a text log, one by one.

    Parameters
    ----------
    lines : iterable of str
        The log, such as an open file. Blank lines are skipped.
    on_error : callable, optional
        Called with the ``BadRecord`` of a match that cannot be read; the reader then goes on with
        the next match. Without it the error is raised.

    Yields
    ------
    Game

    Raises
    ------
    BadRecord
        With the number of the line.

    Examples
    --------
    >>> list(read_log(["Match 7", "Wind 5"]))
    Traceback (most recent call last):
    ...
    fastmj.records.format.BadRecord: line 2: 'Wind 5': a wind is 0-3
    """
    for match in matches(lines):
        try:
            game = read_match(match)
        except BadRecord as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield game


def write_log(games: Iterable[Game]) -> str:
    """Games as a text log.

    Raises
    ------
    ValueError
        For a game with a false win, with several winners, or that ended by a player's mistake: the
        format has no line for them.
    """
    return "".join(f"{line}\n" for game in games for line in _lines_of(game))


def read_match(lines: list[tuple[int, str]], where: str = "") -> Game:
    """Game of the lines of one match with their numbers; ``where`` is put before them in errors."""
    return _Match(lines, f"{where}line").game()


def matches(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Lines of each match with their numbers; what stands before the first makes a match too."""
    match: list[tuple[int, str]] = []
    for number, raw in enumerate(lines, 1):
        line = (raw.removeprefix("\ufeff") if number == 1 else raw).strip()
        if not line:
            continue
        if match and line.startswith("Match") and line.split(None, 1)[0] == "Match":
            yield match
            match = []
        match.append((number, line))
    if match:
        yield match


class _Match:
    """Reads the lines of one match."""

    def __init__(self, lines: list[tuple[int, str]], unit: str = "line"):
        self._lines, self._unit = lines, unit
        self._number, self._line = lines[0]
        self._name: str | None = None
        self._wind: int | None = None
        self._deals: dict[int, tuple[int, ...]] = {}
        self._events: list[Event] = []
        self._numbers: list[int] = []
        self._total: int | None = None
        self._fans: dict[str, int] = {}
        self._unnamed: tuple[int, ...] = ()
        self._scores: tuple[int, ...] | None = None
        self._end = ""
        self._flowers = False

    def game(self) -> Game:
        """Read all lines."""
        readers = {
            "Match": self._match, "Wind": self._read_wind, "Player": self._player,
            "Fan": self._fan, "Huang": self._huang, "Score": self._score,
        }  # fmt: skip
        events, numbers, going = self._events, self._numbers, False
        for number, line in self._lines:
            if going and (event := _PLAIN.get(line)) is not None:
                events.append(event)
                numbers.append(number)
                continue
            self._number, self._line = number, line
            word, *rest = line.split()
            if word not in readers:
                self._fail(f"a line begins with {', '.join(readers)}")
            if self._name is None and word != "Match":
                self._fail("a match begins with a line Match ID")
            if self._scores is not None:
                self._fail("nothing comes after the Score line but the next match")
            try:
                readers[word](rest)
            except BadRecord as error:
                if error.line:
                    raise
                self._fail(str(error))
            # Whether tiles are dealt and the game is not over.
            going = len(self._deals) == 4 and self._wind is not None and not self._end
        if self._scores is None or self._wind is None:
            raise BadRecord("the match ends without a Score line", self._number, self._unit)
        return Game(
            self._name or "", self._wind, tuple(self._deals[player] for player in range(4)),
            tuple(self._events), self._total, self._fans, self._scores, self._end,
            self._lines[0][0], self._unit, self._unnamed, tuple(numbers),
            wall=SHARED_WALL if self._flowers else 0,
        )  # fmt: skip

    def _fail(self, reason: str) -> NoReturn:
        raise BadRecord(f"{quoted(self._line)}: {reason}", self._number, self._unit)

    def _match(self, words: list[str]) -> None:
        self._name = " ".join(words)

    def _read_wind(self, words: list[str]) -> None:
        if self._wind is not None:
            self._fail("the match has a wind already")
        if len(words) != 1 or words[0] not in ("0", "1", "2", "3"):
            self._fail("a wind is 0-3")
        self._wind = int(words[0])

    def _player(self, words: list[str]) -> None:
        if len(words) < 2 or words[0] not in ("0", "1", "2", "3"):
            self._fail("after Player comes 0-3 and what the player does")
        if self._end:
            self._fail("the game is over")
        if words[1] == "Deal":
            self._deal(int(words[0]), words[2:])
            return
        if self._wind is None:
            self._fail("the match has no Wind line yet")
        if len(self._deals) < 4:
            self._fail("not all players have been dealt tiles")
        claim, *ignored = " ".join(words).split(" Ignore Player ")
        event = self._event(claim.split())
        others = tuple(self._event(one.split()) for one in ignored)
        if others and event.kind not in _CLAIMS:
            self._fail("only claims take precedence over others")
        if any(other.kind not in _CLAIMS for other in others):
            self._fail("only claims are ignored")
        if others:
            event = Event(event.kind, event.player, event.tile, others)
        self._events.append(event)
        self._numbers.append(self._number)
        if event.kind == EventKind.WIN:
            self._end = "win"

    def _event(self, words: list[str]) -> Event:
        if len(words) != 3 or words[0] not in ("0", "1", "2", "3"):
            self._fail("an event is a player 0-3, a word and a tile")
        kind = _BY_LOWER.get(words[1].lower())
        if kind is None:
            self._fail(f"{quoted(words[1])} is none of {', '.join(WORDS)}")
        tile = read_tile(words[2])
        if (tile >= KINDS) != (kind == EventKind.FLOWER):
            self._fail(f"{shown(words[2])} is no tile for {words[1]}")
        self._flowers |= tile >= KINDS
        return plain_event(kind, int(words[0]), tile)

    def _deal(self, player: int, codes: list[str]) -> None:
        if player in self._deals:
            self._fail(f"player {player} has been dealt tiles already")
        if self._events:
            self._fail("tiles are dealt before the first event")
        tiles = tuple(map(read_tile, codes))
        plain = sum(tile < KINDS for tile in tiles)
        if plain != 13:
            self._fail(f"{plain} tiles are dealt, 13 are wanted")
        self._flowers |= len(tiles) > plain
        self._deals[player] = tiles

    def _fan(self, words: list[str]) -> None:
        if self._end != "win" or self._total is not None:
            self._fail("a Fan line comes once, after a win")
        if not words or not is_number(words[0]):
            self._fail("after Fan come the points and the names")
        self._total = int(words[0])
        self._fans, self._unnamed = read_fans(" ".join(words[1:]))

    def _huang(self, words: list[str]) -> None:
        if words or self._end or len(self._deals) < 4 or self._wind is None:
            self._fail("Huang stands alone, and ends a game that nobody has won")
        self._end = "draw"

    def _score(self, words: list[str]) -> None:
        if not self._end:
            self._fail("the game is not over: neither Hu nor Huang comes before")
        if self._end == "win" and self._total is None:
            self._fail("a Fan line is wanted before")
        numbers = [word for word in words if is_number(word.removeprefix("-"))]
        if len(words) != 4 or len(numbers) != 4:
            self._fail("four whole numbers are wanted")
        self._scores = tuple(map(int, words))


def _lines_of(game: Game) -> Iterator[str]:
    if game.end not in ("win", "draw"):
        raise ValueError(f"{game.name}: a text log has no line for a game that ended by {game.end}")
    if game.others or any(event.kind == EventKind.FALSE_WIN for event in game.events):
        raise ValueError(f"{game.name}: a text log has no false win and one winner at most")
    yield f"Match {game.name}"
    yield f"Wind {game.prevalent_wind}"
    for player, deal in enumerate(game.deals):
        yield f"Player {player} Deal {' '.join(map(write_tile, deal))}"
    yield from map(str, game.events)
    if game.total is None:
        yield "Huang"
    else:
        yield f"Fan {game.total} {write_fans(game.fans, game.unnamed)}"
    yield f"Score {' '.join(map(str, game.scores))}"
