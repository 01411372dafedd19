"""The commands ``shanten``, ``waits`` and ``discards``."""

from __future__ import annotations

import sys
from enum import Enum
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..distance.answers import (
    FORM_NAMES,
    Acceptance,
    Discards,
    Shanten,
    Waits,
    forms_text,
    shanten_text,
    state_text,
)
from ..hands.status import InvalidHand
from ..hands.tiles import GLYPHS, NAMES
from .common import (
    AnyRulesName,
    AnyRulesOption,
    HonorsName,
    HonorsOption,
    JsonOption,
    fail,
    show_view,
    text_of,
    texts_of,
)
from .render import Look, letters, write_json

HandText = Annotated[
    list[str],
    typer.Argument(
        metavar="HAND", callback=texts_of, help="Melds in brackets and the concealed tiles."
    ),
]
VisibleText = Annotated[
    str,
    typer.Option(
        "--visible",
        "-v",
        metavar="TILES",
        callback=text_of,
        help="Tiles seen in discards and others' melds.",
    ),
]


class FormName(str, Enum):
    """Winning forms, and the nearest of them."""

    BEST = "best"
    REGULAR = "regular"
    SEVEN_PAIRS = "seven_pairs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    HONORS_KNITTED = "honors_knitted"
    KNITTED_STRAIGHT = "knitted_straight"


AsJson = JsonOption


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("shanten")(shanten_command)
    app.command("waits")(waits_command)
    app.command("discards")(discards_command)


def shanten_command(
    hand: HandText,
    visible: VisibleText = "",
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """How far 13 or 14 tiles (less 3 a meld) are from each winning form, and what helps."""
    from ..distance.hands import acceptance, shanten

    text = " ".join(hand)
    try:
        found = shanten(text, honors=honors.value)
        helping = {
            form: acceptance(text, visible=visible, form=form, honors=honors.value)
            for form in found.forms
        }
    except InvalidHand as error:
        fail(str(error))
    if as_json:
        write_json(
            {
                "hand": found.hand,
                "shanten": found.best,
                "forms": {form: _accepted(answer) for form, answer in helping.items()},
            }
        )
    else:
        show_view(_shanten_view(found, list(helping.values()), Look.of(sys.stdout)))


def waits_command(
    hand: HandText,
    visible: VisibleText = "",
    rules: AnyRulesOption = AnyRulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """Winning tiles of 13 tiles (less 3 a meld), and what each scores by discard and self-drawn.

    Winds and flowers may follow the tiles, as in "123m456p7899s[EEE]|ES|2".
    """
    from ..distance.hands import waits

    try:
        found = waits(" ".join(hand), visible=visible, rules=rules.profile, honors=honors.value)
    except InvalidHand as error:
        fail(str(error))
    if as_json:
        rows = [
            {
                "tile": NAMES[wait.tile],
                "left": wait.left,
                "by_discard": wait.by_discard,
                "self_drawn": wait.self_drawn,
                "wins_by_discard": wait.wins_by_discard,
                "wins_self_drawn": wait.wins_self_drawn,
            }
            for wait in found
        ]
        write_json({
            "hand": found.hand, "rules": rules.profile.name, "ready": found.ready, "waits": rows,
        })  # fmt: skip
    else:
        show_view(_waits_view(found, Look.of(sys.stdout)))


def discards_command(
    hand: HandText,
    visible: VisibleText = "",
    form: Annotated[
        FormName,
        typer.Option(case_sensitive=False, help="The form to aim at, or the nearest one."),
    ] = FormName.BEST,
    honors: HonorsOption = HonorsName.CHINESE,
    as_json: AsJson = False,
) -> None:
    """Every discard of 14 tiles (less 3 a meld): what it leaves, the best first."""
    from ..distance.hands import discards

    try:
        found = discards(" ".join(hand), visible=visible, form=form.value, honors=honors.value)
    except ValueError as error:  # an invalid hand, or a form that its melds rule out
        fail(str(error))
    if as_json:
        rows = [{"discard": NAMES[row.tile], **_accepted(row)} for row in found]
        write_json({"hand": found.hand, "shanten": found.shanten, "discards": rows})
    else:
        show_view(_discards_view(found, Look.of(sys.stdout)))


def _accepted(answer: Acceptance) -> dict[str, Any]:
    return {
        "shanten": answer.shanten,
        "accepts": [NAMES[tile] for tile in answer.tiles],
        "left": list(answer.left),
        "copies": answer.copies,
        "forms": list(answer.forms),
    }


def _tiles(tiles: tuple[int, ...], look: Look) -> Text:
    """Tiles drawn, where they can be, and as text."""
    if not look.glyphs or not tiles:
        return letters(tiles)
    return Text.assemble(" ".join(GLYPHS[tile] for tile in tiles), "  ", letters(tiles))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        right = column in ("copies", "left", "by discard", "self-drawn")
        table.add_column(column, justify="right" if right else "left")
    return table


def _shanten_view(found: Shanten, answers: list[Acceptance], look: Look) -> list[RenderableType]:
    table = _table("form", "shanten", "copies", "accepts")
    for form, answer in zip(found.forms, answers, strict=True):
        style = "bold" if answer.shanten == found.best else ""
        table.add_row(
            Text(FORM_NAMES[form], style),
            Text(state_text(answer.shanten, answer.copies), style),
            str(answer.copies),
            _tiles(answer.tiles, look),
        )
    return [Text(f"{found.hand}  {shanten_text(found.best)}"), table]


def _waits_view(found: Waits, look: Look) -> list[RenderableType]:
    if not found.waits:
        return [Text(f"{found.hand}  not ready")]
    table = _table("tile", "left", "by discard", "self-drawn", f"minimum {found.rules.min_fan}")
    for wait in found:
        totals = ("-", "-") if wait.by_discard is None else (wait.by_discard, wait.self_drawn)
        table.add_row(
            _tiles((wait.tile,), look), str(wait.left), *map(str, totals), Text(wait.verdict)
        )
    state = "ready" if found.ready else "not ready, its waits are used up"
    return [Text(f"{found.hand}  {state} ({found.rules.name})"), table]


def _discards_view(found: Discards, look: Look) -> list[RenderableType]:
    table = _table("discard", "shanten", "copies", "accepts", "forms")
    for row in found:
        table.add_row(
            _tiles((row.tile,), look),
            Text(
                state_text(row.shanten, row.copies),
                "bold" if row.shanten == found[0].shanten else "",
            ),
            str(row.copies),
            _tiles(row.tiles, look),
            Text(forms_text(row.forms)),
        )
    return [Text(f"{found.hand}  {shanten_text(found.shanten)}"), table]
