"""The command ``stats``: what is in a scored data file, or in recorded games."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ..quoting import shown
from ..rules import FANS
from .common import (
    AnyRulesName,
    AnyRulesOption,
    JsonOption,
    PlotOption,
    RulesName,
    fail,
    plot_target,
)
from .dataset import FormatName, show_stats
from .records import reading
from .render import Look, make_console, note, show, write_json

if TYPE_CHECKING:
    from ..records import Statistics, Tally

#: Players that are shown; all are in the JSON.
_SHOWN = 50
_SEATS = ("East", "South", "West", "North")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("stats")(stats)


def stats(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A file that batch wrote, or recorded games."),
    ],
    plot: PlotOption = None,
    prefix: Annotated[
        str,
        typer.Option(help="Prefix of the columns of scores in a data file.", show_default=False),
    ] = "",
    from_format: Annotated[
        FormatName | None, typer.Option("--from", show_default=False, help="Format of a data file.")
    ] = None,
    rules: AnyRulesOption = AnyRulesName.GB98,
    workers: Annotated[
        int | None,
        typer.Option(min=1, show_default=False, help="Processes for games; by default one a core."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Totals and fans of a scored data file, or statistics of recorded games.

    What the files are is told by their content. Of games: rates of win, self-draw, deal-in and
    draw, points with their error, turns of ready, win and melds, by seat and by player; totals and
    fans of the wins. The exit code is 2 when some game could not be read or replayed.
    """
    recorded = [not from_format and _is_recorded(path) for path in files]
    if not any(recorded):
        if len(files) > 1:
            raise typer.BadParameter("of data files one at a time", param_hint="FILE")
        show_stats(files[0], plot, prefix, rules, from_format, as_json)
        return
    if not all(recorded):
        other = files[recorded.index(False)]
        raise typer.BadParameter(f"{other} holds no recorded games", param_hint="FILE")
    if rules.value not in [known.value for known in RulesName]:
        raise typer.BadParameter("games are played by the national rules", param_hint="--rules")
    _game_stats(files, plot, RulesName(rules.value), workers, as_json)


def _is_recorded(path: Path) -> bool:
    from ..records import holds_records

    try:
        return holds_records(path)
    except OSError:
        return False  # the data room says so


def _game_stats(
    files: list[Path], plot: Path | None, rules: RulesName, workers: int | None, as_json: bool
) -> None:
    from ..records import plot_statistics, statistics_of_files

    counts: Counter[str] = Counter()
    label = str(files[0]) if len(files) == 1 else f"{len(files)} files"
    with reading(label, counts) as report, _progress() as progress:
        found = statistics_of_files(
            files, rules=rules.profile, workers=workers, on_error=report, progress=progress
        )
        if plot is not None:
            try:
                title = f"{label}: {found.games:,} games"
                plot_statistics(found, plot_target(plot), title=title)
            except ValueError as error:
                fail(f"cannot draw {plot}: {error}")
        if str(plot) == "-":
            pass
        elif as_json:
            write_json(found.as_dict())
        else:
            console, look = make_console(sys.stdout), Look.of(sys.stdout)
            for view in _views(found, look):
                show(console, view)
    if counts["bad"]:
        raise typer.Exit(2)


@contextmanager
def _progress() -> Iterator[Any]:
    """Progress on standard error, where that is a terminal."""
    console = make_console(sys.stderr)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="left" if column in ("", "fan") else "right")
    return table


def _views(found: Statistics, look: Look) -> Iterator[Text | Table]:
    said = f"{found.games:,} games: {found.wins:,} wins, {found.draws:,} drawn"
    said += f", {found.mistakes:,} ended by a mistake" if found.mistakes else ""
    yield Text(said + (f"; {found.bad:,} could not be read or replayed" if found.bad else ""))
    if not found.games:
        return
    rows = list(zip(_SEATS, found.seats, strict=True))
    players = sorted(found.players.items(), key=lambda item: (-item[1].games, item[0]))
    rows += [(look.text(shown(name, 40)), tally) for name, tally in players[:_SHOWN]]
    yield Text()
    yield _rates(rows)
    if len(players) > _SHOWN:
        note(f"and {len(players) - _SHOWN:,} more players; --json has them all")
    yield Text()
    yield _turns(rows)
    yield Text()
    yield _melds_at_win(rows)
    if found.wins:
        yield Text()
        yield Text(f"totals: mean {found.mean_total:.2f}, highest {max(found.totals)}")
        yield _fans(found, look)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _mean(total: int, number: int) -> str:
    return f"{total / number:.1f}" if number else "-"


def _rates(rows: list[tuple[str, Tally]]) -> Table:
    table = _table("", "games", "win %", "self-drawn", "deal-in", "draw", "points", "error")
    for name, tally in rows:
        parts = (tally.wins, tally.self_drawn, tally.deal_ins, tally.draws)
        error = "-" if tally.error != tally.error else f"{tally.error:.2f}"
        table.add_row(
            name, f"{tally.games:,}", *(_percent(part, tally.games) for part in parts),
            f"{tally.mean:+.2f}", error,
        )  # fmt: skip
    return table


def _turns(rows: list[tuple[str, Tally]]) -> Table:
    table = _table("", "ready %", "turn", "win turn", "turn of meld 1", "2", "3", "4")
    for name, tally in rows:
        table.add_row(
            name, _percent(tally.ready, tally.games), _mean(tally.ready_turns, tally.ready),
            _mean(tally.win_turns, tally.wins), *map(_mean, tally.meld_turns, tally.melds),
        )  # fmt: skip
    return table


def _melds_at_win(rows: list[tuple[str, Tally]]) -> Table:
    table = _table("", "% of the wins with 0 melds", "1", "2", "3", "4")
    for name, tally in rows:
        table.add_row(name, *(_percent(wins, tally.wins) for wins in tally.melds_at_win))
    return table


def _fans(found: Statistics, look: Look) -> Table:
    table = _table("wins", "%", "times", "turn", "fan")
    for fan in sorted(FANS, key=lambda fan: (-found.fan_hands[fan.id], fan.id)):
        hands = int(found.fan_hands[fan.id])
        if hands:
            name = str(fan) if look.chinese else fan.en
            table.add_row(
                f"{hands:,}", _percent(hands, found.wins), f"{found.fan_times[fan.id]:,}",
                _mean(int(found.fan_turns[fan.id]), hands), name,
            )  # fmt: skip
    return table
