"""Sets and a pair beside melds that are known: the copies that lie in them are gone.

The tables know that a tile exists four times, not where its copies are. Where that may matter, for
one random hand in ten that has melds, the suits that have melds are worked out rank by rank, with
the copies that there are, in 2 to 3 µs. (Asking the tables first which tiles help spares one such
hand in five and costs more.)
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, step
from ..machine import popcount
from . import layout as at
from .rows import four_keys, four_words, keys_without, shapes_of

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
def _near(held):
    """Kinds of the suits within a chow of one held, and those that lack only them to be a chow."""
    below_1, below_2 = held << 1 & _BELOW_1, held << 2 & _BELOW_2
    above_1, above_2 = held >> 1 & _ABOVE_1, held >> 2 & _ABOVE_2
    joined = below_1 & below_2 | below_1 & above_1 | above_1 & above_2
    return (below_1 | below_2 | above_1 | above_2) & _SUITS, joined & _SUITS


@step
def is_tight(levels, melds, locked, ties):
    """Whether the tables may want a copy too many of some tile; with ``ties`` on any shortest way.

    ``levels`` are the kinds of which one to four at least are held. A set or pair of which too much
    is new never lies on a shortest way, for some tile that is left aside serves better, unless that
    is the fourth of its kind. Two held tiles that lack only one of a chow make a tile worth more
    than another; without them the way is no shorter than others.
    """
    one, two, three, four = locked
    held, pairs, triples, quads = levels
    near, joined = _near(held)
    tight = three & held | two & pairs
    if ties:
        tight |= two & held | four & near
    else:
        tight |= two & held & joined | four & joined
    if melds < 3:
        tight |= one & pairs & joined | (one & triples if ties else np.int64(0))
        # two chows through the one copy that is left
        crowded = joined & (near & _near(pairs)[0] | _many(held))
        tight |= three & crowded
    return (tight | quads) != 0 or (melds == 1 and four != 0)


@step
def _many(held):
    """Kinds within a chow of three others that are held."""
    a, b = held << 2 & _BELOW_2, held << 1 & _BELOW_1
    c, d = held >> 1 & _ABOVE_1, held >> 2 & _ABOVE_2
    return a & b & c | a & b & d | a & c & d | b & c & d


@step
def _keep(memory, row, state, way, lacking, rank):
    """Enter a way into a state: fewer missing tiles win, equal ones join."""
    if lacking > 0:
        way = way + (lacking << _RANKS) | np.int64(1) << rank
    old = memory[row, state]
    if way >> _RANKS < old >> _RANKS:
        memory[row, state] = way
    elif way >> _RANKS == old >> _RANKS:
        memory[row, state] = old | way


@step
def _state(two_below, one_below, sets, pair):
    """Number of a state: chows begun two ranks and one rank below, sets and pair so far."""
    return ((two_below * 3 + one_below) * 4 + sets) * 2 + pair


@bare_kernel
def _step_rank(memory, now, rank, held, copies, most_chows, sets):
    """All states of a rank from those of the one below; three equal chows are three pungs."""
    most = min(2, sets)
    for a in range(most + 1):
        for b in range(most + 1):
            for state in range(_state(a, b, 0, 0), _state(a, b, sets, 1) + 1):
                memory[1 - now, state] = _FAR
    for a in range(most + 1):
        for b in range(min(most, min(sets, copies) - a) + 1):
            for state in range(_state(a, b, a + b, 0), _state(a, b, sets, 1) + 1):
                old = memory[now, state]
                if old >= _FAR:
                    continue
                k, p = state >> 1 & 3, state & 1
                for c in range(min(most_chows, min(sets - k, copies - a - b)) + 1):
                    to, begun = _state(b, c, k + c, p), a + b + c
                    _keep(memory, 1 - now, to, old, begun - held, rank)
                    if p == 0 and begun + 2 <= copies:  # and a pair
                        _keep(memory, 1 - now, to + 1, old, begun + 2 - held, rank)
                    if k + c < sets and begun + 3 <= copies:  # and a pung
                        _keep(memory, 1 - now, to + 2, old, begun + 3 - held, rank)


@bare_kernel
def _suit_with_locks(rows, i, out, suit, locked, sets):
    """What a suit needs for each number of sets, with and without the pair, and what helps."""
    memory, now = rows.memory, 0
    for state in range(MEMORY[1]):
        memory[0, state] = _FAR
    memory[0, 0] = 0
    for rank in range(9):
        tile = 9 * suit + rank
        copies = 4
        for number in range(4):
            copies -= locked[number] >> tile & 1
        chows = 2 if rank < 7 else 0
        _step_rank(memory, now, rank, copies_of(rows, i, out, tile), copies, chows, sets)
        now = 1 - now
    for entry in range(2 * sets + 2):
        memory[_NEED + suit, entry] = memory[now, entry] >> _RANKS
        memory[_HELP + suit, entry] = memory[now, entry] & 511


@step
def _suit_of_tables(tables, memory, shape, suit, sets, usable):
    """The same of a suit as if all four copies of every tile were there."""
    row = tables.classes[shape]
    for entry in range(2 * sets + 2):
        memory[_NEED + suit, entry] = tables.need[entry, row]
        word = tables.lower_words[tables.lower[shape, entry & 1]]
        memory[_HELP + suit, entry] = word >> 9 * (entry >> 1) & usable


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
def locked_regular(tables, rows, i, out, sets, locked):
    """Tiles missing for so many sets and a pair, and those that make it fewer: always exact.

    An honour of which three copies lie in a meld is of no use; there are enough others.
    """
    memory, rest = rows.memory, _TOGETHER + 2
    keys = keys_without(tables.unit_keys, four_keys(rows.counts, i), out)
    for tile in range(27, 34):
        if locked[0] >> tile & 1 and copies_of(rows, i, out, tile):
            keys = keys_without(tables.unit_keys, keys, tile)
    shapes = shapes_of(four_words(tables.parts, keys))
    for suit in range(3):
        if locked[0] >> 9 * suit & at.SUIT_TILES:
            _suit_with_locks(rows, i, out, suit, locked, sets)
        else:
            _suit_of_tables(tables, memory, shapes[suit], suit, sets, at.SUIT_TILES)
    _suit_of_tables(tables, memory, shapes[3], 3, sets, ~(locked[0] >> 27) & at.SUIT_TILES)
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
def locked_straight(levels, locked):
    """Tiles missing for a knitted straight beside one meld, and those that make it fewer."""
    _, two, three, four = locked
    held, pairs, triples, _ = levels
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
