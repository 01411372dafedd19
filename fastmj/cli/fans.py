"""The command ``fans``: the table of fans, or one fan's page."""

from __future__ import annotations

import sys
from itertools import chain, islice
from typing import Annotated, Any

import typer

from ..quoting import quoted
from ..rules import AnyRules, DoublingRules, Fan, FanTable
from .common import AnyRulesName, AnyRulesOption, JsonOption, fail, texts_of
from .render import Look, make_console, show, write_json
from .render_fans import fan_record, fan_view, fans_view
from .render_types import type_record, type_view, types_view


def fans(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            callback=texts_of,
            show_default=False,
            help="Chinese or English name, key or number of a fan.",
        ),
    ] = None,
    rules: AnyRulesOption = AnyRulesName.GB98,
    as_json: JsonOption = False,
) -> None:
    """Show the table of fans, or one fan's page; of doubling rules the types."""
    console, look, profile = make_console(sys.stdout), Look.of(sys.stdout), rules.profile
    wanted = " ".join(name or [])
    if not wanted:
        if as_json:
            for fan in profile.table:
                write_json(_record(fan, profile))
        elif isinstance(profile, DoublingRules):
            show(console, types_view(profile, look))
        else:
            show(console, fans_view(profile, look, console.width))
        return
    try:
        row = profile.table[int(wanted) if wanted.isdecimal() else wanted]
    except (KeyError, IndexError, ValueError):  # also more digits than Python reads
        near = _near_fans(wanted, profile.table, look.chinese)
        hint = f"; is it {near}?" if near else "; fastmj fans lists them"
        fail(f"no fan is called {quoted(wanted)}{hint}")
    if as_json:
        write_json(_record(row, profile))
    elif isinstance(profile, DoublingRules):
        show(console, type_view(row, profile, look))
    else:
        show(console, fan_view(row, profile, look))


def _record(row: Fan, rules: AnyRules) -> dict[str, Any]:
    return type_record(row, rules) if isinstance(rules, DoublingRules) else fan_record(row, rules)


def _near_fans(wanted: str, table: FanTable, chinese: bool) -> str:
    """Fans with a similar name, or with a name that holds what was asked for."""
    from difflib import get_close_matches

    lowered = wanted.lower().replace("_", " ")
    names = {name: fan for fan in table for name in (fan.zh, fan.en.lower())}
    close = get_close_matches(lowered, names, n=3, cutoff=0.6)
    holding = [name for name in names if len(lowered) > 2 and lowered in name]
    if not lowered.isascii():
        close = get_close_matches(lowered, [fan.zh for fan in table], n=3, cutoff=0.4)
        holding = [name for name in names if lowered in name]
    found = list(islice(dict.fromkeys(names[name] for name in chain(close, holding)), 4))
    return " or ".join(str(fan) if chinese else fan.en for fan in found)
