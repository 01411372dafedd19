"""HTML for notebooks: pictures of hands that wrap, and tables, in the colours of the page.

Colours are the page's own, so that what is shown can be read in light and in dark notebooks; tiles
are a little darker where the reader's system is dark. Without the style, which some viewers take
out, plain tables are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..hands.batch import HandBatch
from ..hands.hand import Hand
from ..hands.notation import read_hand
from ..hands.shown import html_of
from ..hands.status import InvalidHand
from .hand import hand_parts, tile_svg

#: Rows of a batch that are shown: a hand takes 20 KB.
SHOWN = 8
_SMALL, _LARGE = 28, 44

_STYLE = (
    "<style>.fastmj{max-width:100%;overflow-x:auto}"
    ".fastmj .hand,.fastmj .part{display:inline-flex;flex-wrap:wrap;align-items:flex-end}"
    ".fastmj .hand{gap:.3em .6em}.fastmj p{margin:.3em 0}"
    ".fastmj table{border-collapse:collapse;margin:.3em 0;color:inherit}"
    ".fastmj tr,.fastmj th,.fastmj td{background:none}"
    ".fastmj th,.fastmj td{padding:.25em .6em;text-align:left;vertical-align:middle;"
    "border:0 solid rgba(128,128,128,.4);border-bottom-width:1px}"
    ".fastmj .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".fastmj svg{display:block}"
    "@media(prefers-color-scheme:dark){.fastmj svg{filter:brightness(.88)}}</style>"
)


class Html(str):
    """Text that is HTML already; other texts are escaped."""

    __slots__ = ()


def page(*parts: Any) -> str:
    """What a notebook is given: pictures, tables and sentences one below the other."""
    body = "".join(
        part if isinstance(part, Html) else f"<p>{escape(str(part))}</p>" for part in parts
    )
    return f'<div class="fastmj">{_STYLE}{body}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Html:
    """A table; numbers stand at the right. Without rows there is none.

    >>> table(["fan", "points"], [["<", 8]])[-50:]
    '<tr><td>&lt;</td><td class="n">8</td></tr></table>'
    """
    lines = ["".join(map(_cell, row)) for row in rows]
    if not lines:
        return Html()
    lines.insert(0, "".join(f"<th>{escape(head)}</th>" for head in heads))
    return Html(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>")


def _cell(value: Any) -> str:
    if isinstance(value, Html):
        return f"<td>{value}</td>"
    kind = ' class="n"' if isinstance(value, (int, float)) and not isinstance(value, bool) else ""
    shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return f"<td{kind}>{escape(shown)}</td>"


def tiles_pictures(groups: Iterable[Iterable[int]], height: float = _SMALL) -> Html:
    """Tiles in groups, which wrap."""
    return _parts([[tile_svg(tile, height) for tile in group] for group in groups])


def _parts(parts: Iterable[Iterable[str]]) -> Html:
    shown = "".join(f'<span class="part">{"".join(part)}</span>' for part in parts)
    return Html(f'<span class="hand">{shown}</span>')


def hand_picture(hand: Hand | str, height: float = _LARGE) -> Html:
    """A hand in parts that wrap; in a text it need not be complete, and no tile lies apart."""
    if isinstance(hand, Hand):
        rest = list(hand.concealed)
        rest.remove(hand.win_tile)
        parts = hand_parts(hand.melds, rest, [hand.win_tile], hand.flowers, height)
    else:
        read = read_hand(hand)
        parts = hand_parts(read.melds, read.tiles, (), 0, height)
    return _parts(parts)


def hand_cells(batch: HandBatch, row: int) -> list[Any]:
    """A hand of a batch as a picture and a text, or why it is none."""
    try:
        hand = batch[row]
    except InvalidHand as error:
        return [error.status.name, error]
    return [hand_picture(hand, _SMALL), hand]


def more(length: int, noun: str = "hands") -> list[str]:
    """What is said below the first rows of a batch."""
    return [f"{length:,} {noun}, of which these are the first {SHOWN}"] * (length > SHOWN)


@html_of.register
def _(hand: Hand) -> str:
    return page(hand_picture(hand), hand)


@html_of.register
def _(batch: HandBatch) -> str:
    rows = [[row, *hand_cells(batch, row)] for row in range(min(SHOWN, len(batch)))]
    return page(repr(batch)[1:-1], table(["", "hand", ""], rows), *more(len(batch)))
