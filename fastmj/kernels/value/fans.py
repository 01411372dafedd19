"""Distance of every fan: the fewest tiles to draw, less one, to a complete hand that has it."""

from __future__ import annotations

import numpy as np

from ..distance import layout as distance_at
from ..distance.rows import named, read_row
from ..jit import bare_kernel, inner_kernel, step
from ..machine import popcount
from . import layout as at
from .needs import (
    cost_by_search,
    may_be_short,
    needs_fans,
    row_beside,
    shape_of,
    with_tiles,
    word_entry,
)
from .pairs import (
    nine_gates_cost,
    orphans_cost,
    pairs_cost,
    pairs_of_groups,
    shifted_pairs_cost,
    singles_costs,
)
from .search import ALL_CHOWS, ALL_TILES, ANY_PUNGS, NOTHING_ASKED, fewest_of
from .words import (
    NOT_EMPTY,
    four_cost,
    join_words,
    joined_cost,
    one_kind_word,
    small_key,
    split_cost,
    three_kinds_word,
)

HELD, SHOWN, REST, SPARE, BEST, MELDS = at.HELD, at.SHOWN, at.REST, at.SPARE, at.BEST, at.MELDS
MANY, NO_PUNG = at.MANY, at.NO_PUNG
_THREE_SUITS = 1 | 1 << 9 | 1 << 18
_SUIT, _SUITS = 511, (1 << 27) - 1
_HONORS, _WINDS, _DRAGONS = 127 << 27, 15 << 27, 7 << 31
_ENDS = 0b100000001 * _THREE_SUITS
_SUIT_CHOWS = 127
_GREEN_SUIT, _GREEN = 0b010101110, 0b010101110 << 18 | 1 << 32
_DOTS, _BAMBOO = 0b110011111, 0b110111010
_REVERSIBLE = _DOTS << 9 | _BAMBOO << 18 | 1 << 33

#: Fans about tiles of some ranks: fan, ranks, chows, pungs and pairs (bits), table, seven pairs.
_RANK_FANS = (
    (24, 0b111000000, 0b001000000, 0b111000000, at.THREE, True),
    (25, 0b000111000, 0b000001000, 0b000111000, at.THREE, True),
    (26, 0b000000111, 0b000000001, 0b000000111, at.THREE, True),
    (35, 0b111100000, 0b001100000, 0b111100000, at.FOUR, True),
    (36, 0b000001111, 0b000000011, 0b000001111, at.FOUR, True),
    (67, 0b011111110, 0b000111110, 0b011111110, at.SIMPLES, True),
    (30, 0b001111100, 0b000011100, 0b000010000, at.FIVES, False),
    (20, 0b010101010, 0b000000000, 0b010101010, at.EVENS, False),
    (7, 0b100000001, 0b000000000, 0b100000001, at.ENDS, True),
)
#: Fans about circumstances, kongs, the last tile, or what else there is.
_NOT_LOOKED_AT = (4, 16, 42, 43, 44, 45, 46, 52, 56, 57, 66, 73, 76, 77, 78, 79, 80, 81)

#: Whether there are copies enough (``limited_cost``).
DOUBTFUL, SURE, FAMILY = 0, 1, 2


@step
def improve(scratch, fan, cost):
    """Keep the lower number of missing tiles."""
    scratch[BEST, fan] = min(scratch[BEST, fan], cost)


@inner_kernel
def melds_fit(scratch, melds, chows, pungs):
    """Whether every meld is one of some chows and pungs."""
    for meld in range(melds):
        choice = scratch[MELDS, meld]
        allowed = pungs >> (choice - NO_PUNG) if choice >= NO_PUNG else chows >> choice
        if not allowed & 1:
            return False
    return True


@inner_kernel
def limited_cost(scratch, melds, least, sure, chows, pungs, pairs, exact_pungs, asked, present):
    """Tiles missing for a hand of some sets only, ``least`` where every copy could be drawn.

    ``sure`` says that the copies suffice for any sets where a new one could be laid elsewhere; it
    is ``FAMILY`` for sets of which there may be too few to lay a new one elsewhere. (Groups of
    which some tile is still asked for lie in no meld, so that none of their copies are gone.)
    """
    if melds == 0 or least >= MANY or sure == SURE:
        return least
    return fewest_of(
        scratch, 4 - melds, 1, sure != FAMILY, chows, pungs, pairs, exact_pungs, asked, present,
        MANY, least,
    )  # fmt: skip


@inner_kernel
def rank_fans(value, scratch, levels, melds, honors_word, sure):
    """Fans about the ranks of the tiles."""
    words = value.words
    for place in range(9):
        fan, ranks, chows, pungs, table, pairs = _RANK_FANS[place]
        chows, pungs = chows * _THREE_SUITS, pungs * _THREE_SUITS
        if not melds_fit(scratch, melds, chows, pungs):
            continue
        a = words[table + small_key(scratch, 0, ranks)]
        b = words[table + small_key(scratch, 9, ranks)]
        c = words[table + small_key(scratch, 18, ranks)]
        least = joined_cost(join_words(a, b, 4 - melds), c, 4 - melds)
        # of 21 kinds four melds and what else is laid always leave one for a new set
        enough = sure if table == at.SIMPLES else FAMILY
        improve(scratch, fan, limited_cost(
            scratch, melds, least, enough, chows, pungs, pungs, ANY_PUNGS, NOTHING_ASKED, 0
        ))  # fmt: skip
        if pairs and melds == 0:
            improve(scratch, fan, pairs_cost(levels, ranks * _THREE_SUITS, 7))
    chows, pungs = 0b001000001 * _THREE_SUITS, _ENDS | _HONORS
    if melds_fit(scratch, melds, chows, pungs):  # outside hand
        a = words[at.OUTSIDE + small_key(scratch, 0, 0b111000111)]
        b = words[at.OUTSIDE + small_key(scratch, 9, 0b111000111)]
        c = words[at.OUTSIDE + small_key(scratch, 18, 0b111000111)]
        least = four_cost(a, b, c, honors_word, 4 - melds)
        improve(scratch, 54, limited_cost(
            scratch, melds, least, FAMILY, chows, pungs, pungs, ANY_PUNGS, NOTHING_ASKED, 0
        ))  # fmt: skip


@inner_kernel
def mixed_fans(value, scratch, levels, melds, honors_word, present):
    """Fans about some tiles: green, reversible, terminals and honours, honours."""
    words = value.words
    sets = 4 - melds
    green_chows = 2 << 18
    if melds_fit(scratch, melds, green_chows, _GREEN):
        a = words[at.GREEN + small_key(scratch, 18, _GREEN_SUIT)]
        least = joined_cost(a, one_kind_word(scratch[HELD, 32]), sets)
        improve(scratch, 2, limited_cost(
            scratch, melds, least, FAMILY, green_chows, _GREEN, _GREEN, ANY_PUNGS,
            NOTHING_ASKED, 0,
        ))  # fmt: skip
    chows = 0b000000111 << 9 | 0b000001000 << 18
    if melds_fit(scratch, melds, chows, _REVERSIBLE):
        a = words[at.DOTS + small_key(scratch, 9, _DOTS)]
        b = words[at.BAMBOO + small_key(scratch, 18, _BAMBOO)]
        c = one_kind_word(scratch[HELD, 33])
        least = joined_cost(join_words(a, b, sets), c, sets)
        improve(scratch, 39, limited_cost(
            scratch, melds, least, FAMILY, chows, _REVERSIBLE, _REVERSIBLE, ANY_PUNGS,
            NOTHING_ASKED, 0,
        ))  # fmt: skip
    if melds_fit(scratch, melds, 0, _HONORS):
        least = word_entry(honors_word, sets, 1)
        improve(scratch, 10, limited_cost(
            scratch, melds, least, FAMILY, 0, _HONORS, _HONORS, ANY_PUNGS, NOTHING_ASKED, 0
        ))  # fmt: skip
    if melds_fit(scratch, melds, 0, _HONORS | _ENDS):
        a = words[at.ENDS + small_key(scratch, 0, 0b100000001)]
        b = words[at.ENDS + small_key(scratch, 9, 0b100000001)]
        c = words[at.ENDS + small_key(scratch, 18, 0b100000001)]
        ends = join_words(join_words(a, b, sets), c, sets)
        ends |= 0 if present & _ENDS else NOT_EMPTY
        least = joined_cost(ends, honors_word | (0 if present & _HONORS else NOT_EMPTY), sets)
        kinds = _HONORS | _ENDS
        improve(scratch, 17, limited_cost(
            scratch, melds, least, FAMILY, 0, kinds, kinds, ANY_PUNGS,
            (_ENDS, _HONORS, 0, 0, 0), present,
        ))  # fmt: skip
    if melds == 0:
        improve(scratch, 2, pairs_cost(levels, _GREEN, 7))
        improve(scratch, 39, pairs_cost(levels, _REVERSIBLE, 7))
        improve(scratch, 10, pairs_cost(levels, _HONORS, 7))
        improve(scratch, 17, pairs_of_groups(levels, (_ENDS, _HONORS, 0, 0, 0), 0))


@step
def asked_word(word, present, tiles):
    """A word that must not stay empty unless a meld has some of its tiles."""
    return word if present & tiles else word | NOT_EMPTY


@inner_kernel
def suit_fans(scratch, levels, melds, words, present, sure):
    """Fans about how many suits there are."""
    sets = 4 - melds
    honors = words[3]
    for suit in range(3):
        tiles = _SUIT << 9 * suit
        chows = _SUIT_CHOWS << 9 * suit
        word = words[0] if suit == 0 else words[1] if suit == 1 else words[2]
        if present & ~tiles == 0:
            least = word_entry(word, sets, 1)
            improve(scratch, 21, limited_cost(
                scratch, melds, least, FAMILY, chows, tiles, tiles, ANY_PUNGS, NOTHING_ASKED, 0
            ))  # fmt: skip
        kinds = tiles | _HONORS
        if present & ~kinds == 0:
            least = joined_cost(
                asked_word(word, present, tiles), asked_word(honors, present, _HONORS), sets
            )
            improve(scratch, 48, limited_cost(
                scratch, melds, least, sure, chows, kinds, kinds, ANY_PUNGS,
                (tiles, _HONORS, 0, 0, 0), present,
            ))  # fmt: skip
        if melds == 0:
            improve(scratch, 21, pairs_cost(levels, tiles, 7))
            improve(scratch, 48, pairs_of_groups(levels, (tiles, _HONORS, 0, 0, 0), 0))
        # this suit missing
        kinds = ALL_TILES & ~tiles
        one = _SUIT << 9 * ((suit + 1) % 3)
        two = _SUIT << 9 * ((suit + 2) % 3)
        if present & tiles == 0:
            a = words[1] if suit == 0 else words[2] if suit == 1 else words[0]
            b = words[2] if suit == 0 else words[0] if suit == 1 else words[1]
            least = joined_cost(
                join_words(asked_word(a, present, one), asked_word(b, present, two), sets),
                honors, sets,
            )  # fmt: skip
            improve(scratch, 74, limited_cost(
                scratch, melds, least, sure, ALL_CHOWS & kinds, kinds, kinds, ANY_PUNGS,
                (one, two, 0, 0, 0), present,
            ))  # fmt: skip
        if melds == 0:
            improve(scratch, 74, pairs_of_groups(levels, (one, two, 0, 0, 0), _HONORS))
    suits = join_words(words[0], words[1], sets)
    if present & _HONORS == 0:
        least = joined_cost(suits, words[2], sets)
        improve(scratch, 75, limited_cost(
            scratch, melds, least, sure, ALL_CHOWS, _SUITS, _SUITS, ANY_PUNGS, NOTHING_ASKED, 0
        ))  # fmt: skip
        if melds == 0:
            improve(scratch, 75, pairs_cost(levels, _SUITS, 7))
    groups = (_SUIT, _SUIT << 9, _SUIT << 18, _WINDS, _DRAGONS)
    north = one_kind_word(scratch[HELD, 30])
    winds = join_words(three_kinds_word(scratch, 27), north, 4)
    dragons = three_kinds_word(scratch, 31)
    least = joined_cost(
        join_words(
            join_words(
                asked_word(words[0], present, groups[0]),
                asked_word(words[1], present, groups[1]), sets,
            ),
            asked_word(words[2], present, groups[2]), sets,
        ),
        join_words(
            asked_word(winds, present, _WINDS), asked_word(dragons, present, _DRAGONS), sets
        ),
        sets,
    )  # fmt: skip
    improve(scratch, 50, limited_cost(
        scratch, melds, least, sure, ALL_CHOWS, ALL_TILES, ALL_TILES, ANY_PUNGS, groups, present
    ))  # fmt: skip
    if melds == 0:
        improve(scratch, 50, pairs_of_groups(levels, groups, 0))


@inner_kernel
def pungs_cost(levels):
    """Fewest tiles for four pungs and a pair of any kinds: the fullest kinds, the pair last."""
    three = min(popcount(levels[2]), 4)
    two = min(popcount(levels[1] & ~levels[2]), 5 - three)
    if popcount(levels[2]) > 4:
        return 0
    one = min(popcount(levels[0] & ~levels[1]), 5 - three - two)
    # four pungs lack 3 less what is held; the pair, of the kind with fewest, one less
    return 5 * 3 - 1 - 3 * three - 2 * two - one


@inner_kernel
def kind_fans(value, scratch, levels, melds, exposed, shapes, sure):
    """Fans about chows and pungs whatever their tiles: all chows, all pungs, concealed pungs."""
    sets = 4 - melds
    if melds_fit(scratch, melds, ALL_CHOWS, 0):
        a = value.chow_words[value.chow_class[shapes[0]]]
        b = value.chow_words[value.chow_class[shapes[1]]]
        c = value.chow_words[value.chow_class[shapes[2]]]
        least = joined_cost(join_words(a, b, sets), c, sets)
        improve(scratch, 62, limited_cost(
            scratch, melds, least, sure, ALL_CHOWS, 0, _SUITS, ANY_PUNGS, NOTHING_ASKED, 0
        ))  # fmt: skip
    if melds_fit(scratch, melds, 0, ALL_TILES):
        if melds == 0:
            cost = pungs_cost(levels)
        else:
            cost = fewest_of(
                scratch, sets, 1, True, 0, ALL_TILES, ALL_TILES, ANY_PUNGS, NOTHING_ASKED, 0,
                MANY, 0,
            )  # fmt: skip
        improve(scratch, 47, cost)
        if exposed == 0:
            improve(scratch, 11, cost)
    for fan, number in ((32, 3), (65, 2)):
        pungs = number - (melds - exposed)
        if 0 <= pungs <= sets:
            least = split_cost(
                value, scratch,
                np.int64(value.split_class[shapes[0]]), np.int64(value.split_class[shapes[1]]),
                np.int64(value.split_class[shapes[2]]), np.int64(value.split_class[shapes[3]]),
                sets - pungs, pungs,
            )  # fmt: skip
            improve(scratch, fan, limited_cost(
                scratch, melds, least, sure, ALL_CHOWS, ALL_TILES, ALL_TILES, pungs,
                NOTHING_ASKED, 0,
            ))  # fmt: skip


@inner_kernel
def formless_fans(scratch, levels):
    """Fans of the forms without sets; returns the fewest tiles for any of them."""
    pairs = pairs_cost(levels, ALL_TILES, 7)
    orphans = orphans_cost(levels)
    lesser, greater, straight = singles_costs(levels)
    improve(scratch, 18, pairs)
    improve(scratch, 5, shifted_pairs_cost(scratch))
    improve(scratch, 6, orphans)
    improve(scratch, 33, lesser)
    improve(scratch, 19, greater)
    improve(scratch, 34, straight)
    improve(scratch, 3, nine_gates_cost(scratch))
    for tile in range(34):  # four of a kind as two pairs
        four = 4 - scratch[HELD, tile]
        if four < scratch[BEST, 63]:
            improve(scratch, 63, four + pairs_cost(levels, ALL_TILES & ~(1 << tile), 5))
    return min(min(pairs, orphans), lesser)


@step
def read_melds(codes, i, scratch):
    """Melds of a row as sets; returns how many, how many exposed, kinds in them, their masks."""
    melds = exposed = present = np.int64(0)
    shown = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    for place in range(4):
        code = np.int64(codes[i, place])
        if code:
            kind, tile = (code - 1) // 34, (code - 1) % 34
            scratch[MELDS, melds] = tile if kind == 0 else NO_PUNG + tile
            tiles = np.int64(7 if kind == 0 else 1) << tile
            present |= tiles
            exposed += int(kind != 3)
            melds += 1
            for _ in range(1 if kind == 0 else 3 if kind == 1 else 4):
                shown = with_tiles(shown, tiles)
    return melds, exposed, present, shown


@step
def read_tiles(counts, i, shown, scratch):
    """Masks of what is held; fills the rows of working memory that count tiles."""
    ones = twos = threes = fours = np.int64(0)
    for tile in range(34):
        count = np.int64(counts[i, tile])
        gone = (
            (shown[0] >> tile & 1)
            + (shown[1] >> tile & 1)
            + (shown[2] >> tile & 1)
            + (shown[3] >> tile & 1)
        )
        scratch[HELD, tile] = count
        scratch[REST, tile] = count
        scratch[SHOWN, tile] = gone
        scratch[SPARE, tile] = 4 - gone
        ones |= np.int64(count > 0) << tile
        twos |= np.int64(count > 1) << tile
        threes |= np.int64(count > 2) << tile
        fours |= np.int64(count > 3) << tile
    return ones, twos, threes, fours


@inner_kernel
def fan_row(tables, value, scratch, counts, i, codes, seat, prevalent):
    """Tiles missing for every fan of a valid row, into ``BEST``."""
    melds, exposed, present, shown = read_melds(codes, i, scratch)
    levels = read_tiles(counts, i, shown, scratch)
    for fan in range(82):
        scratch[BEST, fan] = MANY
    shapes = (
        shape_of(tables, value, levels, 0), shape_of(tables, value, levels, 1),
        shape_of(tables, value, levels, 2), shape_of(tables, value, levels, 3),
    )  # fmt: skip
    classes = (
        np.int64(tables.classes[shapes[0]]), np.int64(tables.classes[shapes[1]]),
        np.int64(tables.classes[shapes[2]]), np.int64(tables.classes[shapes[3]]),
    )  # fmt: skip
    words = (
        value.all_words[classes[0]], value.all_words[classes[1]],
        value.all_words[classes[2]], value.all_words[classes[3]],
    )  # fmt: skip
    sets = 4 - melds
    sure = DOUBTFUL if may_be_short(levels, shown, sets) else SURE
    together = row_beside(tables, value, levels, np.int64(0), classes)
    word = value.all_words[together]
    regular = word_entry(word, sets, 1)
    if sure == DOUBTFUL:
        regular = cost_by_search(scratch, levels, shown, sets, 1, at.ANYTHING, MANY, regular)
    nearest = regular
    if melds == 4 and exposed == 4:
        improve(scratch, 51, nearest)
    rank_fans(value, scratch, levels, melds, words[3], sure)
    mixed_fans(value, scratch, levels, melds, words[3], present)
    suit_fans(scratch, levels, melds, words, present, sure)
    kind_fans(value, scratch, levels, melds, exposed, shapes, sure)
    if melds == 0:
        nearest = min(nearest, formless_fans(scratch, levels))
    straight = needs_fans(
        tables, value, scratch, classes, word, levels, shown, melds, seat, prevalent, regular
    )
    nearest = min(nearest, straight)
    if exposed == 0:
        improve(scratch, 55, nearest)
        improve(scratch, 61, nearest)
    return nearest


@bare_kernel
def fan_rows(
    tables, rows, trusted, value, codes, seat, prevalent, scratch, distance, nearest, status,
    start, stop,
):  # fmt: skip
    """Distance of the 82 fans, int8 (N, 82), of any complete hand, int8 (N,), and status.

    ``codes`` are meld codes uint8 (N, 4), ``scratch`` int64 memory of ``SCRATCH`` for this call.
    """
    tables, rows = named(tables, rows)
    for i in range(start, stop):
        _, _, code = read_row(tables.parts, rows, i, trusted)
        if code == distance_at.OK and (seat[i] > 3 or prevalent[i] > 3):
            code = _BAD_WIND
        status[i] = code
        if code != distance_at.OK:
            nearest[i] = distance_at.NO_HAND
            for fan in range(82):
                distance[i, fan] = at.NOT_LOOKED_AT
            continue
        nearest[i] = (
            fan_row(
                tables,
                value,
                scratch,
                rows.counts,
                i,
                codes,
                np.int64(seat[i]),
                np.int64(prevalent[i]),
            )
            - 1
        )
        for fan in range(82):
            cost = scratch[BEST, fan]
            distance[i, fan] = cost - 1 if cost < MANY else at.OUT_OF_REACH
        for place in range(18):
            distance[i, _NOT_LOOKED_AT[place]] = at.NOT_LOOKED_AT


_BAD_WIND = 8
