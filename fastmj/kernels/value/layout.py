"""Layout of the value tables and of what the value kernels write: numbers only.

Words
    Tiles that a suit still needs for k sets, without and with a pair, lie in 4 bits each from bit
    ``8 * k`` on, the pair's above the others; 15 where it cannot be made.
``words``
    For families of sets a table by the base-5 key of the family's ranks, its lowest rank the
    lowest digit, all tables end to end: ``FAMILIES`` names the ranks, the chows and the pungs.
``split_words``
    Two words by class: tiles needed for c chows and p pungs, 4 bits each from bit
    ``4 * (4 * c + p)`` on, c up to 2, p up to 3, without and with a pair.
``needs``
    What must lie in a hand for a fan of several sets, one row each: tiles wanted once, twice, three
    and four times at least; its chows and pungs as bits; how many sets and which (0-33 a chow by
    its lowest tile, 34-67 a pung); the pair or -1; the knitted arrangement or -1; what may stand
    beside it.
``need_groups``
    Rows of ``needs`` (from, to) of one fan, arrangement and tile wanted four times (-1 none); those
    with such a tile lie behind the others, by tile, where ``need_fours`` says.
``plane_keys``
    Base-5 numbers of a mask of four ranks (16 of them), then of five ranks (32): those of the masks
    held once to four times at least add up to the key of a part (``distance.layout``).
"""

from __future__ import annotations

NEVER = 15
SETS_MOST = 4

#: Families: ranks, lowest ranks of the chows, ranks of the pungs and pairs (0-8).
FAMILIES = (
    ("three", (0, 1, 2), (0,), (0, 1, 2)),
    ("four", (0, 1, 2, 3), (0, 1), (0, 1, 2, 3)),
    ("simples", (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6, 7)),
    ("fives", (2, 3, 4, 5, 6), (2, 3, 4), (4,)),
    ("outside", (0, 1, 2, 6, 7, 8), (0, 6), (0, 8)),
    ("green", (1, 2, 3, 5, 7), (1,), (1, 2, 3, 5, 7)),
    ("dots", (0, 1, 2, 3, 4, 7, 8), (0, 1, 2), (0, 1, 2, 3, 4, 7, 8)),
    ("bamboo", (1, 3, 4, 5, 7, 8), (3,), (1, 3, 4, 5, 7, 8)),
    ("ends", (0, 8), (), (0, 8)),
    ("evens", (1, 3, 5, 7), (), (1, 3, 5, 7)),
    ("honors", (0, 1, 2, 3, 4, 5, 6), (), (0, 1, 2, 3, 4, 5, 6)),
)


def _begins():
    """Where the table of each family begins in ``words``, and behind them the number of words."""
    begins = [0]
    for _, ranks, _, _ in FAMILIES:
        begins.append(begins[-1] + 5 ** len(ranks))
    return tuple(begins)


(THREE, FOUR, SIMPLES, FIVES, OUTSIDE, GREEN, DOTS, BAMBOO, ENDS, EVENS, HONORS, WORDS) = _begins()

SPLIT_CHOWS, SPLIT_PUNGS = 2, 3

# --- needs: columns behind the four masks, and what may stand beside the sets
CHOWS, PUNGS_WANTED, NUMBER, SETS, PAIR, NINE, BESIDE = 4, 5, 6, 7, 11, 12, 13
NEED_WIDTH = 14
ANYTHING, NO_HONORS, CHOWS_ONLY = 0, 1, 2
FIRST, STOP, GROUP_FAN, GROUP_NINE, GROUP_FOUR = range(5)
#: A fan of ``needs`` that stands for 箭刻, 圈风刻, 门风刻 and 幺九刻, whichever the pung makes.
ONE_PUNG = 72
NO_PUNG = 34  # a set below is a chow

#: Distances of a fan that the melds rule out, and of one that is not about tiles to draw.
OUT_OF_REACH, NOT_LOOKED_AT = 127, -128
#: More tiles than any fan needs.
MANY = 99
#: Number of the shape of no honours (``distance.layout``).
NO_HONOR_SHAPE = 405_350

#: Meld codes less the tile (of a chow, the lowest): the kongs are claimed or added, and concealed.
CHOW, PUNG, KONG, CONCEALED = 1, 35, 69, 103

# --- games: settings, how one ended for the hand, and others' chances in a round
#: Chance of a discard, policy, points wanted, seat and prevalent wind, tiles not seen, tiles of the
#: wall, tiles of it a round (1 where others' do not matter), who draws first (0 the hand, 1-3 the
#: player to the right, across, to the left), whether the hand may claim, whether its first tile
#: replaces a kong.
(
    CLAIMED, POLICY, MINIMUM, SEAT, PREVALENT, POOL, WALL, A_ROUND, STARTS_WITH, MELDING,
    AFTER_KONG, SETTINGS,
) = range(12)  # fmt: skip
BY_SHANTEN, BY_FAN, BY_WEIGHT = range(3)
#: Nobody won; the hand did by its draw, by another's discard; another player did by a draw, by the
#: discard of a third one, by a discard of the hand.
NOBODY, BY_DRAW, BY_CLAIM, OTHER_BY_DRAW, OTHER_BY_OTHER, OTHER_BY_HAND = range(6)
#: That who draws has won; that he has, or one of two others by the discard; that one of three wins
#: by a discard of the hand. All chances are parts of ``CERTAIN``.
FATE_DRAW, FATE_DISCARD, FATE_OWN = range(3)
CERTAIN = 1 << 30
#: Circumstances of a win with the tile that replaces a kong.
REPLACED = 1 | 8

# --- scratch: rows of working memory of a kernel
(
    HELD, SHOWN, REST, SPARE, TARGET, CHOICE, PLACE, COST, PUNGS, SEEN, BEST, PARTS, MELDS, LATER,
    ORDER, PRICE,
) = range(16)  # fmt: skip
SCRATCH = (16, 1024)
