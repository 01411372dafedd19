"""The command ``replay``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from ..records import (
    BadRecord,
    Difference,
    Game,
    Win,
    differences,
    false_win_due,
    read_games,
    wins,
)
from ..rules import Rules
from .common import RulesName, RulesOption

LogNames = Annotated[
    list[str],
    typer.Argument(metavar="LOG...", help="Text logs or the judge's JSON; - is standard input."),
]
AllWins = Annotated[bool, typer.Option("--all", help="List the wins that agree as well.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line, one a win.")]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("replay")(replay_command)


def replay_command(
    logs: LogNames,
    rules: RulesOption = RulesName.GB98,
    every: AllWins = False,
    as_json: AsJson = False,
) -> None:
    """Replay recorded games and list where their declared scores differ from the computed ones.

    Where a game ends with a false win, its penalty is compared: 30 points, 10 to each of the
    others. The exit code is 1 when something is scored otherwise than declared, 2 when some game
    could not be read or replayed; the others are checked all the same.
    """
    tally = _Tally()
    for name in logs:
        _check(name, rules.profile, every, as_json, tally)
    sys.stdout.flush()
    if not as_json:
        typer.echo(tally.summary)
    if tally.counts["bad"] or tally.counts["different"] or tally.counts["penalties"]:
        raise typer.Exit(2 if tally.counts["bad"] else 1)


@dataclass
class _Tally:
    """Counts of what came out."""

    counts: Counter[str] = field(default_factory=Counter)

    def seen(self, games: Iterator[Game]) -> Iterator[Game]:
        """Count games as they pass."""
        for game in games:
            self.counts["games"] += 1
            self.counts["mistakes"] += game.end not in ("win", "draw")
            self.counts["drawn"] += game.end == "draw"
            yield game

    @property
    def summary(self) -> str:
        """One line about all."""
        c = self.counts
        parts = [f"{c['games']:,} games: {c['same'] + c['different']:,} won, {c['drawn']:,} drawn"]
        if c["mistakes"]:
            parts.append(f", {c['mistakes']:,} ended by a mistake")
        parts.append(f"; {c['same']:,} as declared, {c['different']:,} different")
        if c["penalties"]:
            parts.append(f"; {c['penalties']:,} false wins with another penalty")
        if c["unnamed"]:
            parts.append(f"; the fan names of {c['unnamed']:,} are lost and were not compared")
        if c["bad"]:
            parts.append(f"; {c['bad']:,} could not be read or replayed")
        return "".join(parts)


def _checked(games: Iterator[Game], label: str, as_json: bool, tally: _Tally) -> Iterator[Game]:
    """Games as they pass, after a line about a false win whose penalty is another one."""
    for game in games:
        player, due = false_win_due(game) or (None, list(game.scores))
        if due != list(game.scores):
            tally.counts["penalties"] += 1
            said = {"declared": _spaced(game.scores), "computed": _spaced(due)}
            record = {
                "match": game.name, "line": game.line, "player": player, "false_win": True,
                "differences": {"score": said},
            }  # fmt: skip
            typer.echo(
                _json(record)
                if as_json
                else f"{label}:{game.line}: {game.name}: player {player} false win: "
                f"score: declared {said['declared']}, computed {said['computed']}"
            )
        yield game


def _spaced(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _check(name: str, rules: Rules, every: bool, as_json: bool, tally: _Tally) -> None:
    label = "stdin" if name == "-" else name

    def report(error: BadRecord) -> None:
        tally.counts["bad"] += 1
        sys.stdout.flush()
        typer.echo(f"error: {label}: {error}", err=True)

    try:
        read = read_games(sys.stdin.buffer if name == "-" else Path(name), report)
        games = _checked(tally.seen(read), label, as_json, tally)
        for win, found in differences(wins(games, report), rules=rules):
            tally.counts["different" if found else "same"] += 1
            tally.counts["unnamed"] += bool(win.game.unnamed)
            if found or every or as_json:
                typer.echo(_record(win, found) if as_json else _line(label, win, found))
    except BrokenPipeError:
        raise
    except OSError as error:
        tally.counts["bad"] += 1
        typer.echo(f"error: cannot read {label}: {error.strerror or error}", err=True)


def _line(label: str, win: Win, found: list[Difference]) -> str:
    said = "; ".join(map(str, found)) or f"{win.game.total} as declared"
    said += ", fan names lost" if win.game.unnamed else ""
    return f"{label}:{win.line}: {win.game.name}: player {win.player} {win.hand}: {said}"


def _record(win: Win, found: list[Difference]) -> str:
    record: dict[str, Any] = {
        "match": win.game.name,
        "line": win.line,
        "player": win.player,
        "discarder": None if win.discarder < 0 else win.discarder,
        "hand": str(win.hand),
        "declared": win.game.total,
        "names_lost": bool(win.game.unnamed),
        "differences": {
            one.what: {"declared": one.declared, "computed": one.computed} for one in found
        },
    }
    return _json(record)


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=not sys.stdout.encoding.lower().startswith("utf"))
