"""The command ``fastmj``: scores hands, shows the fan table, compiles the kernels ahead of time.

``fastmj --help``, ``fastmj fans`` and the scoring of a few hands load no compiler: the readable
reference is done before it would have loaded. Many hands go through the kernels.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Annotated, Any

import typer

from .. import __version__
from ..hands.batch import HandBatch
from ..hands.status import InvalidHand
from ..quoting import shown
from ..rules import GB98, REGIONAL
from ..samples.wins import random_wins
from ..scoring.batch import score_batch, validate
from ..scoring.hand import score_hand
from . import analyze, dataset, distance, records, review, stats, value
from .common import UsageError, compilation_notice, complain
from .examples import epilog
from .fans import fans
from .render import say
from .score import SCORE_HELP, score

app = typer.Typer(
    name="fastmj",
    help="Score hands of Chinese Official Mahjong (Guobiao, MCR).",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _fastmj(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        say(f"fastmj {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


# --- warmup


def warmup(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove compiled code instead, wherever it is kept.")
    ] = False,
) -> None:
    """Compile all kernels, which is done once on a machine, and show how long each step takes."""
    if clear:
        _clear()
        return
    started = time.perf_counter()
    for label, step in _warmup_steps():
        begun = time.perf_counter()
        sys.stdout.write(f"{label:<24}")
        sys.stdout.flush()
        step()
        say(f"{time.perf_counter() - begun:>7.2f} s")
    say(f"{'in all':<24}{time.perf_counter() - started:>7.2f} s")


def _clear() -> None:
    from ..kernels.places import clear

    code = 0
    for folder, removed, left in clear():
        say(f"removed from '{folder}': {removed}")
        if left:
            complain(f"{left} of the files in '{folder}' cannot be removed")
            code = 1
    raise typer.Exit(code)


def _warmup_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """List what to compile, each by using it; steps are imported when they are due."""

    def load() -> None:
        from ..tables.scoring.load import load_tables
        from ..tables.scoring.profile import compile_rules

        load_tables()
        compile_rules(GB98)

    yield "tables", load

    text = "123456789m12355p"
    yield "one hand", lambda: score_hand(text)
    batch = HandBatch.from_hands([text])
    yield "many hands", lambda: score_batch(batch)
    yield "validation", lambda: validate(batch)
    yield "random hands", lambda: random_wins(1, seed=0)
    yield "doubling rules", lambda: score_batch(batch, rules=REGIONAL)
    from ..distance import acceptance_batch, discards_batch, shanten_batch, waits_scores_batch

    ready, full = [batch.counts.copy(), batch.counts]
    ready[0, batch.win_tile[0]] -= 1
    yield "shanten", lambda: shanten_batch(full)
    yield "waits", lambda: waits_scores_batch(ready)
    yield "acceptance", lambda: acceptance_batch(ready)
    yield "discards", lambda: discards_batch(full)
    from ..value import fan_distance_batch, min_fan_shanten_batch, simulate

    yield "fan distances", lambda: fan_distance_batch(full)
    yield "eight-fan distance", lambda: min_fan_shanten_batch(ready)
    yield "roll-outs", lambda: simulate("123456789m1235p", samples=1, seed=0)
    yield (
        "roll-outs by shanten",
        lambda: simulate("123456789m1235p", samples=1, seed=0, policy="shanten"),
    )


# --- the command as a whole


def _announced(command: Callable[..., None]) -> Callable[..., None]:
    """Command that says so when it has to compile first."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        with compilation_notice():
            command(*arguments, **options)

    return run


app.command(help=SCORE_HELP)(score)
for _commands in (distance, value, analyze, review, records, dataset, stats):
    _commands.register(app)
for _added in app.registered_commands[1:]:
    if _added.callback:
        _added.callback = _announced(_added.callback)
app.command()(fans)
app.command()(warmup)
for _added in app.registered_commands:
    _added.epilog = epilog(str(_added.name or getattr(_added.callback, "__name__", "")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0 when all is well, 1 without enough memory or when the output cannot be written, 2 for bad
        input or usage, 130 after Ctrl-C, 141 when the reader of the output went away.
    """
    if sys.stdout is None:
        complain("standard output is closed")
        return 1
    # What cannot be encoded is replaced rather than fatal; views ask before they show such things.
    for stream, handling in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=handling)
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:  # a full disk, mostly
        _drop_output()
        where = error.filename or "standard output"
        complain(f"cannot write to {where}: {error.strerror or error}")
        return 1
    except KeyboardInterrupt:
        return 130
    except MemoryError:
        complain("there is not enough memory for this")
        return 1


def _drop_output() -> None:
    """Keep the interpreter from flushing at exit what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    try:
        command = typer.main.get_command(app)
        if "_FASTMJ_COMPLETE" in os.environ:
            command.main(arguments, prog_name="fastmj")  # answers the shell, and ends the process
        with command.make_context("fastmj", arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        return 130
    except InvalidHand as error:
        complain(str(error))
        return 2
    except UsageError as error:
        where = getattr(error, "ctx", None)
        path = where.command_path if where else "fastmj"
        said = error.format_message().replace("Value error, ", "", 1).rstrip(".")
        complain(f"{shown(said, 400)} (see {path} --help)")
        return 2
    return 0
