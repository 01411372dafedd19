"""Fans of several sets: what each row of needs costs a hand.

Tiles are four masks: the kinds of which one, two, three and four at least are held, wanted or
shown in melds.
"""

from __future__ import annotations

import numpy as np

from ..distance import layout as distance_at
from ..jit import inner_kernel, step
from ..machine import popcount
from . import layout as at
from .search import ALL_CHOWS, ALL_TILES, ANY_PUNGS, NOTHING_ASKED, fewest_of

HELD, SHOWN, REST, SPARE, BEST, MELDS = at.HELD, at.SHOWN, at.REST, at.SPARE, at.BEST, at.MELDS
MANY, NO_PUNG = at.MANY, at.NO_PUNG
_SUITS = (1 << 27) - 1
_STRAIGHT = 34
#: Fans that a single pung makes: of dragons, of the prevalent and of the seat wind.
DRAGONS, PREVALENT, SEAT = 58, 59, 60
#: Ranks that have a neighbour one and two below, one and two above, in their suit.
_BELOW_1, _BELOW_2 = 0b111111110 * 0o1001001, 0b111111100 * 0o1001001
_ABOVE_1, _ABOVE_2 = 0b011111111 * 0o1001001, 0b001111111 * 0o1001001


@step
def word_entry(word, sets, pair):
    """Tiles needed for so many sets and a pair or none."""
    needed = word >> (8 * sets + 4 * pair) & 15
    return needed if needed < at.NEVER else MANY


@step
def with_tiles(wanted, tiles):
    """Masks with one more of some tiles; a fifth copy is lost."""
    return (
        wanted[0] | tiles,
        wanted[1] | wanted[0] & tiles,
        wanted[2] | wanted[1] & tiles,
        wanted[3] | wanted[2] & tiles,
    )


@step
def rest_of(held, wanted):
    """Masks of what is held beyond what is wanted."""
    none = ~wanted[0]
    one, two, three = wanted[0] & ~wanted[1], wanted[1] & ~wanted[2], wanted[2] & ~wanted[3]
    return (
        held[0] & none | held[1] & one | held[2] & two | held[3] & three,
        held[1] & none | held[2] & one | held[3] & two,
        held[2] & none | held[3] & one,
        held[3] & none,
    )


@step
def used_of(wanted, shown):
    """Masks of copies that are wanted or lie in melds, one to four of them."""
    return (
        wanted[0] | shown[0],
        wanted[1] | shown[1] | wanted[0] & shown[0],
        wanted[2] | shown[2] | wanted[1] & shown[0] | wanted[0] & shown[1],
        wanted[3] | shown[3] | wanted[2] & shown[0] | wanted[1] & shown[1] | wanted[0] & shown[2],
    )


@step
def number_missing(held, wanted):
    """Tiles wanted that are not held."""
    return (
        popcount(wanted[0] & ~held[0])
        + popcount(wanted[1] & ~held[1])
        + popcount(wanted[2] & ~held[2])
        + popcount(wanted[3] & ~held[3])
    )


@step
def shape_of(tables, value, tiles, suit):
    """Number of the shape that some tiles make in a suit (3 the honours)."""
    first = 9 * suit
    keys = value.plane_keys
    low = high = 0
    for number in range(4):
        ranks = tiles[number] >> first
        low += keys[ranks & 15]
        high += keys[16 + (ranks >> 4 & 31)]
    low += 0 if suit < 3 else distance_at.HONOR_LOW
    high += distance_at.SUIT_HIGH if suit < 3 else distance_at.HONOR_HIGH
    return (np.int64(tables.parts[low]) + np.int64(tables.parts[high])) & distance_at.SHAPE


@step
def class_beside(tables, value, rest, wanted, suit, whole):
    """Class of what is left of a suit; ``whole`` where nothing of it is wanted."""
    if wanted >> 9 * suit & 511 == 0:
        return whole
    return np.int64(tables.classes[shape_of(tables, value, rest, suit)])


@step
def row_beside(tables, value, rest, wanted, classes):
    """Row of the classes of the four suits together, what is wanted (a mask) taken out."""
    a = class_beside(tables, value, rest, wanted, 0, classes[0])
    b = class_beside(tables, value, rest, wanted, 1, classes[1])
    c = class_beside(tables, value, rest, wanted, 2, classes[2])
    d = class_beside(tables, value, rest, wanted, 3, classes[3])
    return tables.join[tables.join[a, b], tables.join[c, d]]


@step
def may_be_short(rest, used, sets):
    """Whether the tables may want a copy too many for so many sets and a pair of any tiles.

    The tables know four copies of each kind, not that some are used. When none of a kind is left
    of what is held, a pair or pung of it is a new one and might be laid elsewhere, so that only
    chows can be short; one or two held tell by how many copies are used. (A kind of which one copy
    is used is short only where the rest would want all four of it, which costs more than laying a
    new set unless two are held.)
    """
    held = rest[0]
    near = held << 1 & _BELOW_1 | held << 2 & _BELOW_2 | held >> 1 & _ABOVE_1 | held >> 2 & _ABOVE_2
    many = sets >= 2
    gone = used[2] if many else used[3] if sets == 1 else np.int64(0)
    pairs = used[0] & rest[1] if many else np.int64(0)
    return (pairs | used[1] & held | gone & near & _SUITS) != 0


@step
def pair_beside(rest, used, pairs):
    """Fewest tiles for a pair, with the copies that there are."""
    free = pairs & ~used[2]
    if rest[1] & pairs:
        return np.int64(0)
    if rest[0] & free:
        return np.int64(1)
    return np.int64(2) if free else np.int64(MANY)


@inner_kernel
def cost_by_search(scratch, rest, used, sets, pair, beside, best, least):
    """Tiles for so many sets and the pair where copies may be short, or ``best``."""
    for tile in range(34):
        scratch[REST, tile] = (
            (rest[0] >> tile & 1)
            + (rest[1] >> tile & 1)
            + (rest[2] >> tile & 1)
            + (rest[3] >> tile & 1)
        )
        scratch[SPARE, tile] = 4 - (
            (used[0] >> tile & 1)
            + (used[1] >> tile & 1)
            + (used[2] >> tile & 1)
            + (used[3] >> tile & 1)
        )
    pairs = ALL_TILES if beside == at.ANYTHING else _SUITS
    pungs = 0 if beside == at.CHOWS_ONLY else pairs
    return fewest_of(
        scratch, sets, pair, True, ALL_CHOWS, pungs, pairs, ANY_PUNGS, NOTHING_ASKED, 0, best, least
    )


@inner_kernel
def wanted_beside(needs, scratch, row, melds):
    """What a row wants when some of its sets may lie on the table: masks, sets still to lay.

    Each meld counts for one set.
    """
    wanted = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    taken = laid = 0
    for place in range(needs[row, at.NUMBER]):
        choice = needs[row, at.SETS + place]
        found = False
        for meld in range(melds):
            if not found and not taken >> meld & 1 and scratch[MELDS, meld] == choice:
                taken |= 1 << meld
                found = True
        if not found:
            laid += 1
            if choice >= NO_PUNG:
                tile = np.int64(1) << (choice - NO_PUNG)
                wanted = with_tiles(with_tiles(with_tiles(wanted, tile), tile), tile)
            else:
                wanted = with_tiles(wanted, np.int64(7) << choice)
    pair = needs[row, at.PAIR]
    if pair >= 0:
        tile = np.int64(1) << pair
        wanted = with_tiles(with_tiles(wanted, tile), tile)
    nine = needs[row, at.NINE]
    if nine >= 0:
        laid += 3
        wanted = with_tiles(wanted, np.int64(distance_at.NINES[nine]))
    return wanted, laid


@step
def melds_forbid(scratch, beside, melds):
    """Whether some meld may not stand beside the sets of a row."""
    forbidden = False
    if beside != at.ANYTHING:
        for meld in range(melds):
            kind = scratch[MELDS, meld]
            forbidden |= kind >= (NO_PUNG if beside == at.CHOWS_ONLY else NO_PUNG + 27)
    return forbidden


@step
def need_cost(
    tables, value, scratch, classes, word, held, shown, row, melds, table_sets, best, search
):
    """Tiles missing for a row of needs, or ``best`` if that is no less; whether that is certain.

    Without ``search`` it is a lower bound where copies may be short. ``word`` is what any sets need
    of the whole hand, ``table_sets`` are masks of the chows and pungs on the table.
    """
    needs = value.needs
    wanted = (needs[row, 0], needs[row, 1], needs[row, 2], needs[row, 3])
    laid = needs[row, at.NUMBER] + (3 if needs[row, at.NINE] >= 0 else 0)
    if needs[row, at.CHOWS] & table_sets[0] | needs[row, at.PUNGS_WANTED] & table_sets[1]:
        wanted, laid = wanted_beside(needs, scratch, row, melds)
    sets, pair = 4 - melds - laid, np.int64(needs[row, at.PAIR] < 0)
    missing = number_missing(held, wanted)
    if sets < 0 or missing + (word >> (8 * sets + 4 * pair) & 15) >= best:
        return best, True
    if melds:
        fifth = (
            wanted[3] & shown[0]
            | wanted[2] & shown[1]
            | wanted[1] & shown[2]
            | wanted[0] & shown[3]
        )
        if fifth or melds_forbid(scratch, needs[row, at.BESIDE], melds):
            return best, True
    if sets == 0 and pair == 0:
        return missing, True
    beside = needs[row, at.BESIDE]
    rest = rest_of(held, wanted)
    used = used_of(wanted, shown)
    if sets == 0:
        pairs = ALL_TILES if beside == at.ANYTHING else _SUITS
        return min(best, missing + pair_beside(rest, used, pairs)), True
    if beside != at.ANYTHING:
        classes = (
            classes[0], classes[1], classes[2], np.int64(tables.classes[at.NO_HONOR_SHAPE])
        )  # fmt: skip
    together = row_beside(tables, value, rest, wanted[0], classes)
    least = word_entry(value.all_words[together], sets, pair)
    certain = beside != at.CHOWS_ONLY and not may_be_short(rest, used, sets)
    if missing + least >= best or certain or not search:
        return min(best, missing + least), certain or missing + least >= best
    found = cost_by_search(scratch, rest, used, sets, pair, beside, best - missing, least)
    return missing + found, True


@step
def note(scratch, fan, tile, cost, seat, prevalent):
    """Keep a lower number of missing tiles; a pung of an honour counts for its fans."""
    scratch[BEST, fan] = min(scratch[BEST, fan], cost)
    if fan == at.ONE_PUNG:
        if tile >= 31:
            scratch[BEST, DRAGONS] = min(scratch[BEST, DRAGONS], cost)
        if tile == 27 + prevalent:
            scratch[BEST, PREVALENT] = min(scratch[BEST, PREVALENT], cost)
        if tile == 27 + seat:
            scratch[BEST, SEAT] = min(scratch[BEST, SEAT], cost)


@step
def to_beat(scratch, fan, tile, seat, prevalent):
    """Most tiles that a row must stay below to matter (tile -1: any row of the fan)."""
    best = scratch[BEST, fan]
    if fan == at.ONE_PUNG:
        if tile < 0 or tile >= 31:
            best = max(best, scratch[BEST, DRAGONS])
        if tile < 0 or tile == 27 + prevalent:
            best = max(best, scratch[BEST, PREVALENT])
        if tile < 0 or tile == 27 + seat:
            best = max(best, scratch[BEST, SEAT])
    return best


@step
def order_groups(value, scratch):
    """List the groups in ``ORDER``, those that want four of a kind by how many are lacking."""
    fours = value.need_fours
    number = fours[0]
    for group in range(number):
        scratch[at.ORDER, group] = group
    for lacking in range(5):
        for tile in range(27):
            if 4 - scratch[HELD, tile] - scratch[SHOWN, tile] == lacking:
                for group in range(fours[tile], fours[tile + 1]):
                    scratch[at.ORDER, number] = group
                    number += 1
    return number


@step
def table_sets_of(scratch, melds):
    """Masks of the chows and of the pungs on the table."""
    chows = pungs = np.int64(0)
    for meld in range(melds):
        choice = scratch[MELDS, meld]
        chows |= np.int64(1) << choice if choice < NO_PUNG else 0
        pungs |= np.int64(1) << (choice - NO_PUNG) if choice >= NO_PUNG else 0
    return chows, pungs


@inner_kernel
def needs_fans(tables, value, scratch, classes, word, held, shown, melds, seat, prevalent, nearest):
    """Fans of several sets; returns the fewest tiles for a knitted straight.

    ``nearest`` is what any sets and a pair need: no fan of four sets and a pair needs less. All
    rows of a group are looked at without a search, then those where copies may be short with one:
    most of these are by then known to be no nearer. (Bounds of all rows at once by vector
    instructions, before any is looked at, cost what they save.)
    """
    needs, groups = value.needs, value.need_groups
    table_sets = table_sets_of(scratch, melds)
    straight = np.int64(MANY)
    for turn in range(order_groups(value, scratch)):
        group = scratch[at.ORDER, turn]
        fan, nine = groups[group, at.GROUP_FAN], groups[group, at.GROUP_NINE]
        first, doubtful = groups[group, at.FIRST], 0
        least = scratch[at.PARTS, nine] if nine >= 0 and fan != _STRAIGHT else nearest
        if groups[group, at.GROUP_FOUR] >= 0:
            tile = groups[group, at.GROUP_FOUR]
            least = max(least, 4 - scratch[HELD, tile] - scratch[SHOWN, tile])
        if fan != _STRAIGHT and least >= to_beat(scratch, fan, -1, seat, prevalent):
            continue
        for search in range(2):
            for place in range(doubtful if search else groups[group, at.STOP] - first):
                row = scratch[at.LATER, place] if search else first + place
                tile = needs[row, at.SETS] - NO_PUNG
                best = MANY if fan == _STRAIGHT else to_beat(scratch, fan, tile, seat, prevalent)
                cost, certain = need_cost(
                    tables, value, scratch, classes, word, held, shown, row, melds, table_sets,
                    best, search,
                )  # fmt: skip
                if not certain:
                    scratch[at.LATER, doubtful] = row
                    doubtful += 1
                    continue
                if fan == _STRAIGHT:  # what every hand with this arrangement needs at least
                    scratch[at.PARTS, nine] = cost
                    straight = min(straight, cost)
                if cost < best:
                    note(scratch, fan, tile, cost, seat, prevalent)
    return straight
