"""Games in the JSON of Botzone's judge: a list of what the judge showed and the players answered.

Entries alternate: the judge's ``{"output": {"display": {"action": ...}}}``, and the players'
``{"0": {"response": "PASS"}, ...}``. The list stands alone or as ``log`` or ``logs`` of a match.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from ..hands.tiles import KINDS
from ..rules import FANS
from .format import BadRecord, Event, EventKind, Game, plain_event, read_tile, sort_fans, write_tile

_CLAIMS = {
    "CHI": EventKind.CHOW, "PENG": EventKind.PUNG, "GANG": EventKind.KONG, "HU": EventKind.WIN,
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
    return _read(json.loads(match) if isinstance(match, str) else match, "entry")


def read_json_lines(
    lines: Iterable[str], on_error: Callable[[BadRecord], None] | None = None
) -> Iterator[Game]:
    """Games of JSON text: one document, a list of matches, or a match a line."""
    stream = iter(lines)
    number, first = next(
        ((number, line) for number, line in enumerate(stream, 1) if line.strip("\ufeff \t\r\n")),
        (0, ""),
    )
    if not number:
        return
    first = first.removeprefix("\ufeff")
    matches: Iterable[tuple[int, str | Any]]
    try:
        matches = _of_document(json.loads(first))
        matches = [*((number, match) for _, match in matches)]
        rest: Iterable[tuple[int, Any]] = enumerate(stream, number + 1)
    except json.JSONDecodeError:
        text = first + "".join(stream)
        try:
            matches = _of_document(json.loads(text))
        except json.JSONDecodeError as error:
            _report(BadRecord(f"no JSON: {error.msg}", number + error.lineno - 1), on_error)
            return
        rest = ()
    for place, match in matches:
        yield from _try(match, "entry" if not place else f"line {place}, entry", on_error)
    for place, line in rest:
        if line.strip():
            yield from _try(line, f"line {place}, entry", on_error)


def _of_document(document: Any) -> list[tuple[int, Any]]:
    if isinstance(document, list) and document and _entries(document[0]) is not None:
        return [(0, match) for match in document]
    return [(0, document)]


def _try(match: Any, unit: str, on_error: Callable[[BadRecord], None] | None) -> Iterator[Game]:
    try:
        game = _read(json.loads(match) if isinstance(match, str) else match, unit)
    except json.JSONDecodeError as error:
        _report(BadRecord(f"{unit.partition(',')[0]}: no JSON: {error.msg}"), on_error)
    except BadRecord as error:
        _report(error, on_error)
    else:
        yield game


def _report(error: BadRecord, on_error: Callable[[BadRecord], None] | None) -> None:
    if on_error is None:
        raise error
    on_error(error)


def _entries(match: Any) -> list[Any] | None:
    """List of entries of a match in one of its forms."""
    if isinstance(match, dict):
        match = match.get("logs", match.get("log"))
    return match if isinstance(match, list) else None


def _read(match: Any, unit: str) -> Game:
    entries = _entries(match)
    if not entries:
        place = unit.partition(",")[0] + ": " if "," in unit else ""
        raise BadRecord(f"{place}no judge's log: a list of entries, or an object with log or logs")
    name = ""
    if isinstance(match, dict):
        name = str(match.get("_id", match.get("id", match.get("name", ""))))
    return _Reader(entries, unit, name).game()


class _Reader:
    """Reads the entries of one match."""

    def __init__(self, entries: list[Any], unit: str, name: str):
        self._entries, self._unit, self._name = entries, unit, name
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

    def game(self) -> Game:
        """Read all entries."""
        for at, entry in enumerate(self._entries):
            self._at = at
            if not isinstance(entry, dict):
                self._fail("an entry is an object")
            if "output" in entry:
                self._show(self._display(entry["output"]))
        if self._wind is None or not self._deals or not self._end:
            self._fail("the log is not whole: it has an INIT, a DEAL and an end")
        return Game(
            self._name, self._wind, self._deals, tuple(self._events), self._total, self._fans,
            self._scores, self._end, 0, self._unit, self._unnamed, tuple(self._numbers),
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
            except json.JSONDecodeError:
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
                    self._fail(f"the answer {response!r} names no tile")
                tile = self._code(words[1])
            found.append(plain_event(_CLAIMS[words[0]], other, tile))
        return tuple(found)

    def _note(
        self, kind: EventKind, player: int, tile: int, ignored: tuple[Event, ...] = ()
    ) -> None:
        if (tile >= KINDS) != (kind == EventKind.FLOWER):
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
        self._deals = tuple(tuple(self._code(code) for code in hand) for hand in hands)
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
            self._fail(f"{display['action']} has no {key}")
        return self._code(display[key])

    def _number(self, display: dict[str, Any], key: str, below: int) -> int:
        number = display.get(key)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < below:
            self._fail(f"{display['action']}: {key} is {number!r}")
        return number

    def _read_fans(self, fans: Any) -> None:
        terms = []
        for fan in fans if isinstance(fans, list) else [fans]:
            if not isinstance(fan, dict) or not isinstance(fan.get("name"), str):
                self._fail("a fan has a name and a cnt")
            times = fan.get("cnt", 1)
            if isinstance(times, bool) or not isinstance(times, int):
                self._fail(f"a fan counts a number of times, not {times!r}")
            terms.append((fan["name"], times))
        self._fans, self._unnamed = sort_fans(terms)

    def _read_scores(self, display: dict[str, Any]) -> None:
        scores = display.get("score")
        if isinstance(scores, list) and len(scores) == 4 and all(
            isinstance(score, int) for score in scores
        ):  # fmt: skip
            self._scores = tuple(scores)
        elif scores is not None:
            self._fail("a score is four numbers")


def write_judge(game: Game) -> dict[str, Any]:
    """Game as the judge's log, ready for ``json.dumps``: what ``read_judge`` reads."""
    logs: list[dict[str, Any]] = []
    answers = {str(player): "PASS" for player in range(4)}

    def show(display: dict[str, Any]) -> None:
        nonlocal answers
        if logs:
            logs.append({p: {"response": text, "verdict": "OK"} for p, text in answers.items()})
            answers = {str(player): "PASS" for player in range(4)}
        over = display["action"] in ("HU", "HUANG")
        command = "finish" if over else "request"
        logs.append({"output": {"command": command, "display": display}})

    show({"action": "INIT", "quan": game.prevalent_wind})
    show({"action": "DEAL", "hand": [list(map(write_tile, deal)) for deal in game.deals]})
    skip = False
    for event, following in zip(game.events, (*game.events[1:], None), strict=True):
        if skip:  # the discard after a chow or pung is shown with it
            skip = False
            continue
        answers[str(event.player)] = _answer(event, following)
        answers.update({str(claim.player): _answer(claim, None) for claim in event.ignored})
        display: dict[str, Any] = {"player": event.player, "tile": write_tile(event.tile)}
        if event.kind in (EventKind.CHOW, EventKind.PUNG) and following is not None:
            skip = True
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
