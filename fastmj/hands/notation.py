"""Hands as text, and Botzone's tile codes: reading into plain fields, writing from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..quoting import quoted
from .melds import Meld, MeldKind
from .status import InvalidHand, Status
from .tiles import HONORS_FROM, Honors, format_tiles, parse_tiles, parse_wind, plain

_FLOWERS = re.compile("[a-h]")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
#: More characters than a hand has, however it is written.
_LONGEST = 10_000
#: Botzone's codes by tile id, and the other way round.
BOTZONE = tuple(
    f"{letter}{rank}"
    for letter, ranks in (("W", 9), ("B", 9), ("T", 9), ("F", 4), ("J", 3))
    for rank in range(1, ranks + 1)
)
BOTZONE_TILES = {code: tile for tile, code in enumerate(BOTZONE)}


class HandFields(NamedTuple):
    """What a hand text says; ``tiles`` are the concealed ones in the order written."""

    tiles: list[int]
    melds: tuple[Meld, ...]
    circumstances: dict[str, Any]


def read_hand(text: str, honors: Honors = "chinese") -> HandFields:
    """Read a hand text (``parse_hand`` describes it) without judging the hand."""
    if not isinstance(text, str):
        raise TypeError(f"a hand text is wanted, got {type(text).__name__}")
    if len(text) > _LONGEST:
        raise InvalidHand(Status.TILE_COUNT, f"{quoted(text)} is far too long for a hand")
    sections = plain(text).strip().split("|")
    if len(sections) > 3:
        raise InvalidHand(
            Status.BAD_CIRCUMSTANCES,
            f"{quoted(text.strip())} has more than two bars: tiles|winds and circumstances|flowers",
        )
    melds = tuple(Meld.parse(inner, honors) for inner in _BRACKETS.findall(sections[0]))
    loose = _BRACKETS.sub(" ", sections[0])
    tiles, blooms = _FLOWERS.sub(" ", loose), "".join(_FLOWERS.findall(loose))
    if "[" in loose or "]" in loose:
        said = f"{quoted(sections[0].strip())}: a bracket is not closed"
        raise InvalidHand(Status.BAD_MELD, said)
    circumstances = _read_circumstances(sections[1]) if len(sections) > 1 else {}
    if blooms and len(sections) > 2:
        said = f"{quoted(blooms)} among the tiles, and flowers after the second bar: one is enough"
        raise InvalidHand(Status.BAD_FLOWERS, said)
    if blooms or len(sections) > 2:
        circumstances["flowers"] = _read_flowers(blooms or sections[2])
    return HandFields(parse_tiles(tiles, honors), melds, circumstances)


def _read_circumstances(section: str) -> dict[str, Any]:
    given = "".join(section.split())
    flags = given.lstrip("ESWN")
    winds = given[: len(given) - len(flags)]
    if len(winds) not in (0, 2) or len(flags) > 4 or not set(flags) <= {"0", "1"}:
        raise InvalidHand(
            Status.BAD_CIRCUMSTANCES,
            f"{quoted('|' + given)}: after the first bar come the prevalent and the seat wind "
            "(E S W N), then 0 or 1 for self-drawn, last of its kind, last tile, kong",
        )
    names = ("self_drawn", "last_of_kind", "last_tile", "kong")
    result: dict[str, Any] = {
        name: flag == "1" for name, flag in zip(names, flags, strict=False) if flag == "1"
    }
    if winds:
        result["prevalent_wind"], result["seat_wind"] = (parse_wind(wind) for wind in winds)
    return result


def _read_flowers(section: str) -> int:
    given = section.strip()
    if given.isascii() and given.isdigit():
        count = int(given) if len(given) < 4 else 9
    elif set(given) <= set("abcdefgh"):
        count = len(given)
        if len(set(given)) < count:
            said = f"{quoted(given)}: there is one of each flower"
            raise InvalidHand(Status.BAD_FLOWERS, said)
    else:
        raise InvalidHand(
            Status.BAD_FLOWERS,
            f"{quoted('|' + given)}: after the second bar come the flowers, as a number 0-8 or as "
            "letters a-h",
        )
    if count > 8:
        raise InvalidHand(Status.BAD_FLOWERS, f"{given[:9]} flowers: {Status.BAD_FLOWERS.message}")
    return count


def write_hand(
    concealed: Sequence[int],
    win_tile: int,
    melds: Iterable[Meld],
    winds: tuple[int, int],
    flags: tuple[bool, bool, bool, bool],
    flowers: int,
) -> str:
    """Write a hand in the canonical form: melds, sorted tiles, the winning tile last.

    ``winds`` are (prevalent, seat); what has its default value at the end is left out.
    """
    rest = sorted(concealed)
    rest.remove(win_tile)
    text = "".join(map(str, melds)) + format_tiles(rest) + format_tiles([win_tile])
    if winds != (0, 0) or any(flags) or flowers:
        text += "|" + "".join("ESWN"[wind] for wind in winds)
        text += "".join("1" if flag else "0" for flag in flags)
    return text + (f"|{flowers}" if flowers else "")


def read_botzone_tile(code: str) -> int:
    """Tile id of a Botzone code: ``W`` 万, ``B`` 饼, ``T`` 条, ``F1-F4`` winds, ``J1-J3`` dragons.

    >>> [read_botzone_tile(code) for code in ("W1", "B2", "T3", "F1", "J1")]
    [0, 10, 20, 27, 31]
    """
    tile = BOTZONE_TILES.get(code) if isinstance(code, str) else None
    if tile is None:
        raise InvalidHand(
            Status.BAD_TILE, f"{quoted(code)} is no Botzone tile: W1-W9 B1-B9 T1-T9 F1-F4 J1-J3"
        )
    return tile


def write_botzone_tile(tile: int) -> str:
    """Botzone code of a tile id.

    >>> write_botzone_tile(33)
    'J3'
    """
    return BOTZONE[tile]


def botzone_parts(packs: Iterable[Any], hand: str | Iterable[str]) -> tuple[tuple[Any, ...], ...]:
    """Packs and codes of tiles one by one; the latter may be a text with blanks between them."""
    try:
        packs = tuple(packs)
    except TypeError:
        raise TypeError(f"packs of a hand are wanted, got {quoted(packs)}") from None
    try:
        return packs, tuple(hand.split() if isinstance(hand, str) else hand)
    except TypeError:
        raise TypeError(f"a hand of Botzone codes is wanted, got {quoted(hand)}") from None


def read_botzone_pack(pack: Sequence[Any]) -> Meld:
    """Meld from a Botzone pack ``(type, tile, offer)``.

    ``CHI`` names the middle tile; ``GANG`` with offer 0 is a concealed kong.
    """
    try:
        return _known_pack(*pack)
    except (InvalidHand, TypeError):  # what is no pack may not even be a key
        return _read_pack(pack)


@lru_cache(maxsize=1024, typed=True)
def _known_pack(*pack: Any) -> Meld:
    return _read_pack(pack)


def _read_pack(pack: Sequence[Any]) -> Meld:
    if isinstance(pack, str) or not isinstance(pack, Sequence) or len(pack) != 3:
        said = f"{quoted(pack)} is no pack: (type, tile, offer) is wanted"
        raise InvalidHand(Status.BAD_MELD, said)
    kind, code, offer = pack
    tile = read_botzone_tile(code)
    if isinstance(offer, bool) or not isinstance(offer, int) or not 0 <= offer <= 7:
        said = f"{quoted(pack)}: the offer is a number 0-3 (5-7 added kong)"
        raise InvalidHand(Status.BAD_MELD, said)
    if kind == "CHI":
        if tile >= HONORS_FROM or tile % 9 in (0, 8):
            raise InvalidHand(Status.BAD_MELD, f"{quoted(pack)}: no chow has {code} in its middle")
        return Meld(MeldKind.CHOW, tile - 1, offer)
    if kind == "PENG":
        return Meld(MeldKind.PUNG, tile, offer)
    if kind == "GANG":
        return Meld(MeldKind.MELDED_KONG if offer else MeldKind.CONCEALED_KONG, tile, offer)
    raise InvalidHand(Status.BAD_MELD, f"{quoted(pack)}: a pack is CHI, PENG or GANG")
