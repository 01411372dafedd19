"""The command ``review``: what the decisions of a recorded game cost."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from ..records import BadRecord, Game, read_games
from .analyze import (
    ByName,
    ByOption,
    ClaimsOption,
    OthersOption,
    PolicyName,
    PolicyOption,
    SeedOption,
    ThreadsOption,
    with_error,
)
from .common import RulesName, RulesOption, fail, show_view
from .distance import AsJson
from .render import make_console, note, write_json
from .value import MinFan, make_table

if TYPE_CHECKING:
    from ..review import Decision, Review


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("review")(review_command)


def review_command(
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="Recorded games as for replay; - is stdin.")
    ],
    player: Annotated[
        int, typer.Option("--player", "-p", min=0, max=3, help="Whose decisions: 0-3, east first.")
    ],
    number: Annotated[
        int | None,
        typer.Option("--game", min=1, show_default=False, help="Which game of several, from 1 on."),
    ] = None,
    by: ByOption = ByName.WINS,
    seconds: Annotated[
        float, typer.Option("--seconds", help="About how long to play a decision on.")
    ] = 1.0,
    claims: ClaimsOption = 0.9,
    others: OthersOption = 1.0,
    policy: PolicyOption = PolicyName.WEIGH,
    min_fan: MinFan = None,
    threads: ThreadsOption = None,
    seed: SeedOption = 1,
    html: Annotated[
        Path | None,
        typer.Option("--html", show_default=False, help="Write a page with the hands drawn."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the page.")] = False,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            show_default=False,
            help="Keep what is found in this file, and go on from what it has.",
        ),
    ] = None,
    rules: RulesOption = RulesName.GB98,
    as_json: AsJson = False,
) -> None:
    """Hold every decision of a player of a recorded game to what roll-outs prefer.

    Shows what was done, what is best, and what the difference costs in chances to win and in
    points: discards, kongs, claims made or passed by, wins taken or declined.

    Example: fastmj review game.txt --player 0 --html game.html --resume game.jsonl
    """
    from rich.progress import Progress

    from ..review import review_game, review_page
    from ..review.journal import Journal

    if html is not None and html.exists() and not (force and html.is_file()):
        fail(f"{html} exists: --force overwrites a regular file")
    console = make_console(sys.stderr)
    bar = Progress(console=console, transient=True, disable=as_json or not console.is_terminal)
    task = bar.add_task("reviewing", total=None)
    try:
        game = _game(log, number)
        with bar:
            found = review_game(
                game, player, by=by.value, seconds=seconds, claims=claims, others=others,
                policy=policy.value, min_fan=min_fan, threads=threads, seed=seed,
                rules=rules.profile, journal=None if resume is None else Journal(resume),
                progress=lambda done, of: bar.update(task, completed=done, total=of),
            )  # fmt: skip
    except (BadRecord, ValueError) as problem:
        fail(str(problem))
    except OSError as problem:
        fail(f"{problem.filename or log}: {problem.strerror or problem}")
    if html is not None:
        try:
            html.write_text(review_page(found), encoding="utf-8")
        except OSError as problem:
            fail(f"cannot write {html}: {problem.strerror or problem}")
    if as_json:
        write_json(_record(found))
    else:
        show_view(_view(found))
    if not found.complete:
        note("stopped before the end of the game")


def _game(log: str, number: int | None) -> Game:
    """The game that is meant."""
    source: Any = sys.stdin.buffer if log == "-" else Path(log)
    first = 0 if number is None else number - 1
    games = list(islice(read_games(source), first, first + 2))
    if not games:
        raise ValueError(f"{log}: there is no game {first + 1}")
    if number is None and len(games) > 1:
        raise ValueError(f"{log} has several games: --game says which")
    return games[0]


def _view(found: Review) -> list[Any]:
    from ..review.page import SEATS

    table = make_table("turn", "hand", "on", "done", "best", "wins less", "pays less")
    for each in found.decisions:
        question, done = each.question, each.done
        on = question.drawn
        if question.offered:
            on = f"{question.offered} {question.source}"
        cost = ("-", "-") if done is each.best else (
            with_error(done.win_cost, done.win_cost_error, True),
            with_error(done.payment_cost, done.payment_cost_error, False),
        )  # fmt: skip
        style = "bold red" if each.verdict == "worse" else ""
        table.add_row(
            str(question.turn + 1), Text(question.hand.partition("|")[0]), on,
            Text(done.name if done is each.best else question.done, style),
            Text("" if done is each.best else each.best.name), *cost,
        )  # fmt: skip
    settings = found.settings
    title = (
        f"{found.game.name}, {SEATS[found.player]}: {len(found.decisions)} decisions, about "
        f"{settings['seconds']:g} s each; others discard {settings['claims']:.0%} of what they "
        f"draw, win ×{settings['others']:g} as often as in real games; {settings['min_fan']} fan "
        f"by {settings['rules']}; policy {settings['policy']}, ranked by {settings['by']}"
    )
    verdicts = [each.verdict for each in found.decisions]
    end = (
        f"{verdicts.count('best')} as preferred, {verdicts.count('close')} not surely worse, "
        f"{verdicts.count('worse')} worse; in all {found.win_cost:.1%} of a win and "
        f"{found.payment_cost:.1f} points"
    )
    return [Text(title), table, Text(end)]


def _record(found: Review) -> dict[str, Any]:
    return {
        "game": found.game.name, "player": found.player, "settings": found.settings,
        "complete": found.complete, "win_cost": found.win_cost, "payment_cost": found.payment_cost,
        "decisions": [_decision(each) for each in found.decisions],
    }  # fmt: skip


def _decision(decision: Decision) -> dict[str, Any]:
    from ..review.asked import plain_question

    return {
        **plain_question(decision.question), "best": decision.best.name,
        "verdict": decision.verdict, "win_cost": decision.done.win_cost,
        "payment_cost": decision.done.payment_cost,
        "options": [vars(one) for one in decision.options],
    }  # fmt: skip
