"""Records of tziakcha: a script of numbers, with the whole wall of 144 tiles.

A record is JSON with a ``script``, base64 of zlib of JSON, or the same decoded as ``step`` or by
itself; a session is a list of records, or an object with it as ``records``. Every tile is checked
against the wall by its id, 0-143, kind by kind four copies and then eight flowers.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from itertools import dropwhile
from typing import Any, NoReturn

from ..hands.tiles import KINDS
from ..quoting import quoted
from .format import (
    SHARED_WALL,
    BadRecord,
    Declared,
    Event,
    EventKind,
    Game,
    fan_name,
    plain_event,
    write_tile,
)
from .numberings import TZIAKCHA

#: What a script begins with: the first bytes of zlib, as base64 writes them.
SCRIPT_MARKS = ("eA", "eF", "eJ", "eN")
#: Kinds of the site's tile ids: 万 条 饼, winds, then red, green, white.
_KINDS = (*range(9), *range(18, 27), *range(9, 18), *range(27, 34))
#: Tile of each id, flowers as 34-41.
_TILES: tuple[int, ...] = tuple(_KINDS[tile >> 2] for tile in range(136)) + tuple(
    range(KINDS, KINDS + 8)
)
_START, _FLOWER, _DISCARD, _CHOW, _PUNG, _KONG, _WIN, _DRAW, _PASS, _NOTHING = range(10)
#: Ids from the back of a wall that is rotated to its beginning: by stacks, the upper tile first.
_BACK = tuple(place + step for place in range(142, -1, -2) for step in (0, 1))


def decode_script(script: str) -> Any:
    """JSON that a script holds.

    Raises
    ------
    BadRecord
    """
    try:
        text = zlib.decompress(base64.b64decode(script))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise BadRecord(f"the script cannot be decoded: {error}") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadRecord("the script cannot be decoded: no JSON") from None


def is_tziakcha(document: Any) -> bool:
    """Whether a decoded document looks like a record."""
    return isinstance(document, dict) and (
        "script" in document or "step" in document or {"a", "g", "w"} <= document.keys()
    )


def read_tziakcha(record: Any, where: str = "") -> Game:
    """Game of a record.

    Parameters
    ----------
    record : str or dict
        The script as text, a record that has it as ``script`` or decoded as ``step``, or the
        decoded script itself.
    where : str
        Put before the number of an action in errors.

    Returns
    -------
    Game
        ``lines`` count actions of the script, from 1.

    Raises
    ------
    BadRecord
        When it cannot be read, or its tiles are not those of its wall.

    Examples
    --------
    >>> read_tziakcha("eJwDAAAAAAE=")
    Traceback (most recent call last):
    ...
    fastmj.records.format.BadRecord: the script cannot be decoded: no JSON
    """
    name = ""
    unit = f"{where}action"
    try:
        step = decode_script(record) if isinstance(record, str) else record
        if isinstance(step, dict) and ("script" in step or "step" in step):
            name = str(step.get("id", ""))
            given = step.get("step")
            step = given if isinstance(given, dict) else decode_script(str(step.get("script")))
    except BadRecord as error:
        raise BadRecord(f"{where.removesuffix(', ')}: {error}" if where else str(error)) from None
    return _Reader(step, unit, name).game()


def _is_pass(action: Any) -> bool:
    """Whether an action is none; what cannot be read is not, and is told in its turn."""
    try:
        return bool(action[0] & 15 >= _PASS)
    except (TypeError, IndexError, KeyError):
        return False


class _Reader:
    """Reads one decoded script."""

    def __init__(self, step: Any, unit: str, name: str):
        self._unit, self._name, self._at = unit, name, 0
        self._step = step if isinstance(step, dict) else self._fail("a script is an object")
        self._events: list[Event] = []
        self._numbers: list[int] = []
        self._wall = self._read_wall()
        self._front, self._back = 53, 0
        self._taken: set[int] = set()
        self._hands: list[list[int]] = [[], [], [], []]
        self._dealt: list[list[int]] = [[], [], [], []]
        self._winners: list[int] = []
        self._false = [0] * 4
        self._waiting: int | None = None  # a flower that is drawn and not yet replaced

    def _fail(self, reason: str) -> NoReturn:
        if self._at:
            raise BadRecord(reason, self._at, self._unit)
        place = self._unit.removesuffix("action").removesuffix(", ")
        raise BadRecord(f"{place}: {reason}" if place else reason)

    def _number(self, key: str, below: int, default: int | None = None) -> int:
        number = self._step.get(key, default)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < below:
            self._fail(f"{key} is {quoted(number)}")
        return number

    def _read_wall(self) -> list[int]:
        """Ids in the order of the draws."""
        try:
            wall = list(bytes.fromhex(self._step.get("w")))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            self._fail("the wall w is not 288 hexadecimal digits")
        if sorted(wall) != list(range(SHARED_WALL)):
            self._fail("the wall w is not 144 different tiles")
        dice = self._number("d", 1 << 16)
        first, second, third, fourth = (dice >> shift & 15 for shift in (0, 4, 8, 12))
        side = -(first + second - 1) % 4
        start = (36 * side + 2 * (first + second + third + fourth)) % SHARED_WALL
        return wall[start:] + wall[:start]

    def game(self) -> Game:
        """Read all actions."""
        for number, tile in enumerate(self._wall[:53]):
            player = number // 4 % 4 if number < 48 else number % 4
            self._hands[player].append(tile)
        self._dealt = [list(hand) for hand in self._hands]
        actions = self._step.get("a")
        if not isinstance(actions, list):
            self._fail("there are no actions a")
        started = False
        for self._at, action in enumerate(actions, 1):
            try:
                code, data = action[0], action[1]
                kind, player = code & 15, code >> 4 & 3
            except (TypeError, IndexError, KeyError):
                self._fail("an action is [code, data, time]")
            if not isinstance(data, int):
                self._fail("an action is [code, data, time]")
            if kind == _DISCARD:  # the three kinds that most actions are of
                if self._waiting is not None:
                    self._fail(f"{write_tile(_TILES[self._waiting])} is not replaced")
                self._note(EventKind.PLAY, player, self._tile(data & 255))
            elif kind == _DRAW:
                self._draw(player, data & 255, bool(data & 0x100))
            elif kind >= _PASS:
                if kind > _NOTHING:
                    self._fail(f"no action has the type {kind}")
            elif kind == _FLOWER:
                self._flower(player, data, started)
            elif kind == _START:
                started = True
                self._start()
            elif data:
                self._claim(kind, player, data)
            elif kind == _WIN:
                self._note(EventKind.FALSE_WIN, player, self._offered())
                self._false[player] += 1
        self._at = 0
        if not started:
            self._fail("the record has no start (an action of type 0)")
        return self._made()

    def _note(self, kind: EventKind, player: int, tile: int) -> None:
        self._events.append(plain_event(kind, player, tile))
        self._numbers.append(self._at)

    def _tile(self, tile: int) -> int:
        if tile >= 136:
            self._fail(f"{tile} is no tile to play")
        return _TILES[tile]

    def _offered(self) -> int:
        """Tile that somebody can win on."""
        return self._events[-1].tile if self._events else 0

    def _from_wall(self, tile: int, back: bool) -> None:
        """Take the next tile of the wall, which must be this one."""
        if back:
            while self._back < len(_BACK) and _BACK[self._back] < self._front:
                self._back += 1
            place = _BACK[self._back] if self._back < len(_BACK) else -1
            self._back += 1
            self._taken.add(place)
        else:
            while self._front in self._taken:
                self._front += 1
            place = self._front if self._front < SHARED_WALL else -1
            self._front += 1
        if place < 0:
            self._fail("the wall is empty")
        if self._wall[place] != tile:
            wanted = write_tile(_TILES[self._wall[place]])
            shown = write_tile(_TILES[tile]) if tile < SHARED_WALL else "no tile"
            self._fail(
                f"tile {tile} ({shown}) is drawn, the wall has {self._wall[place]} ({wanted})"
            )

    def _draw(self, player: int, tile: int, back: bool) -> None:
        self._from_wall(tile, back)
        if tile >= 136:
            self._waiting = tile
        else:
            self._note(EventKind.DRAW, player, _TILES[tile])

    def _flower(self, player: int, data: int, started: bool) -> None:
        """Show a flower and take a tile for it from the back."""
        flower, new = 136 + (data >> 8 & 15), data & 255
        self._from_wall(new, back=True)
        if started:
            if self._waiting != flower:
                self._fail(f"{write_tile(_TILES[flower])} was not drawn" if flower < SHARED_WALL
                           else f"{flower} is no flower")  # fmt: skip
            self._note(EventKind.FLOWER, player, _TILES[flower])
            self._waiting = new if new >= 136 else None
            if new < 136:
                self._note(EventKind.DRAW, player, _TILES[new])
            return
        hand = self._hands[player]
        if flower not in hand:
            self._fail(f"player {player} was not dealt the flower {flower}")
        hand.remove(flower)
        hand.append(new)
        self._dealt[player].append(new)

    def _start(self) -> None:
        """East's last tile is drawn, the others are dealt."""
        last = self._hands[0][-1]
        following = dropwhile(_is_pass, self._step["a"][self._at :])
        action = next(following, None)
        if isinstance(action, list) and action[:1] == [_WIN]:
            last = self._won_on(0, last)  # a win on the deal is declared on one of the tiles
        for player, hand in enumerate(self._hands):
            if any(tile >= 136 for tile in hand):
                self._fail(f"player {player} has not replaced a flower")
        self._hands[0].remove(last)
        self._dealt[0].remove(last)
        self._note(EventKind.DRAW, 0, _TILES[last])

    def _won_on(self, player: int, default: int) -> int:
        try:
            tile = self._step["y"][player]["h"]["s"][-1]
        except (KeyError, IndexError, TypeError):
            return default
        return int(tile) if tile in self._hands[player] else default

    def _claim(self, kind: int, player: int, data: int) -> None:
        if kind == _WIN:
            if data >> 1:
                self._note(EventKind.WIN, player, self._offered())
                self._winners.append(player)
            else:
                self._note(EventKind.FALSE_WIN, player, self._offered())
                self._false[player] += 1
            return
        number = data & 63
        if number >= KINDS:
            self._fail(f"{number} is no kind of tile")
        if kind == _KONG:
            concealed = data >> 6 & 3 == 0
            what = EventKind.CONCEALED_KONG if concealed else EventKind.KONG
            if data & 0x300 == 0x300:
                what = EventKind.ADDED_KONG
        else:
            what = EventKind.CHOW if kind == _CHOW else EventKind.PUNG
        self._note(what, player, _KINDS[number])

    def _made(self) -> Game:
        """Game of what was read, with what the record declares."""
        flags = self._number("b", 1 << 16, 0)
        if sum(1 << player for player in set(self._winners)) != flags & 15:
            self._fail(f"b says that {flags & 15:04b} won (players 3-0), the actions say another")
        self._check_giver(flags >> 4 & 15)
        declared = [self._declared(player) for player in self._winners]
        first = declared[0] if declared else Declared(None, {})
        scores = self._step.get("s", [0, 0, 0, 0])
        if not isinstance(scores, list) or [type(score) for score in scores] != [int] * 4:
            self._fail("the scores s are not four numbers")
        rules = self._step.get("g")
        rules = rules if isinstance(rules, dict) else {}
        lost, won = (30, 10) if rules.get("z", 1) else (40, 0)
        penalties = tuple(won * (sum(self._false) - times) - lost * times for times in self._false)
        players = self._step.get("p")
        players = players if isinstance(players, list) else []
        names = [str(p.get("n", "")) if isinstance(p, dict) else "" for p in players]
        base = rules.get("b", 8)
        return Game(
            self._name, self._number("i", 1 << 16, 0) // 4 % 4,
            tuple(tuple(_TILES[tile] for tile in dealt) for dealt in self._dealt),
            tuple(self._events), first.total, first.fans, tuple(scores),
            "win" if self._winners else "draw", 0, self._unit, (), tuple(self._numbers),
            tuple(names) if len(names) == 4 else (), SHARED_WALL, penalties,
            base if isinstance(base, int) else 8, tuple(declared[1:]),
        )  # fmt: skip

    def _check_giver(self, flags: int) -> None:
        """Compare who gave the winning tile; the winner or nobody is a self-draw."""
        if not self._winners:
            return
        before = self._events[len(self._events) - len(self._winners) - 1]
        said = [player for player in range(4) if flags >> player & 1]
        said = [] if said == self._winners[:1] else said
        giver = [] if before.kind == EventKind.DRAW else [before.player]
        if said != giver:
            words = [f"player {who[0]}" if who else "nobody" for who in (said, giver)]
            self._fail(f"b says that {words[0]} gave the winning tile, the actions {words[1]}")

    def _declared(self, player: int) -> Declared:
        try:
            settled = self._step["y"][player]
            fans: dict[str, int] = {}
            for number, value in settled.get("t", {}).items():
                name = fan_name(TZIAKCHA[int(number) - 1])
                fans[name] = fans.get(name, 0) + (value >> 8) + 1
            total = settled["f"]
            if not isinstance(total, int):
                raise TypeError
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            self._fail(f"y does not say what player {player} won")
        return Declared(total, fans)
