"""The command ``analyze``."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from ..hands.tiles import NAMES
from ..rules import FANS
from .common import (
    HonorsName,
    HonorsOption,
    PlotOption,
    RulesName,
    RulesOption,
    fail,
    plot_target,
    show_view,
)
from .distance import AsJson, HandText, VisibleText
from .render import Look, make_console, write_json
from .value import MinFan, make_table

if TYPE_CHECKING:
    from ..value import Choice, Simulation

#: Without --samples and --error: how exact the chances of the best three are, and the most
#: roll-outs for that.
_ERROR, _MOST = 0.005, 200_000


class PolicyName(str, Enum):
    """Policies that the command knows."""

    WEIGH = "weigh"
    FAN = "fan"
    SHANTEN = "shanten"


class ByName(str, Enum):
    """What choices are ranked by."""

    WINS = "wins"
    POINTS = "points"


class SourceName(str, Enum):
    """Who discards a tile."""

    LEFT = "left"
    ACROSS = "across"
    RIGHT = "right"


ByOption = Annotated[
    ByName, typer.Option("--by", help="Rank by the chance to win, or by points won and lost.")
]
ClaimsOption = Annotated[
    float,
    typer.Option("--claims", help="Share of the tiles others draw that they discard, 0-1."),
]
OthersOption = Annotated[
    float,
    typer.Option("--others", help="How often others win: 1 as in real games, 0 never."),
]
PolicyOption = Annotated[PolicyName, typer.Option("--policy", help="How the roll-outs play on.")]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", show_default=False, help="Threads, by default one a core."),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same answer.")]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("analyze")(analyze_command)


def analyze_command(
    hand: HandText,
    visible: VisibleText = "",
    offered: Annotated[
        str | None,
        typer.Option("--offered", show_default=False, help="A tile that another discards."),
    ] = None,
    source: Annotated[
        SourceName | None,
        typer.Option("--from", show_default=False, help="Who discards the offered tile."),
    ] = None,
    by: ByOption = ByName.WINS,
    turn: Annotated[int, typer.Option("--turn", help="Own turns that have been played.")] = 0,
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws", show_default=False, help="Rounds to come, by default the rest of 20."
        ),
    ] = None,
    claims: ClaimsOption = 0.9,
    others: OthersOption = 1.0,
    no_melding: Annotated[
        bool, typer.Option("--no-melding", help="Claim no melds and declare no kongs.")
    ] = False,
    policy: PolicyOption = PolicyName.WEIGH,
    samples: Annotated[
        int | None,
        typer.Option("--samples", show_default=False, help="Roll-outs of each choice."),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            "--error",
            show_default=False,
            help="Play on until the best three chances are this exact, in points of %; by default "
            "0.5, unless --samples is given.",
        ),
    ] = None,
    min_fan: MinFan = None,
    threads: ThreadsOption = None,
    seed: SeedOption = 1,
    plot: PlotOption = None,
    rules: RulesOption = RulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """Play on with every discard and kong, or every answer to a tile that another offers.

    Ranks them by the chance to win or by points, each with its standard error; "behind" is how far
    a choice is behind the first, which is known better than either, as all meet the same walls.

    Examples: fastmj analyze 2346m4588p6sWWCC3s, and fastmj analyze 2346m4588p6sWWCC
    --offered 5p --from left
    """
    from rich.progress import Progress

    from ..value import simulate

    if error is None and samples is None:
        error = 100 * _ERROR
    most = samples if samples is not None else _MOST
    console = make_console(sys.stderr)
    bar = Progress(console=console, transient=True, disable=as_json or not console.is_terminal)
    task = bar.add_task("playing", total=most)
    try:
        with bar:
            found = simulate(
                " ".join(hand), offered=offered, source=source.value if source else None,
                by=by.value, turn=turn, draws=draws, samples=most, visible=visible,
                rules=rules.profile, min_fan=min_fan, seed=seed, claims=claims, others=others,
                melding=False if no_melding else None, policy=policy.value, threads=threads,
                standard_error=None if error is None else error / 100, honors=honors.value,
                progress=lambda done, _: bar.update(task, completed=done),
            )  # fmt: skip
    except ValueError as problem:
        fail(str(problem))
    if plot is not None:
        _draw(found, plot)
    if str(plot) == "-":
        pass
    elif as_json:
        asked = {"most_samples": most, "standard_error": None if error is None else error / 100}
        write_json(_record(found, asked))
    else:
        show_view(_view(found))
    if not found.complete:  # by Ctrl-C
        raise typer.Exit(130)


def _aims(choice: Choice) -> str:
    """What most wins have: two fans of six points and more, or sums of small ones."""
    wins = max(choice.wins, 1)
    shares = [(zh, n / wins) for zh, n in choice.fans.items() if FANS[zh].points >= 6]
    shares.append(("small fans", choice.plain / wins))
    shares.sort(key=lambda one: -one[1])
    return " ".join(f"{name} {share:.0%}" for name, share in shares[:2] if share >= 0.05)


def distinct_choices(choices: tuple[Choice, ...]) -> Iterator[Choice]:
    """The choices of which a table speaks: of each claim the one with its best discard."""
    seen = set()
    for choice in choices:
        if choice.action != "claim" or choice.meld not in seen:
            seen.add(choice.meld)
            yield choice


def with_error(value: float, error: float, share: bool) -> str:
    """A number with its standard error, as a share in points of %."""
    sign = "±" if Look.of(sys.stdout).lines else "+-"
    return f"{value:.1%} {sign}{100 * error:.1f}" if share else f"{value:+.1f} {sign}{error:.1f}"


def _view(found: Simulation) -> list[Any]:
    from ..value.targets import UNKNOWN

    points = found.by == "points"
    table = make_table(
        "choice", "wins", "pays", "behind", "away", "ready", "drawn", "melds", "aims at"
    )
    for choice in distinct_choices(found.choices):
        away = "?" if choice.distance == UNKNOWN else str(choice.distance)
        behind = (
            (choice.payment_behind, choice.payment_behind_error)
            if points
            else (choice.win_behind, choice.win_behind_error)
        )
        melds = sum(number * share for number, share in enumerate(choice.melds))
        table.add_row(
            choice.name, with_error(choice.win_chance, choice.win_error, True),
            with_error(choice.payment, choice.payment_error, False),
            "-" if choice is found.choices[0] else with_error(*behind, not points),
            away if choice.exact or away == "?" else f"≤{away}",
            f"{choice.ready_by_turn[-1]:.0%}",
            f"{choice.self_drawn:.0%}" if choice.wins else "-",
            f"{melds:.1f}" if choice.wins else "-", Text(_aims(choice)),
        )  # fmt: skip
    for column in table.columns[:-1]:
        column.no_wrap = True
    numbers = [choice.samples for choice in found.choices]
    played = f"{max(numbers):,} roll-outs"
    if min(numbers) < max(numbers):
        played += f", fewer of those clearly behind, {min(numbers):,} at least"
    stopped = "" if found.complete else ", stopped early"
    return [Text(found.title), Text(f"{played}, seed {found.seed}{stopped}"), table]


def plain_value(value: Any) -> Any:
    """A value of a result as JSON takes it: unknown numbers are null."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, tuple):
        return [plain_value(one) for one in value]
    return value


def _record(found: Simulation, asked: dict[str, Any]) -> dict[str, Any]:
    """All of a result, and what else was asked for."""
    plain = {
        field.name: plain_value(getattr(found, field.name))
        for field in fields(found)
        if field.name != "choices"
    }
    return {**plain, **asked, "choices": [choice_record(choice) for choice in found.choices]}


def choice_record(choice: Choice) -> dict[str, Any]:
    """All of a choice, tiles and melds by name."""
    plain = {field.name: plain_value(getattr(choice, field.name)) for field in fields(choice)}
    return {
        "name": choice.name, **plain,
        "discard": None if choice.discard is None else NAMES[choice.discard],
        "meld": None if choice.meld is None else str(choice.meld),
    }  # fmt: skip


def _draw(found: Simulation, file: Path) -> None:
    """Chance to win by turn for the best choices, and the totals of the best one."""
    from ..pictures.figures import plot

    try:
        with plot(plot_target(file), found.hand, (10, 4), 2) as (left, right):
            for choice in list(distinct_choices(found.choices))[:5]:
                turns = range(1, len(choice.win_by_turn) + 1)
                left.plot(turns, 100 * choice.win_by_turn, label=choice.name)
            left.set(xlabel="rounds", ylabel="won, %")
            left.legend(title="choice")
            best = found.choices[0]
            right.bar(
                list(best.totals), [100 * n / max(best.wins, 1) for n in best.totals.values()]
            )
            right.set(xlabel=f"total of a win after {best.name}", ylabel="share of wins, %")
            for axes in (left, right):
                axes.xaxis.get_major_locator().set_params(integer=True)
    except (OSError, ValueError) as error:
        fail(f"cannot draw {file}: {error}")
