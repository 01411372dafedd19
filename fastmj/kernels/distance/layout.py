"""Bit layouts that the distance tables are packed in and the kernels unpack: numbers only.

Numbers of shapes
    Every suit shape and every honour shape with at most 14 tiles has a number, by which all tables
    of shapes are indexed. Ranks 1-4 of a suit (the winds) form a base-5 number, ranks 5-9 (the
    dragons) another, ranks 1 and 5 the lowest digits. ``parts`` holds a word for each of them; the
    two words of a suit add up to the shape's number in the low bits and its tiles above. That works
    because the upper parts are numbered by their tiles: those that still fit beside a lower part
    come first. ``planes``, indexed alike, holds the ranks held and, above them, those of which an
    odd number and those of which three or four are held. Tables over all keys would be five times
    as large and leave the cache.
``classes[shape]``
    Which of 180 rows the shape has: the tiles still needed for k sets and for k sets and a pair,
    k = 0-4. ``join[a, b]`` is the row of two suits together, again one of the 180.
    ``need[2 * k, row]`` are the tiles missing for k sets, the next those with a pair.
``lower[shape]``
    Numbers of two words in ``lower_words``. Each 9 bits of the first are the tiles that lower what
    is needed for k sets, of the second for k sets and a pair.
    ``useful[k, rest, row]`` says which entries of a suit's row lie on a shortest way to k sets and
    a pair, beside the row of the three other suits: bits 0-4 without, 5-9 with the pair.
    ``spread`` turns five such bits into a mask for the words.
``special[shape]``
    What the other forms count. In the low bits fields that are made to be added up: pairs, kinds of
    terminals and honours, how many of these are pairs. Then for each group of ranks (147, 258, 369)
    how many of them are held and, when one of each is taken out, a class of what is left: the tiles
    it needs towards a set and a pair. ``knitted`` holds the tiles missing by four such classes.
    ``taken[group, held]`` is what taking them out changes: both parts' numbers.
``waits[shape]``
    Tiles that complete the suit (with the pair when it has 3n + 1 tiles, without when 3n + 2),
    fifth copies among them; whether it stands complete; its tiles modulo 3; whether no ready hand
    has such a suit.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Tables(NamedTuple):
    """The tables; what each holds stands above."""

    parts: Any  # int32
    planes: Any  # int32
    unit_keys: Any  # int32
    classes: Any  # uint8
    join: Any  # uint8
    need: Any  # uint8
    lower: Any  # uint16
    lower_words: Any  # int64
    useful: Any  # uint16
    spread: Any  # int64
    special: Any  # int32
    knitted: Any  # uint8
    taken: Any  # int32
    waits: Any  # uint16


# --- parts
LOW_KEYS, SUIT_HIGH_KEYS = 625, 3125
SUIT_HIGH = LOW_KEYS
HONOR_LOW = SUIT_HIGH + SUIT_HIGH_KEYS
HONOR_HIGH = HONOR_LOW + LOW_KEYS
TILES = 22  # shift; the numbers of four shapes add up to less than 1 << 22
SHAPE = (1 << 20) - 1
ODD, THREE = 9, 18  # shifts in ``planes``

# --- special: sums, then 6 bits for each group of ranks
PAIRS, PAIRS_MASK = 0, 7
ORPHANS, ORPHANS_MASK = 3, 15
ORPHAN_PAIRS, ORPHAN_PAIRS_MASK = 7, 7
GROUPS, GROUP_BITS, GROUP_MASK = 10, 6, 63
GROUP_CLASS_MASK, GROUP_HELD = 15, 4  # class in the low bits, number held above
KNITTED_BOTH, KNITTED_PAIR = 0, 4  # shifts in ``knitted``: for set and pair, for the pair alone

# --- taken
TAKEN_HIGH = 8  # shift of the change of the upper part
TAKEN_LOW_MASK = 255

# --- knitted arrangements: which group of ranks each suit has, and their nine tiles
ARRANGEMENTS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
NINES = tuple(
    sum(0b001001001 << (9 * suit + group) for suit, group in enumerate(groups))
    for groups in ARRANGEMENTS
)

# --- waits
WAIT_TILES = 511
COMPLETE, ONE_OVER, TWO_OVER, DEAD = 1 << 9, 1 << 10, 1 << 11, 1 << 15

# --- 34 kinds as bits
SUIT_TILES = 511
HONORS = 127 << 27
ORPHAN_KINDS = HONORS | 0b100000001_100000001_100000001

#: Shanten of a form that melds rule out, and of a row that is no hand.
RULED_OUT, NO_HAND = 127, -128

# --- forms, as columns and as bits 1 << form; then what a kernel may be asked for
REGULAR, SEVEN_PAIRS, THIRTEEN_ORPHANS, HONORS_KNITTED, KNITTED_STRAIGHT, BEST = range(6)

# --- status codes (``fastmj.status``)
OK, BAD_TILE, BAD_MELD, TILE_COUNT, FIVE_OF_A_KIND = 0, 2, 3, 4, 5
