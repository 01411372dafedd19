"""The commands ``routes`` and ``analyze``."""

from __future__ import annotations

import importlib
import math
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ..hands.status import InvalidHand
from ..hands.tiles import NAMES
from ..rules import FANS
from .common import HonorsName, HonorsOption, RulesName, RulesOption, fail, show_view
from .distance import AsJson, HandText, VisibleText
from .render import letters, make_console, write_json

if TYPE_CHECKING:
    from ..value import Simulation


class PolicyName(str, Enum):
    """Policies that the command knows."""

    FAN = "fan"
    SHANTEN = "shanten"


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("routes")(routes_command)
    app.command("analyze")(analyze_command)


def routes_command(
    hand: HandText,
    visible: VisibleText = "",
    most: Annotated[int, typer.Option("--most", "-n", min=1, help="Fans to show.")] = 12,
    least: Annotated[int, typer.Option("--least", min=1, help="Fewest points of a fan.")] = 6,
    rules: RulesOption = RulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """The nearest fans of 13 or 14 tiles (less 3 a meld), and the tiles that lead there."""
    from ..value.hands import routes

    profile = rules.profile
    try:
        found = routes(" ".join(hand), visible=visible, honors=honors.value)
    except InvalidHand as error:
        fail(str(error))
    rows = [route for route in found if profile.points(route.fan) >= least]
    rows.sort(key=lambda route: (route.distance, -profile.points(route.fan), route.fan))
    rows = rows[:most]
    if as_json:
        write_json({
            "rules": profile.name,
            "routes": [
                {
                    "fan": FANS[route.fan].key, "zh": FANS[route.fan].zh,
                    "points": profile.points(route.fan), "distance": route.distance,
                    "tiles": [NAMES[tile] for tile in route.tiles], "left": list(route.left),
                }
                for route in rows
            ],
        })  # fmt: skip
        return
    table = _table("fan", "points", "distance", "copies", "tiles")
    for route in rows:
        fan = FANS[route.fan]
        table.add_row(
            Text(f"{fan.zh} {fan.en}"), str(profile.points(fan.id)), str(route.distance),
            str(sum(route.left)), letters(route.tiles),
        )  # fmt: skip
    show_view([table])


def analyze_command(
    hand: HandText,
    visible: VisibleText = "",
    draws: Annotated[int, typer.Option("--draws", help="Own draws.")] = 18,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            show_default=False,
            help="Roll-outs a discard, by default 5000; with --error at most 200,000.",
        ),
    ] = None,
    error: Annotated[
        float | None,
        typer.Option("--error", help="Play on until the chances are this exact, in points of %."),
    ] = None,
    claims: Annotated[
        float, typer.Option("--claims", help="Chance that another's tile is discarded, 0-1.")
    ] = 0.0,
    policy: Annotated[
        PolicyName, typer.Option("--policy", help="What the discards on the way look at.")
    ] = PolicyName.FAN,
    min_fan: Annotated[
        int | None,
        typer.Option("--min-fan", help="What a win must score, by default what the rules say."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads, by default one a core.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same answer.")] = 1,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a picture.")] = None,
    rules: RulesOption = RulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """Play every discard on many times: chance to win, points, distance to enough fan."""
    from rich.progress import Progress

    from ..value import simulate

    most = samples if samples is not None else 5000 if error is None else 200_000
    figure = _figure() if plot else None
    console = make_console(sys.stderr)
    bar = Progress(console=console, transient=True, disable=as_json or not console.is_terminal)
    task = bar.add_task("playing", total=most)
    try:
        with bar:
            found = simulate(
                " ".join(hand), draws=draws, samples=most, visible=visible, rules=rules.profile,
                min_fan=min_fan, seed=seed, claims=claims, policy=policy.value, threads=threads,
                standard_error=None if error is None else error / 100, honors=honors.value,
                progress=lambda done, _: bar.update(task, completed=done),
            )  # fmt: skip
    except ValueError as problem:
        fail(str(problem))
    if figure is not None and plot is not None:
        _draw(figure, found, plot)
    if as_json:
        write_json(_record(found))
    else:
        show_view(_view(found))
    if not found.complete:  # by Ctrl-C
        raise typer.Exit(130)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        left = column in ("fan", "tiles", "discard", "aims at")
        table.add_column(column, justify="left" if left else "right")
    return table


def _aims(fans: dict[str, int], wins: int) -> str:
    """Name the two fans of six points and more that most wins have, if one in twenty has them."""
    large = [(zh, n / wins) for zh, n in fans.items() if FANS[zh].points >= 6]
    return " ".join(f"{zh} {share:.0%}" for zh, share in large[:2] if share >= 0.05)


def _view(found: Simulation) -> list[Any]:
    table = _table("discard", "wins", "±", "ready", "points", "distance", "aims at")
    for choice in found.choices:
        name = "-" if choice.discard is None else NAMES[choice.discard]
        away = "?" if choice.distance == 127 else str(choice.distance)
        table.add_row(
            name, f"{choice.win_chance:.1%}", f"{choice.win_error:.1%}",
            f"{choice.ready_by_turn[-1]:.0%}",
            "-" if math.isnan(choice.mean_points) else f"{choice.mean_points:.0f}",
            away if choice.exact else f"≤{away}", _aims(choice.fans, choice.wins),
        )  # fmt: skip
    number = found.choices[0].samples
    stopped = "" if found.complete else ", stopped early"
    title = f"{found.hand}  {found.draws} draws, {number} roll-outs a discard{stopped}"
    return [Text(title), table]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _record(found: Simulation) -> dict[str, Any]:
    return {
        "hand": found.hand, "policy": found.policy, "draws": found.draws,
        "min_fan": found.min_fan, "seed": found.seed, "complete": found.complete,
        "choices": [
            {
                "discard": None if choice.discard is None else NAMES[choice.discard],
                "samples": choice.samples, "wins": choice.wins,
                "win_chance": choice.win_chance, "win_error": choice.win_error,
                "win_by_turn": choice.win_by_turn.tolist(),
                "ready_by_turn": choice.ready_by_turn.tolist(),
                "mean_fan": _number(choice.mean_fan),
                "mean_fan_error": _number(choice.mean_fan_error),
                "mean_points": _number(choice.mean_points),
                "mean_points_error": _number(choice.mean_points_error),
                "totals": choice.totals, "fans": choice.fans,
                "distance": choice.distance, "exact": choice.exact,
            }
            for choice in found.choices
        ],
    }  # fmt: skip


def _figure() -> Any:
    """Empty picture, asked for before anything is played."""
    try:
        return importlib.import_module("matplotlib.figure").Figure(figsize=(10, 4))
    except ImportError:
        fail("--plot needs matplotlib: pip install 'fastmj[plot]'")


def _draw(figure: Any, found: Simulation, file: Path) -> None:
    """Chance to win by turn for the best discards, and the totals of the best one."""
    left, right = figure.subplots(1, 2)
    for choice in found.choices[:5]:
        name = "as it stands" if choice.discard is None else NAMES[choice.discard]
        turns = range(1, found.draws + 1)
        left.plot(turns, 100 * choice.win_by_turn, label=name)
    left.set(xlabel="own draws", ylabel="won, %")
    left.xaxis.get_major_locator().set_params(integer=True)
    left.legend(title="discard")
    best = found.choices[0]
    right.bar(list(best.totals), [100 * n / max(best.wins, 1) for n in best.totals.values()])
    name = "" if best.discard is None else f" after {NAMES[best.discard]}"
    right.set(xlabel=f"total of a win{name}", ylabel="share of wins, %")
    right.xaxis.get_major_locator().set_params(integer=True)
    figure.suptitle(found.hand)
    figure.tight_layout()
    try:
        figure.savefig(file)
    except (OSError, ValueError) as error:
        fail(f"{file}: {error}")
