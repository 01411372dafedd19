"""The commands ``replay``, ``convert`` and ``decisions``: recorded games."""

from __future__ import annotations

import errno
import gzip
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from ..files import DataError, resolve_file, whole_file
from ..quoting import shown
from ..rules import Rules
from .common import (
    CompressionName,
    CompressionOption,
    ForceOption,
    JsonOption,
    RulesName,
    RulesOption,
    complain,
    fail,
)
from .render import note, say, write_json

if TYPE_CHECKING:  # loaded by the commands: all others start without the room
    from ..records import BadRecord, Checked, DecisionBatch, Difference, Game, Win

LogNames = Annotated[
    list[str],
    typer.Argument(
        metavar="LOG...",
        help="Botzone's logs, the judge's JSON, tziakcha, PMN; packed or not; - is standard input.",
    ),
]
AllWins = Annotated[bool, typer.Option("--all", help="List the wins that agree as well.")]


class TargetName(str, Enum):
    """Formats that games are written in."""

    LOG = "log"
    JUDGE = "judge"


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("replay")(replay_command)
    app.command("convert")(convert_command)
    app.command("decisions")(decisions_command)


def replay_command(
    logs: LogNames,
    rules: RulesOption = RulesName.GB98,
    every: AllWins = False,
    as_json: JsonOption = False,
) -> None:
    """Replay recorded games and list where their declared scores differ from the computed ones.

    What a judge's display says that each seat would win with (canHu) is compared too. Of a false
    win the hand is computed, which must not win, and where it ends the game its penalty: 30 points,
    10 to each of the others. The exit code is 1
    when something is scored otherwise than declared, 2 when some game could not be read or
    replayed; the others are checked all the same.
    """
    tally = _Tally()
    for name in logs:
        _check(name, rules.profile, every, as_json, tally)
    sys.stdout.flush()
    if not as_json:
        say(tally.summary)
    if any(tally.counts[kind] for kind in ("bad", "different", "wrong", "penalties", "false")):
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
        if c["displays"]:
            parts.append(f"; canHu {c['displays']:,} times, {c['wrong']:,} different")
        if c["penalties"]:
            parts.append(f"; {c['penalties']:,} false wins with another penalty")
        if c["false"]:
            parts.append(f"; {c['false']:,} false wins that are wins")
        if c["unnamed"]:
            parts.append(f"; the fan names of {c['unnamed']:,} are lost and were not compared")
        if c["bad"]:
            parts.append(f"; {c['bad']:,} could not be read or replayed")
        return "".join(parts)


@contextmanager
def reading(name: str, tally: Counter[str]) -> Iterator[Callable[[BadRecord], None]]:
    """Report what is bad in a file, and go on."""
    label = "stdin" if name == "-" else name

    def report(error: BadRecord) -> None:
        tally["bad"] += 1
        sys.stdout.flush()
        complain(f"{label}: {error}")

    try:
        yield report
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.ENOSPC:  # of what is written meanwhile
            raise
        tally["bad"] += 1
        complain(f"cannot read {label}: {error.strerror or error}")


def _source(name: str) -> Any:
    return sys.stdin.buffer if name == "-" else Path(name)


def _check(name: str, rules: Rules, every: bool, as_json: bool, tally: _Tally) -> None:
    from ..records import check, read_games

    label = "stdin" if name == "-" else name
    with reading(name, tally.counts) as report:
        read = tally.seen(read_games(_source(name), report))
        games = _with_penalties(read, label, as_json, tally.counts)
        for checked in check(games, rules=rules, on_error=report):
            _tell(label, checked, every, as_json, tally.counts)


def _with_penalties(
    games: Iterator[Game], label: str, as_json: bool, counts: Counter[str]
) -> Iterator[Game]:
    """Games as they pass, after a line about a false win whose penalty is another one."""
    from ..records import false_win_due

    for game in games:
        player, due = false_win_due(game) or (None, list(game.scores))
        if due != list(game.scores):
            counts["penalties"] += 1
            declared, computed = (" ".join(map(str, scores)) for scores in (game.scores, due))
            where = f"{label}:{game.line}: {shown(game.name)}: player {player} false win"
            record = {
                "match": game.name, "line": game.line, "player": player, "false_win": True,
                "differences": {"score": {"declared": declared, "computed": computed}},
            }  # fmt: skip
            said = f"{where}: score: declared {declared}, computed {computed}"
            write_json(record) if as_json else say(said)
        yield game


def _tell(label: str, checked: Checked, every: bool, as_json: bool, counts: Counter[str]) -> None:
    game = checked.game
    counts["displays"] += checked.displays
    for one in checked.wrong:
        counts["false" if one.called_false else "wrong"] += 1
        if as_json and one.called_false:
            write_json({
                "match": game.name, "line": one.line, "player": one.player, "hand": one.hand,
                "false_win": True,
                "differences": {"total": {"declared": None, "computed": one.computed}},
            })  # fmt: skip
        elif as_json:
            write_json({
                "match": game.name, "line": one.line, "player": one.player, "hand": one.hand,
                "can_hu": {"declared": one.declared, "computed": one.computed},
            })  # fmt: skip
        else:
            where = f"{label}:{one.line}: {shown(game.name)}: player {one.player}"
            say(f"{where} {one.hand}: {one}")
    for win, found in checked.wins:
        counts["different" if found else "same"] += 1
        counts["unnamed"] += bool(win.declared.unnamed)
        if found or every or as_json:
            write_json(_record(win, found)) if as_json else say(_line(label, win, found))


def _line(label: str, win: Win, found: list[Difference]) -> str:
    said = "; ".join(map(str, found)) or f"{win.declared.total} as declared"
    said += ", fan names lost" if win.declared.unnamed else ""
    return f"{label}:{win.line}: {shown(win.game.name)}: player {win.player} {win.hand}: {said}"


def _record(win: Win, found: list[Difference]) -> dict[str, Any]:
    return {
        "match": win.game.name,
        "line": win.line,
        "player": win.player,
        "discarder": None if win.discarder < 0 else win.discarder,
        "hand": str(win.hand),
        "declared": win.declared.total,
        "names_lost": bool(win.declared.unnamed),
        "differences": {
            one.what: {"declared": one.declared, "computed": one.computed} for one in found
        },
    }


@contextmanager
def _written(output: Path, force: bool, sources: Iterable[str]) -> Iterator[Path]:
    """A new file, which takes the place of the output when all is well."""
    used = [Path(name) for name in sources if name != "-"]
    try:
        with ExitStack() as stack:
            try:
                path = stack.enter_context(whole_file(resolve_file(output, force, used), force))
            except OSError as error:
                fail(f"cannot write {output}: {error.strerror or error}")
            yield path
    except DataError as error:
        fail(str(error))


def convert_command(
    source: Annotated[str, typer.Argument(metavar="IN", help="Recorded games; - is stdin.")],
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="A text log, or .json for the judge's JSON.")
    ],
    target: Annotated[
        TargetName | None, typer.Option("--to", show_default=False, help="Format of OUT.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write recorded games of any format as Botzone's text log or as the judge's JSON, one a line.

    OUT is packed when its name ends in .gz. What the format has no place for is said, and how many
    games had it. The exit code is 2 when some game could not be read or written; the others are
    written all the same.
    """
    from ..records import BadRecord, read_games, write_game

    if target is None:
        is_json = any(end in (".json", ".jsonl") for end in output.suffixes)
        target = TargetName.JUDGE if is_json else TargetName.LOG
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    packed = output.suffix == ".gz"
    with (
        _written(output, force, [source]) as path,
        _opened(path, packed) as stream,
        reading(source, counts) as report,
    ):
        for game in read_games(_source(source), report):
            try:
                text, missing = write_game(game, target.value)
            except ValueError as error:
                report(BadRecord(str(error)))
                continue
            stream.write(text)
            counts["games"] += 1
            lost.update(missing)
    say(f"{output}: {counts['games']:,} games")
    for words, games in lost.most_common():
        note(f"lost in {games:,} games: {words}")
    if counts["bad"]:
        raise typer.Exit(2)


@contextmanager
def _opened(path: Path, packed: bool) -> Iterator[IO[str]]:
    opener: Any = gzip.open if packed else open
    with opener(path, "wt", encoding="utf-8", newline="\n") as stream:
        yield stream


def decisions_command(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="LOG... OUT", help="Recorded games, and the Parquet file to write."),
    ],
    rules: RulesOption = RulesName.GB98,
    fan_tiles: Annotated[
        bool, typer.Option("--fan-tiles", help="The tiles behind each fan of the wins.")
    ] = False,
    compression: CompressionOption = None,
    force: ForceOption = False,
) -> None:
    """Write every decision of recorded games into a Parquet file, a row each, for training.

    Games are read and rows are written as a stream. The exit code is 2 when some game could not be
    read or replayed; the rows of the others are written all the same.
    """
    if len(arguments) < 2:
        raise typer.BadParameter("name the logs and the Parquet file to write", param_hint="OUT")
    from ..records import decision_batches, read_games, write_decisions

    *logs, output = arguments
    counts: Counter[str] = Counter()

    def batches() -> Iterator[DecisionBatch]:
        for name in logs:
            with reading(name, counts) as report:
                games = _counted(read_games(_source(name), report), counts)
                yield from decision_batches(
                    games, first=counts["games"], rules=rules.profile, fan_tiles=fan_tiles,
                    on_error=report,
                )  # fmt: skip

    with _written(Path(output), force, logs) as path:
        try:
            rows = write_decisions(
                batches(), path, fan_tiles=fan_tiles,
                compression=(compression or CompressionName.ZSTD).value,
            )  # fmt: skip
        except (ImportError, ValueError) as error:
            fail(str(error))
    say(f"{output}: {rows:,} decisions of {counts['games']:,} games")
    if counts["bad"]:
        raise typer.Exit(2)


def _counted(games: Iterator[Game], counts: Counter[str]) -> Iterator[Game]:
    for game in games:
        counts["games"] += 1
        yield game
