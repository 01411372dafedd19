"""The commands ``routes`` and ``targets``."""

from __future__ import annotations

from collections import Counter
from math import comb, prod
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ..hands.notation import read_hand
from ..hands.status import InvalidHand
from ..hands.tiles import NAMES, format_tiles
from ..rules import FANS, Rules
from .common import HonorsName, HonorsOption, RulesName, RulesOption, fail, show_view
from .distance import AsJson, HandText, VisibleText
from .render import letters, write_json

MinFan = Annotated[
    int | None,
    typer.Option(
        "--min-fan", show_default=False,
        help="What a win must score, by default what the rules say.",
    ),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("routes")(routes_command)
    app.command("targets")(targets_command)


def routes_command(
    hand: HandText,
    visible: VisibleText = "",
    most: Annotated[int, typer.Option("--most", "-n", min=1, help="Rows to show.")] = 12,
    least: Annotated[int, typer.Option("--least", min=1, help="Fewest points of a fan.")] = 6,
    rules: RulesOption = RulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """The nearest fans of 13 or 14 tiles (less 3 a meld), and the tiles that lead there.

    One fan at a time: hands that are worth enough by a sum of small fans are what targets lists.

    Example: fastmj routes 12345678m4455pEE --most 6
    """
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
    table = make_table("fan", "points", "distance", "copies", "tiles")
    for route in rows:
        fan = FANS[route.fan]
        table.add_row(
            Text(f"{fan.zh} {fan.en}"), str(profile.points(fan.id)), str(route.distance),
            str(sum(route.left)), letters(route.tiles),
        )  # fmt: skip
    show_view([table])


def targets_command(
    hand: HandText,
    visible: VisibleText = "",
    most: Annotated[int, typer.Option("--most", "-n", min=1, help="Rows to show.")] = 12,
    min_fan: MinFan = None,
    discard: Annotated[
        bool, typer.Option("--discard", help="Win on a discard instead of by a self-draw.")
    ] = False,
    rules: RulesOption = RulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """The nearest hands that are worth enough, by whatever fans: what is missing, what they score.

    Those with the most ways to draw what is missing come first. Of 13 or 14 tiles, less 3 a meld.

    Example: fastmj targets 123456m78p99s123s
    """
    from ..value.targets import MOST_EXACT, UNKNOWN, min_fan_shanten

    profile = rules.profile
    try:
        found = min_fan_shanten(
            " ".join(hand), visible=visible, rules=profile, min_fan=min_fan,
            self_drawn=not discard, honors=honors.value,
        )  # fmt: skip
    except ValueError as error:
        fail(str(error))
    left = dict(zip(found.tiles, found.left, strict=True))
    held = _held(found.hand)
    rows = []
    for score in found.targets:
        wanted = Counter(score.hand.concealed)
        missing = {tile: n - held[tile] for tile, n in sorted(wanted.items()) if n > held[tile]}
        ways = prod(comb(left[tile], n) for tile, n in missing.items())
        rows.append((ways, score, missing))
    rows.sort(key=lambda row: (-row[0], -row[1].base))
    shown = rows[:most]
    if as_json:
        write_json({
            "hand": found.hand, "rules": profile.name, "min_fan": found.min_fan,
            "self_drawn": not discard, "visible": visible,
            "distance": None if found.distance == UNKNOWN else found.distance, "exact": found.exact,
            "searched": MOST_EXACT, "number": len(rows),
            "targets": [
                {
                    "hand": _concealed(score), "points": score.base, "fans": score.fans,
                    "missing": {NAMES[tile]: n for tile, n in missing.items()},
                    "left": {NAMES[tile]: left[tile] for tile in missing}, "ways": ways,
                }
                for ways, score, missing in shown
            ],
        })  # fmt: skip
        return
    won = "a discard" if discard else "a self-draw"
    title = f"{found.hand}  distance to {found.min_fan} fan ({profile.name}) "
    if not found.exact:
        bound = "unknown" if found.distance == UNKNOWN else f"at most {found.distance}"
        reason = f"hands are searched up to distance {MOST_EXACT}, and there is none"
        show_view([Text(f"{title}{bound}: {reason}")])
        return
    title += f"{found.distance}, won by {won}; {len(shown)} of {len(rows)} hands"
    table = make_table("missing", "left", "points", "hand", "fans")
    for _, score, missing in shown:
        table.add_row(
            letters(tile for tile, n in missing.items() for _ in range(n)) or Text("-"),
            " ".join(str(left[tile]) for tile in missing), str(score.base),
            letters(score.hand.concealed), Text(_fans(score.fans, profile)),
        )  # fmt: skip
    show_view([Text(title), table])


def _held(text: str) -> Counter[int]:
    """Concealed tiles of a canonical hand text."""
    return Counter(read_hand(text, "chinese").tiles)


def _concealed(score: Any) -> str:
    return "".join(map(str, score.hand.melds)) + format_tiles(score.hand.concealed)


def _fans(fans: dict[str, int], rules: Rules) -> str:
    """Fans with their times, the dearest first."""
    order = sorted(fans, key=lambda zh: -rules.points(zh))
    return " ".join(zh + (f"×{fans[zh]}" if fans[zh] > 1 else "") for zh in order)


#: Columns of words.
_WORDS = ("fan", "fans", "tiles", "hand", "missing", "choice", "aims at", "on", "done", "best")


def make_table(*columns: str) -> Table:
    """An empty table of plain columns: words to the left, numbers to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        left = column in _WORDS
        table.add_column(column, justify="left" if left else "right")
    return table
