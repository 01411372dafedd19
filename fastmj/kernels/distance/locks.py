"""Sets and a pair beside melds that are known: the copies that lie in them are gone.

The tables know that a tile exists four times, not where its copies are. ``tight_tiles`` are those
of which they may want a copy too many; only where one of these is among the tiles that seem to help
(one hand with melds of twelve) is a suit worked out again, rank by rank, with the copies there are.
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import popcount
from . import layout as at
from .regular import lowering_tiles

_TILES, _SUITS = (1 << 34) - 1, (1 << 27) - 1
#: Ranks that have a neighbour one and two below, one and two above, in their suit.
_BELOW_1, _BELOW_2 = 0b111111110 * 0o1001001, 0b111111100 * 0o1001001
_ABOVE_1, _ABOVE_2 = 0b011111111 * 0o1001001, 0b001111111 * 0o1001001
#: Memory of a call, int64: states of two ranks, then what each suit and some suits together need,
#: then which tiles make that less. A suit's row has 2 * k + pair for k sets.
MEMORY = (16, 72)
_NEED, _TOGETHER, _HELP = 2, 6, 12
_LEFT, _RIGHT = _TOGETHER, _TOGETHER + 1
#: A state is the tiles missing and, below, the ranks missing in any way to miss so few.
_RANKS = 9
_FAR = 99 << _RANKS


@step
def locked_masks(codes, i):
    """Kinds of which one, two, three and four copies at least lie in melds."""
    one = two = three = four = np.int64(0)
    for place in range(4):
        code = np.int64(codes[i, place])
        if code:
            kind, tile = (code - 1) // 34, (code - 1) % 34
            tiles = np.int64(7 if kind == 0 else 1) << tile
            if kind == 0:
                four |= three & tiles
                three |= two & tiles
                two |= one & tiles
            else:
                four |= tiles if kind > 1 else one & tiles
                three |= tiles
                two |= tiles
            one |= tiles
    return one, two, three, four


@step
def copies_of(rows, i, out, tile):
    """Concealed copies of a tile when ``out`` is taken out."""
    return np.int64(rows.counts[i, tile]) - np.int64(tile == out)


@step
def tight_tiles(rows, i, out, locked):
    """Kinds that the nearest hands of the tables may take more often than they can.

    Of the others such a hand would want three or four new copies, so that some tile that it leaves
    aside would serve better.
    """
    one, two, three, _ = locked
    tight, rest = three, one & ~three
    while rest:
        low = rest & -rest
        held = copies_of(rows, i, out, popcount(low - 1))
        if held > 1 or (held and two & low):
            tight |= low
        rest ^= low
    return tight


@step
def near_tiles(held):
    """Kinds of the suits that lie within a chow of some kind held."""
    near = held << 1 & _BELOW_1 | held << 2 & _BELOW_2 | held >> 1 & _ABOVE_1 | held >> 2 & _ABOVE_2
    return near & _SUITS


@step
def _keep(memory, row, state, missing, ranks):
    """Enter a way into a state: fewer missing tiles win, equal ones join."""
    old = memory[row, state]
    new = missing << _RANKS
    if new < old & -512:
        memory[row, state] = new | ranks
    elif new == old & -512:
        memory[row, state] = old | ranks


@step
def _state(two_below, one_below, sets, pair):
    """Number of a state: chows begun two ranks and one rank below, sets and pair so far."""
    return ((two_below * 3 + one_below) * 4 + sets) * 2 + pair


@bare_kernel
def _step_rank(memory, now, rank, held, copies, most_chows, sets):
    """All states of a rank from those of the one below; three equal chows are three pungs."""
    for state in range(MEMORY[1]):
        memory[1 - now, state] = _FAR
    for a in range(3):
        for b in range(min(2, copies - a) + 1):
            for k in range(sets + 1):
                for p in range(2):
                    old = memory[now, _state(a, b, k, p)]
                    if old >= _FAR:
                        continue
                    for c in range(min(most_chows, sets - k, copies - a - b) + 1):
                        for pung in range(min(1, sets - k - c) + 1):
                            for pair in range(2 - p):
                                wanted = a + b + c + 3 * pung + 2 * pair
                                if wanted <= copies:
                                    lacking = max(0, wanted - held)
                                    _keep(
                                        memory, 1 - now, _state(b, c, k + c + pung, p + pair),
                                        (old >> _RANKS) + lacking,
                                        old & 511 | np.int64(lacking > 0) << rank,
                                    )  # fmt: skip


@bare_kernel
def _suit_with_locks(rows, i, out, suit, locked, sets):
    """What a suit needs for each number of sets, with and without the pair, and what helps."""
    memory, now = rows.memory, 0
    for state in range(MEMORY[1]):
        memory[0, state] = _FAR
    memory[0, 0] = 0
    for rank in range(9 if suit < 3 else 7):
        tile = 9 * suit + rank
        copies = 4
        for number in range(4):
            copies -= locked[number] >> tile & 1
        chows = 2 if suit < 3 and rank < 7 else 0
        _step_rank(memory, now, rank, copies_of(rows, i, out, tile), copies, chows, sets)
        now = 1 - now
    for entry in range(2 * sets + 2):
        memory[_NEED + suit, entry] = memory[now, entry] >> _RANKS
        memory[_HELP + suit, entry] = memory[now, entry] & 511


@step
def _suit_of_tables(tables, memory, shape, suit, sets):
    """The same of a suit of which no copy lies in a meld."""
    row = tables.classes[shape]
    for entry in range(2 * sets + 2):
        memory[_NEED + suit, entry] = tables.rows[row, entry]
        word = tables.lower_words[tables.lower[shape, entry & 1]]
        memory[_HELP + suit, entry] = word >> 9 * (entry >> 1) & 511


@bare_kernel
def _join(memory, a, b, to, sets):
    """What two suits need together."""
    for k in range(sets + 1):
        none = one = np.int64(99)
        for j in range(k + 1):
            x, y = 2 * j, 2 * (k - j)
            none = min(none, memory[a, x] + memory[b, y])
            one = min(one, min(memory[a, x] + memory[b, y + 1], memory[a, x + 1] + memory[b, y]))
        memory[to, 2 * k], memory[to, 2 * k + 1] = none, one


@bare_kernel
def _helping(memory, suit, rest, least, sets):
    """Tiles of a suit that help on some shortest way, beside what the other suits need."""
    tiles = np.int64(0)
    for entry in range(2 * sets + 2):
        # ``2 * sets + 1 - entry``: the other sets, and the pair if this suit has none
        if memory[_NEED + suit, entry] + memory[rest, 2 * sets + 1 - entry] == least:
            tiles |= memory[_HELP + suit, entry]
    return tiles << 9 * suit


@bare_kernel
def locked_regular(tables, rows, i, out, shapes, sets, locked):
    """Tiles missing for so many sets and a pair, and those that make it fewer: always exact."""
    memory, rest = rows.memory, _TOGETHER + 2
    for suit in range(4):
        if locked[0] >> 9 * suit & 511:
            _suit_with_locks(rows, i, out, suit, locked, sets)
        else:
            _suit_of_tables(tables, memory, shapes[suit], suit, sets)
    _join(memory, _NEED, _NEED + 1, _LEFT, sets)
    _join(memory, _NEED + 2, _NEED + 3, _RIGHT, sets)
    least = np.int64(99)
    for entry in range(2 * sets + 2):
        least = min(least, memory[_LEFT, entry] + memory[_RIGHT, 2 * sets + 1 - entry])
    tiles = np.int64(0)
    for suit in range(4):
        _join(memory, _NEED + (suit ^ 1), _RIGHT if suit < 2 else _LEFT, rest, sets)
        tiles |= _helping(memory, suit, rest, least, sets)
    return least, tiles


@bare_kernel
def locked_straight(rows, i, out, locked):
    """Tiles missing for a knitted straight beside one meld, and those that make it fewer."""
    _, two, three, four = locked
    held = pairs = triples = np.int64(0)
    for tile in range(34):
        number = copies_of(rows, i, out, tile)
        held |= np.int64(number > 0) << tile
        pairs |= np.int64(number > 1) << tile
        triples |= np.int64(number > 2) << tile
    least, tiles = np.int64(99), np.int64(0)
    for a in range(6):
        nine = at.NINES[a]
        allowed = (~nine & ~three | nine & ~two) & _TILES
        ready = (~nine & pairs | nine & triples) & allowed
        half = (~nine & held | nine & pairs) & allowed
        missing = popcount(nine & ~held) + (0 if ready else 1 if half else 2)
        if nine & four or missing > least:
            continue
        helping = nine & ~held | (0 if ready else half if half else allowed)
        tiles = helping if missing < least else tiles | helping
        least = missing
    return least, tiles


@bare_kernel
def locked_forms(tables, rows, i, out, shapes, melds, locked, tight, regular):
    """Shanten of the regular form and of the knitted straight, and the tiles that lower each.

    ``regular`` is what the tables say; it stands where none of the tight tiles seems to help.
    """
    straight, beside = np.int64(at.RULED_OUT), np.int64(0)
    tiles = np.int64(lowering_tiles(tables, shapes, 4 - melds))
    if tiles & tight:
        missing, tiles = locked_regular(tables, rows, i, out, shapes, 4 - melds, locked)
        regular = missing - 1
    if melds == 1:
        missing, beside = locked_straight(rows, i, out, locked)
        straight = missing - 1
    return regular, straight, tiles, beside
