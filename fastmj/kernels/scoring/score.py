"""Scoring: from bit planes, melds and circumstances to fans and points.

A hand's trip: keys of the suits and their shapes; facts of the whole hand; then for each reading
the classes of its chows, pungs, honours, tiles, circumstances and structure, whose records are
joined and added up. ``batch`` drives it over rows.
"""

from __future__ import annotations

import numpy as np

from ..jit import step
from ..machine import popcount
from . import layout as at
from .buffers import (
    CHICKEN,
    DISPLACEMENT,
    FIRST_HOG,
    HONOR_CLASS,
    KNITTED_WAITS,
    MADE_CLASS,
    MASK_KEY,
    NOTHING,
    SHAPES,
    SPECIAL,
    SPLITS,
    TILE_CLASS,
    TILE_INFO,
    WAY_CLASS,
)
from .points import add_up, is_preferred
from .reading import chow_record, open_pung, possible_waits, pung_record, structure_index
from .rows import add_meld, suit_key, take_one
from .special import is_orphans, singles_form, whole_arrangement

#: Outcomes of ``score_hand``; impossible rows go to ``problems`` for the cause.
COMPLETE, NOT_COMPLETE, IMPOSSIBLE = 0, 1, 2

_GREEN = (0b010101110 << 18) | 1 << 32
_REVERSIBLE = (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33
_NINE_GATES = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
_FIRST = (1 << at.INFO_FIRST_BITS) - 1
_ALL_TILES = (1 << 34) - 1
_CHICKEN_BIT = 42


@step
def tile_index(present, form):
    """Index of the tiles of a hand: ranks and suits present, honours, green, reversible."""
    ranks = (present | present >> 9 | present >> 18) & 511
    suits = (
        (1 if present & 511 else 0)
        + (1 if present >> 9 & 511 else 0)
        + (1 if present >> 18 & 511 else 0)
    )
    return (
        ranks
        | suits << 9
        | (1 if present >> 27 & 15 else 0) << at.TILES_WINDS
        | (1 if present >> 31 & 7 else 0) << at.TILES_DRAGONS
        | (1 if present & ~_GREEN == 0 else 0) << at.TILES_GREEN
        | (1 if present & ~_REVERSIBLE == 0 else 0) << at.TILES_REVERSIBLE
        | form << at.TILES_FORM
    )


@step
def shape_of(key, tables):
    """What is known of a suit by its key, or 0 when it does not split into sets and a pair.

    A table by key, 4 MB of which few lines are used, missed the caches more often: 10 ns a hand.
    """
    mixed = key * at.HASH_FACTOR
    bucket = mixed >> at.BUCKET_SHIFT & at.BUCKETS - 1
    slot = mixed >> at.SLOT_SHIFT & at.SLOTS - 1
    entry = tables.longs[SHAPES + (slot ^ np.int64(tables.words[DISPLACEMENT + bucket]))]
    return entry if entry >> at.INFO_KEY == key else np.int64(0)


@step
def only_wait(info_win, info_pair, rank):
    """Whether a rank of the winning suit was the only wait of a regular hand.

    When the pair lies in another suit, and what is left of the winning suit stands complete with a
    pair, every tile that completes the other suit without one wins too.
    """
    both = info_win >> (at.INFO_PAIR_LEFT + rank) & info_pair >> at.INFO_TAKES_TILE
    return info_win >> (at.INFO_ONLY_WAIT + rank) & ~(both & ~(info_win >> at.INFO_PAIR)) & 1


@step
def way_record(index, profile):
    """Record of the circumstances, concealment and kongs."""
    return at.RECORD_WIDTH * np.int64(profile.words[WAY_CLASS + index])


@step
def with_pair(info):
    """A shape's information if it has the pair, else 0."""
    return info & -(info >> at.INFO_PAIR & 1)


@step
def is_complete(info_a, info_b, info_c, info_h):
    """Whether the four shapes split and exactly one of them has a pair."""
    pairs = (
        (info_a >> at.INFO_PAIR & 1) + (info_b >> at.INFO_PAIR & 1)
        + (info_c >> at.INFO_PAIR & 1) + (info_h >> at.INFO_PAIR & 1)
    )  # fmt: skip
    return pairs == 1 and info_a != 0 and info_b != 0 and info_c != 0 and info_h != 0


@step
def of_suit(longs, at_tile, a, b, c, h):
    """The one of four values that belongs to a tile's suit.

    By masks out of a table: comparisons become branches, and which suit wins cannot be predicted
    (two such branches cost 15 ns a hand).
    """
    return (
        (a & longs[at_tile])
        | (b & longs[at_tile + 1])
        | (c & longs[at_tile + 2])
        | (h & longs[at_tile + 3])
    )


@step
def score_hand(ones, twos, fours, over, meld0, meld1, meld2, meld3, win_given, flags, seat,
               prevalent, flowers, tables, profile):  # fmt: skip
    """Score a hand given as bit planes of its concealed counts, meld codes and circumstances.

    Returns the outcome, the points without flowers, the two mask words (flowers left out) and the
    times of the repeating fans.
    """
    meld_info = tables.longs
    at0, at1, at2, at3 = 8 * meld0, 8 * meld1, 8 * meld2, 8 * meld3
    all_ones, all_twos, all_fours, over = add_meld(ones, twos, fours, over, meld_info, at0)
    all_ones, all_twos, all_fours, over = add_meld(
        all_ones, all_twos, all_fours, over, meld_info, at1
    )
    all_ones, all_twos, all_fours, over = add_meld(
        all_ones, all_twos, all_fours, over, meld_info, at2
    )
    all_ones, all_twos, all_fours, over = add_meld(
        all_ones, all_twos, all_fours, over, meld_info, at3
    )
    meld_kongs = (
        meld_info[at0 + at.MELD_FOURS] | meld_info[at1 + at.MELD_FOURS]
        | meld_info[at2 + at.MELD_FOURS] | meld_info[at3 + at.MELD_FOURS]
    )  # fmt: skip
    meld_pungs = meld_kongs | (
        meld_info[at0 + at.MELD_TWOS] | meld_info[at1 + at.MELD_TWOS]
        | meld_info[at2 + at.MELD_TWOS] | meld_info[at3 + at.MELD_TWOS]
    )  # fmt: skip
    meld_added = (
        meld_info[at0 + at.MELD_ADDED] + meld_info[at1 + at.MELD_ADDED]
        + meld_info[at2 + at.MELD_ADDED] + meld_info[at3 + at.MELD_ADDED]
    )  # fmt: skip
    fields = meld_added >> at.MELD_SUMS

    win = win_given & 63
    win_bit = 1 << win
    self_drawn = flags & 1
    melds = fields >> at.MELD_NUMBER & 7
    concealed_kongs = fields >> at.MELD_CONCEALED_KONGS & 7

    # --- problems: any of these sends the row to the slow path, which names the cause
    held = (ones >> win & 1) + 2 * (twos >> win & 1) + 4 * (fours >> win & 1)
    copies = (all_ones >> win & 1) + 2 * (all_twos >> win & 1) + 4 * (all_fours >> win & 1)
    tiles = popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours)
    five = over | (all_fours & (all_ones | all_twos)) | (fours & (ones | twos))
    kong = flags >> 3
    conflict = (
        (kong & self_drawn & (1 if meld_kongs == 0 else 0))
        | (kong & ~self_drawn & ((1 if copies > 1 else 0) | flags >> 2))
        | (flags >> 1 & (1 if held > 1 else 0))
    )
    if (
        five | (fields >> at.MELD_BAD & 7) | (conflict & 1) | (tiles ^ (14 - 3 * melds))
        | (flags >> 4) | (seat >> 2) | (prevalent >> 2)
        | (1 if flowers > 8 else 0) | (1 if win_given > 33 else 0) | (1 if held == 0 else 0)
    ):  # fmt: skip
        return IMPOSSIBLE, 0, 0, 0, 0

    # --- facts of the whole hand
    present = all_ones | all_twos | all_fours
    hogs = popcount(all_fours & ~meld_kongs)
    if copies - held == 3:  # three in exposed melds: the last of its kind
        flags |= 2
    way = fields >> at.MELD_CONCEALED_KONGS & 511 | flags << at.WAY_FLAGS
    hog_record = (profile.longs[FIRST_HOG] & 0xFFFF) + at.RECORD_WIDTH * hogs
    at_win = TILE_INFO + 8 * win
    win_rank = tables.longs[at_win + 4] & 15

    # --- shapes of the suits and the honours
    key_a = suit_key(tables.ints, ones, twos, fours, 0)
    key_b = suit_key(tables.ints, ones, twos, fours, 9)
    key_c = suit_key(tables.ints, ones, twos, fours, 18)
    key_h = suit_key(tables.ints, ones, twos, fours, 27)
    info_a = shape_of(key_a, tables)
    info_b = shape_of(key_b, tables)
    info_c = shape_of(key_c, tables)
    info_h = shape_of(key_h + at.HONOR_KEYS, tables)
    nine = np.int64(0)
    form = at.FORM_REGULAR
    complete = is_complete(info_a, info_b, info_c, info_h)
    if not complete and melds <= 1:
        nine = whole_arrangement(ones | twos | fours)
        if nine:
            form = at.FORM_KNITTED
            rest_ones, rest_twos, rest_fours = take_one(ones, twos, fours, nine)
            key_a = suit_key(tables.ints, rest_ones, rest_twos, rest_fours, 0)
            key_b = suit_key(tables.ints, rest_ones, rest_twos, rest_fours, 9)
            key_c = suit_key(tables.ints, rest_ones, rest_twos, rest_fours, 18)
            info_a = shape_of(key_a, tables)
            info_b = shape_of(key_b, tables)
            info_c = shape_of(key_c, tables)
            complete = is_complete(info_a, info_b, info_c, info_h)

    best = np.int64(-1)
    best0 = np.int64(0)
    best1 = np.int64(0)
    best_times = np.int64(0)
    if complete:
        tile_record = at.RECORD_WIDTH * np.int64(
            profile.words[TILE_CLASS + tile_index(present, form)]
        )
        info_win = of_suit(tables.longs, at_win, info_a, info_b, info_c, info_h)
        info_pair = (
            with_pair(info_a) | with_pair(info_b) | with_pair(info_c) | with_pair(info_h)
        )  # fmt: skip
        only = only_wait(info_win, info_pair, win_rank)
        # 13 tiles that were six pairs and another single: that single wins too
        others = ones ^ win_bit
        six_pairs = (
            (ones >> win & 1)
            & (1 if melds == 0 else 0)
            & (1 if others else 0)
            & (0 if others & (others - 1) else 1)
        )
        only &= ~six_pairs
        if nine & win_bit and not profile.longs[KNITTED_WAITS]:
            only = np.int64(0)
        before = of_suit(tables.longs, at_win, key_a, key_b, key_c, key_h) - np.int64(
            tables.ints[MASK_KEY + (1 << win_rank)]
        )
        nine_gates = 1 if before == _NINE_GATES else 0
        place_h = SPLITS + 2 * (info_h & _FIRST)
        added_h = tables.longs[place_h]
        joined_h = tables.longs[place_h + 1] << 27 | meld_pungs
        honor_record = at.RECORD_WIDTH * np.int64(
            profile.words[
                HONOR_CLASS
                + (
                    joined_h >> 27 & 127
                    | (added_h >> at.SPLIT_HONOR_PAIR & 7) << 7
                    | (seat & 3) << 10
                    | (prevalent & 3) << 12
                )
            ]
        )
        hand_bits = (
            (0 if info_h >> at.INFO_PAIR & 1 else 1) << at.MADE_SUIT_PAIR
            | (1 if nine else 0) << at.MADE_KNITTED
            | nine_gates << at.MADE_NINE_GATES
        )
        sums_h = (added_h >> at.SPLIT_SUMS) + fields
        for place_a in range(info_a & _FIRST, (info_a & _FIRST) + (info_a >> at.INFO_NUMBER & 7)):
            added_a = tables.longs[SPLITS + 2 * place_a]
            joined_a = tables.longs[SPLITS + 2 * place_a + 1] | joined_h
            for place_b in range(
                info_b & _FIRST, (info_b & _FIRST) + (info_b >> at.INFO_NUMBER & 7)
            ):
                added_b = tables.longs[SPLITS + 2 * place_b]
                joined_b = tables.longs[SPLITS + 2 * place_b + 1] << 9 | joined_a
                for place_c in range(
                    info_c & _FIRST, (info_c & _FIRST) + (info_c >> at.INFO_NUMBER & 7)
                ):
                    added_c = tables.longs[SPLITS + 2 * place_c]
                    joined = tables.longs[SPLITS + 2 * place_c + 1] << 18 | joined_b
                    pungs = joined & _ALL_TILES
                    starts = joined >> at.SPLIT_STARTS
                    concealed = pungs & ~meld_pungs
                    concealed_pungs = (
                        popcount(concealed)
                        - open_pung(concealed, starts, win, self_drawn)
                        + concealed_kongs
                    )
                    added_win = of_suit(tables.longs, at_win, added_a, added_b, added_c, added_h)
                    waits = only * possible_waits(starts, added_win, win, win_rank)
                    sums = sums_h + (added_a + added_b + added_c >> at.SPLIT_SUMS)
                    structure = structure_index(sums, concealed_pungs, waits, hand_bits)
                    natural = nine_gates | (1 if concealed_pungs == 4 else 0)
                    mask0, mask1, times, points = add_up(
                        profile,
                        tile_record,
                        way_record(way | natural << at.WAY_NATURAL, profile),
                        at.RECORD_WIDTH * np.int64(profile.words[MADE_CLASS + structure]),
                        chow_record(meld_added, added_a, added_b, added_c, tables, profile),
                        pung_record(pungs, tables, profile),
                        honor_record,
                        hog_record,
                        nine_gates,
                    )
                    if points > best or (
                        points == best
                        and (mask0 != best0 or mask1 != best1 or times != best_times)
                        and is_preferred(
                            mask0, mask1, times, best0, best1, best_times, profile
                        )
                    ):  # fmt: skip
                        best, best0, best1, best_times = points, mask0, mask1, times

    # --- forms without sets
    if melds == 0 and (ones == 0 or not complete):
        other = np.int64(0)
        if ones == 0:
            other = np.int64(profile.words[TILE_CLASS + tile_index(present, at.FORM_PAIRS)])
        elif is_orphans(ones, twos, fours):
            other = profile.longs[SPECIAL] & 0xFFFF
        else:
            singles = singles_form(ones, twos, fours)
            if singles:
                other = (profile.longs[SPECIAL] & 0xFFFF) + singles
        if other:
            mask0, mask1, times, points = add_up(
                profile, at.RECORD_WIDTH * other, way_record(way | 1 << at.WAY_NATURAL, profile),
                NOTHING, NOTHING, NOTHING, NOTHING, hog_record, 0,
            )  # fmt: skip
            if points > best or (
                points == best
                and is_preferred(mask0, mask1, times, best0, best1, best_times, profile)
            ):
                best, best0, best1, best_times = points, mask0, mask1, times

    if best < 0:
        return NOT_COMPLETE, 0, 0, 0, 0
    if best0 | best1 == 0:
        return COMPLETE, profile.longs[CHICKEN], 1 << _CHICKEN_BIT, 0, 0
    return COMPLETE, best, best0, best1, best_times
