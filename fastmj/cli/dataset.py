"""The command ``batch``: data files scored; and what ``stats`` says of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from ..hands.status import Status
from .common import (
    AnyRulesName,
    AnyRulesOption,
    CompressionOption,
    EncodingOption,
    ForceOption,
    HonorsName,
    HonorsOption,
    JsonOption,
    plot_target,
)
from .render import Look, make_console, note, say, show, write_json

if TYPE_CHECKING:
    from ..dataset import FileReport, FileStats


class FansName(str, Enum):
    """How fans are written."""

    LIST = "list"
    COLUMNS = "columns"
    MASK = "mask"
    NONE = "none"


class NamesName(str, Enum):
    """Names of fans."""

    ZH = "zh"
    EN = "en"
    KEY = "key"


class FormatName(str, Enum):
    """Formats of data files."""

    PARQUET = "parquet"
    IPC = "ipc"
    CSV = "csv"
    JSONL = "jsonl"


class EngineName(str, Enum):
    """What does the work."""

    LOCAL = "local"
    RAY = "ray"


_OUT, _IN, _RAY = "Output", "Input", "Cluster"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("batch")(batch_command)


def batch_command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="IN... OUT",
            help="Files or directories of Parquet, Arrow IPC, CSV or JSON lines, or URIs of them; "
            "last the output: a file, or without an ending a directory of parts.",
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            "-c",
            metavar="NAME",
            show_default=False,
            help="Column of hand texts. By default the columns of a HandBatch, or else 'hand'.",
            rich_help_panel=_IN,
        ),
    ] = None,
    rules: AnyRulesOption = AnyRulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    fans: Annotated[
        FansName,
        typer.Option(
            help="A list of names, 82 columns, two columns of bits, or none.", rich_help_panel=_OUT
        ),
    ] = FansName.LIST,
    names: Annotated[
        NamesName, typer.Option(help="Names in the lists.", rich_help_panel=_OUT)
    ] = NamesName.ZH,
    prefix: Annotated[
        str,
        typer.Option(
            help="Before the names of the columns of scores.",
            show_default=False,
            rich_help_panel=_OUT,
        ),
    ] = "",
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            show_default=False,
            help='Input columns to keep, by default all; "" keeps none.',
            rich_help_panel=_OUT,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at a row that is no possible hand.")
    ] = False,
    errors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Write a line of JSON for each such row.",
            rich_help_panel=_OUT,
        ),
    ] = None,
    force: ForceOption = False,
    from_format: Annotated[
        FormatName | None,
        typer.Option("--from", show_default=False, help="Format of IN.", rich_help_panel=_IN),
    ] = None,
    to_format: Annotated[
        FormatName | None,
        typer.Option("--to", show_default=False, help="Format of OUT.", rich_help_panel=_OUT),
    ] = None,
    encoding: EncodingOption = "utf-8",
    delimiter: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            help="Of CSV; by default a comma, a tab in .tsv.",
            rich_help_panel=_IN,
        ),
    ] = None,
    compression: CompressionOption = None,
    part_rows: Annotated[
        int,
        typer.Option(min=1, help="Rows of a part of a directory.", rich_help_panel=_OUT),
    ] = 250_000,
    threads: Annotated[
        int | None,
        typer.Option(min=1, show_default=False, help="With Ray processes; by default one a core."),
    ] = None,
    as_json: JsonOption = False,
    engine: Annotated[
        EngineName,
        typer.Option(
            help="This process, or Ray's, which write directories of Parquet files.",
            rich_help_panel=_RAY,
        ),
    ] = EngineName.LOCAL,
    address: Annotated[
        str | None,
        typer.Option(
            show_default=False,
            metavar="HOST:PORT",
            help="Head of a running cluster; else RAY_ADDRESS, one on this machine, or a new one.",
            rich_help_panel=_RAY,
        ),
    ] = None,
) -> None:
    """Score data files of any size: the columns of IN and the scores beside them into OUT.

    A file is there whole or not at all. A directory gets numbered parts; the same command after a
    kill makes those that are missing, so that large jobs write directories. Impossible hands get a
    status and a total of 0 and are reported; the exit code is 0 all the same. It is 2 when IN
    cannot be read or, with --strict, has such a hand, or when OUT must not be replaced, and 1 when
    OUT cannot be written or the cluster is not there or lost.
    """
    if len(paths) < 2:
        raise typer.BadParameter("an input and an output are wanted", param_hint="IN... OUT")
    if "-" in paths:
        raise typer.BadParameter("data files are no streams: name a file", param_hint="IN... OUT")
    if engine is EngineName.LOCAL and address is not None:
        raise typer.BadParameter("a cluster is for --engine ray", param_hint="--address")
    from ..dataset import score_file

    with _failing(), _progress() as progress:
        report = score_file(
            paths[:-1],
            paths[-1],
            column=column,
            rules=rules.profile,
            fans=fans.value,
            names=names.value,
            prefix=prefix,
            keep=None if keep is None else [name for name in keep.split(",") if name],
            honors=honors.value,
            strict=strict,
            errors=errors,
            overwrite=force,
            input_format=None if from_format is None else from_format.value,
            output_format=None if to_format is None else to_format.value,
            encoding=encoding,
            delimiter=delimiter,
            compression=None if compression is None else compression.value,
            part_rows=part_rows,
            threads=threads,
            progress=progress,
            engine=engine.value,
            address=address,
        )
    _tell(report, errors, as_json)


def _tell(report: FileReport, errors: Path | None, as_json: bool) -> None:
    if as_json:
        counts = ("rows", "wins", "not_complete", "invalid", "parts", "kept")
        record: dict[str, Any] = {"output": str(report.path)}
        record |= {name: getattr(report, name) for name in counts}
        write_json(record | {"seconds": round(report.seconds, 3)})
        return
    low = report.rows - report.wins - report.not_complete - report.invalid
    say(
        f"{report.path}: {report.rows:,} hands: {report.wins:,} win, {low:,} below the minimum, "
        f"{report.not_complete:,} not complete, {report.invalid:,} impossible"
    )
    if report.kept:
        note(f"{report.kept} of {report.parts} parts stood from an earlier run")
    for bad in report.bad:
        note(f"row {bad.row}: {bad.message}")
    if report.invalid > len(report.bad) and errors is None:
        note(f"and {report.invalid - len(report.bad):,} more; --errors FILE lists them all")


@contextmanager
def _progress() -> Iterator[Any]:
    """Progress on standard error, where that is a terminal."""
    console = make_console(sys.stderr)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("hands"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def update(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield update


@contextmanager
def _failing() -> Iterator[None]:
    """Turn what can go wrong into one line and an exit code."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, ImportError) as error:  # bad input is a ValueError
        _fail(str(error), 2)
    except ConnectionError as error:  # a cluster
        _fail(str(error), 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"cannot write: {where}{error.strerror or error}", 1)


def _fail(message: str, code: int) -> NoReturn:
    note(f"error: {message}")
    raise typer.Exit(code)


def show_stats(
    file: Path, plot: Path | None, prefix: str, rules: AnyRulesName,
    from_format: FormatName | None, as_json: bool,
) -> None:  # fmt: skip
    """Totals and fans of a scored data file."""
    from ..dataset import plot_stats, stats_of_file

    with _failing():
        stats = stats_of_file(
            file,
            rules=rules.profile,
            prefix=prefix,
            input_format=None if from_format is None else from_format.value,
        )
        if plot is not None:
            plot_stats(stats, plot_target(plot), title=f"{file.name}: {stats.rows:,} hands")
    if str(plot) == "-":
        return
    if as_json:
        write_json(_record(stats))
        return
    console, look = make_console(sys.stdout), Look.of(sys.stdout)
    for view in _views(stats, look):
        show(console, view)


def _record(stats: FileStats) -> dict[str, Any]:
    record: dict[str, Any] = {
        "rows": stats.rows,
        "wins": stats.wins,
        "mean": None if math.isnan(stats.mean) else round(stats.mean, 4),
        "median": stats.quantile(0.5),
        "statuses": {status.name: hands for status, hands in sorted(stats.statuses.items())},
        "totals": {str(points): hands for points, hands in sorted(stats.totals.items())},
    }
    if stats.hands_with is not None:
        record["fans"] = {
            fan.key: {"hands": int(stats.hands_with[fan.id]), "times": int(stats.times[fan.id])}
            for fan in stats.table
        }
    return record


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="left" if column in ("fan", "status", "") else "right")
    return table


def _views(stats: FileStats, look: Look) -> Iterator[Text | Table]:
    low = stats.complete - stats.wins
    yield Text(
        f"{stats.rows:,} hands: {stats.wins:,} win, {low:,} low, "
        f"{stats.rows - stats.complete:,} not complete or impossible"
    )
    bad = {status: n for status, n in sorted(stats.statuses.items()) if status != Status.OK}
    if bad:
        yield Text()
        table = _table("hands", "status")
        for status, hands in bad.items():
            table.add_row(f"{hands:,}", status.message)
        yield table
    if not stats.complete:
        return
    yield Text()
    marks = ", ".join(
        f"{name} {stats.quantile(share)}"
        for name, share in (("median", 0.5), ("90 % up to", 0.9), ("99 % up to", 0.99))
    )
    yield Text(f"totals: mean {stats.mean:.2f}, {marks}, highest {max(stats.totals)}")
    table = _table("total", "hands", "%", "")
    groups = _groups(stats)
    widest = max(hands for _, hands in groups)
    for name, hands in groups:
        bar = ("█" if look.lines else "#") * round(30 * hands / widest)
        table.add_row(name, f"{hands:,}", f"{100 * hands / stats.complete:.1f}", bar)
    yield table
    if stats.hands_with is None:
        return
    yield Text()
    table = _table("hands", "%", "times", "fan")
    for fan in sorted(stats.table, key=lambda fan: (-stats.hands_with[fan.id], fan.id)):
        hands, times = int(stats.hands_with[fan.id]), int(stats.times[fan.id])
        if hands:
            name = look.text(str(fan)) if look.chinese else fan.en
            table.add_row(f"{hands:,}", f"{100 * hands / stats.complete:.2f}", f"{times:,}", name)
    yield table


_EDGES = (1, 4, 8, 12, 16, 24, 32, 48, 64, 88)


def _groups(stats: FileStats) -> list[tuple[str, int]]:
    """Hands by groups of totals; the bounds are the values of fans."""
    found = []
    for first, last in zip(_EDGES, (*(edge - 1 for edge in _EDGES[1:]), None), strict=True):
        hands = sum(
            hands
            for points, hands in stats.totals.items()
            if points >= first and (last is None or points <= last)
        )
        found.append((f"{first}+" if last is None else f"{first}-{last}", hands))
    return found
