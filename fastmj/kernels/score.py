"""Scoring rows: from counts, melds and circumstances to fans and totals.

A row's trip: bit planes and keys; problems; shape numbers; then for each reading the classes of its
chows, pungs, honours, tiles, circumstances and structure, whose records are joined and added up.
"""

from __future__ import annotations

import numpy as np

from . import layout as at
from .jit import kernel, step
from .points import add_up, is_preferred, times_of
from .problems import LAST_OF_KIND_HELD, NOT_COMPLETE, find_problems
from .rows import add_meld, popcount, read_planes, suit_key, take_one
from .special import is_orphans, singles_form, whole_arrangement

# Positions in ``Profile.numbers``.
MIN_FAN, KNITTED_WAITS, CHICKEN, FLOWER, SPECIAL, CIRCUMSTANCES, STRUCTURE = range(7)
BEST_WAIT = 15

_GREEN = (0b010101110 << 18) | 1 << 32
_REVERSIBLE = (0b110011111 << 9) | (0b110111010 << 18) | 1 << 33
_NINE_GATES = sum((3 if rank in (0, 8) else 1) * 5**rank for rank in range(9))
_CHOW_CODE = (1 << at.SPLIT_CHOWS) - 1
_FLOWER_BIT, _CHICKEN_BIT = 80 - at.WORD, 42


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
        | (1 if present >> 31 else 0) << at.TILES_DRAGONS
        | (1 if present & ~_GREEN == 0 else 0) << at.TILES_GREEN
        | (1 if present & ~_REVERSIBLE == 0 else 0) << at.TILES_REVERSIBLE
        | form << at.TILES_FORM
    )


@step
def sets_index(rank_a, rank_b, rank_c, sizes, offsets):
    """Index of a choice of sets from its rank and number in each of the three suits."""
    number_b = rank_b >> at.RANK_BITS
    number_c = rank_c >> at.RANK_BITS
    low = (1 << at.RANK_BITS) - 1
    return (
        offsets[(rank_a >> at.RANK_BITS) * 25 + number_b * 5 + number_c]
        + ((rank_a & low) * sizes[number_b] + (rank_b & low)) * sizes[number_c]
        + (rank_c & low)
    )


@step
def only_wait(info_win, info_pair, rank):
    """Whether a rank of the winning suit was the only wait of a regular hand."""
    only = info_win >> (at.INFO_ONLY_WAIT + rank) & 1
    if not info_win >> at.INFO_PAIR & 1:
        # The pair lies in another suit. When what is left of the winning suit stands complete with
        # a pair, every tile that completes the other suit without one wins too.
        only &= ~(info_win >> (at.INFO_PAIR_LEFT + rank) & info_pair >> at.INFO_TAKES_TILE)
    return only & 1


@kernel
def score_rows(
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, tables, profile,
    total, base, fan_mask, wins, status, fan_counts, start, stop,
):  # fmt: skip
    """Score rows ``start`` to ``stop``.

    Columns as in ``HandBatch``; ``tables`` and ``profile`` as in ``fastmj.tables``; outputs
    ``total`` and ``base`` int16, ``fan_mask`` int64 (N, 2), ``wins`` bool, ``status`` uint8,
    ``fan_counts`` uint8 (N, 82), or (0, 82) when it is not wanted.
    """
    records = profile.records
    numbers = profile.numbers
    mask_points = profile.mask_points
    want_counts = fan_counts.shape[0] > 0
    for row in range(start, stop):
        ones, twos, fours, over = read_planes(counts, row)
        info0 = tables.meld_info[melds[row, 0]]
        info1 = tables.meld_info[melds[row, 1]]
        info2 = tables.meld_info[melds[row, 2]]
        info3 = tables.meld_info[melds[row, 3]]
        fields = (
            info0[at.MELD_FIELDS] + info1[at.MELD_FIELDS]
            + info2[at.MELD_FIELDS] + info3[at.MELD_FIELDS]
        )  # fmt: skip
        all_ones, all_twos, all_fours, over = add_meld(ones, twos, fours, over, info0)
        all_ones, all_twos, all_fours, over = add_meld(all_ones, all_twos, all_fours, over, info1)
        all_ones, all_twos, all_fours, over = add_meld(all_ones, all_twos, all_fours, over, info2)
        all_ones, all_twos, all_fours, over = add_meld(all_ones, all_twos, all_fours, over, info3)
        meld_kongs = (
            info0[at.MELD_FOURS] | info1[at.MELD_FOURS]
            | info2[at.MELD_FOURS] | info3[at.MELD_FOURS]
        )  # fmt: skip
        meld_pungs = meld_kongs | (
            info0[at.MELD_TWOS] | info1[at.MELD_TWOS] | info2[at.MELD_TWOS] | info3[at.MELD_TWOS]
        )
        meld_chows = (
            info0[at.MELD_CHOW_CODE] + info1[at.MELD_CHOW_CODE]
            + info2[at.MELD_CHOW_CODE] + info3[at.MELD_CHOW_CODE]
        )  # fmt: skip

        win_given = np.int64(win_tile[row])
        win = win_given & 63
        flags = np.int64(circumstances[row])
        seat = np.int64(seat_wind[row])
        prevalent = np.int64(prevalent_wind[row])
        flower_count = np.int64(flowers[row])
        self_drawn = flags & 1
        number_of_melds = fields & 15
        concealed_kongs = fields >> at.FIELD_CONCEALED_KONGS & 15
        melded_kongs = fields >> at.FIELD_MELDED_KONGS & 15
        exposed = fields >> at.FIELD_EXPOSED & 15

        # --- problems: any doubt sends the row to the slow path, which names the cause
        win_bit = 1 << win
        held = (ones >> win & 1) + 2 * (twos >> win & 1) + 4 * (fours >> win & 1)
        copies = (all_ones >> win & 1) + 2 * (all_twos >> win & 1) + 4 * (all_fours >> win & 1)
        tiles = popcount(ones) + 2 * popcount(twos) + 4 * popcount(fours)
        five = over | (all_fours & (all_ones | all_twos)) | (fours & (ones | twos))
        kong_flag = flags >> 3 & 1
        conflict = (kong_flag & self_drawn & (1 if concealed_kongs + melded_kongs == 0 else 0)) | (
            kong_flag & ~self_drawn & ((1 if copies > 1 else 0) | flags >> 2)
        ) | (flags >> 1 & (1 if held > 1 else 0))  # fmt: skip
        if (
            five | (fields >> at.FIELD_BAD & 15) | (conflict & 1)
            | (tiles ^ (14 - 3 * number_of_melds))
            | (flags >> 4) | (seat >> 2) | (prevalent >> 2)
            | (1 if flower_count > 8 else 0) | (1 if win_given > 33 else 0) | (1 if held == 0 else 0)
        ):  # fmt: skip
            problems = find_problems(
                counts[row], melds[row], win_given, flags, seat, prevalent, flower_count,
                tables.meld_info,
            )  # fmt: skip
            code = 0
            while code < LAST_OF_KIND_HELD and not problems >> code & 1:
                code += 1
            status[row] = code
            total[row] = 0
            base[row] = 0
            fan_mask[row, 0] = 0
            fan_mask[row, 1] = 0
            wins[row] = False
            if want_counts:
                fan_counts[row, :] = 0
            continue

        # --- facts of the whole hand
        present = all_ones | all_twos | all_fours
        hogs = popcount(all_fours & ~meld_kongs)
        if copies - held == 3:  # three in exposed melds: the last of its kind
            flags |= 2
        circumstance = numbers[CIRCUMSTANCES] + 2 * (
            ((flags * 5 + concealed_kongs) * 5 + melded_kongs) * 3
            + (1 if exposed else 0) + (1 if exposed == 4 else 0)
        )  # fmt: skip
        win_suit = win // 9
        win_rank = win - 9 * win_suit

        # --- shapes of the suits and the honours
        rest_ones, rest_twos, rest_fours = ones, twos, fours
        key_a = suit_key(tables.mask_key, ones, twos, fours, 0)
        key_b = suit_key(tables.mask_key, ones, twos, fours, 9)
        key_c = suit_key(tables.mask_key, ones, twos, fours, 18)
        key_h = suit_key(tables.mask_key, ones, twos, fours, 27)
        info_a = tables.shape_info[tables.shape_id[key_a]]
        info_b = tables.shape_info[tables.shape_id[key_b]]
        info_c = tables.shape_info[tables.shape_id[key_c]]
        info_h = tables.shape_info[tables.honor_id[key_h]]
        nine = 0
        form = at.FORM_REGULAR
        complete = _is_complete(info_a, info_b, info_c, info_h)
        if not complete and number_of_melds <= 1:
            nine = whole_arrangement(ones | twos | fours)
            if nine:
                form = at.FORM_KNITTED
                rest_ones, rest_twos, rest_fours = take_one(ones, twos, fours, nine)
                key_a = suit_key(tables.mask_key, rest_ones, rest_twos, rest_fours, 0)
                key_b = suit_key(tables.mask_key, rest_ones, rest_twos, rest_fours, 9)
                key_c = suit_key(tables.mask_key, rest_ones, rest_twos, rest_fours, 18)
                info_a = tables.shape_info[tables.shape_id[key_a]]
                info_b = tables.shape_info[tables.shape_id[key_b]]
                info_c = tables.shape_info[tables.shape_id[key_c]]
                complete = _is_complete(info_a, info_b, info_c, info_h)

        best = -1
        best0 = 0
        best1 = 0
        best_times = 0
        if complete:
            tile_class = np.int64(profile.tile_class[tile_index(present, form)])
            info_win = info_h
            key_win = np.int64(0)
            if win_suit == 0:
                info_win, key_win = info_a, key_a
            elif win_suit == 1:
                info_win, key_win = info_b, key_b
            elif win_suit == 2:
                info_win, key_win = info_c, key_c
            info_pair = (
                (info_a & -(info_a >> at.INFO_PAIR & 1)) | (info_b & -(info_b >> at.INFO_PAIR & 1))
                | (info_c & -(info_c >> at.INFO_PAIR & 1))
                | (info_h & -(info_h >> at.INFO_PAIR & 1))
            )  # fmt: skip
            only = only_wait(info_win, info_pair, win_rank)
            others = ones ^ win_bit
            if number_of_melds == 0 and ones & win_bit and others and not others & (others - 1):
                only = 0  # the 13 tiles were six pairs and another single: that one wins too
            if nine & win_bit and not numbers[KNITTED_WAITS]:
                only = 0
            nine_gates = (
                number_of_melds == 0
                and nine == 0
                and key_win - np.int64(tables.mask_key[1 << win_rank]) == _NINE_GATES
            )
            split_h = tables.splits[info_h & ((1 << at.INFO_FIRST_BITS) - 1)]
            first_a = info_a & ((1 << at.INFO_FIRST_BITS) - 1)
            first_b = info_b & ((1 << at.INFO_FIRST_BITS) - 1)
            first_c = info_c & ((1 << at.INFO_FIRST_BITS) - 1)
            for place_a in range(first_a, first_a + (info_a >> at.INFO_NUMBER & 7)):
                split_a = tables.splits[place_a]
                for place_b in range(first_b, first_b + (info_b >> at.INFO_NUMBER & 7)):
                    split_b = tables.splits[place_b]
                    for place_c in range(first_c, first_c + (info_c >> at.INFO_NUMBER & 7)):
                        split_c = tables.splits[place_c]
                        # --- one reading
                        chow_a = np.int64(tables.chow_rank[(meld_chows + split_a) & _CHOW_CODE])
                        chow_b = np.int64(
                            tables.chow_rank[((meld_chows >> 16) + split_b) & _CHOW_CODE]
                        )
                        chow_c = np.int64(
                            tables.chow_rank[((meld_chows >> 32) + split_c) & _CHOW_CODE]
                        )
                        chows = (
                            (chow_a >> at.RANK_BITS)
                            + (chow_b >> at.RANK_BITS)
                            + (chow_c >> at.RANK_BITS)
                        )
                        chow_class = np.int64(
                            profile.chow_class[
                                sets_index(
                                    chow_a, chow_b, chow_c, tables.chow_size, tables.chow_offset
                                )
                            ]
                        )
                        pair_h = split_h >> at.SPLIT_PAIR & 15
                        alt_pair = records[chow_class, at.ALT_PAIR]
                        if alt_pair < 27:
                            suit = alt_pair // 9
                            split = split_a if suit == 0 else split_b if suit == 1 else split_c
                            if split >> at.SPLIT_PAIR & 15 == 4:
                                chow_class = records[chow_class, at.ALT_CLASS]
                        concealed = (
                            (split_a >> at.SPLIT_PUNGS & 511)
                            | (split_b >> at.SPLIT_PUNGS & 511) << 9
                            | (split_c >> at.SPLIT_PUNGS & 511) << 18
                            | (split_h >> at.SPLIT_PUNGS & 127) << 27
                        )
                        pungs = concealed | meld_pungs
                        pung_class = np.int64(
                            profile.pung_class[
                                sets_index(
                                    np.int64(tables.pung_rank[pungs & 511]),
                                    np.int64(tables.pung_rank[pungs >> 9 & 511]),
                                    np.int64(tables.pung_rank[pungs >> 18 & 511]),
                                    tables.pung_size,
                                    tables.pung_offset,
                                )
                            ]
                        )
                        honor_class = np.int64(
                            profile.honor_class[
                                pungs >> 27 | (pair_h & 7) << 7 | seat << 10 | prevalent << 12
                            ]
                        )
                        # --- structure: concealed pungs, wait, what every block holds
                        split_win = split_h
                        if win_suit == 0:
                            split_win = split_a
                        elif win_suit == 1:
                            split_win = split_b
                        elif win_suit == 2:
                            split_win = split_c
                        starts = split_win >> at.SPLIT_STARTS & 127
                        in_chow = (starts | starts << 1 | starts << 2) >> win_rank & 1
                        open_pung = (concealed >> win) & ~in_chow & ~self_drawn & 1
                        concealed_pungs = popcount(concealed) - open_pung + concealed_kongs
                        edge = (starts if win_rank == 2 else 0) | (
                            starts >> 6 if win_rank == 6 else 0
                        )
                        closed = (starts << 1) >> win_rank
                        single = 1 if split_win >> at.SPLIT_PAIR & 15 == win_rank else 0
                        wait = numbers[
                            BEST_WAIT + only * ((edge & 1) | (closed & 1) << 1 | single << 2)
                        ]
                        blocks = split_a | split_b | split_c | split_h
                        no_five = (blocks >> at.SPLIT_NO_FIVE & 1) | (
                            fields >> at.FIELD_NO_FIVE & 15
                        )
                        no_terminal = (blocks >> at.SPLIT_NO_TERMINAL & 1) | (
                            fields >> at.FIELD_NO_TERMINAL & 15
                        )
                        every = at.EVERY_NONE
                        if nine == 0:
                            if no_five == 0:
                                every = at.EVERY_FIVE
                            if no_terminal == 0:
                                every = at.EVERY_TERMINAL
                        made_of = at.STRUCTURE_NONE
                        if chows == (1 if nine else 4):
                            if pair_h == at.NO_PAIR:
                                made_of = at.STRUCTURE_CHOWS
                        elif chows == 0 and nine == 0:
                            made_of = at.STRUCTURE_PUNGS
                        structure = (
                            ((concealed_pungs * 4 + wait) * 3 + every) * 3 + made_of
                        ) * 2 + (1 if nine_gates else 0)
                        natural = 1 if nine_gates or concealed_pungs == 4 else 0
                        mask0, mask1, times, points = add_up(
                            records, mask_points, numbers, tile_class, circumstance + natural,
                            numbers[STRUCTURE] + structure, chow_class, pung_class, honor_class,
                            hogs, nine_gates,
                        )  # fmt: skip
                        if points > best or (
                            points == best
                            and (mask0 != best0 or mask1 != best1 or times != best_times)
                            and is_preferred(
                                mask0, mask1, times, best0, best1, best_times,
                                profile.points, profile.order,
                            )
                        ):  # fmt: skip
                            best, best0, best1, best_times = points, mask0, mask1, times

        # --- forms without sets
        if number_of_melds == 0:
            other_class = np.int64(0)
            if ones == 0:
                other_class = np.int64(profile.tile_class[tile_index(present, at.FORM_PAIRS)])
            elif not complete:
                if is_orphans(ones, twos, fours):
                    other_class = numbers[SPECIAL]
                else:
                    singles = singles_form(ones, twos, fours)
                    if singles:
                        other_class = numbers[SPECIAL] + singles
            if other_class:
                mask0, mask1, times, points = add_up(
                    records, mask_points, numbers, other_class, circumstance + 1, 0, 0, 0, 0, hogs,
                    False,
                )  # fmt: skip
                if points > best or (
                    points == best
                    and is_preferred(
                        mask0, mask1, times, best0, best1, best_times,
                        profile.points, profile.order,
                    )
                ):  # fmt: skip
                    best, best0, best1, best_times = points, mask0, mask1, times

        # --- the row's results
        if best < 0:
            status[row] = NOT_COMPLETE
            best = 0
            flower_count = 0
            wins[row] = False
        else:
            if best0 | best1 == 0:
                best0 = 1 << _CHICKEN_BIT
                best = numbers[CHICKEN]
            status[row] = 0
            wins[row] = best >= numbers[MIN_FAN]
            if flower_count:
                best1 |= 1 << _FLOWER_BIT
        base[row] = best
        total[row] = best + flower_count * numbers[FLOWER]
        fan_mask[row, 0] = best0
        fan_mask[row, 1] = best1
        if want_counts:
            for fan in range(82):
                fan_counts[row, fan] = times_of(fan, best0, best1, best_times)
            fan_counts[row, 80] = flower_count


@step
def _is_complete(info_a, info_b, info_c, info_h):
    """Whether the four shapes split and exactly one of them has a pair."""
    if info_a == 0 or info_b == 0 or info_c == 0 or info_h == 0:
        return False
    pairs = (
        (info_a >> at.INFO_PAIR & 1) + (info_b >> at.INFO_PAIR & 1)
        + (info_c >> at.INFO_PAIR & 1) + (info_h >> at.INFO_PAIR & 1)
    )  # fmt: skip
    return pairs == 1

