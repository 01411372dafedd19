"""Views and records of the fan table and of one fan's page."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from ..rules import FANS, PROFILES, Fan, Rules
from .render import Look, framed, name_cells, name_columns


def _joined(numbers: Iterable[int], look: Look) -> str:
    fans = [FANS[number] for number in sorted(numbers)]
    return " ".join(f.zh for f in fans) if look.chinese else ", ".join(f.en for f in fans)


def fans_view(rules: Rules, look: Look, width: int) -> RenderableType:
    """All fans in tiers of points; what is not counted beside each where there is room."""
    table = framed(look)
    table.add_column("Points", justify="right", style="bold")
    name_columns(table, look, "both")
    table.add_column("Condition", overflow="fold")
    roomy = width >= 120
    if roomy:
        table.add_column("Implies (not counted beside it)", overflow="fold")
    ordered = sorted(FANS, key=lambda fan: (-rules.points(fan.id), fan.id))
    for points, tier in groupby(ordered, lambda fan: rules.points(fan.id)):
        fans = list(tier)
        for position, fan in enumerate(fans):
            implied = _implied_text(fan, rules, look) if roomy else None
            table.add_row(
                str(points) if position == 0 else "",
                *name_cells(fan, look, "both"),
                look.text(fan.condition) + (" (may repeat)" if fan.repeats else ""),
                *([] if implied is None else [implied]),
                end_section=position == len(fans) - 1,
            )
    title = f"The {len(FANS)} fans of {rules.name}; a win needs {rules.min_fan} points"
    return Group(Text(title, "bold"), "", table)


class Relations(NamedTuple):
    """What is not counted beside a fan, and beside which fans it is not counted."""

    implies: frozenset[int]
    implies_own: frozenset[int]
    implies_one: frozenset[int]
    implied_by: frozenset[int]
    implied_own_by: frozenset[int]
    implied_one_by: frozenset[int]

    @classmethod
    def of(cls, fan: Fan, rules: Rules) -> Relations:
        """Relations of a fan under a profile."""

        def forward(row: Fan) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
            all_of_it = rules.implies[row.id]
            own = FANS.ids(" ".join(row.implies_own)) - all_of_it
            return all_of_it, own, FANS.ids(" ".join(row.implies_one)) - all_of_it

        backward = [
            frozenset(row.id for row in FANS if fan.id in forward(row)[kind]) for kind in range(3)
        ]
        return cls(*forward(fan), *backward)


def _with_limits(
    always: frozenset[int], own: frozenset[int], one: frozenset[int], limit: str, look: Look
) -> str:
    parts = [_joined(always, look)] if always else []
    if own:
        parts.append(f"{_joined(own, look)} ({limit})")
    if one:
        parts.append(f"{_joined(one, look)} (one of them)")
    return "; ".join(parts) or "none"


def _implied_text(fan: Fan, rules: Rules, look: Look) -> str:
    r = Relations.of(fan, rules)
    text = _with_limits(r.implies, r.implies_own, r.implies_one, "made of its sets", look)
    return "" if text == "none" else text


def fan_view(fan: Fan, rules: Rules, look: Look) -> RenderableType:
    """One fan's page: condition, what it implies, what implies it, whether it repeats."""
    r = Relations.of(fan, rules)
    points = rules.points(fan.id)
    names = f"{fan.zh}  {fan.en}" if look.chinese else fan.en
    title = Text.assemble((names, "bold"), f"  {points} point" + "s" * (points != 1))
    table = framed(look, header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("Condition", look.text(fan.condition))
    table.add_row("Counts", "as often as it occurs" if fan.repeats else "once")
    table.add_row(
        "Implies",
        _with_limits(r.implies, r.implies_own, r.implies_one, "made of its sets", look),
    )
    implied_by = _with_limits(
        r.implied_by, r.implied_own_by, r.implied_one_by, "if made of their sets", look
    )
    if fan.zh == "四归一" and rules.hogless_seven_pairs:
        implied_by += f"; {_joined(rules.hogless_seven_pairs, look)} (as seven pairs)"
    table.add_row("Implied by", implied_by)
    for other in PROFILES.values():
        difference = _difference(fan, rules, other, look) if isinstance(other, Rules) else ""
        if difference:
            table.add_row(f"Under {other.name}", difference)
    table.add_row("Name in Python", f"{fan.key} (number {fan.id})")
    note = Text("A fan that is implied does not count beside the fan that implies it.", "dim")
    return Group(title, table, note)


def _difference(fan: Fan, rules: Rules, other: Rules, look: Look) -> str:
    """Tell what another profile does differently with a fan."""
    parts = []
    if other.points(fan.id) != rules.points(fan.id):
        parts.append(f"{other.points(fan.id)} points")
    for mine, theirs, label in zip(
        Relations.of(fan, rules), Relations.of(fan, other), Relations._fields, strict=True
    ):
        if label not in ("implies", "implied_by"):
            continue
        verb = "" if label == "implies" else "not "
        gained, lost = theirs - mine, mine - theirs
        if label == "implies" and gained:
            parts.append(f"{_joined(gained, look)} not counted beside it")
        if label == "implies" and lost:
            parts.append(f"{_joined(lost, look)} counted beside it")
        if label == "implied_by" and gained:
            parts.append(f"{verb}counted beside {_joined(gained, look)}")
        if label == "implied_by" and lost:
            parts.append(f"counted beside {_joined(lost, look)}")
    if fan.zh == "四归一" and other.hogless_seven_pairs and not rules.hogless_seven_pairs:
        pairs = _joined(other.hogless_seven_pairs, look)
        parts.append(f"not counted beside {pairs} as seven pairs")
    return "; ".join(parts)


def fan_record(fan: Fan, rules: Rules) -> dict[str, Any]:
    """Put a row of the fan table into a JSON object, other fans named by their keys."""
    relations = {
        name: [FANS[number].key for number in sorted(numbers)]
        for name, numbers in zip(Relations._fields, Relations.of(fan, rules), strict=True)
    }
    return {
        "id": fan.id,
        "key": fan.key,
        "zh": fan.zh,
        "en": fan.en,
        "rules": rules.name,
        "points": rules.points(fan.id),
        "condition": fan.condition,
        "repeats": fan.repeats,
        **relations,
    }
