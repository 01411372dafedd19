"""Adding up: what counts in each reading, what does not and why, and the best reading (RULES 3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..hands.hand import Hand, as_hand
from ..rules import (
    COMBINATION_FANS,
    CONCEALED_FORMS,
    FANS,
    GB98,
    AnyRules,
    DoublingRules,
    Fan,
    Rules,
    RulesLike,
    resolve_rules,
)
from .combine import Candidate, candidates, choose, preference, repeats_a_set, would_close_circle
from .conditions import CONDITIONS, View, groups
from .doubling import held_types
from .readings import Block, Form, Reading, list_readings, waiting_tiles

_CHICKEN = FANS["无番和"]
_FLOWER = FANS["花牌"]
_HOG = FANS["四归一"].id
_FULLY_CONCEALED = FANS["不求人"].id
_OWN = tuple(FANS.ids(" ".join(fan.implies_own)) for fan in FANS)
_ONE = tuple(FANS.ids(" ".join(fan.implies_one)) for fan in FANS)


@dataclass(frozen=True, slots=True)
class Counted:
    """A fan that counts once, its points, and the blocks that make it.

    Of doubling rules: a type, what it adds, in ``times`` its factor, in ``role`` what that means.
    """

    fan: Fan
    points: int
    blocks: tuple[Block, ...]
    times: int = 1
    role: str = ""

    def __str__(self) -> str:
        sets = f"  ({' '.join(map(str, self.blocks))})" if self.blocks else ""
        role = f": {self.role}" if self.role else ""
        return f"{self.points:>3}  {self.fan}{sets}{role}"


@dataclass(frozen=True, slots=True)
class NotCounted:
    """A fan that holds but does not count, and why."""

    fan: Fan
    blocks: tuple[Block, ...]
    reason: str

    def __str__(self) -> str:
        sets = f"  ({' '.join(map(str, self.blocks))})" if self.blocks else ""
        return f"  -  {self.fan}{sets}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ScoredReading:
    """One reading of a hand, added up (flowers aside)."""

    reading: Reading
    counted: tuple[Counted, ...]
    not_counted: tuple[NotCounted, ...]

    @property
    def base(self) -> int:
        """Points without flowers."""
        return sum(item.points for item in self.counted)

    @property
    def fans(self) -> dict[int, int]:
        """Times that each fan counts, by number; factors of types."""
        result: dict[int, int] = {}
        for item in self.counted:
            result[item.fan.id] = result.get(item.fan.id, 0) + item.times
        return dict(sorted(result.items()))


@dataclass(frozen=True)
class Explanation:
    """A score with its reasons.

    Attributes
    ----------
    hand, rules
        What was scored, and by which profile.
    chosen : ScoredReading or None
        The reading that counts; ``None`` when the hand is not complete.
    lower : tuple of ScoredReading
        The other readings, the best first.
    """

    hand: Hand
    rules: AnyRules
    chosen: ScoredReading | None
    lower: tuple[ScoredReading, ...] = field(default=())

    @property
    def base(self) -> int:
        """Points without flowers: what the minimum looks at."""
        return self.chosen.base if self.chosen else 0

    @property
    def total(self) -> int:
        """Points with flowers."""
        return self.base + self.flowers

    @property
    def flowers(self) -> int:
        """Points of the flowers."""
        if self.chosen is None or not self.rules.counts_flowers:
            return 0
        return self.hand.flowers * self.rules.points(_FLOWER.id)

    @property
    def wins(self) -> bool:
        """Whether the hand is complete and reaches the minimum."""
        return self.chosen is not None and self.base >= self.rules.min_fan

    @property
    def fans(self) -> dict[int, int]:
        """Times that each fan counts, by number, flowers included; factors of types."""
        if self.chosen is None:
            return {}
        has_flowers = self.hand.flowers and self.rules.counts_flowers
        flowers = {_FLOWER.id: self.hand.flowers} if has_flowers else {}
        return dict(sorted({**self.chosen.fans, **flowers}.items()))

    def _repr_html_(self) -> str:
        from ..pictures import hand_picture, page, table

        lines = str(self).splitlines()
        if self.chosen is None:
            return page(hand_picture(self.hand), *lines)
        rows = [
            [item.points, str(item.fan), _sets(item.blocks), item.role]
            for item in self.chosen.counted
        ]
        if self.flowers:
            rows.append([self.flowers, str(_FLOWER), "", "outside the minimum"])
        rows += [["–", str(no.fan), _sets(no.blocks), no.reason] for no in self.chosen.not_counted]
        counted = table(["points", "fan", "sets", ""], rows)
        others = lines[lines.index("Other readings:") :] if self.lower else []
        return page(hand_picture(self.hand), *lines[:2], counted, *others)

    def __str__(self) -> str:
        if self.chosen is None:
            return f"{self.hand}: the tiles do not form a winning hand"
        verdict = "" if self.wins else f", below the minimum of {self.rules.min_fan}"
        lines = [f"{self.hand}: {self.total}{verdict} ({self.rules.name})"]
        lines += [f"Read as {self.chosen.reading}", "Counted:"]
        lines += map(str, self.chosen.counted)
        if self.hand.flowers and self.rules.counts_flowers:
            lines.append(f"{self.flowers:>3}  {_FLOWER}  (outside the minimum)")
        if self.chosen.not_counted:
            lines += ["Not counted:", *map(str, self.chosen.not_counted)]
        if self.lower:
            lines.append("Other readings:")
        for other in self.lower:
            names = ", ".join(
                FANS[fan].zh + (f"×{n}" if n > 1 else "") for fan, n in other.fans.items()
            )
            win = other.reading.blocks[other.reading.win_block]
            lines.append(f"{other.base:>3}  {other.reading}, won in {win}: {names}")
        return "\n".join(lines)


def _sets(blocks: tuple[Block, ...]) -> Any:
    """Pictures of the sets that make a fan."""
    from ..pictures import tiles_pictures

    return tiles_pictures(block.tiles for block in blocks)


def explain(hand: Hand | str, rules: RulesLike = GB98) -> Explanation:
    """Score a hand by the readable rules, with every reason.

    Parameters
    ----------
    hand : Hand or str
        A hand, or its text as ``parse_hand`` reads it.
    rules : Rules, DoublingRules or str
        Rule profile, or the name of one: gb98, wmo2006, regional.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> result = explain("[EEE]111999m11p99s9s")
    >>> result.total, str(result.chosen.not_counted[0])
    (40, '  -  碰碰和 All Pungs: implied by 混幺九 All Terminals and Honors')

    Notes
    -----
    Source: RULES section 3; of doubling rules section 9.
    """
    hand, rules = as_hand(hand), resolve_rules(rules)
    if isinstance(rules, DoublingRules):
        return _explain_types(hand, rules)
    waits = waiting_tiles(hand)
    scored = [_score(hand, reading, waits, rules) for reading in list_readings(hand)]
    if not scored:
        return Explanation(hand, rules, None)
    order = sorted(
        scored,
        key=lambda item: (
            item.base,
            *preference([c.fan.id for c in item.counted], rules.all_points),
        ),
        reverse=True,
    )
    best = order[0]
    if not best.counted:
        chicken = Counted(_CHICKEN, rules.points(_CHICKEN.id), ())
        best = ScoredReading(best.reading, (chicken,), best.not_counted)
    return Explanation(hand, rules, best, tuple(order[1:]))


def _explain_types(hand: Hand, rules: DoublingRules) -> Explanation:
    """Score a hand by doubling rules."""
    held = held_types(hand, rules)
    if held is None:
        return Explanation(hand, rules, None)
    table = rules.table
    factors = rules.factors(held.types)
    shares = rules.shares(factors)
    roles = {1: "does not double again", 2: "doubles"}
    counted = [
        Counted(table[kind], shares[kind], (), factor, roles[factor] if place else "the base")
        for place, (kind, factor) in enumerate(factors.items())
    ]
    plain = tuple(
        NotCounted(table[kind], (), "the plain shape doubles nothing")
        for kind in held.types
        if kind not in factors
    )
    return Explanation(hand, rules, ScoredReading(held.reading, tuple(counted), plain))


def _score(hand: Hand, reading: Reading, waits: tuple[int, ...], rules: Rules) -> ScoredReading:
    view = View(hand, reading, waits, rules)
    held = [
        Candidate(fan, group)
        for fan in sorted(CONDITIONS)
        for group in groups(view, fan)
        if not (view.form == Form.SEVEN_PAIRS and fan in rules.not_for_seven_pairs)
    ]
    chosen = choose(reading.blocks, rules.all_points)
    held += chosen
    reasons: dict[int, str] = {}

    def drop(position: int, by: int) -> None:
        reasons.setdefault(position, f"implied by {FANS[by]}")

    # In hands that are concealed by their nature 不求人 does not count, and so takes nothing away.
    natural = not rules.fully_concealed_forms and any(c.fan in CONCEALED_FORMS for c in held)
    for by in held:
        if natural and by.fan == _FULLY_CONCEALED:
            continue
        whole, own = rules.implies[by.fan], _OWN[by.fan]
        for position, other in enumerate(held):
            if other.fan in whole or (other.fan in own and other.blocks <= by.blocks):
                drop(position, by.fan)
        for fan in _ONE[by.fan]:
            first = next((p for p, other in enumerate(held) if other.fan == fan), None)
            if first is not None:
                drop(first, by.fan)
    special = {fan.fan for fan in held} & rules.hogless_seven_pairs
    if view.form == Form.SEVEN_PAIRS and special:
        for position, other in enumerate(held):
            if other.fan == _HOG:
                drop(position, min(special))

    def blocks(candidate: Candidate) -> tuple[Block, ...]:
        if candidate.blocks == view.everything:
            return ()
        return tuple(reading.blocks[i] for i in sorted(candidate.blocks))

    counted = [
        Counted(FANS[c.fan], rules.points(c.fan), blocks(c))
        for position, c in enumerate(held)
        if position not in reasons
    ]
    counted.sort(key=lambda item: (-item.points, item.fan.id))
    dropped = [
        NotCounted(FANS[c.fan], blocks(c), reasons[position])
        for position, c in enumerate(held)
        if position in reasons
    ]
    for candidate in candidates(reading.blocks):
        if candidate not in chosen:
            reason = _why_not_chosen(candidate, chosen, held, rules)
            dropped.append(NotCounted(FANS[candidate.fan], blocks(candidate), reason))
    # Of two equal sets one may make a fan in vain in one way, the other in another: said once.
    dropped = list({(item.fan.id, item.blocks): item for item in reversed(dropped)}.values())
    dropped.sort(key=lambda item: (-rules.points(item.fan.id), item.fan.id))
    return ScoredReading(reading, tuple(counted), tuple(dropped))


def _why_not_chosen(
    candidate: Candidate, chosen: tuple[Candidate, ...], held: list[Candidate], rules: Rules
) -> str:
    for by in held:
        implied_with_own = candidate.fan in _OWN[by.fan] and candidate.blocks <= by.blocks
        if candidate.fan in rules.implies[by.fan] or implied_with_own:
            return f"implied by {FANS[by.fan]}"
    if repeats_a_set(chosen, candidate):
        return "one of its sets already makes a fan of the same type"
    if would_close_circle(chosen, candidate):
        return "its sets are already connected, it would close a circle"
    return "another choice of fans is worth more"


# Every fan has its condition in exactly one place.
assert not CONDITIONS.keys() & COMBINATION_FANS
assert len(CONDITIONS) + len(COMBINATION_FANS) + len({_CHICKEN, _FLOWER}) == len(FANS)
