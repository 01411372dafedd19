"""Bit layouts that the tables are packed in and the kernels unpack: numbers only.

``README.md`` one folder up tells the algorithm and draws the words; ``tables.scoring`` fills them.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Buffers(NamedTuple):
    """Tables by type, uint16 and int64, one-dimensional and read-only; tables lie end to end.

    A table is its buffer and where it begins: every array that is handed to a kernel costs a single
    call a tenth of a microsecond, and named views inside the kernel are counted references, with
    which scoring took five times as long.
    """

    words: Any
    longs: Any


# --- keys of suits: ranks 1-8 a byte each, rank 9 in the upper half of the first byte; honours
# --- their seven bytes, and a mark that no suit has in the first
RANK_9 = 4
HONOR_MARK = 8

# --- hashes without collisions: the upper 32 bits of the product of a key and a factor are bucket
# --- and slot, the slot is displaced by what the bucket says: (factor, bits of the bucket, bits of
# --- the slot)
SUIT_HASH = (0x1E3779B97F4A7C15, 12, 15)
CHOW_HASH = (0x2891439DA6B68AEF, 11, 14)
PUNG_HASH = (0x3D890120C78054F7, 12, 15)

# --- an entry: one way to lay a suit or the honours, found by the key
KEY, SUMS, SETS, WAITS = range(4)
ENTRY_WIDTH = 4
SLOTS = 1 << SUIT_HASH[2]
#: The four entries of a hand in one word, by number; further ways of a shape stand behind them.
ENTRY_BITS = 16

# --- sums: what is only added up, over the suits, the honours, the melds and the row
#: First bit and width of each field. Where only "any" matters, ``BIAS`` fills the field, so that it
#: overflows into the bit behind it, which belongs to no other field.
SUM_FIELDS = {
    "no_terminal": (0, 3),  # blocks without terminal or honour; any: bit 3
    "no_five": (4, 3),  # blocks without a 5; any: bit 7; then the waits take its place
    "chows": (8, 3),
    "suit_pair": (11, 1),  # whether the pair is of a suit
    "pungs": (12, 3),  # concealed ones, kongs with them
    "takes_tile": (15, 1),  # whether one more tile completes what holds the pair without one
    "flags": (16, 4),  # circumstances, self-drawn first
    "exposed": (20, 7),  # melds by kind: 1 chow or pung, 5 melded kong, 25 concealed kong
    "honor_pungs": (27, 7),
    "honor_pair": (34, 3),  # its rank, 7 none
    "winds": (37, 4),  # seat, prevalent
    "odd": (41, 7),  # odd counts, and 16 for each meld; any: bit 48
    "sets": (49, 5),
    "pairs": (54, 3),
    "several": (57, 2),  # shapes that can be laid in several ways
}
(NO_TERMINAL, NO_FIVE, CHOWS, SUIT_PAIR, PUNGS, TAKES_TILE, FLAGS, EXPOSED, HONOR_PUNGS, HONOR_PAIR,
 WINDS, ODD, SET_NUMBER, PAIR_NUMBER, SEVERAL) = (
    first for first, _ in SUM_FIELDS.values()
)  # fmt: skip
WAITED = NO_FIVE
ANY_NO_TERMINAL, ANY_NO_FIVE, ANY_ODD = NO_TERMINAL + 3, NO_FIVE + 3, ODD + 7
BIAS = 7 << NO_TERMINAL | 7 << NO_FIVE | 127 << ODD
NO_PAIR = 7
#: Four sets and a pair; and of such hands those with one reading: one way, no seven pairs.
COMPLETE_MASK = 31 << SET_NUMBER | 7 << PAIR_NUMBER
COMPLETE_SUMS = 4 << SET_NUMBER | 1 << PAIR_NUMBER
SINGLE_MASK = 1 << ANY_ODD | 3 << SEVERAL
SINGLE_SUMS = 1 << ANY_ODD

# --- indices cut out of the sums: structure, way of winning, honours
MADE_FROM, MADE_BITS = ANY_NO_TERMINAL, 12
#: Structures of regular hands, of knitted ones, of nine gates (they count four pungs more, so that
#: they are concealed by nature as are four concealed pungs).
REGULAR, KNITTED, GATES = 0, 1 << MADE_BITS, 2 << MADE_BITS
NATURAL = PUNGS + 2
WAY_FROM, WAY_BITS = NATURAL, 13
WAY_MASK = (1 << WAY_BITS) - 1 & ~(1 << TAKES_TILE - WAY_FROM)
HONOR_BITS = 14
#: Sums of a form without sets: the structure of five pungs is none, and natural.
NO_SETS = 5 << PUNGS | 1 << ANY_NO_TERMINAL | 1 << ANY_NO_FIVE | NO_PAIR << HONOR_PAIR

# --- sets: 21 bits a suit, ranks of the pungs and above them the code of the chows
PUNG_BITS, CHOW_BITS = 9, 12
SUIT_BITS = PUNG_BITS + CHOW_BITS
#: Weights of the chows 123 … 789: any at most four of them have a sum that no other has.
CHOW_WEIGHTS = (1, 5, 21, 55, 153, 368, 856)
SETS_MASK = (1 << SUIT_BITS) - 1
_EACH_SUIT = 1 | 1 << SUIT_BITS | 1 << 2 * SUIT_BITS
PUNGS_MASK = ((1 << PUNG_BITS) - 1) * _EACH_SUIT
CHOWS_MASK = ((1 << CHOW_BITS) - 1 << PUNG_BITS) * _EACH_SUIT
#: Above the sets of an entry: the entry of the next way to lay the same shape, or 0.
NEXT = 32

# --- waits: 7 bits for each rank of the winning tile
EDGE, CLOSED, SINGLE, PUNG_ONLY, ONLY_WAIT, PAIR_LEFT, GATES_LEFT = range(7)
WAIT_BITS = 7
#: What ``wait_sums`` is looked up by: the first six, whether the pair's suit takes a tile, and
#: whether the tile is self-drawn, which stand side by side in the sums.
TAKES, DRAWN = 6, 7

# --- melds: 64 bytes a code, copies of each tile first
MELD_WIDTH = 8
MELD_SUMS, MELD_SETS, MELD_VALID = 5, 6, 7
#: Copies that stand for the four of a kong: with any single one more, it is one too many. A count
#: of 128 and more leaves a bit in the key of its suit that no shape has.
KONG = 140
#: Copies of the first tile in a meld that cannot be: too many, however often.
IMPOSSIBLE_MELD = 100

# --- tiles: by number, what to shift the entries of a hand by and what the waits of the entry
TILE_ENTRY_BITS = 6

# --- records: what a class of facts contributes, 8 numbers each
#: Fans that hold (two words), fans that are not counted beside them (two); times of the repeating
#: fans (4 bits each) and above them all points; for chows the pair that makes another class of
#: them, and that class.
HELD0, HELD1, ADDED, ALT_PAIR, ALT_RECORD = 0, 1, 4, 5, 6
RECORD_WIDTH = 8
POINTS_FROM = 32
WORD = 48  # fan f is bit f % 48 of word f // 48
#: Repeating fans in the order of their 4-bit fields.
REPEATING = (58, 63, 64, 68, 69, 70, 71, 72)
TERMINAL_FIELD = 7
#: Fans that other records often take away, beside those of ``LOST_PARTS``.
ALL_PUNGS, TERMINAL_PUNG = 47, REPEATING[TERMINAL_FIELD]
#: Parts of the second word (first bit, width) whose lost fans are looked up; what else is lost is
#: seldom, and taken back fan by fan.
LOST_PARTS = ((2, 13), (17, 14))

# --- index of the tiles: ranks and number of suits present, and these bits
TILES_WINDS, TILES_DRAGONS, TILES_GREEN, TILES_REVERSIBLE, TILES_FORM = 11, 12, 13, 14, 15
FORM_REGULAR, FORM_KNITTED, FORM_PAIRS = 0, 1, 2

# --- buffers
FANS = 82
#: Tables of each buffer, without and with the rules, with their lengths (-1: the rest).
TABLE_WORDS = {"displacement": 1 << SUIT_HASH[1], "chow_displacement": 1 << CHOW_HASH[1],
               "pung_displacement": 1 << PUNG_HASH[1], "tiles": 34}  # fmt: skip
TABLE_LONGS = {"melds": 256 * MELD_WIDTH, "wait_sums": 256, "entries": -1}
PROFILE_WORDS = {"chows": 1 << CHOW_HASH[2], "pungs": 1 << PUNG_HASH[2], "honors": 1 << HONOR_BITS,
                 "ways": 1 << WAY_BITS, "made": 3 << MADE_BITS, "tile_classes": 3 << TILES_FORM,
                 "lost_low": 1 << LOST_PARTS[0][1], "lost_high": -1}  # fmt: skip
#: A profile's longs begin with single numbers, which take the place of the first records; the
#: first record contributes nothing.
NUMBERS = ("min_fan", "knitted_waits", "chicken", "flower", "special", "first_hog")
PROFILE_LONGS = {"numbers": RECORD_WIDTH, "points": FANS, "order": FANS + 4, "records": -1}


def _begins(lengths):
    """Where each table of a buffer begins."""
    begins = []
    total = 0
    for length in lengths.values():
        begins.append(total)
        total += length
    return tuple(begins)


DISPLACEMENT, CHOW_DISPLACEMENT, PUNG_DISPLACEMENT, TILES = _begins(TABLE_WORDS)
MELDS, WAIT_SUMS, ENTRIES = _begins(TABLE_LONGS)
(CHOW_RECORD, PUNG_RECORD, HONOR_RECORD, WAY_RECORD, MADE_RECORD, TILE_RECORD, LOST_LOW,
 LOST_HIGH) = _begins(PROFILE_WORDS)  # fmt: skip
_, POINTS, ORDER, RECORDS = _begins(PROFILE_LONGS)
MIN_FAN, KNITTED_WAITS, CHICKEN, FLOWER, SPECIAL, FIRST_HOG = range(len(NUMBERS))
NOTHING = RECORDS
