"""Games in PMN, the notation of python-majiang: lines ``[Tag "value"]``, one game after another.

Tiles are c 万, d 饼, b 条, w1-w4 winds, r1-r3 dragons, f1-f8 flowers; the play is four characters
an event: what, who, tile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from ..hands.tiles import KINDS
from ..quoting import quoted
from ..rules import FANS
from .format import (
    SHARED_WALL,
    BadRecord,
    Declared,
    Event,
    EventKind,
    Game,
    fan_name,
    plain_event,
)
from .numberings import PMN

#: What a line of such a file looks like.
TAG = re.compile(r'\s*\[\s*(\w+)\s+"(.*)"\s*\]\s*$')
_SUITS = {"c": (0, 9), "d": (9, 9), "b": (18, 9), "w": (27, 4), "r": (31, 3), "f": (34, 8)}
#: Codes of tiles.
TILES = {
    f"{suit}{number + 1}": first + number
    for suit, (first, many) in _SUITS.items()
    for number in range(many)
}
_ACTIONS = {
    "T": EventKind.DRAW, "D": EventKind.PLAY, "C": EventKind.CHOW, "P": EventKind.PUNG,
    "Z": EventKind.KONG, "A": EventKind.CONCEALED_KONG, "B": EventKind.ADDED_KONG,
    "R": EventKind.FLOWER,
}  # fmt: skip
_PLAIN = {
    f"{letter}{player}{code}": plain_event(
        EventKind.FLOWER if letter == "T" and tile >= KINDS else kind, player, tile
    )
    for letter, kind in _ACTIONS.items()
    for player in range(4)
    for code, tile in TILES.items()
    if letter == "T" or (tile >= KINDS) == (letter == "R")
}
_JUST_TAKEN = {f"D{player}z1": player for player in range(4)}
_WINDS = ("East", "South", "West", "North")
_HAND = re.compile(r"(?:[cdbwrf]\d*)+$")
_SPLIT = re.compile(r"([cdbwrf])(\d*)")
_WIN = re.compile(r"(?:[HM][0-3])+$")


def read_pmn(
    lines: Iterable[str], on_error: Callable[[BadRecord], None] | None = None
) -> Iterator[Game]:
    """Games of a PMN file, one by one.

    Parameters
    ----------
    lines : iterable of str
        The file. Blank lines are skipped; a tag that the game has already begins the next game.
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that cannot be read; the reader then goes on with
        the next. Without it the error is raised.

    Yields
    ------
    Game
        ``lines`` count events of the play, from 1.

    Examples
    --------
    >>> list(read_pmn(['[Event "none"]', '[PWind "X"]']))
    Traceback (most recent call last):
    ...
    fastmj.records.format.BadRecord: record 1, line 1: PWind is 'X', not E, S, W or N
    """
    for number, game in enumerate(pmn_blocks(lines), 1):
        try:
            found = read_block(game, number)
        except BadRecord as error:
            if on_error is None:
                raise
            on_error(error)
        else:
            yield found


def pmn_blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Lines of each game with their numbers."""
    block: list[tuple[int, str]] = []
    seen: set[str] = set()
    for number, raw in enumerate(lines, 1):
        line = raw.lstrip("\ufeff").strip()
        if not line:
            continue
        tag = line[1:].split(None, 1)[0] if len(line) > 1 else line
        if tag in seen:
            yield block
            block, seen = [], set()
        seen.add(tag)
        block.append((number, line))
    if block:
        yield block


def read_block(block: list[tuple[int, str]], number: int, where: str = "") -> Game:
    """Game of the lines of one game; ``number`` says which it is in errors."""
    return _Reader(block, f"{where}record {number}").game()


class _Reader:
    """Reads the tags of one game."""

    def __init__(self, block: list[tuple[int, str]], where: str):
        self._where, self._line = where, block[0][0]
        self._tags: dict[str, str] = {}
        for number, line in block:
            found = TAG.match(line)
            if found is None:
                said = f'{quoted(line)} is no [Tag "value"]'
                raise BadRecord(said, number, f"{where}, line")
            self._tags[found[1]] = found[2]

    def _fail(self, reason: str) -> NoReturn:
        raise BadRecord(reason, self._line, f"{self._where}, line")

    def _tag(self, name: str) -> str:
        if name not in self._tags:
            self._fail(f"there is no tag {name}")
        return self._tags[name]

    def game(self) -> Game:
        """Read all tags."""
        wind = "ESWN".find(self._tag("PWind"))
        if wind < 0 or len(self._tag("PWind")) != 1:
            self._fail(f"PWind is {quoted(self._tag('PWind'))}, not E, S, W or N")
        deals = self._deals()
        events, winners = self._play(deals)
        fans = self._tag("Fan").split(" ")
        if len(fans) != 4:
            self._fail("Fan has not four fields")
        declared = [self._declared(fans[player], player) for player in winners]
        first = declared[0] if declared else Declared(None, {})
        result, penalty = self._numbers("Result"), self._numbers("Penalty", (0, 0, 0, 0))
        flowers = any(event.kind == EventKind.FLOWER for event in events) or any(
            tile >= KINDS for deal in deals for tile in deal
        )
        shared = "Duplicate" not in self._tags.get("Scoring", "")
        wall = SHARED_WALL if flowers else (136 if shared else 0)
        board = self._tags.get("Board", "")
        name = " ".join(filter(None, (self._tags.get("Site", ""), f"board {board}" * bool(board))))
        return Game(
            name, wind, deals, tuple(events), first.total, first.fans,
            tuple(map(sum, zip(result, penalty, strict=True))), "win" if winners else "draw",
            self._line, f"{self._where}, event", (), tuple(range(1, len(events) + 1)),
            tuple(self._tags.get(seat, "") for seat in _WINDS), wall, penalty,
            others=tuple(declared[1:]),
        )  # fmt: skip

    def _deals(self) -> tuple[tuple[int, ...], ...]:
        hands = self._tag("Deal").split()
        if len(hands) != 4 or not all(map(_HAND.match, hands)):
            self._fail("Deal is not four hands like c123d45b6789w12r3f")
        deals = []
        for hand in hands:
            codes = [suit + digit for suit, digits in _SPLIT.findall(hand) for digit in digits]
            unknown = [code for code in codes if code not in TILES]
            if unknown:
                self._fail(f"{quoted(unknown[0])} in Deal is no tile")
            deals.append(tuple(TILES[code] for code in codes))
            plain = sum(tile < KINDS for tile in deals[-1])
            if plain != 13:
                self._fail(f"{plain} tiles are dealt, 13 are wanted")
        return tuple(deals)

    def _play(self, deals: tuple[tuple[int, ...], ...]) -> tuple[list[Event], list[int]]:
        play = self._tag("Play").replace(" ", "")
        end = min((place for place in map(play.find, "HM") if place >= 0), default=len(play))
        if end % 4 or (end < len(play) and not _WIN.match(play[end:])):
            self._fail("Play is not four characters an event, and the winners at the end")
        events: list[Event] = []
        for at in range(0, end, 4):
            token = play[at : at + 4]
            event = _PLAIN.get(token)
            if event is None:
                player, last = _JUST_TAKEN.get(token, -1), events[-1] if events else None
                if (
                    player < 0
                    or last is None
                    or last.kind != EventKind.DRAW
                    or last.player != player
                ):
                    place = f"{self._where}, event"
                    raise BadRecord(f"{quoted(token)} is no event", at // 4 + 1, place)
                event = plain_event(EventKind.PLAY, player, last.tile)
            elif event.kind == EventKind.FLOWER and events and events[-1] is event:
                continue  # a flower is taken, and replaced
            events.append(event)
        winners = [int(digit) for digit in play[end + 1 :: 2]]
        if winners and not events:
            self._fail("nobody has a tile to win on")
        for player in winners:  # of several on one tile, the tile is that of the first
            events.append(plain_event(EventKind.WIN, player, events[-1].tile))
        return events, winners

    def _numbers(self, name: str, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        words = self._tag(name).split() if not default else self._tags.get(name, "0 0 0 0").split()
        try:
            numbers = tuple(map(int, words))
        except ValueError:
            numbers = ()
        if len(numbers) != 4:
            self._fail(f"{name} is not four whole numbers")
        return numbers

    def _declared(self, text: str, player: int) -> Declared:
        """Fans as ``number/points/times`` or ``number/times``, joined by dots."""
        fans: dict[str, int] = {}
        total = 0
        try:
            for number, *points, times in (map(int, term.split("/")) for term in text.split(".")):
                if not 1 <= number <= len(PMN):
                    raise ValueError
                name = fan_name(PMN[number - 1])
                fans[name] = fans.get(name, 0) + times
                total += times * (points[0] if points else FANS[name].points)
        except ValueError:
            self._fail(f"Fan says {quoted(text)} of player {player}, who won")
        return Declared(total, fans)
