"""Bit layouts that the tables are packed in and the kernels unpack: numbers only.

Suit shapes
    A suit's counts are a base-5 key, rank 1 the lowest digit; ``shape_id[key]`` is its number or 0
    when it does not split into sets with at most one pair. Honours have their own table, their
    numbers follow those of the suits.
``shape_info[id]``
    ``first`` decomposition (15 bits), their number (3), whether with a pair (1), then by rank of
    the winning tile: whether it is the suit's only wait (9), whether the suit without it stands
    complete with a pair (9); last whether some tile completes the suit without a pair (1).
``splits[i]``, a decomposition
    Code of its chows (16 bits), their number (3), whether a block has no 5 (1), whether a block has
    neither terminal nor honour (1), the pungs' ranks (9), the chows' lowest ranks (7), the pair's
    rank or ``NO_PAIR`` (4).
``meld_info[code]``
    Tiles that it adds to the three bit planes of the counts, its chow code (16 bits for each suit),
    and ``MELD_*`` fields of 4 bits, made to be added up over the four melds.
A record: 8 numbers, from 8 times its class in a profile's longs
    What a class of facts contributes: fans that hold (two words), fans that are not counted beside
    them (two words), times that repeating fans hold (4 bits each), and for chows the pair that
    turns them into another class, with that class.
"""

from __future__ import annotations

# --- shape_info
INFO_FIRST_BITS = 15
INFO_NUMBER = 15
INFO_PAIR = 18
INFO_ONLY_WAIT = 19
INFO_PAIR_LEFT = 28
INFO_TAKES_TILE = 37

# --- splits
SPLIT_CHOWS = 16
SPLIT_NO_FIVE = 19
SPLIT_NO_TERMINAL = 20
SPLIT_PUNGS = 21
SPLIT_STARTS = 30
SPLIT_PAIR = 37
NO_PAIR = 15

# --- meld_info columns and fields
MELD_ONES, MELD_TWOS, MELD_FOURS, MELD_CHOW_CODE, MELD_FIELDS = 0, 1, 2, 3, 4
FIELD_MELDS, FIELD_CHOWS, FIELD_CONCEALED_KONGS, FIELD_MELDED_KONGS = 0, 4, 8, 12
FIELD_EXPOSED, FIELD_BAD, FIELD_NO_FIVE, FIELD_NO_TERMINAL = 16, 20, 24, 28

# --- chows and pungs: sets of at most four, by how many lie in each suit
RANK_BITS = 8  # of rank tables: the rank, and above it the number of sets
#: Weights of the chows 123 … 789: any at most four of them have a sum that no other has.
CHOW_WEIGHTS = (1, 5, 21, 55, 153, 368, 856)

# --- records
HELD0, HELD1, IMPLIED0, IMPLIED1, TIMES, ALT_PAIR, ALT_CLASS = 0, 1, 2, 3, 4, 5, 6
RECORD_WIDTH = 8
WORD = 48  # fan f is bit f % 48 of word f // 48
#: Repeating fans in the order of their 4-bit fields.
REPEATING = (58, 63, 64, 68, 69, 70, 71, 72)
HOG_FIELD, TERMINAL_FIELD = 1, 7
CHUNK_BITS = 12  # of the tables that add up the points of a mask

# --- classes by number of readings of facts
FORM_REGULAR, FORM_KNITTED, FORM_PAIRS, FORM_ORPHANS, FORM_SINGLES = 0, 1, 2, 3, 4
TILES_WINDS, TILES_DRAGONS, TILES_GREEN, TILES_REVERSIBLE, TILES_FORM = 11, 12, 13, 14, 15
STRUCTURE_NONE, STRUCTURE_CHOWS, STRUCTURE_PUNGS = 0, 1, 2
EVERY_NONE, EVERY_FIVE, EVERY_TERMINAL = 0, 1, 2
WAIT_NONE, WAIT_EDGE, WAIT_CLOSED, WAIT_SINGLE = 0, 1, 2, 3

# --- buffers: see ``buffers``
CHUNKS, CHUNK = 7, 1 << CHUNK_BITS
FANS = 82
#: Tables of each buffer, without and with the rules, with their lengths (-1: the rest).
TABLE_WORDS = {"shape_id": 5**9, "honor_id": 5**7, "chow_rank": 4 * CHOW_WEIGHTS[-1] + 1,
               "pung_rank": 512}  # fmt: skip
TABLE_INTS = {"mask_key": 512, "chow_size": 5, "chow_offset": 125, "pung_size": 5,
              "pung_offset": 125}  # fmt: skip
TABLE_LONGS = {"meld_info": 256 * 8, "shape_info": 22_242, "splits": -1}
PROFILE_WORDS = {"chow_class": 12_650, "pung_class": 20_854, "honor_class": 1 << 14,
                 "tile_class": -1}  # fmt: skip
PROFILE_INTS = {"points": FANS, "order": FANS, "mask_points": -1}
PROFILE_LONGS = {"numbers": 3 * RECORD_WIDTH, "records": -1}
