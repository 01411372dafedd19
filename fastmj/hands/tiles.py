"""Tiles: ids, names, glyphs, and reading and writing them as text.

The 34 kinds of tile are numbered 0–33: 1–9 of characters 万 (0–8), 1–9 of dots 饼 (9–17),
1–9 of bamboo 条 (18–26), then East South West North (27–30) and the dragons red, green, white
(31–33).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Literal

from ..quoting import quoted
from .status import InvalidHand, Status

Honors = Literal["chinese", "riichi"]

KINDS = 34
SUITS = "mps"
WINDS = "ESWN"
HONOR_LETTERS = "ESWNCFP"
HONORS_FROM = 27
DRAGONS_FROM = 31

#: Short names by tile id: ``1m`` … ``9s``, then the letters ``E S W N C F P``.
NAMES: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)),
    *HONOR_LETTERS,
)
#: One Unicode glyph a tile, by tile id.
GLYPHS: tuple[str, ...] = (
    *(chr(0x1F007 + i) for i in range(9)),
    *(chr(0x1F019 + i) for i in range(9)),
    *(chr(0x1F010 + i) for i in range(9)),
    *(chr(0x1F000 + i) for i in range(7)),
)

#: Other characters, by code point, and what they stand for: full-width forms, Chinese names.
PLAIN: dict[int, str] = {
    **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)},
    **{
        ord(character): letter
        for characters, letters in (
            ("万萬饼餅筒条條索", "mmpppsss"),
            ("东東南西北中发發白", "EESWNCFFP"),
            ("一二三四五六七八九\u3000", "123456789 "),
            ("".join(map(chr, range(0x1F022, 0x1F02A))), "abcdefgh"),
        )
        for character, letter in zip(characters, letters, strict=True)
    },
}
_SINGLE_CHARACTERS: dict[str, int] = {
    **{letter: HONORS_FROM + i for i, letter in enumerate(HONOR_LETTERS)},
    **{glyph: tile for tile, glyph in enumerate(GLYPHS)},
}
_IGNORED = {"\ufe0e", "\ufe0f", " ", "\t", "_"}
#: Riichi software numbers the dragons white, green, red; the Chinese order is red, green, white.
_RIICHI_DRAGONS = {5: 33, 6: 32, 7: 31}


def whole(name: str, value: object) -> int:
    """A whole number, or a ``TypeError`` that names what it should have been for."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {quoted(value)}") from None


def is_honor(tile: int) -> bool:
    """Whether a tile is a wind or a dragon.

    >>> is_honor(26), is_honor(27)
    (False, True)
    """
    return tile >= HONORS_FROM


def is_terminal_or_honor(tile: int) -> bool:
    """Whether a tile is a 1, a 9, a wind or a dragon.

    >>> [is_terminal_or_honor(t) for t in (0, 1, 8, 33)]
    [True, False, True, True]
    """
    return is_honor(tile) or tile % 9 in (0, 8)


def suit_of(tile: int) -> int:
    """Suit of a tile: 0 characters, 1 dots, 2 bamboo, 3 honours."""
    return tile // 9


def rank_of(tile: int) -> int:
    """Rank 1–9 of a suit tile; for honours 1–7 in the order E S W N C F P."""
    return tile % 9 + 1


def bad_tile(text: str, hint: str = "") -> InvalidHand:
    """Error for a text that names no tile."""
    message = f"{quoted(text)} is no tile: tiles are 1-9 with m, p or s, 1z-7z, or E S W N C F P"
    return InvalidHand(Status.BAD_TILE, message + (f" ({hint})" if hint else ""))


def plain(text: str) -> str:
    """Text of tiles with the usual digits and letters for full-width and Chinese ones.

    >>> plain("１２３万［东东东］"), plain("中")
    ('123m[EEE]', 'C')
    """
    return text if text.isascii() else text.translate(PLAIN)


def _numbered(digit: str, letter: str, honors: Honors) -> int:
    rank = int(digit)
    if letter == "z":
        if not 1 <= rank <= 7:
            raise bad_tile(digit + letter)
        if honors == "riichi" and rank in _RIICHI_DRAGONS:
            return _RIICHI_DRAGONS[rank]
        return HONORS_FROM + rank - 1
    if rank == 0:
        raise bad_tile(digit + letter, "there are no red fives in this game")
    return SUITS.index(letter) * 9 + rank - 1


def parse_tiles(text: str, honors: Honors = "chinese") -> list[int]:
    """Read tiles in the order in which they are written.

    Parameters
    ----------
    text : str
        Digits followed by ``m``, ``p``, ``s`` or ``z``; the letters ``E S W N C F P``; Unicode tile
        glyphs. ``万 饼 筒 条 索`` and ``东南西北中发白`` stand for letters, ``一`` to ``九`` for
        digits, full-width forms for the usual ones. Blanks are skipped.
    honors : {"chinese", "riichi"}
        What ``5z 6z 7z`` mean: red, green, white (Chinese order) or white, green, red.

    Returns
    -------
    list of int
        Tile ids 0–33.

    Raises
    ------
    InvalidHand
        When something in the text is no tile.

    Examples
    --------
    >>> parse_tiles("19m1p EC")
    [0, 8, 9, 27, 31]
    >>> parse_tiles("7z", honors="riichi")
    [31]
    >>> parse_tiles("12万 三索 中")
    [0, 1, 20, 31]
    """
    if honors not in ("chinese", "riichi"):
        raise ValueError(f"honors must be 'chinese' or 'riichi', got {quoted(honors)}")
    tiles: list[int] = []
    digits = ""
    for character in plain(text):
        if character in _IGNORED:
            continue
        if character in "0123456789":
            digits += character
        elif character in "mpsz":
            if not digits:
                raise bad_tile(character, "no digit before the suit letter")
            tiles.extend(_numbered(digit, character, honors) for digit in digits)
            digits = ""
        elif digits:
            raise bad_tile(digits + character, "a suit letter must follow the digits")
        elif character in _SINGLE_CHARACTERS:
            tiles.append(_SINGLE_CHARACTERS[character])
        else:
            raise bad_tile(character)
    if digits:
        raise bad_tile(digits, "a suit letter must follow the digits")
    return tiles


def parse_tile(tile: int | str, honors: Honors = "chinese") -> int:
    """One tile from its id or its text.

    >>> parse_tile("5p"), parse_tile("N"), parse_tile(3)
    (13, 30, 3)
    """
    if isinstance(tile, str):
        found = parse_tiles(tile, honors)
        if len(found) != 1:
            raise bad_tile(tile, "exactly one tile is wanted")
        return found[0]
    number = whole("a tile", tile)
    if not 0 <= number < KINDS:
        raise InvalidHand(Status.BAD_TILE, f"{number} is no tile id: ids are 0-33")
    return number


def parse_wind(wind: int | str) -> int:
    """A wind 0–3 from its number, its letter ``E S W N`` or its Chinese name.

    >>> parse_wind("W"), parse_wind(2), parse_wind("北")
    (2, 2, 3)
    """
    if isinstance(wind, str):
        position = WINDS.find(plain(wind)) if len(wind) == 1 else -1
        if position < 0:
            raise InvalidHand(Status.BAD_WIND, f"{quoted(wind)} is no wind: winds are E S W N")
        return position
    number = whole("a wind", wind)
    if not 0 <= number <= 3:
        raise InvalidHand(Status.BAD_WIND, f"{number} is no wind: winds are 0-3 (E S W N)")
    return number


def format_tiles(tiles: Iterable[int]) -> str:
    """Write tiles in the given order, digits joined before one suit letter.

    >>> format_tiles([0, 1, 2, 9, 27, 33])
    '123m1pEP'
    """
    parts: list[str] = []
    digits = ""
    suit = -1
    for tile in tiles:
        if digits and suit_of(tile) != suit:
            parts.append(digits + SUITS[suit])
            digits = ""
        if is_honor(tile):
            parts.append(NAMES[tile])
        else:
            suit = suit_of(tile)
            digits += str(rank_of(tile))
    if digits:
        parts.append(digits + SUITS[suit])
    return "".join(parts)


def counts_of(tiles: Iterable[int]) -> list[int]:
    """Number of each of the 34 kinds among some tiles."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts


def tiles_of(counts: Sequence[int]) -> list[int]:
    """Tiles in ascending order from the number of each kind."""
    return [tile for tile, count in enumerate(counts) for _ in range(int(count))]
