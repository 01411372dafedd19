"""Sets and a pair beside melds that are known: the copies that lie in them are gone.

The tables know that a tile exists four times, not where its copies are. Where that may matter, for
one random hand in twenty that has melds, the suits that have melds are worked out rank by rank,
with the copies that there are: 0.25 µs a suit, and as much again for the tiles that help. (One
number at a time, with the tiles joined on the way, took 2 to 3 µs a hand.)
"""

from __future__ import annotations

import numpy as np

from ..jit import bare_kernel, inner_kernel, step
from ..machine import fewer_bytes, popcount
from . import layout as at
from .melds import meld_planes
from .rows import four_keys, four_words, keys_without, shapes_of

_TILES, _SUITS = (1 << 34) - 1, (1 << 27) - 1
#: Ranks that have a neighbour one and two below, one and two above, in their suit.
_BELOW_1, _BELOW_2 = 0b111111110 * 0o1001001, 0b111111100 * 0o1001001
_ABOVE_1, _ABOVE_2 = 0b011111111 * 0o1001001, 0b001111111 * 0o1001001
#: A word of lanes has what is needed for k sets in byte 2 * k and for k sets and a pair in the
#: next, k = 0-3; bit 6 of each is spare.
_LANE, _LANES = 8, 8
_ONES = sum(1 << _LANE * lane for lane in range(_LANES))
_ALL, _SPARE = _ONES * 127, _ONES * 64
_UNPAIRED = sum(127 << _LANE * lane for lane in range(0, _LANES, 2))
#: More than any suit needs: what cannot be made at all.
_FAR = 20
_FARS = _ONES * _FAR
_NOTHING = _FARS - _FAR
#: Memory of a call, int64: for each suit the words before every rank and after the last, by the
#: chows that go on, 3 * (those begun two below) + those begun one below; then marks on such words
#: of two ranks. (Keeping what was worked out last spares roll-outs beside melds 13 %, others none.)
MEMORY = (4, 10, 9)
_MARKS = 3


@step
def locked_masks(codes, i):
    """Kinds of which one, two, three and four copies at least lie in melds."""
    one, two, three, four, _ = meld_planes(codes, i)
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
def _moved(word, places):
    """Lanes moved up by some places; nothing is known of those below."""
    bits = _LANE * places
    return word << bits & _ALL | _FARS & (1 << bits) - 1


@step
def _unpaired(word):
    """The lanes without a pair."""
    return word & _UNPAIRED | _FARS & ~_UNPAIRED


@step
def _with_rank(word, begun, held, copies):
    """Words after a rank that so many chows take: with no more of it, with a pair, with a pung."""
    pair = word + _ONES * max(begun + 2 - held, 0) if begun + 2 <= copies else _FARS
    pung = word + _ONES * max(begun + 3 - held, 0) if begun + 3 <= copies else _FARS
    return word + _ONES * max(begun - held, 0), pair, pung


@step
def _copies_left(locked, tile):
    """Copies of a tile that do not lie in melds."""
    one, two, three, four = locked
    return 4 - (one >> tile & 1) - (two >> tile & 1) - (three >> tile & 1) - (four >> tile & 1)


@inner_kernel
def _suit_with_locks(rows, i, out, suit, locked, sets):
    """Word of a suit, worked out rank by rank; three equal chows are three pungs."""
    memory = rows.memory
    for state in range(1, 9):
        memory[suit, 0, state] = _FARS
    memory[suit, 0, 0] = _NOTHING
    for rank in range(9):
        tile = 9 * suit + rank
        held, copies = copies_of(rows, i, out, tile), _copies_left(locked, tile)
        most, new = min(copies, sets), 2 if rank < 7 else 0
        for state in range(9):
            memory[suit, rank + 1, state] = _FARS
        for b in range(min(most, 2) + 1):
            for c in range(min(most - b, new) + 1):
                plain = pair = pung = _FARS
                for a in range(min(most - b - c, 2) + 1):
                    ways = _with_rank(memory[suit, rank, 3 * a + b], a + b + c, held, copies)
                    plain, pair = fewer_bytes(plain, ways[0]), fewer_bytes(pair, ways[1])
                    pung = fewer_bytes(pung, ways[2])
                found = fewer_bytes(plain, fewer_bytes(_moved(_unpaired(pair), 1), _moved(pung, 2)))
                found = _moved(found, 2 * c)
                memory[suit, rank + 1, 3 * b + c] = found
    return memory[suit, 9, 0]


@step
def _equal(way, found):
    """Spare bits of the lanes that are equal."""
    return _SPARE - (way ^ found) & _SPARE


@inner_kernel
def _ranks_missing(rows, i, out, suit, locked, sets, wanted):
    """Ranks missing in any way that leads to some lanes of a suit's word, from the end back."""
    memory, now, ranks = rows.memory, 0, 0
    for state in range(9):
        memory[_MARKS, 0, state] = 0
    memory[_MARKS, 0, 0] = wanted
    for rank in range(8, -1, -1):
        tile = 9 * suit + rank
        held, copies = copies_of(rows, i, out, tile), _copies_left(locked, tile)
        most, new = min(copies, sets), 2 if rank < 7 else 0
        for state in range(9):
            memory[_MARKS, 1 - now, state] = 0
        for b in range(min(most, 2) + 1):
            for c in range(min(most - b, new) + 1):
                goal, found = memory[_MARKS, now, 3 * b + c], memory[suit, rank + 1, 3 * b + c]
                if goal == 0:
                    continue
                for a in range(min(most - b - c, 2) + 1):
                    word, begun = _moved(memory[suit, rank, 3 * a + b], 2 * c), a + b + c
                    plain, pair, pung = _with_rank(word, begun, held, copies)
                    plain = _equal(plain, found) & goal
                    pair = _equal(_moved(_unpaired(pair), 1), found) & goal
                    pung = _equal(_moved(pung, 2), found) & goal
                    missing = plain * (begun > held) | pair * (begun + 2 > held)
                    missing |= pung * (begun + 3 > held)
                    ranks |= int(missing != 0) << rank
                    marks = plain | pair >> _LANE | pung >> 2 * _LANE
                    memory[_MARKS, 1 - now, 3 * a + b] |= marks >> 2 * _LANE * c
        now = 1 - now
    return ranks


@step
def _suit_of_tables(tables, shape):
    """Word of a suit as if all four copies of every tile were there."""
    row, word = tables.classes[shape], np.int64(0)
    for lane in range(_LANES):
        word |= np.int64(min(_FAR, int(tables.need[lane, row]))) << _LANE * lane
    return word


@step
def _ranks_of_tables(tables, shape, wanted):
    """Ranks that make some lanes of a suit's word less."""
    ranks = np.int64(0)
    while wanted:
        lane = popcount((wanted & -wanted) - 1) // _LANE
        ranks |= np.int64(tables.lower_words[tables.lower[shape, lane & 1]]) >> 9 * (lane >> 1)
        wanted &= wanted - 1
    return ranks & at.SUIT_TILES


@step
def _lane(word, lane):
    """What one lane says."""
    return word >> _LANE * lane & 127


@bare_kernel
def _joined(a, b):
    """Word of two suits together."""
    found = _FARS
    for lane in range(_LANES):
        beside = _unpaired(b) if lane & 1 else b
        found = fewer_bytes(found, _moved(beside, lane) + _ONES * _lane(a, lane))
    return found


@step
def _wanted(word, rest, least, sets):
    """Lanes of a suit that lie on a shortest way, beside what the other suits need."""
    lanes = np.int64(0)
    for lane in range(2 * sets + 2):
        # ``2 * sets + 1 - lane``: the other sets, and the pair if this suit has none
        on_way = _lane(word, lane) + _lane(rest, 2 * sets + 1 - lane) == least
        lanes |= np.int64(on_way) << _LANE * lane + 6
    return lanes


@step
def _has_locks(locked, suit):
    """Whether a suit has melds that matter, which those of honours do not."""
    return suit < 3 and locked[0] >> 9 * suit & at.SUIT_TILES != 0


@step
def _usable_keys(tables, rows, i, out, locked):
    """Keys without honours that lie in a meld: the last copy is of no use; there is enough else."""
    keys = keys_without(tables.unit_keys, four_keys(rows.counts, i), out)
    for tile in range(27, 34):
        if locked[0] >> tile & 1 and copies_of(rows, i, out, tile):
            keys = keys_without(tables.unit_keys, keys, tile)
    return keys


@inner_kernel
def _word_of(tables, rows, i, out, suit, shape, locked, sets):
    """Word of a suit."""
    if not _has_locks(locked, suit):
        return _suit_of_tables(tables, shape)
    return _suit_with_locks(rows, i, out, suit, locked, sets)


@bare_kernel
def locked_words(tables, rows, i, out, sets, locked):
    """Words of the four suits, and their shapes."""
    shapes = shapes_of(four_words(tables.parts, _usable_keys(tables, rows, i, out, locked)))
    return (
        _word_of(tables, rows, i, out, 0, shapes[0], locked, sets),
        _word_of(tables, rows, i, out, 1, shapes[1], locked, sets),
        _word_of(tables, rows, i, out, 2, shapes[2], locked, sets),
        _suit_of_tables(tables, shapes[3]),
    ), shapes


@step
def locked_missing(words, sets):
    """Tiles missing for so many sets and a pair: always exact."""
    return _lane(_joined(_joined(words[0], words[1]), _joined(words[2], words[3])), 2 * sets + 1)


@bare_kernel
def locked_tiles(tables, rows, i, out, sets, locked, words, shapes):
    """Tiles that make fewer missing for so many sets and a pair."""
    left, right = _joined(words[0], words[1]), _joined(words[2], words[3])
    least, tiles = _lane(_joined(left, right), 2 * sets + 1), np.int64(0)
    for suit in range(4):
        rest = _joined(words[suit ^ 1], right if suit < 2 else left)
        wanted = _wanted(words[suit], rest, least, sets)
        if _has_locks(locked, suit):
            ranks = _ranks_missing(rows, i, out, suit, locked, sets, wanted)
        else:
            ranks = _ranks_of_tables(tables, shapes[suit], wanted)
        tiles |= np.int64(ranks) << 9 * suit
    return tiles & ~(locked[0] & at.HONORS)


@inner_kernel
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
