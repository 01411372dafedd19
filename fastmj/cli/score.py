"""The command ``score``: hands from the command line, a file or standard input.

The scoring of a few hands loads no compiler: the readable reference is done before it would have
loaded. Many hands go through the kernels.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from ..hands.batch import HandBatch
from ..hands.hand import Hand
from ..hands.notation import read_hand
from ..hands.status import InvalidHand, Status
from ..hands.tiles import Honors, parse_wind
from ..quoting import quoted
from ..reference import explain as explain_hand
from ..rules import AnyRules
from ..scoring.batch import score_batch
from .common import (
    AnyRulesName,
    AnyRulesOption,
    EncodingOption,
    HonorsName,
    HonorsOption,
    JsonOption,
    Names,
    UsageError,
    compilation_notice,
    complain,
    fail,
    text_of,
    texts_of,
)
from .hand_files import Entry, check_decoded, read_hand_file
from .render import (
    Look,
    Scored,
    brief_lines,
    explanation_record,
    make_console,
    note,
    score_record,
    score_view,
    show,
    write_json,
)

#: Fewer hands than this are scored by the reference (1 ms each) when no kernel is loaded yet:
#: loading the compiler and a cached kernel takes 0.35 s, compiling it several seconds.
_FEW = 256


class Errors:
    """Reports bad hands, one line each, and remembers that there were some."""

    def __init__(self) -> None:
        self.count = 0

    def report(self, where: str, message: str) -> None:
        """Write one line on standard error."""
        self.count += 1
        complain(f"{where}: {message}" if where else message)


_WINDS = {"east": "E", "south": "S", "west": "W", "north": "N"}


def _wind(option: str, value: str | None) -> int | None:
    if value is None:
        return None
    wind = text_of(value).strip()
    try:
        return parse_wind(_WINDS.get(wind.lower(), wind.upper()))
    except InvalidHand as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


SCORE_HELP = (
    "Score hands.\n\n"
    "A hand: melds in brackets, concealed tiles, the winning tile last; after a bar the prevalent "
    "and the seat wind and 0 or 1 for self-drawn, last of its kind, last tile, kong; after a "
    r'second bar the flowers. For example "\[123m,1]\[5555p]456s78s99m9s|EE1000|2".'
    "\n\nThe exit code is 2 when some hand was bad; the others are scored all the same."
)
_ABOUT, _OUTPUT = "Circumstances (each overrides the text)", "Output"


def score(
    hands: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HAND",
            callback=texts_of,
            show_default=False,
            help="Hands in quotes; - reads them from standard input.",
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            show_default=False,
            help="Hands one a line; # begins a comment; - is stdin.",
        ),
    ] = None,
    encoding: EncodingOption = "utf-8",
    rules: AnyRulesOption = AnyRulesName.GB98,
    honors: HonorsOption = HonorsName.CHINESE,
    self_drawn: Annotated[
        bool | None,
        typer.Option("--self-drawn/--discard", show_default=False, rich_help_panel=_ABOUT),
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(metavar="WIND", help="E S W N.", show_default=False, rich_help_panel=_ABOUT),
    ] = None,
    prevalent: Annotated[
        str | None,
        typer.Option(metavar="WIND", help="E S W N.", show_default=False, rich_help_panel=_ABOUT),
    ] = None,
    flowers: Annotated[
        int | None, typer.Option(metavar="0-8", show_default=False, rich_help_panel=_ABOUT)
    ] = None,
    last_tile: Annotated[
        bool | None,
        typer.Option(
            "--last-tile/--no-last-tile",
            help="The wall's last tile, or the discard after it.",
            show_default=False,
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    last_of_kind: Annotated[
        bool | None,
        typer.Option(
            "--last-of-kind/--no-last-of-kind",
            help="The other three lie open on the table.",
            show_default=False,
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    kong: Annotated[
        bool | None,
        typer.Option(
            "--kong/--no-kong",
            help="A kong's replacement tile, or a robbed kong.",
            show_default=False,
            rich_help_panel=_ABOUT,
        ),
    ] = None,
    brief: Annotated[
        bool | None,
        typer.Option(
            "--brief/--full",
            help="One line a hand, or tables. Brief by default for a file of several hands.",
            show_default=False,
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also what does not count and why, and the other readings.",
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    as_json: JsonOption = False,
    names: Annotated[
        Names, typer.Option(help="Language of fan names.", rich_help_panel=_OUTPUT)
    ] = Names.BOTH,
    svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the hand, one hand only; - writes the picture alone to standard output.",
            show_default=False,
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Score hands."""
    overrides: dict[str, Any] = {
        "self_drawn": self_drawn,
        "last_of_kind": last_of_kind,
        "last_tile": last_tile,
        "kong": kong,
        "seat_wind": _wind("--seat", seat),
        "prevalent_wind": _wind("--prevalent", prevalent),
        "flowers": flowers,
    }
    overrides = {name: value for name, value in overrides.items() if value is not None}
    if brief and explain:
        raise UsageError("--explain does not fit into --brief lines")
    sources = [hand for hand in hands or [] if hand != "-"]
    files = [name for name in (file, *("-" for hand in hands or [] if hand == "-")) if name]
    if not sources and not files:
        raise UsageError('no hand: give one in quotes, --file FILE, or "-" for standard input')
    errors = Errors()
    blocks = chain([_given(sources)], *(read_hand_file(name, encoding) for name in files))
    read: Iterator[Parsed] = (_parse(block, honors.value, overrides, errors) for block in blocks)
    profile = rules.profile
    if svg is not None:
        read = iter([_draw([item for block in read for item in block], svg, errors)])
    if svg == "-":
        list(read)
    elif as_json:
        _write_records(read, profile, explain)
    else:
        if brief is None and files and not explain:
            read, brief = _look_ahead(read)
        if brief:
            _write_brief(read, profile, names.value, errors)
        else:
            _write_full(read, profile, names.value, explain)
    if errors.count:
        raise typer.Exit(2)


#: Hands with their lines in a file.
Parsed = list[tuple[int | None, Hand]]


def _draw(hands: Parsed, name: str, errors: Errors) -> Parsed:
    """Write the picture of the one hand."""
    if len(hands) + errors.count != 1:
        raise UsageError(f"--svg draws one hand, {len(hands) + errors.count} are given")
    from ..pictures.hand import hand_svg

    for _, hand in hands:
        picture = hand_svg(hand) + "\n"
        if name == "-":
            sys.stdout.write(picture)
            continue
        try:
            Path(name).write_text(picture, encoding="utf-8")
        except OSError as error:
            fail(f"cannot write {name}: {error.strerror or error}")
    return hands


def _given(hands: Sequence[str]) -> list[Entry]:
    many = len(hands) > 1
    return [Entry(f"hand {i}" if many else "", None, text) for i, text in enumerate(hands, 1)]


def _parse(
    entries: Iterable[Entry], honors: Honors, overrides: dict[str, Any], errors: Errors
) -> Parsed:
    """Hands of some entries; bad ones are reported and left out."""
    parsed: Parsed = []
    for where, line, text in entries:
        try:
            check_decoded(text)
            fields = read_hand(text, honors)
            if not fields.tiles:
                raise InvalidHand(Status.TILE_COUNT, f"{quoted(text)} names no concealed tiles")
            # Laid over the text before the hand is judged, so that they can also mend it.
            circumstances = {**fields.circumstances, **overrides}
            hand = Hand(fields.tiles, fields.tiles[-1], fields.melds, **circumstances)
        except InvalidHand as error:
            errors.report(where, str(error))
        else:
            parsed.append((line, hand))
    return parsed


def _look_ahead(read: Iterator[Parsed]) -> tuple[Iterator[Parsed], bool]:
    """Whether there is more than one hand, and the hands from the beginning."""
    seen: list[Parsed] = []
    for block in read:
        seen.append(block)
        if sum(map(len, seen)) > 1:
            return chain(seen, read), True
    return iter(seen), False


def _scored(read: Iterable[Parsed], rules: AnyRules) -> Iterator[list[Scored]]:
    """Scores block by block: few hands by the reference, many by the kernels."""
    for block in read:
        if len(block) < _FEW and "fastmj.kernels.scoring.batch" not in sys.modules:
            yield _scored_by_reference(block, rules)
        else:
            yield _scored_by_kernels(block, rules)


def _scored_by_reference(block: Parsed, rules: AnyRules) -> list[Scored]:
    return [Scored.of(explain_hand(hand, rules), line) for line, hand in block]


def _scored_by_kernels(block: Parsed, rules: AnyRules) -> list[Scored]:
    with compilation_notice():
        batch = HandBatch.from_hands(hand for _, hand in block)
        scores = score_batch(batch, rules=rules, fan_counts=True)
    counts = scores.fan_counts
    assert counts is not None
    fans: list[dict[int, int]] = [{} for _ in block]
    rows, columns = counts.nonzero()
    for row, fan, times in zip(
        rows.tolist(), columns.tolist(), counts[rows, columns].tolist(), strict=True
    ):
        fans[row][fan] = times
    return [
        Scored(hand, rules, status == Status.OK, total, base, fan, line)
        for (line, hand), status, total, base, fan in zip(
            block,
            scores.status.tolist(),
            scores.total.tolist(),
            scores.base.tolist(),
            fans,
            strict=True,
        )
    ]


def _write_records(read: Iterable[Parsed], rules: AnyRules, reasons: bool) -> None:
    if reasons:
        records: Iterable[dict[str, Any]] = (
            explanation_record(explain_hand(hand, rules), line)
            for block in read
            for line, hand in block
        )
        for record in records:
            write_json(record)
        return
    for block in _scored(read, rules):
        for item in block:
            write_json(score_record(item))
        sys.stdout.flush()


def _write_brief(read: Iterable[Parsed], rules: AnyRules, names: str, errors: Errors) -> None:
    console, look = make_console(sys.stdout), Look.of(sys.stdout)
    tally = {"win": 0, "low": 0, "none": 0}
    for block in _scored(read, rules):
        sys.stdout.writelines(brief_lines(block, console, look, names))
        sys.stdout.flush()
        for item in block:
            tally[item.verdict] += 1
    if console.is_terminal:
        bad = f", {errors.count:,} bad lines" if errors.count else ""
        note(
            f"{sum(tally.values()):,} hands: {tally['win']:,} win, {tally['low']:,} below "
            f"{rules.min_fan}, {tally['none']:,} not complete{bad}"
        )


def _write_full(read: Iterable[Parsed], rules: AnyRules, names: str, reasons: bool) -> None:
    console, look = make_console(sys.stdout), Look.of(sys.stdout)
    for position, (_, hand) in enumerate(chain.from_iterable(read)):
        if position:
            console.print()
        show(console, score_view(explain_hand(hand, rules), look, names=names, reasons=reasons))
