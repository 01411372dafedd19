"""Views and records of the types of doubling rules."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ..rules import DoublingRules, Fan
from .render import Look, framed, name_cells, name_columns


def types_view(rules: DoublingRules, look: Look) -> RenderableType:
    """All types, the dearest first, and how they go together."""
    table = framed(look)
    table.add_column("Value", justify="right", style="bold")
    name_columns(table, look, "both")
    table.add_column("Condition", overflow="fold")
    for kind in sorted(rules.table, key=lambda kind: (-rules.points(kind.id), kind.id)):
        value, names = str(rules.points(kind.id)), name_cells(kind, look, "both")
        table.add_row(value, *names, look.text(kind.condition))
    minimum = f"a win needs {rules.min_fan} points" if rules.min_fan else "no minimum"
    title = f"The {len(rules.table)} types of {rules.name}; {minimum}"
    return Group(Text(title, "bold"), "", table, Text(_together(rules), "dim"))


def _together(rules: DoublingRules) -> str:
    base = "the dearest type" if rules.dearest_base else "the first type"
    further = (
        "each further one doubles it" if rules.doubles_again else "further ones double it once"
    )
    return f"The value of {base} counts, {further}; flowers are worth nothing."


def type_view(kind: Fan, rules: DoublingRules, look: Look) -> RenderableType:
    """One type's page."""
    names = f"{kind.zh}  {kind.en}" if look.chinese else kind.en
    table = framed(look, header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("Condition", look.text(kind.condition))
    table.add_row("Name in Python", f"{kind.key} (number {kind.id})")
    title = Text.assemble((names, "bold"), f"  {rules.points(kind.id)} points")
    return Group(title, table, Text(_together(rules), "dim"))


def type_record(kind: Fan, rules: DoublingRules) -> dict[str, Any]:
    """Put a type into a JSON object."""
    return {
        "id": kind.id,
        "key": kind.key,
        "zh": kind.zh,
        "en": kind.en,
        "rules": rules.name,
        "points": rules.points(kind.id),
        "condition": kind.condition,
    }
