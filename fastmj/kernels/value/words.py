"""Joining what suits need: words by sets and pair, words by chows and pungs."""

from __future__ import annotations

from ..jit import inner_kernel, step
from . import layout as at

#: A suit that must stay empty, and what takes the empty suit away from a word.
EMPTY_WORD = sum((at.NEVER << 8 * k | at.NEVER << 8 * k + 4) for k in range(5)) & ~at.NEVER
NOT_EMPTY = at.NEVER
_SPLIT = (at.SPLIT_CHOWS + 1) * (at.SPLIT_PUNGS + 1)


@step
def _entry(word, sets, pair):
    """Tiles that a word needs for so many sets, with the pair or without it."""
    return word >> (8 * sets + 4 * pair) & 15


@inner_kernel
def join_words(a, b, most):
    """Word of two suits together, up to so many sets."""
    word = 0
    for sets in range(most + 1):
        none, one = at.NEVER, at.NEVER
        for k in range(sets + 1):
            none = min(none, _entry(a, k, 0) + _entry(b, sets - k, 0))
            one = min(one, _entry(a, k, 1) + _entry(b, sets - k, 0))
            one = min(one, _entry(a, k, 0) + _entry(b, sets - k, 1))
        word |= none << 8 * sets | one << (8 * sets + 4)
    return word


@inner_kernel
def joined_cost(a, b, sets):
    """Tiles that two words need for so many sets and the pair; ``MANY`` if they cannot."""
    best = at.NEVER
    for k in range(sets + 1):
        best = min(best, _entry(a, k, 1) + _entry(b, sets - k, 0))
        best = min(best, _entry(a, k, 0) + _entry(b, sets - k, 1))
    return best if best < at.NEVER else at.MANY


@step
def four_cost(a, b, c, d, sets):
    """Tiles that four words need for so many sets and the pair."""
    return joined_cost(join_words(a, b, sets), join_words(c, d, sets), sets)


@step
def three_kinds_word(scratch, first):
    """Word of three kinds of honours by pungs and pairs; more than three sets cannot be made."""
    a, b, c = scratch[at.HELD, first], scratch[at.HELD, first + 1], scratch[at.HELD, first + 2]
    return join_words(join_words(one_kind_word(a), one_kind_word(b), 4), one_kind_word(c), 4)


@step
def one_kind_word(held):
    """Word of one kind: nothing, a pair or a pung."""
    return EMPTY_WORD & ~(0xFF0) | max(0, 2 - held) << 4 | max(0, 3 - held) << 8 | at.NEVER << 12


@inner_kernel
def small_key(scratch, first, ranks):
    """Base-5 key of some ranks (as bits) of what is held of a suit."""
    key, weight = 0, 1
    for rank in range(9):
        if ranks >> rank & 1:
            key += weight * scratch[at.HELD, first + rank]
            weight *= 5
    return key


@inner_kernel
def split_cost(value, scratch, a, b, c, d, chows, pungs):
    """Tiles needed for so many concealed chows and pungs exactly, and a pair.

    ``a`` to ``d`` are the classes of the suits and honours. The two first are joined cell by cell
    in scratch memory.
    """
    words = value.split_words
    for cell in range(2 * _SPLIT):
        scratch[at.PARTS, cell] = at.MANY
    for x in range(chows + 1):
        for y in range(pungs + 1):
            none_a, one_a = words[a, 0] >> 4 * (4 * x + y) & 15, words[a, 1] >> 4 * (4 * x + y) & 15
            for x2 in range(chows - x + 1):
                for y2 in range(pungs - y + 1):
                    at_b = 4 * (4 * x2 + y2)
                    none_b, one_b = words[b, 0] >> at_b & 15, words[b, 1] >> at_b & 15
                    cell = 2 * (4 * (x + x2) + y + y2)
                    none = none_a + none_b
                    one = min(none_a + one_b, one_a + none_b)
                    scratch[at.PARTS, cell] = min(scratch[at.PARTS, cell], none)
                    scratch[at.PARTS, cell + 1] = min(scratch[at.PARTS, cell + 1], one)
    best = at.MANY
    for x in range(chows + 1):
        for y in range(pungs + 1):
            at_c = 4 * (4 * x + y)
            none_c, one_c = words[c, 0] >> at_c & 15, words[c, 1] >> at_c & 15
            for y2 in range(pungs - y + 1):
                none_d, one_d = words[d, 0] >> 4 * y2 & 15, words[d, 1] >> 4 * y2 & 15
                none = none_c + none_d
                one = min(none_c + one_d, one_c + none_d)
                cell = 2 * (4 * (chows - x) + pungs - y - y2)
                best = min(best, scratch[at.PARTS, cell] + one)
                best = min(best, scratch[at.PARTS, cell + 1] + none)
    return best
