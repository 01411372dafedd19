"""Reading a row of counts: is it a hand, and which shapes are its suits."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..jit import inner_kernel, step
from . import layout as at
from .melds import FIFTH_COPY, copies_in, meld_planes, number_of_melds, read_melds

#: Row of ``unit_keys`` for taking nothing out.
NO_TILE = 34


class Rows(NamedTuple):
    """What the kernels read. A step is 0 where one row serves for all, else 1.

    With ``code_step`` 1 the codes say how many melds there are, and their tiles are gone beside
    those of ``seen``; with 0 the number stands in ``melds``, and ``seen`` has their tiles, too.
    """

    counts: Any  # uint8 (N, 34)
    melds: Any  # uint8 (N,) or (1,): number of melds
    meld_step: int
    seen: Any  # uint8 (N, 34) or (1, 34): copies outside the concealed tiles
    seen_step: int
    codes: Any  # uint8 (N, 4) or (1, 4): meld codes
    code_step: int
    memory: Any  # int64 of ``locks.MEMORY``, of this call alone
    fewest: int  # tiles of a row: 13 less 3 a meld and from so many
    most: int  # to so many more


@step
def named(tables, rows):
    """Both by the names of their parts: from Python they come without, 1.3 µs a call sooner."""
    return at.Tables(*tables), Rows(*rows)


@step
def four_keys(counts, i):
    """Both parts' numbers for the three suits and the honours; every count must be 0-4."""
    a, b, c = at.SUIT_HIGH, at.HONOR_LOW, at.HONOR_HIGH
    return (
        int(counts[i, 0])
        + 5 * int(counts[i, 1])
        + 25 * int(counts[i, 2])
        + 125 * int(counts[i, 3]),
        a
        + int(counts[i, 4])
        + 5 * int(counts[i, 5])
        + 25 * int(counts[i, 6])
        + 125 * int(counts[i, 7])
        + 625 * int(counts[i, 8]),
        int(counts[i, 9])
        + 5 * int(counts[i, 10])
        + 25 * int(counts[i, 11])
        + 125 * int(counts[i, 12]),
        a
        + int(counts[i, 13])
        + 5 * int(counts[i, 14])
        + 25 * int(counts[i, 15])
        + 125 * int(counts[i, 16])
        + 625 * int(counts[i, 17]),
        int(counts[i, 18])
        + 5 * int(counts[i, 19])
        + 25 * int(counts[i, 20])
        + 125 * int(counts[i, 21]),
        a
        + int(counts[i, 22])
        + 5 * int(counts[i, 23])
        + 25 * int(counts[i, 24])
        + 125 * int(counts[i, 25])
        + 625 * int(counts[i, 26]),
        b
        + int(counts[i, 27])
        + 5 * int(counts[i, 28])
        + 25 * int(counts[i, 29])
        + 125 * int(counts[i, 30]),
        c + int(counts[i, 31]) + 5 * int(counts[i, 32]) + 25 * int(counts[i, 33]),
    )


@step
def four_words(parts, keys):
    """For each suit a word: the number of its shape and its tiles."""
    return (
        int(parts[keys[0]]) + int(parts[keys[1]]),
        int(parts[keys[2]]) + int(parts[keys[3]]),
        int(parts[keys[4]]) + int(parts[keys[5]]),
        int(parts[keys[6]]) + int(parts[keys[7]]),
    )


@step
def planes_of(planes, keys):
    """Kinds that are held, and kinds held in an odd number, as 34 bits each."""
    a = int(planes[keys[0]]) | int(planes[keys[1]])
    b = int(planes[keys[2]]) | int(planes[keys[3]])
    c = int(planes[keys[4]]) | int(planes[keys[5]])
    d = int(planes[keys[6]]) | int(planes[keys[7]])
    mask = at.SUIT_TILES
    held = a & mask | (b & mask) << 9 | (c & mask) << 18 | (d & mask) << 27
    return held, _plane_of((a, b, c, d), at.ODD)


@step
def _plane_of(words, shift):
    """One plane of the four suits."""
    a, b, c, d = words
    mask = at.SUIT_TILES
    first = a >> shift & mask | (b >> shift & mask) << 9
    return first | (c >> shift & mask) << 18 | (d >> shift & mask) << 27


@step
def levels_of(planes, keys):
    """Kinds of which one, two, three and four at least are held, as 34 bits each."""
    words = (
        int(planes[keys[0]]) | int(planes[keys[1]]),
        int(planes[keys[2]]) | int(planes[keys[3]]),
        int(planes[keys[4]]) | int(planes[keys[5]]),
        int(planes[keys[6]]) | int(planes[keys[7]]),
    )
    held, odd, three = _plane_of(words, 0), _plane_of(words, at.ODD), _plane_of(words, at.THREE)
    return held, held & ~odd | three, three, three & ~odd


@step
def has_fifth_copy(counts, i, seen, j):
    """Whether some kind has more than four tiles: plus 3, such a number has a bit above the third.

    This takes 7 ns a row; numpy finds the largest count of a whole chunk in 1 ns a row.
    """
    bits = 0
    for tile in range(34):
        bits |= int(counts[i, tile]) + int(seen[j, tile]) + 3
    return bits > 7


@step
def melds_of(rows, i):
    """How many melds a row has."""
    if rows.code_step:
        return number_of_melds(rows.codes, i)
    return int(rows.melds[i * rows.meld_step])


@inner_kernel
def problem_of(rows, i):
    """Status of a row by all that can be wrong with it; of several causes the lowest code."""
    held, largest, copies = 0, 0, 0
    for tile in range(34):
        count = int(rows.counts[i, tile])
        held += count
        largest = max(largest, count)
        count += int(rows.seen[i * rows.seen_step, tile])
        if rows.code_step:
            count += copies_in(meld_planes(rows.codes, i), tile)
        copies = max(copies, count)
    if largest > 14:
        return at.BAD_TILE
    melds = melds_of(rows, i)
    if melds > 4:
        return at.BAD_MELD
    if not rows.fewest <= held + 3 * melds - 13 <= rows.most:
        return at.TILE_COUNT
    return at.FIVE_OF_A_KIND if copies > 4 else at.OK


@inner_kernel
def checked_melds(rows, i, trusted):
    """How many melds a row has; ``FIFTH_COPY`` where some kind has five copies.

    A kernel of its own: within ``read_row`` it cost roll-outs, which trust their rows, a quarter
    of their speed.
    """
    melds, j = int(rows.melds[i * rows.meld_step]), i * rows.seen_step
    if rows.code_step:
        melds = read_melds(rows.counts, i, rows.seen, j, rows.codes)
    if not trusted and has_fifth_copy(rows.counts, i, rows.seen, j):
        return FIFTH_COPY
    return melds


@step
def read_row(parts, rows, i, trusted):
    """Keys of a row, its number of melds and its status.

    ``trusted`` says that no kind has more than four, but for what lies in melds of known codes.
    """
    keys = four_keys(rows.counts, i)
    melds = int(rows.melds[i * rows.meld_step])
    if rows.code_step or not trusted:
        melds = checked_melds(rows, i, trusted)
        if melds == FIFTH_COPY:
            return keys, melds, problem_of(rows, i)
    words = four_words(parts, keys)
    over = ((words[0] + words[1] + words[2] + words[3]) >> at.TILES) + 3 * melds - 13
    code = at.OK if rows.fewest <= over <= rows.most else at.TILE_COUNT
    return keys, melds, code if melds <= 4 else at.BAD_MELD


@step
def keys_without(unit_keys, keys, tile):
    """Parts' numbers when one tile is taken out."""
    return (
        keys[0] - unit_keys[tile, 0],
        keys[1] - unit_keys[tile, 1],
        keys[2] - unit_keys[tile, 2],
        keys[3] - unit_keys[tile, 3],
        keys[4] - unit_keys[tile, 4],
        keys[5] - unit_keys[tile, 5],
        keys[6] - unit_keys[tile, 6],
        keys[7] - unit_keys[tile, 7],
    )


@step
def shapes_of(words):
    """Numbers of the four shapes."""
    return (
        words[0] & at.SHAPE,
        words[1] & at.SHAPE,
        words[2] & at.SHAPE,
        words[3] & at.SHAPE,
    )
