"""Bit layouts that the tables are packed in and the kernels unpack: numbers only.

``shapes[slot]``, a suit or the honours split into sets with at most one pair
    ``first`` decomposition (15 bits), their number (3), whether with a pair (1), then by rank of
    the winning tile: whether it is the suit's only wait (9), whether the suit without it stands
    complete with a pair (9); whether some tile completes the suit without a pair (1); and above,
    its base-5 key, rank 1 the lowest digit, honours with ``HONOR_KEYS`` added. A key's slot is a
    part of ``key * HASH_FACTOR``, displaced by what its bucket, another part of it, says; no two
    shapes share one, and an entry whose key is another means that the suit does not split.
``splits[2 * i]`` and ``splits[2 * i + 1]``, a decomposition
    First what is added up over the suits: code of its chows (13 bits), and ``SUM_*`` fields of 3
    bits; with them the pair as a mask of ranks and, for honours, as a rank (7 none). Then what is
    joined over the suits, shifted by 9 bits a suit: the pungs' ranks from bit 0, the chows' lowest
    ranks from bit 34.
``meld_info[8 * code]``
    Tiles that it adds to the three bit planes of the counts, and what is added up over the melds:
    its chow code in the lane of its suit (3 times 13 bits), ``SUM_*`` and ``MELD_*`` fields.
``tile_info[8 * tile]``
    A mask for each of the four suits, all ones for the tile's own; its rank from 0.
``records``, 8 numbers each, from 8 times their class
    What a class of facts contributes: fans that hold (two words), fans that are not counted beside
    them (two words), what is added up (times of the repeating fans, 4 bits each, and above bit 32
    the points of those that nothing else can take away); for chows the pair that turns them into
    another class, with that class.
"""

from __future__ import annotations

# --- shape_info
INFO_FIRST_BITS = 15
INFO_NUMBER = 15
INFO_PAIR = 18
INFO_ONLY_WAIT = 19
INFO_PAIR_LEFT = 28
INFO_TAKES_TILE = 37
INFO_KEY = 38
HONOR_KEYS = 5**9
#: A key is below 2**21, the product below 2**53: nothing overflows.
HASH_FACTOR = 0x9E3779B1
BUCKET_SHIFT, BUCKETS, SLOT_SHIFT, SLOTS = 20, 4096, 34, 32_768

# --- chows and pungs: sets of at most four, by how many lie in each suit
RANK_BITS = 8  # of rank tables: the rank, and above it the number of sets
#: Weights of the chows 123 … 789: any at most four of them have a sum that no other has.
CHOW_WEIGHTS = (1, 5, 21, 55, 153, 368, 856)
CHOW_BITS = 13
INDEX_BITS = 16  # of the lanes of the index tables: offset, and what a rank is multiplied with

# --- sums over suits and melds: chows, blocks without a 5, blocks without terminal or honour
SUM_CHOWS, SUM_NO_FIVE, SUM_NO_TERMINAL = 0, 3, 6
MELD_NUMBER, MELD_CONCEALED_KONGS, MELD_MELDED_KONGS, MELD_EXPOSED, MELD_BAD = 9, 12, 15, 18, 21
SPLIT_SUMS = CHOW_BITS
MELD_SUMS = 3 * CHOW_BITS

# --- splits
SPLIT_PAIR = SPLIT_SUMS + 9
SPLIT_HONOR_PAIR = SPLIT_PAIR + 9
NO_PAIR = 7
SPLIT_STARTS = 34

# --- meld_info columns
MELD_ONES, MELD_TWOS, MELD_FOURS, MELD_ADDED = 0, 1, 2, 3

# --- records
HELD0, HELD1, IMPLIED0, IMPLIED1, ADDED, ALT_PAIR, ALT_CLASS = 0, 1, 2, 3, 4, 5, 6
RECORD_WIDTH = 8
POINTS_FROM = 32
WORD = 48  # fan f is bit f % 48 of word f // 48
#: Repeating fans in the order of their 4-bit fields.
REPEATING = (58, 63, 64, 68, 69, 70, 71, 72)
#: Those of them that other classes can take away: four of a tile, double and terminal pungs.
REVOCABLE = (1, 2, 7)
TERMINAL_FIELD = 7
CHUNK_BITS = 12  # of the tables that add up the points of a mask

# --- packed indices of facts
FORM_REGULAR, FORM_KNITTED, FORM_PAIRS = 0, 1, 2
TILES_WINDS, TILES_DRAGONS, TILES_GREEN, TILES_REVERSIBLE, TILES_FORM = 11, 12, 13, 14, 15
#: Circumstances: concealed kongs, melded kongs, exposed melds (3 bits each), flags (4), natural.
WAY_FLAGS, WAY_NATURAL, WAY_BITS = 9, 13, 14
#: Structure: chows (3 bits), a block without a 5, one without terminal or honour, concealed pungs
#: (3), possible waits (edge, closed, single), pair of a suit, knitted, nine gates.
MADE_FIVE, MADE_TERMINAL, MADE_PUNGS, MADE_WAITS = 3, 4, 5, 8
MADE_SUIT_PAIR, MADE_KNITTED, MADE_NINE_GATES, MADE_BITS = 11, 12, 13, 14

# --- buffers: see ``buffers``
CHUNKS, CHUNK = 7, 1 << CHUNK_BITS
FANS = 82
#: Tables of each buffer, without and with the rules, with their lengths (-1: the rest).
TABLE_WORDS = {"displacement": BUCKETS, "chow_rank": 4 * CHOW_WEIGHTS[-1] + 1, "pung_rank": 512}
TABLE_INTS = {"mask_key": 512}
TABLE_LONGS = {"meld_info": 256 * 8, "tile_info": 64 * 8, "shapes": SLOTS,
               "chow_index": 512, "pung_index": 512, "splits": -1}  # fmt: skip
PROFILE_WORDS = {"chow_class": 12_650, "pung_class": 20_854, "honor_class": 1 << 14,
                 "way_class": 1 << WAY_BITS, "made_class": 1 << MADE_BITS,
                 "tile_class": -1}  # fmt: skip
PROFILE_INTS = {"points": FANS, "order": FANS, "mask_points": -1}
PROFILE_LONGS = {"numbers": 3 * RECORD_WIDTH, "records": -1}
