"""Pictures of hands as SVG, in plain shapes: no fonts, scripts, links or ids are used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from numbers import Real

from ..hands.hand import Hand, as_hand
from ..hands.melds import Meld, MeldKind
from ..hands.tiles import NAMES
from ..quoting import quoted
from .faces import HEIGHT, WIDTH, face, flower_face

_GAP = 1.5  # between tiles
_APART = 16  # between groups
_EDGE = 2  # around the picture
_FLOWER = 0.62  # size of a flower


def _body(width: int, height: int) -> str:
    return (
        f'<rect y="3" width="{width}" height="{height - 3}" rx="6" fill="#c9b48a"/>'
        f'<rect width="{width}" height="{height - 4}" rx="6" fill="#fffdf5" stroke="#8f8468" '
        'stroke-width="1"/>'
    )


_UPRIGHT, _LYING = _body(WIDTH, HEIGHT), _body(HEIGHT, WIDTH)
_BACK = (
    f'<rect y="3" width="{WIDTH}" height="{HEIGHT - 3}" rx="6" fill="#0d4f39"/>'
    f'<rect width="{WIDTH}" height="{HEIGHT - 4}" rx="6" fill="#1f8a63" stroke="#0d4f39" '
    f'stroke-width="1"/><rect x="8" y="8" width="{WIDTH - 16}" height="{HEIGHT - 20}" rx="4" '
    'fill="none" stroke="#7fd0ac" stroke-width="1.5"/>'
)


def hand_svg(hand: Hand | str, *, height: float = 56) -> str:
    """Picture of a hand: melds, concealed tiles, the winning tile apart, flowers.

    Parameters
    ----------
    hand : Hand or str
        A hand, or its text as ``parse_hand`` reads it.
    height : float
        Height of a tile in pixels; the picture scales without loss.

    Returns
    -------
    str
        An ``<svg>`` element, to be written into a file or a page as it stands.

    Raises
    ------
    InvalidHand
        When the text is no hand.

    Notes
    -----
    The claimed tile of a meld lies sideways where its ``source`` is known: of a chow the tile that
    was claimed, of a pung or melded kong the first tile when the player before gave it, the second
    when the one opposite did, the last when the next player did. The tile added to a pung lies on
    the claimed one. Of a concealed kong the two outer tiles lie face down.

    Examples
    --------
    >>> picture = hand_svg("[123m,1][5555p]456s78s99m9s|EE1000|2")
    >>> picture.startswith("<svg"), picture.count("<title>"), picture.endswith("</svg>")
    (True, 15, True)
    """
    if not isinstance(height, Real) or not 0 < height < float("inf"):
        raise ValueError(f"height must be above 0, got {quoted(height)}")
    hand = as_hand(hand)
    rest = list(hand.concealed)
    rest.remove(hand.win_tile)
    groups = [_lay(_meld(meld)) for meld in hand.melds]
    if rest:
        groups.append(_lay([_Piece(tile) for tile in rest]))
    groups.append(_lay([_Piece(hand.win_tile)]))
    if hand.flowers:
        groups.append(_flowers(hand.flowers))
    return _svg(groups, height, str(hand))


def hand_parts(
    melds: Iterable[Meld], tiles: Iterable[int], last: Iterable[int], flowers: int, height: float
) -> list[list[str]]:
    """Pictures of a hand in parts: melds, tiles one by one, those apart, flowers.

    >>> [len(part) for part in hand_parts([Meld.parse("123m")], [3, 3, 3], [4], 2, 28)]
    [1, 3, 1, 1]
    """
    parts = [[_svg([_lay(_meld(meld))], height, str(meld))] for meld in melds]
    parts += [[tile_svg(tile, height) for tile in group] for group in (tiles, last)]
    if flowers:
        parts.append([_svg([_flowers(flowers)], height, f"{flowers} flowers")])
    return [part for part in parts if part]


@cache
def tile_svg(tile: int, height: float) -> str:
    """Picture of a tile.

    >>> tile_svg(4, 28)[-14:]
    '</g></g></svg>'
    """
    return _svg([_lay([_Piece(tile)])], height, NAMES[tile])


def _svg(groups: Sequence[_Group], height: float, label: str) -> str:
    """Groups side by side; a tile is so many pixels high."""
    top = max(group.height for group in groups)
    shapes, x = [], 0.0
    for group in groups:
        shapes.append(f'<g transform="translate({x:g} {top:g})">{group.shapes}</g>')
        x += group.width + _APART
    wide, high = x - _APART + 2 * _EDGE, top + 2 * _EDGE
    scale = height / HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide * scale:.0f}" '
        f'height="{high * scale:.0f}" viewBox="{-_EDGE} {-_EDGE} {wide:g} {high:g}" role="img" '
        f'aria-label="{escape(label)}">{"".join(shapes)}</svg>'
    )


@dataclass(frozen=True)
class _Piece:
    """A tile as it lies on the table."""

    tile: int
    sideways: bool = False
    hidden: bool = False
    above: int = -1  # a tile that lies on it


@dataclass(frozen=True)
class _Group:
    """Shapes that stand on a line at height 0."""

    shapes: str
    width: float
    height: float


def _meld(meld: Meld) -> list[_Piece]:
    """The tiles of a meld from left to right."""
    tiles = list(meld.tiles)
    if meld.kind == MeldKind.CONCEALED_KONG:
        return [_Piece(tile, hidden=place in (0, 3)) for place, tile in enumerate(tiles)]
    source, added = meld.source, meld.source > 4
    if added:
        source -= 4
        tiles.pop()
    # By chance the same for chows: 1 to 3 is the place of the tile.
    claimed = {0: -1, 1: 0, 2: 1, 3: len(tiles) - 1}[source]
    return [
        _Piece(tile, place == claimed, above=tile if added and place == claimed else -1)
        for place, tile in enumerate(tiles)
    ]


def _lay(pieces: list[_Piece]) -> _Group:
    """Lay tiles side by side."""
    shapes, x, top = [], 0.0, float(HEIGHT)
    for piece in pieces:
        if piece.sideways:
            shapes.append(_tile(piece, x, -WIDTH))
            if piece.above >= 0:
                top = 2.0 * WIDTH + _GAP
                shapes.append(_tile(_Piece(piece.above, sideways=True), x, -top))
            x += HEIGHT + _GAP
        else:
            shapes.append(_tile(piece, x, -HEIGHT))
            x += WIDTH + _GAP
    return _Group("".join(shapes), x - _GAP, top)


def _tile(piece: _Piece, x: float, y: float) -> str:
    at = f'<g transform="translate({x:g} {y:g})">'
    if piece.hidden:
        return f"{at}{_BACK}</g>"
    body, turn = _UPRIGHT, "translate(0 -2)"
    if piece.sideways:  # its top to the left
        body, turn = _LYING, f"translate(0 {WIDTH - 2}) rotate(-90)"
    name = NAMES[piece.tile]
    return f'{at}<title>{name}</title>{body}<g transform="{turn}">{face(piece.tile)}</g></g>'


def _flowers(number: int) -> _Group:
    step = (WIDTH + _GAP) * _FLOWER
    shapes = "".join(
        f'<g transform="translate({step * place:g} {-HEIGHT * _FLOWER:g}) scale({_FLOWER})">'
        f"<title>flower</title>{_UPRIGHT}{flower_face()}</g>"
        for place in range(number)
    )
    return _Group(shapes, step * number - _GAP * _FLOWER, HEIGHT * _FLOWER)
