"""Seven pairs, thirteen orphans, honours and knitted tiles, knitted straight: tiles missing."""

from __future__ import annotations

from ..jit import step
from . import layout as at


@step
def special_words(tables, shapes):
    """Entries of the four shapes."""
    special = tables.special
    return (
        int(special[shapes[0]]),
        int(special[shapes[1]]),
        int(special[shapes[2]]),
        int(special[shapes[3]]),
    )


@step
def held_pairs(words):
    """Pairs, a quad being two."""
    return (words[0] + words[1] + words[2] + words[3]) >> at.PAIRS & at.PAIRS_MASK


@step
def held_orphans(words):
    """Kinds of terminals and honours, and whether one of them is a pair."""
    sums = words[0] + words[1] + words[2] + words[3]
    return (
        sums >> at.ORPHANS & at.ORPHANS_MASK,
        (sums >> at.ORPHAN_PAIRS & at.ORPHAN_PAIRS_MASK) > 0,
    )


@step
def held_honors(words):
    """Kinds of honours."""
    return words[3] >> at.ORPHANS & at.ORPHANS_MASK


@step
def groups_of(word):
    """For each group of ranks of a suit: a class of the rest, and above it the number held."""
    word = word >> at.GROUPS
    return (
        word & at.GROUP_MASK,
        word >> at.GROUP_BITS & at.GROUP_MASK,
        word >> (2 * at.GROUP_BITS) & at.GROUP_MASK,
    )


@step
def fields_of(words, groups):
    """Fields of an arrangement's three groups."""
    return (
        words[0] >> (at.GROUPS + at.GROUP_BITS * groups[0]) & at.GROUP_MASK,
        words[1] >> (at.GROUPS + at.GROUP_BITS * groups[1]) & at.GROUP_MASK,
        words[2] >> (at.GROUPS + at.GROUP_BITS * groups[2]) & at.GROUP_MASK,
    )


@step
def held_knitted(a, b, c):
    """How many of an arrangement's nine tiles are held, from the fields of its groups."""
    return (a >> at.GROUP_HELD) + (b >> at.GROUP_HELD) + (c >> at.GROUP_HELD)


@step
def missing_knitted(knitted, shift, honors, a, b, c):
    """Tiles missing for an arrangement's nine with set and pair (or the pair, by ``shift``)."""
    index = honors | (a & at.GROUP_CLASS_MASK) << 8 | (b & at.GROUP_CLASS_MASK) << 4
    beside = int(knitted[index | c & at.GROUP_CLASS_MASK]) >> shift & 15
    return 9 - held_knitted(a, b, c) + beside


@step
def most_knitted(words):
    """Most tiles that are held of one arrangement."""
    a0, a1, a2 = groups_of(words[0])
    b0, b1, b2 = groups_of(words[1])
    c0, c1, c2 = groups_of(words[2])
    return max(
        max(max(held_knitted(a0, b1, c2), held_knitted(a0, b2, c1)), held_knitted(a1, b0, c2)),
        max(max(held_knitted(a1, b2, c0), held_knitted(a2, b0, c1)), held_knitted(a2, b1, c0)),
    )


@step
def fewest_knitted(knitted, words, shift):
    """Fewest tiles that a knitted straight is missing (a loop over six costs 16 ns more)."""
    honors = (words[3] >> at.GROUPS & at.GROUP_CLASS_MASK) << 12
    a0, a1, a2 = groups_of(words[0])
    b0, b1, b2 = groups_of(words[1])
    c0, c1, c2 = groups_of(words[2])
    return min(
        min(
            min(
                missing_knitted(knitted, shift, honors, a0, b1, c2),
                missing_knitted(knitted, shift, honors, a0, b2, c1),
            ),
            missing_knitted(knitted, shift, honors, a1, b0, c2),
        ),
        min(
            min(
                missing_knitted(knitted, shift, honors, a1, b2, c0),
                missing_knitted(knitted, shift, honors, a2, b0, c1),
            ),
            missing_knitted(knitted, shift, honors, a2, b1, c0),
        ),
    )
