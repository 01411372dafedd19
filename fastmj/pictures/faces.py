"""Faces of the tiles as SVG shapes, each on a tile of 60 by 80 units.

Characters are drawn as strokes rather than set as text, so that they look the same where no
Chinese font is installed.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from ..hands.tiles import DRAGONS_FROM, HONORS_FROM, KINDS

#: Size of a tile.
WIDTH, HEIGHT = 60, 80

INK, RED, GREEN, BLUE = "#1b2430", "#c0272d", "#1d7a46", "#1f4e9c"

#: Strokes of the characters, on a square of 100 units.
STROKES: dict[str, str] = {
    "一": "M10 52H90",
    "二": "M22 28H78M8 78H92",
    "三": "M18 18H82M26 50H74M8 84H92",
    "四": "M14 20V86M14 20H86V86M14 80H86M39 20C39 44 35 55 24 62M60 20V50Q60 58 68 58H76",
    "五": "M16 16H84M48 16L36 84M20 48H70L67 84M8 84H92",
    "六": "M46 6L54 22M8 36H92M36 52Q30 74 12 90M62 52Q72 72 88 90",
    "七": "M10 48L90 36M44 10V72Q44 86 58 86H78Q88 86 88 70",
    "八": "M36 22Q34 60 8 86M58 14Q64 62 92 86",
    "九": "M40 8Q42 66 8 90M12 34H68V74Q68 86 78 86H82Q92 86 92 70",
    "万": "M8 18H92M42 18Q44 66 10 90M42 46H80Q80 80 72 87Q66 92 54 84",
    "东": "M10 24H90M46 6L26 50H84M56 34V84Q56 94 42 87M34 62L16 82M70 62L88 82",
    "南": "M12 22H88M50 4V38M12 40V94M12 40H88V84Q88 94 74 91M37 48L43 58M63 48L57 58"
    "M30 62H70M30 76H70M50 62V92",
    "西": "M8 14H92M14 36H86V90H14ZM40 14V36Q40 58 26 68M60 14V56Q60 64 70 64H84",
    "北": "M38 8V92M12 38H38M8 84L38 70M86 28L64 46M64 8V72Q64 86 76 86H80Q92 86 92 70",
    "中": "M12 28H88V66H12ZM50 4V96",
    "发": "M34 10L26 38H92M54 6Q50 62 8 92M44 54H76Q66 80 32 92M46 58Q62 82 92 92M68 12L80 24",
}
_NUMERALS = "一二三四五六七八九"
_HONORS = "东南西北中发"


@cache
def face(tile: int) -> str:
    """Shapes of the face of a tile.

    Parameters
    ----------
    tile : int
        0-33.

    Examples
    --------
    >>> face(13).count("<circle")
    15
    """
    if not 0 <= tile < KINDS:
        raise ValueError(f"{tile} is no tile id: ids are 0-33")
    rank = tile % 9
    if tile >= DRAGONS_FROM + 2:
        return (
            f'<rect x="12" y="13" width="36" height="54" rx="3" fill="none" stroke="{BLUE}" '
            f'stroke-width="4"/><rect x="18" y="19" width="24" height="42" rx="1" fill="none" '
            f'stroke="{BLUE}" stroke-width="1.5"/>'
        )
    if tile >= HONORS_FROM:
        color = {DRAGONS_FROM: RED, DRAGONS_FROM + 1: GREEN}.get(tile, INK)
        return character(_HONORS[tile - HONORS_FROM], 9, 17, 42, 46, color, 10)
    if tile < 9:
        return character(_NUMERALS[rank], 15, 10, 30, 25, INK, 13) + character(
            "万", 13, 40, 34, 31, RED, 11
        )
    return _dots(rank) if tile < 18 else _bamboo(rank)


def character(
    name: str, x: float, y: float, width: float, height: float, color: str, weight: float
) -> str:
    """Strokes of a character in a box; the weight of the strokes is in per cent of it."""
    return (
        f'<g transform="translate({x:g} {y:g}) scale({width / 100:g} {height / 100:g})">'
        f'<path d="{STROKES[name]}" fill="none" stroke="{color}" stroke-width="{weight:g}" '
        'stroke-linecap="round" stroke-linejoin="round"/></g>'
    )


#: Places and colours of the dots.
_DOTS: tuple[tuple[tuple[float, float, str], ...], ...] = (
    (),
    ((30, 23, GREEN), (30, 57, BLUE)),
    ((17, 20, BLUE), (30, 40, RED), (43, 60, GREEN)),
    ((18, 22, BLUE), (42, 22, GREEN), (18, 58, GREEN), (42, 58, BLUE)),
    ((17, 20, BLUE), (43, 20, GREEN), (30, 40, RED), (17, 60, GREEN), (43, 60, BLUE)),
    tuple((x, y, GREEN if y < 20 else RED) for y in (17, 43, 63) for x in (19, 41)),
    (
        (13, 13, GREEN), (30, 20, GREEN), (47, 27, GREEN),
        *((x, y, RED) for y in (48, 66) for x in (20, 40)),
    ),
    tuple((x, y, BLUE) for y in (13, 31, 49, 67) for x in (20, 40)),
    tuple((x, y, c) for y, c in ((17, GREEN), (40, RED), (63, BLUE)) for x in (13, 30, 47)),
)  # fmt: skip
_DOT_SIZE = (0, 12, 9.5, 10, 9.5, 8.5, 7.5, 7.8, 7.8)


def _dots(rank: int) -> str:
    if rank == 0:
        petals = "".join(
            f'<circle cx="{30 + 12.5 * cos(turn * pi / 4):.1f}" '
            f'cy="{40 + 12.5 * sin(turn * pi / 4):.1f}" r="3.4" fill="{GREEN}"/>'
            for turn in range(8)
        )
        return (
            f'<circle cx="30" cy="40" r="21" fill="none" stroke="{BLUE}" stroke-width="3"/>'
            f'{petals}<circle cx="30" cy="40" r="6.5" fill="{RED}"/>'
        )
    size = _DOT_SIZE[rank]
    return "".join(
        f'<circle cx="{x}" cy="{y}" r="{size}" fill="{color}"/>'
        f'<circle cx="{x}" cy="{y}" r="{size * 0.62:.1f}" fill="none" stroke="#fff" '
        f'stroke-width="{size * 0.17:.1f}"/>'
        f'<circle cx="{x}" cy="{y}" r="{size * 0.22:.1f}" fill="#fff"/>'
        for x, y, color in _DOTS[rank]
    )


def _stick(x: float, y: float, length: float, color: str, tilt: float = 0) -> str:
    """A stick of bamboo around a point, with a joint in its middle."""
    half = length / 2
    turn = f' transform="rotate({tilt:g} {x:g} {y:g})"' if tilt else ""
    ends = (y - half + 2.2, y, y + half - 2.2)
    knots = "".join(
        f'<rect x="{x - 4.4:g}" y="{at - 2:.1f}" width="8.8" height="4" rx="2"/>' for at in ends
    )
    return (
        f'<g fill="{color}"{turn}><rect x="{x - 3.2:g}" y="{y - half + 1:.1f}" width="6.4" '
        f'height="{length - 2:.1f}" rx="1.5"/>{knots}<path d="M{x:g} {y - half + 5:.1f}V{y - 3:.1f}'
        f'M{x:g} {y + 3:.1f}V{y + half - 5:.1f}" stroke="#fff" stroke-width="1.1" '
        'stroke-linecap="round"/></g>'
    )


_COLUMNS = (14, 30, 46)
_STICKS: tuple[tuple[tuple[float, float, float, str, float], ...], ...] = (
    (),
    ((30, 24, 26, GREEN, 0), (30, 56, 26, BLUE, 0)),
    ((30, 24, 26, BLUE, 0), (18, 56, 26, GREEN, 0), (42, 56, 26, GREEN, 0)),
    (
        (18, 24, 26, GREEN, 0), (42, 24, 26, BLUE, 0),
        (18, 56, 26, BLUE, 0), (42, 56, 26, GREEN, 0),
    ),
    (
        (14, 24, 26, GREEN, 0), (46, 24, 26, BLUE, 0), (30, 40, 26, RED, 0),
        (14, 56, 26, BLUE, 0), (46, 56, 26, GREEN, 0),
    ),
    tuple((x, y, 26, GREEN if y < 40 else BLUE, 0) for y in (24, 56) for x in _COLUMNS),
    (
        (30, 16, 20, RED, 0),
        *((x, y, 20, GREEN if x == 30 else BLUE, 0) for y in (40, 64) for x in _COLUMNS),
    ),
    (
        *((x, y, 28, GREEN, 0) for y in (23, 57) for x in (9, 51)),
        (23, 24, 24, BLUE, -24), (37, 24, 24, BLUE, 24),
        (23, 56, 24, BLUE, 24), (37, 56, 24, BLUE, -24),
    ),
    tuple(
        (x, y, 20, RED if x == 30 else GREEN if x < 30 else BLUE, 0)
        for y in (16, 40, 64) for x in _COLUMNS
    ),
)  # fmt: skip


def _bamboo(rank: int) -> str:
    if rank:
        return "".join(_stick(*stick) for stick in _STICKS[rank])
    feathers = "".join(
        f'<path d="M27 46Q{x + 6} {y - 8} {x} {y}" fill="none" stroke="{color}" '
        'stroke-width="4" stroke-linecap="round"/>'
        for x, y, color in ((12, 70, GREEN), (20, 73, BLUE), (28, 73, GREEN))
    )
    return (
        f"{feathers}"
        f'<path d="M38 56L36 70M44 54L44 70M32 71H48" fill="none" stroke="{RED}" '
        'stroke-width="2" stroke-linecap="round"/>'
        '<path d="M22 48C18 32 28 26 33 18C36 11 46 10 48 17C50 26 56 34 50 46C46 58 28 60 22 48Z"'
        f' fill="{GREEN}"/>'
        f'<path d="M25 44C24 35 33 30 40 34C44 44 36 53 25 44Z" fill="{BLUE}"/>'
        f'<path d="M47 15L57 18L48 21Z" fill="{RED}"/>'
        f'<path d="M38 12Q34 6 29 8M41 11Q40 5 35 4" fill="none" stroke="{RED}" '
        'stroke-width="2.4" stroke-linecap="round"/>'
        '<circle cx="43.5" cy="17" r="2.4" fill="#fff"/>'
        f'<circle cx="44" cy="17" r="1.1" fill="{INK}"/>'
    )


def flower_face() -> str:
    """Face of a flower tile: which flower it is does not matter for the score."""
    petals = "".join(
        f'<ellipse cx="30" cy="25" rx="7" ry="10" fill="{RED}" opacity=".9" '
        f'transform="rotate({72 * turn} 30 36)"/>'
        for turn in range(5)
    )
    return (
        f'<path d="M30 44V70M30 62Q18 60 15 50Q27 50 30 62M30 66Q42 64 45 54Q33 54 30 66" '
        f'fill="{GREEN}" stroke="{GREEN}" stroke-width="2.5"/>'
        f'{petals}<circle cx="30" cy="36" r="5.5" fill="#e8b11c"/>'
    )
