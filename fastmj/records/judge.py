"""Games in the JSON of Botzone's judge: a list of what the judge showed and the players answered.

Entries alternate: the judge's ``{"output": {"display": {"action": ...}}}``, and the players'
``{"0": {"response": "PASS"}, ...}``. The list stands alone or as ``log`` or ``logs`` of a match.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, NoReturn

from ..hands.tiles import KINDS
from ..quoting import quoted
from ..rules import FANS
from .format import (
    BY_CODE,
    MOST_POINTS,
    MOST_TIMES,
    SHARED_WALL,
    BadRecord,
    Event,
    EventKind,
    Game,
    plain_event,
    read_tile,
    sort_fans,
    write_tile,
)

#: What a display shows where nobody can win for what has happened.
_NOBODY_WINS = [-4, -4, -4, -4]
#: What it can show of a seat, and how many events come before.
_TOTALS = frozenset(range(-9, 10_000))
_CLAIMS = {
    "CHI": EventKind.CHOW, "PENG": EventKind.PUNG, "GANG": EventKind.KONG, "HU": EventKind.WIN,
}  # fmt: skip


_PLAIN = {
    (action, player, write_tile(tile)): plain_event(kind, player, tile)
    for action, kind in (
        ("DRAW", EventKind.DRAW), ("PLAY", EventKind.PLAY), ("BUGANG", EventKind.ADDED_KONG),
    )
    for player in range(4)
    for tile in range(KINDS)
}  # fmt: skip


def read_judge(match: Any) -> Game:
    """Game of a judge's log.

    Parameters
    ----------
    match : str, list or dict
        The JSON, as text or decoded: the list of entries, or an object with it as ``log`` or
        ``logs``.

    Returns
    -------
    Game
        ``line`` counts entries of the list, from 0.

    Raises
    ------
    BadRecord
        With the entry.

    Examples
    --------
    >>> from fastmj.records.play import play_game
    >>> game = play_game(seed=1)
    >>> read_judge(write_judge(game)) == game
    True
    """
    return read_judge_document(json.loads(match) if isinstance(match, str) else match)


def judge_entries(match: Any) -> list[Any] | None:
    """List of entries of a match in one of its forms; ``None`` when it is none."""
    if isinstance(match, dict):
        match = match.get("logs", match.get("log"))
    return match if isinstance(match, list) else None


def read_judge_document(match: Any, where: str = "") -> Game:
    """Game of a decoded log; ``where`` is put before the entry in errors."""
    entries = judge_entries(match)
    if not entries:
        place = where.removesuffix(", ") + ": " * bool(where)
        raise BadRecord(f"{place}no judge's log: a list of entries, or an object with log or logs")
    name = ""
    players: tuple[str, ...] = ()
    if isinstance(match, dict):
        name = str(match.get("_id", match.get("id", match.get("name", ""))))
        players = _players(match.get("players"))
    return _Reader(entries, f"{where}entry", name, players).game()


def _players(given: Any) -> tuple[str, ...]:
    """Names of the players, where a match has four."""
    if not isinstance(given, list) or len(given) != 4:
        return ()
    names = []
    for player in given:
        for key in ("bot", "user"):
            if isinstance(player, dict) and isinstance(player.get(key), dict):
                player = player[key]
        name = player.get("name") if isinstance(player, dict) else player
        names.append(name if isinstance(name, str) else "")
    return tuple(names) if any(names) else ()


class _Reader:
    """Reads the entries of one match."""

    def __init__(self, entries: list[Any], unit: str, name: str, players: tuple[str, ...]):
        self._entries, self._unit, self._name, self._players = entries, unit, name, players
        self._at = 0
        self._wind: int | None = None
        self._deals: tuple[tuple[int, ...], ...] = ()
        self._events: list[Event] = []
        self._numbers: list[int] = []
        self._total: int | None = None
        self._fans: dict[str, int] = {}
        self._unnamed: tuple[int, ...] = ()
        self._scores: tuple[int, ...] = (0, 0, 0, 0)
        self._end = ""
        self._can_hu: list[int] = []
        self._flowers = False

    def game(self) -> Game:
        """Read all entries."""
        events, numbers = self._events, self._numbers
        plain: dict[tuple[str, int, str], Event] = {}
        for at, entry in enumerate(self._entries):
            self._at = at
            if not isinstance(entry, dict):
                self._fail("an entry is an object")
            if "output" not in entry:
                continue
            try:
                display = entry["output"]["display"]
                event = plain[display["action"], display["player"], display["tile"]]
            except (KeyError, TypeError):
                display = self._display(entry["output"])
                self._show(display)
                going = self._deals and self._wind is not None and not self._end
                plain = _PLAIN if going else {}
            else:
                events.append(event)
                numbers.append(at)
            if "canHu" in display and not self._end:
                self._read_shown(display["canHu"])
        if self._wind is None or not self._deals or not self._end:
            self._fail("the log is not whole: it has an INIT, a DEAL and an end")
        return Game(
            self._name, self._wind, self._deals, tuple(self._events), self._total, self._fans,
            self._scores, self._end, 0, self._unit, self._unnamed, tuple(self._numbers),
            self._players, SHARED_WALL if self._flowers else 0, can_hu=self._checked_shown(),
        )  # fmt: skip

    def _fail(self, reason: str) -> NoReturn:
        raise (
            BadRecord(reason, self._at, self._unit)
            if self._at
            else BadRecord(f"{self._unit} 0: {reason}")
        )

    def _display(self, output: Any) -> dict[str, Any]:
        display = output.get("display") if isinstance(output, dict) else None
        if isinstance(display, str):
            try:
                display = json.loads(display)
            except (ValueError, RecursionError):
                self._fail("the display is no JSON")
        if not isinstance(display, dict) or not isinstance(display.get("action"), str):
            self._fail("the judge's output has no display with an action")
        return display

    def _show(self, display: dict[str, Any]) -> None:
        action = display["action"]
        if self._end:
            self._fail("the game is over")
        if action == "INIT":
            self._wind = self._number(display, "quan", 4)
        elif action == "DEAL":
            self._deal(display.get("hand"))
        elif self._wind is None or not self._deals:
            self._fail("the log begins with INIT and DEAL")
        elif action in ("DRAW", "PLAY", "BUGANG", "BUHUA"):
            kind = {"DRAW": EventKind.DRAW, "PLAY": EventKind.PLAY,
                    "BUGANG": EventKind.ADDED_KONG, "BUHUA": EventKind.FLOWER}[action]  # fmt: skip
            self._note(kind, self._number(display, "player", 4), self._tile(display, "tile"))
        elif action in _CLAIMS:
            self._claim(action, display)
        elif action == "HUANG":
            self._end = "draw"
        else:
            self._end = action
            self._read_scores(display)

    def _read_shown(self, values: Any) -> None:
        """What each seat would win with now; a display that applies to nobody is left out."""
        if values != _NOBODY_WINS:
            if not isinstance(values, list) or len(values) != 4:
                self._fail(f"canHu is {quoted(values)}, not four numbers")
            self._can_hu.append(len(self._events))
            self._can_hu += values

    def _checked_shown(self) -> tuple[int, ...]:
        """All that displays say, if it is numbers: looked at at once, which is ten times faster."""
        numbers = self._can_hu
        if not {*map(type, numbers)} <= {int} or not _TOTALS.issuperset({*numbers}):
            for place, value in enumerate(numbers):
                if type(value) is not int or value not in _TOTALS:
                    self._at = self._numbers[numbers[place - place % 5] - 1]
                    self._fail(f"canHu has {quoted(value)}")
        return tuple(numbers)

    def _claim(self, action: str, display: dict[str, Any]) -> None:
        player = self._number(display, "player", 4)
        last = self._events[-1] if self._events else None
        own = last is not None and last.kind == EventKind.DRAW and last.player == player
        if last is None or (own and action in ("CHI", "PENG")):
            self._fail(f"there is no discard for {action}")
        tile = last.tile  # of the discard, of the draw before a win, of the kong that is robbed
        if action == "CHI":
            tile = self._tile(display, "tileCHI")
        elif action == "GANG":
            tile = self._tile(display, "tile")
        ignored = () if own else self._ignored(player)
        kind = EventKind.CONCEALED_KONG if own and action == "GANG" else _CLAIMS[action]
        self._note(kind, player, tile, ignored)
        if action in ("CHI", "PENG"):
            self._note(EventKind.PLAY, player, self._tile(display, "tile"))
        elif action == "HU":
            self._end = "win"
            self._total = self._number(display, "fanCnt", 10_000)
            self._read_fans(display.get("fan") or [])
            self._read_scores(display)

    def _ignored(self, player: int) -> tuple[Event, ...]:
        """Claims of the others, from their answers."""
        answers = self._entries[self._at - 1] if self._at else {}
        found = []
        for other in range(4):
            answer = answers.get(str(other)) if isinstance(answers, dict) else None
            response = answer.get("response") if isinstance(answer, dict) else answer
            words = response.split() if isinstance(response, str) else []
            if other == player or not words or words[0] not in _CLAIMS:
                continue
            tile = self._events[-1].tile
            if words[0] == "CHI":
                if len(words) < 2:
                    self._fail(f"the answer {quoted(response)} names no tile")
                tile = self._code(words[1])
            found.append(plain_event(_CLAIMS[words[0]], other, tile))
        return tuple(found)

    def _note(
        self, kind: EventKind, player: int, tile: int, ignored: tuple[Event, ...] = ()
    ) -> None:
        flower = kind == EventKind.FLOWER
        self._flowers |= flower
        if (tile >= KINDS) != flower:
            self._fail(f"{write_tile(tile)} is no tile for that")
        self._events.append(
            Event(kind, player, tile, ignored) if ignored else plain_event(kind, player, tile)
        )
        self._numbers.append(self._at)

    def _deal(self, hands: Any) -> None:
        if not isinstance(hands, list) or len(hands) != 4:
            self._fail("four hands are dealt")
        if not all(isinstance(hand, list) for hand in hands):
            self._fail("a hand is a list of tiles")
        try:
            self._deals = tuple(tuple([BY_CODE[code] for code in hand]) for hand in hands)
        except (KeyError, TypeError):
            self._deals = tuple(tuple(map(self._code, hand)) for hand in hands)
        self._flowers = any(max(deal, default=0) >= KINDS for deal in self._deals)
        for deal in self._deals:
            plain = sum(tile < KINDS for tile in deal)
            if plain != 13:
                self._fail(f"{plain} tiles are dealt, 13 are wanted")

    def _code(self, code: Any) -> int:
        try:
            return read_tile(code if isinstance(code, str) else repr(code))
        except BadRecord as error:
            self._fail(str(error))

    def _tile(self, display: dict[str, Any], key: str) -> int:
        if key not in display:
            self._fail(f"{quoted(display['action'])} has no {key}")
        return self._code(display[key])

    def _number(self, display: dict[str, Any], key: str, below: int) -> int:
        number = display.get(key)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < below:
            self._fail(f"{display['action']}: {key} is {quoted(number)}")
        return number

    def _read_fans(self, fans: Any) -> None:
        terms = []
        for fan in fans if isinstance(fans, list) else [fans]:
            if not isinstance(fan, dict) or not isinstance(fan.get("name"), str):
                self._fail("a fan has a name and a cnt")
            times = fan.get("cnt", 1)
            if isinstance(times, bool) or not isinstance(times, int) or abs(times) > MOST_TIMES:
                self._fail(f"a fan counts a number of times, not {quoted(times)}")
            terms.append((fan["name"], times))
        self._fans, self._unnamed = sort_fans(terms)

    def _read_scores(self, display: dict[str, Any]) -> None:
        scores = display.get("score")
        if isinstance(scores, list) and len(scores) == 4 and all(
            isinstance(score, int) and abs(score) < MOST_POINTS for score in scores
        ):  # fmt: skip
            self._scores = tuple(scores)
        elif scores is not None:
            self._fail("a score is four numbers of points")


def write_judge(game: Game) -> dict[str, Any]:
    """Game as the judge's log, ready for ``json.dumps``: what ``read_judge`` reads.

    Raises
    ------
    ValueError
        For a game with a false win, with several winners, or that ended by a player's mistake: the
        format has nothing for them.
    """
    if game.others or any(event.kind == EventKind.FALSE_WIN for event in game.events):
        raise ValueError(f"{game.name}: a judge's log has no false win and one winner at most")
    if game.end not in ("win", "draw"):
        raise ValueError(f"{game.name}: the game ended by {game.end}, which is not written")
    logs: list[dict[str, Any]] = []
    answers = {str(player): "PASS" for player in range(4)}
    shown, done = {number: list(values) for number, values in game.shown}, 0

    def show(display: dict[str, Any]) -> None:
        nonlocal answers
        if logs:
            logs.append({p: {"response": text, "verdict": "OK"} for p, text in answers.items()})
            answers = {str(player): "PASS" for player in range(4)}
        over = display["action"] in ("HU", "HUANG")
        if game.can_hu:
            display["canHu"] = shown.get(done, _NOBODY_WINS)
        command = "finish" if over else "request"
        logs.append({"output": {"command": command, "display": display}})

    show({"action": "INIT", "quan": game.prevalent_wind})
    show({"action": "DEAL", "hand": [list(map(write_tile, deal)) for deal in game.deals]})
    skip = False
    for number, (event, following) in enumerate(pairwise((*game.events, None)), 1):
        assert event is not None
        done = number
        if skip:  # the discard after a chow or pung is shown with it
            skip = False
            continue
        answers[str(event.player)] = _answer(event, following)
        answers.update({str(claim.player): _answer(claim, None) for claim in event.ignored})
        display: dict[str, Any] = {"player": event.player, "tile": write_tile(event.tile)}
        if event.kind in (EventKind.CHOW, EventKind.PUNG) and following is not None:
            skip, done = True, number + 1
            display["tile"] = write_tile(following.tile)
        if event.kind == EventKind.CHOW:
            display["tileCHI"] = write_tile(event.tile)
        if event.kind == EventKind.WIN:
            display = {"player": event.player, "fanCnt": game.total, "score": list(game.scores)}
            display["fan"] = [
                {"name": name, "cnt": times, "value": FANS[name].points}
                for name, times in game.fans.items()
            ] + [{"name": "?", "cnt": times} for times in game.unnamed]
        show({"action": _ACTION[event.kind], **display})
    if game.end == "draw":
        show({"action": "HUANG"})
    return {"_id": game.name, "logs": logs}


_ACTION = {
    EventKind.DRAW: "DRAW", EventKind.PLAY: "PLAY", EventKind.CHOW: "CHI", EventKind.PUNG: "PENG",
    EventKind.KONG: "GANG", EventKind.CONCEALED_KONG: "GANG", EventKind.ADDED_KONG: "BUGANG",
    EventKind.WIN: "HU", EventKind.FLOWER: "BUHUA",
}  # fmt: skip


def _answer(event: Event, following: Event | None) -> str:
    """What a player says so that an event happens."""
    tile = write_tile(event.tile)
    after = f" {write_tile(following.tile)}" if following is not None else ""
    return {
        EventKind.PLAY: f"PLAY {tile}",
        EventKind.CHOW: f"CHI {tile}{after}",
        EventKind.PUNG: f"PENG{after}",
        EventKind.KONG: "GANG",
        EventKind.CONCEALED_KONG: f"GANG {tile}",
        EventKind.ADDED_KONG: f"BUGANG {tile}",
        EventKind.WIN: "HU",
    }.get(event.kind, "PASS")
