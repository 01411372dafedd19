"""What the command shows: tiles, tables and fan pages for a terminal, and records for JSON.

Everything adapts to where it goes. Chinese names, tile glyphs and lines are written only where the
encoding has them; colours come and go with the terminal (``NO_COLOR``, pipes and dumb terminals
have none).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import IO, Any, NamedTuple

from rich.box import Box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..hands.hand import Hand
from ..hands.melds import Meld, MeldKind
from ..hands.tiles import GLYPHS, HONOR_LETTERS, NAMES, format_tiles, suit_of
from ..quoting import escaped
from ..reference import Block, Explanation, Reading, ScoredReading
from ..rules import FANS, HAND_TYPES, AnyRules, DoublingRules, Fan
from ..scoring.settlement import settle

_SUIT_STYLES = ("red", "cyan", "green", "yellow")
_BACK = chr(0x1F02B)
_WINDS = ("East", "South", "West", "North")
_FLOWER = FANS["花牌"].id
_CONCEALED_KONG = MeldKind.CONCEALED_KONG
_NOT_COMPLETE = "not a winning hand"


def _ruled(line: str) -> Box:
    """Box with nothing but a line below the head and between sections."""
    empty, rule = "    \n", f" {line}{line} \n"
    return Box(empty * 2 + rule + empty + rule * 2 + empty * 2, ascii=line == "-")


_RULED, _RULED_ASCII = _ruled("─"), _ruled("-")

#: English for the Chinese that stands in conditions and reasons, longest first.
_ENGLISH: dict[str, str] = {
    **{str(fan): fan.en for fan in (*FANS, *HAND_TYPES)},
    **{fan.zh: fan.en for fan in sorted((*FANS, *HAND_TYPES), key=lambda fan: -len(fan.zh))},
    **dict(zip("万饼条", ("characters", "dots", "bamboo"), strict=True)),
    **dict(zip("东南西北中发白", HONOR_LETTERS, strict=True)),
}
_CHINESE = re.compile("|".join(_ENGLISH))


class Look(NamedTuple):
    """What the place that is written to can show."""

    chinese: bool
    glyphs: bool
    lines: bool

    @classmethod
    def of(cls, stream: IO[str]) -> Look:
        """Look for a stream, by its encoding and the kind of terminal."""
        encoding = getattr(stream, "encoding", None) or "ascii"

        def can(text: str) -> bool:
            try:
                text.encode(encoding)
            except (UnicodeError, LookupError):
                return False
            return True

        # These terminals take any text and then show boxes instead of tiles.
        poor = os.environ.get("TERM", "") in ("linux", "dumb")
        chinese = can("".join(fan.zh for fan in FANS))
        # rich draws lines in Unicode encodings alone.
        lines = encoding.lower().startswith("utf")
        return cls(chinese, can("".join(GLYPHS) + _BACK) and not poor, lines)

    def text(self, text: str) -> str:
        """Text with its Chinese put into English where Chinese cannot be shown."""
        if self.chinese:
            return text
        return _CHINESE.sub(lambda found: _ENGLISH[found[0]], text)

    def times(self, count: int) -> str:
        """``×2``, or nothing for one."""
        return "" if count == 1 else f"{'×' if self.lines else 'x'}{count}"


class Scored(NamedTuple):
    """One scored hand, by whichever way; ``line`` is where a file has it."""

    hand: Hand
    rules: AnyRules
    complete: bool
    total: int
    base: int
    fans: dict[int, int]
    line: int | None = None

    @classmethod
    def of(cls, explanation: Explanation, line: int | None = None) -> Scored:
        """Make one of what the reference scorer says."""
        return cls(
            explanation.hand,
            explanation.rules,
            explanation.chosen is not None,
            explanation.total,
            explanation.base,
            explanation.fans,
            line,
        )

    @property
    def wins(self) -> bool:
        """Whether the hand is complete and reaches the minimum."""
        return self.complete and self.base >= self.rules.min_fan

    @property
    def verdict(self) -> str:
        """One word: ``win``, ``low`` (below the minimum) or ``none`` (not a winning hand)."""
        return "win" if self.wins else "low" if self.complete else "none"

    def ordered_fans(self) -> list[tuple[Fan, int]]:
        """Fans and how often they count, or types and factors; the dearest first, flowers last."""
        rows = [(self.rules.table[number], times) for number, times in self.fans.items()]
        points = self.rules.points
        rows.sort(key=lambda row: (row[0].id == _FLOWER, -points(row[0].id), row[0].id))
        return rows


class _Console(Console):
    """Console that leaves it to the command what happens when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Raise what rich would turn into an exit."""
        raise BrokenPipeError


def make_console(stream: IO[str]) -> Console:
    """Console that adds nothing of its own to what is printed."""
    return _Console(file=stream, highlight=False, markup=False, emoji=False)


def show(console: Console, view: RenderableType) -> None:
    """Print a view; away from a terminal without blanks at the ends of lines."""
    if console.is_terminal:
        console.print(view)
        return
    with console.capture() as captured:
        console.print(view)
    console.file.write(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE))


def write_json(record: dict[str, Any]) -> None:
    """Write one record as a line of JSON, in ASCII where the output or a terminal wants that."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    text = json.dumps(record, ensure_ascii=encoding != "utf8")
    sys.stdout.write((text if text.isprintable() else json.dumps(record)) + "\n")


def say(line: str) -> None:
    """Write one line on standard output, whatever it holds."""
    sys.stdout.write(escaped(line) + "\n")


# --- standard error


def note(message: str) -> None:
    """Write one line on standard error, whatever the message holds."""
    if sys.stderr is not None:
        with suppress(OSError):  # nobody can be told
            print(escaped(" ".join(message.split())), file=sys.stderr, flush=True)


# --- tiles


def letters(tiles: Iterable[int], style: str = "") -> Text:
    """Tiles as ``123mEE``, each suit in its colour."""
    text = Text()
    for suit, run in groupby(tiles, suit_of):
        text.append(format_tiles(run), f"{_SUIT_STYLES[suit]} {style}".strip())
    return text


def _glyphs(tiles: Iterable[int | None]) -> Text:
    """Tiles as glyphs, one blank between them since most fonts draw them two cells wide."""
    text = Text()
    for tile in tiles:
        if text:
            text.append(" ")
        if tile is None:
            text.append(_BACK, "dim")
        else:
            text.append(GLYPHS[tile], _SUIT_STYLES[suit_of(tile)])
    return text


def _meld_glyphs(meld: Meld) -> Text:
    if meld.kind == _CONCEALED_KONG:
        return _glyphs([None, meld.tile, meld.tile, None])
    return _glyphs(meld.tiles)


def _meld_letters(meld: Meld) -> Text:
    inside = str(meld)[1:-1].removeprefix(format_tiles(meld.tiles))
    return Text.assemble("[", letters(meld.tiles), inside, "]")


def _set(block: Block) -> Text:
    inner = letters(block.tiles)
    return Text.assemble("[", inner, "]") if block.on_table else inner


def _sets(blocks: Iterable[Block]) -> Text:
    return Text(" ").join(_set(block) for block in blocks)


def _standing(hand: Hand) -> list[int]:
    """Concealed tiles without the winning tile."""
    rest = list(hand.concealed)
    rest.remove(hand.win_tile)
    return rest


def circumstances(hand: Hand) -> str:
    """How the hand was won, in words."""
    how = [f"won on {NAMES[hand.win_tile]}"]
    if hand.self_drawn:
        how.append("self-drawn")
        if hand.kong:
            how.append("a kong's replacement tile")
        if hand.last_tile:
            how.append("the wall's last tile")
    else:
        how.append("robbing a kong" if hand.kong else "by discard")
        if hand.last_tile:
            how.append("after the wall's last tile")
    if hand.last_of_kind:
        how.append("the last of its kind")
    parts = [", ".join(how), f"{_WINDS[hand.prevalent_wind]} round, seat {_WINDS[hand.seat_wind]}"]
    if hand.flowers:
        parts.append(f"{hand.flowers} flower" + "s" * (hand.flowers > 1))
    return "; ".join(parts)


def hand_view(hand: Hand, look: Look) -> RenderableType:
    """Draw the tiles, melds apart and the winning tile apart, and tell the circumstances."""
    rows = []
    rest = _standing(hand)
    if look.glyphs:
        groups = [*map(_meld_glyphs, hand.melds), _glyphs(rest), _glyphs([hand.win_tile])]
        rows.append(Text("   ").join(groups))
    groups = [*map(_meld_letters, hand.melds), letters(rest), letters([hand.win_tile], "bold")]
    rows.append(Text("  ").join(groups))
    return Group(*rows, Text(circumstances(hand), "dim"))


# --- one score


def framed(look: Look, *, header: bool = True) -> Table:
    """An empty table between two lines."""
    return Table(
        box=_RULED if look.lines else _RULED_ASCII,
        safe_box=False,
        pad_edge=False,
        show_edge=False,
        show_header=header,
        padding=(0, 1),
        header_style="bold",
    )


def name_columns(table: Table, look: Look, names: str) -> None:
    """Add the columns of fan names that can be shown and are wanted."""
    if names != "en" and look.chinese:
        table.add_column("番种", no_wrap=True)
    if names != "zh" or not look.chinese:
        table.add_column("Fan", overflow="fold")


def name_cells(fan: Fan, look: Look, names: str) -> list[str]:
    """Cells for the columns of fan names."""
    chinese = [fan.zh] if names != "en" and look.chinese else []
    return chinese + ([fan.en] if names != "zh" or not look.chinese else [])


def score_view(
    explanation: Explanation, look: Look, *, names: str = "both", reasons: bool = False
) -> RenderableType:
    """Show a hand and its score; with ``reasons`` also what does not count and other readings."""
    hand, chosen = explanation.hand, explanation.chosen
    parts: list[RenderableType] = [hand_view(hand, look)]
    if chosen is None:
        parts.append(_verdict(explanation))
        return Group(*parts)
    if reasons:
        parts.append(Text.assemble(("read as ", "dim"), _reading(chosen.reading)))
    parts += ["", _fan_table(explanation, chosen, look, names), _verdict(explanation)]
    if reasons and chosen.not_counted:
        parts += ["", Text("Not counted", "bold"), _reason_table(chosen, look, names)]
    if reasons and explanation.lower:
        parts += ["", Text("Other readings", "bold")]
        parts += [_lower_reading(other, look, names) for other in explanation.lower]
    return Group(*parts)


def _reading(reading: Reading) -> Text:
    won_in = _set(reading.blocks[reading.win_block])
    return Text.assemble(_sets(reading.blocks), (", won in ", "dim"), won_in)


def _fan_table(
    explanation: Explanation, chosen: ScoredReading, look: Look, names: str
) -> RenderableType:
    scored = Scored.of(explanation)
    table = framed(look)
    name_columns(table, look, names)
    table.add_column(scored.rules.unit.capitalize(), justify="right")
    table.add_column("Points", justify="right", style="bold")
    doubling = isinstance(scored.rules, DoublingRules)
    table.add_column("" if doubling else "Sets", overflow="fold")
    rows, points = scored.ordered_fans(), scored.rules.shares(scored.fans)
    for position, (fan, times) in enumerate(rows):
        groups = [item.blocks for item in chosen.counted if item.fan == fan and item.blocks]
        roles = [Text(item.role) for item in chosen.counted if item.fan == fan and item.role]
        table.add_row(
            *name_cells(fan, look, names),
            str(times),
            str(points[fan.id]),
            Text("; ").join([*map(_sets, groups), *roles]),
            end_section=position == len(rows) - 1,
        )
    blanks = [""] * (len(name_cells(FANS[0], look, names)) - 1)
    table.add_row("Total", *blanks, "", str(explanation.total), "", style="bold")
    return table


def _verdict(explanation: Explanation) -> RenderableType:
    rules, base = explanation.rules, explanation.base
    if explanation.chosen is None:
        return Text(f"Not a winning hand: the tiles do not form one ({rules.name}).", "bold red")
    if isinstance(rules, DoublingRules) and not rules.min_fan:
        return Text(f"A win: {base} ({rules.name}).", "bold green")
    points = f"{base} without flowers" if explanation.total != base else f"{base}"
    minimum = f"the minimum of {rules.min_fan} ({rules.name})."
    if not explanation.wins:
        return Text(f"No win: {points} is below {minimum}", "bold red")
    line = Text(f"A win: {points} reaches {minimum}", "bold green")
    # Who pays what under doubling rules is not said.
    return line if isinstance(rules, DoublingRules) else Group(line, _payment(explanation))


def _payment(explanation: Explanation) -> str:
    self_drawn = explanation.hand.self_drawn
    gain, first, other, _ = settle(explanation.total, 0, None if self_drawn else 1).tolist()
    if self_drawn:
        return f"Each of the others pays {-first}: {gain} in all."
    return f"The discarder pays {-first}, the others {-other} each: {gain} in all."


def _reason_table(chosen: ScoredReading, look: Look, names: str) -> RenderableType:
    table = framed(look)
    name_columns(table, look, names)
    table.add_column("Sets", overflow="fold")
    table.add_column("Why not", overflow="fold")
    for item in chosen.not_counted:
        cells = name_cells(item.fan, look, names)
        table.add_row(*cells, _sets(item.blocks), look.text(item.reason))
    return table


def _lower_reading(other: ScoredReading, look: Look, names: str) -> RenderableType:
    fans = fan_list([(FANS[fan], times) for fan, times in other.fans.items()], look, names)
    return Text.assemble((f"{other.base:>3}", "bold"), "  ", _reading(other.reading), ": ", fans)


def fan_list(fans: Iterable[tuple[Fan, int]], look: Look, names: str = "both") -> str:
    """Names of fans in one line, in Chinese where they can be shown and are not unwanted."""
    if names == "en" or not look.chinese:
        return ", ".join(f"{fan.en} {look.times(times)}".rstrip() for fan, times in fans)
    return " ".join(fan.zh + look.times(times) for fan, times in fans)


def brief_lines(
    scores: Iterable[Scored], console: Console, look: Look, names: str
) -> Iterator[str]:
    """Write one line a hand: total, verdict, the hand in canonical text, its fans.

    The first three columns hold no blanks, so that other programs can split the lines.
    """
    styles = {"win": "green", "low": "yellow", "none": "red"}
    words = {}
    for word, style in styles.items():
        with console.capture() as captured:
            console.print(Text(f"{word:<4}", style), end="")
        words[word] = captured.get()
    for score in scores:
        fans = fan_list(score.ordered_fans(), look, names) if score.complete else _NOT_COMPLETE
        yield f"{score.total:>4} {words[score.verdict]} {score.hand!s:<40} {fans}\n"


# --- records for JSON


def _fan_record(fan: Fan, counts: dict[int, int], rules: AnyRules) -> dict[str, Any]:
    return {
        "id": fan.id,
        "key": fan.key,
        "zh": fan.zh,
        "en": fan.en,
        rules.unit: counts[fan.id],
        "points": rules.shares(counts)[fan.id],
    }


def score_record(scored: Scored) -> dict[str, Any]:
    """Put a score into a JSON object (the page of this room lists its keys)."""
    rules = scored.rules
    return {
        "hand": str(scored.hand),
        "line": scored.line,
        "rules": rules.name,
        "status": "OK" if scored.complete else "NOT_COMPLETE",
        "wins": scored.wins,
        "total": scored.total,
        "base": scored.base,
        "flowers": scored.total - scored.base,
        "min_fan": rules.min_fan,
        "fans": [_fan_record(fan, scored.fans, rules) for fan, _ in scored.ordered_fans()],
    }


def _reading_record(reading: Reading) -> dict[str, Any]:
    return {
        "form": reading.form.value,
        "sets": [str(block) for block in reading.blocks],
        "won_in": str(reading.blocks[reading.win_block]),
    }


def explanation_record(explanation: Explanation, line: int | None = None) -> dict[str, Any]:
    """``score_record`` with the reading, the sets of each fan and what does not count."""
    record = score_record(Scored.of(explanation, line))
    chosen, rules = explanation.chosen, explanation.rules
    for fan in record["fans"]:
        counted = [c for c in chosen.counted if c.fan.id == fan["id"]] if chosen else []
        fan["sets"] = [[str(block) for block in c.blocks] for c in counted if c.blocks]
        if isinstance(rules, DoublingRules):
            fan["role"] = counted[0].role
    record["reading"] = _reading_record(chosen.reading) if chosen else None
    record["not_counted"] = [
        {
            "id": item.fan.id,
            "key": item.fan.key,
            "zh": item.fan.zh,
            "en": item.fan.en,
            "sets": [str(block) for block in item.blocks],
            "reason": item.reason,
        }
        for item in (chosen.not_counted if chosen else ())
    ]
    record["other_readings"] = [
        {
            **_reading_record(other.reading),
            "base": other.base,
            "fans": [_fan_record(FANS[fan], other.fans, rules) for fan in other.fans],
        }
        for other in explanation.lower
    ]
    return record
