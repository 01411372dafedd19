"""Scoring: from bit planes, melds and circumstances to fans and points.

A hand's trip: keys of the suits and their shapes; facts of the whole hand; then for each reading
the classes of its chows, pungs, honours, tiles, circumstances and structure, whose records are
joined and added up. ``batch`` drives it over rows.
"""

from __future__ import annotations

import numpy as np

from . import layout as at
from .buffers import (
    CHICKEN,
    CIRCUMSTANCES,
    HONOR_CLASS,
    HONOR_ID,
    KNITTED_WAITS,
    MASK_KEY,
    NOTHING,
    SHAPE_ID,
    SHAPE_INFO,
    SPECIAL,
    SPLITS,
    STRUCTURE,
    TILE_CLASS,
)
from .jit import step
from .points import add_up, is_preferred
from .reading import (
    chow_facts,
    concealed_pung_count,
    concealed_pung_mask,
    every_block,
    made_of,
    open_pung,
    pung_record,
    structure_index,
    wait_of,
)
from .rows import add_meld, popcount, suit_key, take_one
from .special import is_orphans, singles_form, whole_arrangement

#: Outcomes of ``score_hand``; impossible rows go to ``problems`` for the cause.
COMPLETE, NOT_COMPLETE, IMPOSSIBLE = 0, 1, 2

_GREEN = (0b010101110 << 18) | 1 << 32
_REVERSIBLE = (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33
_NINE_GATES = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
_FIRST = (1 << at.INFO_FIRST_BITS) - 1
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
def only_wait(info_win, info_pair, rank):
    """Whether a rank of the winning suit was the only wait of a regular hand."""
    only = info_win >> (at.INFO_ONLY_WAIT + rank)
    if not info_win >> at.INFO_PAIR & 1:
        # The pair lies in another suit. When what is left of the winning suit stands complete with
        # a pair, every tile that completes the other suit without one wins too.
        only &= ~(info_win >> (at.INFO_PAIR_LEFT + rank) & info_pair >> at.INFO_TAKES_TILE)
    return only & 1


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
def of_suit(suit, a, b, c, h):
    """The one of four values that belongs to a suit."""
    low = a if suit == 0 else b
    high = c if suit == 2 else h
    return low if suit < 2 else high


@step
def score_hand(ones, twos, fours, over, meld0, meld1, meld2, meld3, win_given, flags, seat,
               prevalent, flowers, tables, profile):  # fmt: skip
    """Score a hand given as bit planes of its concealed counts, meld codes and circumstances.

    Returns the outcome, the points without flowers, the two mask words (flowers left out) and the
    times of the repeating fans.
    """
    numbers = profile.longs
    meld_info = tables.longs
    at0, at1, at2, at3 = 8 * meld0, 8 * meld1, 8 * meld2, 8 * meld3
    fields = (
        meld_info[at0 + at.MELD_FIELDS] + meld_info[at1 + at.MELD_FIELDS]
        + meld_info[at2 + at.MELD_FIELDS] + meld_info[at3 + at.MELD_FIELDS]
    )  # fmt: skip
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
    meld_chows = (
        meld_info[at0 + at.MELD_CHOW_CODE] + meld_info[at1 + at.MELD_CHOW_CODE]
        + meld_info[at2 + at.MELD_CHOW_CODE] + meld_info[at3 + at.MELD_CHOW_CODE]
    )  # fmt: skip

    win = win_given & 63
    win_bit = 1 << win
    self_drawn = flags & 1
    melds = fields & 15
    concealed_kongs = fields >> at.FIELD_CONCEALED_KONGS & 15
    melded_kongs = fields >> at.FIELD_MELDED_KONGS & 15
    exposed = fields >> at.FIELD_EXPOSED & 15

    # --- problems: any of these sends the row to the slow path, which names the cause
    held = (ones >> win & 1) + 2 * (twos >> win & 1) + 4 * (fours >> win & 1)
    copies = (all_ones >> win & 1) + 2 * (all_twos >> win & 1) + 4 * (all_fours >> win & 1)
    tiles = popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours)
    five = over | (all_fours & (all_ones | all_twos)) | (fours & (ones | twos))
    kong = flags >> 3
    kongs = concealed_kongs + melded_kongs
    conflict = (
        (kong & self_drawn & (1 if kongs == 0 else 0))
        | (kong & ~self_drawn & ((1 if copies > 1 else 0) | flags >> 2))
        | (flags >> 1 & (1 if held > 1 else 0))
    )
    if (
        five | (fields >> at.FIELD_BAD & 15) | (conflict & 1) | (tiles ^ (14 - 3 * melds))
        | (flags >> 4) | (seat >> 2) | (prevalent >> 2)
        | (1 if flowers > 8 else 0) | (1 if win_given > 33 else 0) | (1 if held == 0 else 0)
    ):  # fmt: skip
        return IMPOSSIBLE, 0, 0, 0, 0

    # --- facts of the whole hand
    present = all_ones | all_twos | all_fours
    hogs = popcount(all_fours & ~meld_kongs)
    if copies - held == 3:  # three in exposed melds: the last of its kind
        flags |= 2
    openness = (1 if exposed else 0) + (1 if exposed == 4 else 0)
    circumstance = at.RECORD_WIDTH * (
        (numbers[CIRCUMSTANCES] & 0xFFFF)
        + 2 * (((flags * 5 + concealed_kongs) * 5 + melded_kongs) * 3 + openness)
    )
    win_suit = win // 9
    win_rank = win - 9 * win_suit

    # --- shapes of the suits and the honours
    key_a = suit_key(tables.ints, ones, twos, fours, 0)
    key_b = suit_key(tables.ints, ones, twos, fours, 9)
    key_c = suit_key(tables.ints, ones, twos, fours, 18)
    key_h = suit_key(tables.ints, ones, twos, fours, 27)
    info_a = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_a])]
    info_b = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_b])]
    info_c = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_c])]
    info_h = tables.longs[SHAPE_INFO + np.int64(tables.words[HONOR_ID + key_h])]
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
            info_a = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_a])]
            info_b = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_b])]
            info_c = tables.longs[SHAPE_INFO + np.int64(tables.words[SHAPE_ID + key_c])]
            complete = is_complete(info_a, info_b, info_c, info_h)

    best = np.int64(-1)
    best0 = np.int64(0)
    best1 = np.int64(0)
    best_times = np.int64(0)
    if complete:
        tile_record = at.RECORD_WIDTH * np.int64(profile.words[TILE_CLASS + tile_index(present, form)])
        info_win = of_suit(win_suit, info_a, info_b, info_c, info_h)
        info_pair = (
            with_pair(info_a) | with_pair(info_b) | with_pair(info_c) | with_pair(info_h)
        )  # fmt: skip
        only = only_wait(info_win, info_pair, win_rank)
        others = ones ^ win_bit
        if melds == 0 and ones & win_bit and others and not others & (others - 1):
            only = np.int64(0)  # the 13 tiles were six pairs and another single: that one wins too
        if nine & win_bit and not numbers[KNITTED_WAITS]:
            only = np.int64(0)
        nine_gates = 0
        if melds == 0 and nine == 0:
            before = of_suit(win_suit, key_a, key_b, key_c, 0) - np.int64(
                tables.ints[MASK_KEY + (1 << win_rank)]
            )
            nine_gates = 1 if before == _NINE_GATES else 0
        split_h = tables.longs[SPLITS + (info_h & _FIRST)]
        pair_h = split_h >> at.SPLIT_PAIR & 15
        honor_index = (pair_h & 7) << 7 | seat << 10 | prevalent << 12
        honor_index |= (split_h >> at.SPLIT_PUNGS & 127) | meld_pungs >> 27
        honor_record = at.RECORD_WIDTH * np.int64(profile.words[HONOR_CLASS + (honor_index & 0x3FFF)])
        first_a, first_b, first_c = info_a & _FIRST, info_b & _FIRST, info_c & _FIRST
        for place_a in range(first_a, first_a + (info_a >> at.INFO_NUMBER & 7)):
            split_a = tables.longs[SPLITS + place_a]
            for place_b in range(first_b, first_b + (info_b >> at.INFO_NUMBER & 7)):
                split_b = tables.longs[SPLITS + place_b]
                for place_c in range(first_c, first_c + (info_c >> at.INFO_NUMBER & 7)):
                    split_c = tables.longs[SPLITS + place_c]
                    chow_record, chows = chow_facts(
                        meld_chows, split_a, split_b, split_c, tables, profile
                    )
                    concealed = concealed_pung_mask(split_a, split_b, split_c, split_h)
                    split_win = of_suit(win_suit, split_a, split_b, split_c, split_h)
                    opened = open_pung(concealed, win, split_win, win_rank, self_drawn)
                    concealed_pungs = concealed_pung_count(concealed, opened, concealed_kongs)
                    every = at.EVERY_NONE
                    if nine == 0:
                        every = every_block(split_a | split_b | split_c | split_h, fields)
                    structure = structure_index(
                        concealed_pungs,
                        wait_of(split_win, win_rank, only, numbers) & 3,
                        every,
                        made_of(chows, nine != 0, pair_h == at.NO_PAIR),
                        nine_gates,
                    )
                    natural = 1 if nine_gates or concealed_pungs == 4 else 0
                    mask0, mask1, times, points = add_up(
                        profile,
                        tile_record,
                        circumstance + at.RECORD_WIDTH * natural,
                        at.RECORD_WIDTH * ((numbers[STRUCTURE] & 0xFFFF) + structure),
                        chow_record,
                        pung_record(concealed | meld_pungs, tables, profile),
                        honor_record,
                        hogs,
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
            other = numbers[SPECIAL] & 0xFFFF
        else:
            singles = singles_form(ones, twos, fours)
            if singles:
                other = (numbers[SPECIAL] & 0xFFFF) + singles
        if other:
            mask0, mask1, times, points = add_up(
                profile, at.RECORD_WIDTH * other, circumstance + at.RECORD_WIDTH, NOTHING,
                NOTHING, NOTHING, NOTHING, hogs, 0,
            )  # fmt: skip
            if points > best or (
                points == best
                and is_preferred(
                    mask0, mask1, times, best0, best1, best_times, profile
                )
            ):
                best, best0, best1, best_times = points, mask0, mask1, times

    if best < 0:
        return NOT_COMPLETE, 0, 0, 0, 0
    if best0 | best1 == 0:
        return COMPLETE, numbers[CHICKEN], 1 << _CHICKEN_BIT, 0, 0
    return COMPLETE, best, best0, best1, best_times
