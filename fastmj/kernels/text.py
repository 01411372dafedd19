"""Reading many hand texts at once, straight from their bytes.

The kernel takes only what is written plainly (``parse_hand`` describes the notation): anything else
is marked and left to ``parse_hand``, which knows the rest of the notation and words the errors. So
it must be strict, not complete, and a text that it takes must mean the same there.
"""

from __future__ import annotations

import numpy as np

from .jit import bare_kernel, step

_BLANK, _BAR, _OPEN, _CLOSE, _COMMA, _ZERO, _NINE = 32, 124, 91, 93, 44, 48, 57
_A, _H = 97, 104
_MOST_TILES, _MOST_MELDS = 14, 4
_CHOW, _PUNG, _MELDED_KONG, _CONCEALED_KONG = 0, 34, 68, 102

#: What a byte of the table ``letters`` says: a tile (honours by letter), a suit, nothing.
SUIT_FROM = 64
NOTHING = 255


def letter_table():
    """Meaning of each byte: tile id of an honour letter, ``SUIT_FROM`` + suit of ``m p s z``."""
    table = np.full(256, NOTHING, np.uint8)
    for position, letter in enumerate(b"ESWNCFP"):
        table[letter] = 27 + position
    for position, letter in enumerate(b"mpsz"):
        table[letter] = SUIT_FROM + position
    table.flags.writeable = False
    return table


@step
def _meld_code(first, second, third, fourth, number, source):
    """Code of a meld of three or four tiles, 0 if they make none or the source does not suit it."""
    if first == second and second == third:
        if number == 4:
            if fourth != first:
                return 0
            return 1 + first + (_MELDED_KONG if source else _CONCEALED_KONG)
        return 1 + first + _PUNG if source < 5 else 0
    low = min(first, second, third)
    high = max(first, second, third)
    plain = number == 3 and high < 27 and high - low == 2 and low % 9 < 7
    if plain and first + second + third == 3 * low + 3 and source < 5:
        return 1 + low + _CHOW
    return 0


@step
def _read_ending(data, at, end):
    """Read from the first bar on: whether it was understood, circumstances, winds, flowers."""
    prevalent = seat = flags = flowers = 0
    winds = 0
    while at < end and winds < 2:
        byte = data[at]
        wind = 0 if byte == 69 else 1 if byte == 83 else 2 if byte == 87 else 3
        if wind == 3 and byte != 78:
            break
        prevalent, seat = seat, wind
        winds += 1
        at += 1
    known = winds != 1
    number = 0
    while at < end and number < 4 and data[at] - _ZERO <= 1 and data[at] >= _ZERO:
        flags |= np.int64(data[at] - _ZERO) << number
        number += 1
        at += 1
    if at < end:
        known &= data[at] == _BAR
        at += 1
        if at + 1 == end and data[at] >= _ZERO and data[at] <= _ZERO + 8:
            flowers = np.int64(data[at]) - _ZERO
        else:
            seen = 0
            while at < end:
                place = np.int64(data[at]) - _A
                if place < 0 or place > _H - _A or seen >> place & 1:
                    known = False
                    break
                seen |= 1 << place
                flowers += 1
                at += 1
    return known, flags, seat, prevalent, flowers


@step
def _copies(counts, melds, tile):
    """Copies of a tile in a row, those in its melds counted in, and whether one is in a kong."""
    copies = np.int64(counts[tile])
    in_kong = False
    for place in range(_MOST_MELDS):
        code = np.int64(melds[place]) - 1
        low = code % 34
        if code < 0:
            break
        if code < _PUNG:
            copies += low <= tile and tile <= low + 2
        elif tile == low:
            copies += 3 if code < _MELDED_KONG else 4
            in_kong = code >= _MELDED_KONG
    return copies, in_kong


@step
def _is_possible(counts, melds, tiles, placed, win, flags):
    """Whether nothing is wrong with what was read; where something is, ``parse_hand`` says what."""
    possible = tiles == _MOST_TILES - 3 * placed
    kongs = False
    for tile in range(34):
        if counts[tile] > 4:
            possible = False
    for place in range(placed):
        code = np.int64(melds[place]) - 1
        for tile in range(code % 34, code % 34 + (3 if code < _PUNG else 1)):
            copies, in_kong = _copies(counts, melds, tile)
            possible &= copies <= 4
            kongs |= in_kong
    self_drawn = flags & 1
    if flags & 8 and self_drawn and not kongs:
        possible = False
    if flags & 8 and not self_drawn:
        copies, in_kong = _copies(counts, melds, win)
        possible &= copies == 1 and not flags & 4
    if flags & 2 and counts[win] > 1:
        possible = False
    return possible


@step
def _read_text(data, at, end, letters, dragons, rows, codes, first, row):
    """Read a text into a row of counts and, from column ``first``, of meld codes.

    Returns whether it was understood, how many tiles and melds, the winning tile, circumstances,
    winds, flowers.
    """
    while at < end and data[at] == _BLANK:
        at += 1
    while end > at and (data[end - 1] == _BLANK or data[end - 1] == 13):
        end -= 1
    digits = np.int64(0)  # pending, four bits each
    pending = 0
    tiles = 0
    number = -1  # tiles of the open meld, -1 outside
    held = np.int64(0)  # its tiles, eight bits each
    placed = 0
    last = np.int64(0)
    good = True
    flags = seat = prevalent = blooms = seen = np.int64(0)
    while at < end:
        byte = np.int64(data[at])
        at += 1
        if byte >= _ZERO and byte <= _NINE:
            digits |= (byte - _ZERO) << 4 * pending
            pending += 1
            good = pending <= _MOST_TILES
        elif byte >= _A and byte <= _H:
            good = number < 0 and pending == 0 and not seen >> byte - _A & 1
            seen |= 1 << byte - _A
            blooms += 1
        elif letters[byte] != NOTHING:
            meaning = np.int64(letters[byte])
            suit = meaning - SUIT_FROM
            if suit < 0:
                good = pending == 0
                digits = meaning
                pending = 1
            else:
                good = pending > 0
            while good and pending:
                tile = digits
                if suit >= 0:
                    rank = digits & 15
                    tile = np.int64(dragons[rank]) if suit == 3 else 9 * suit + rank - 1
                    good = rank > 0 and tile < 34
                digits >>= 4
                pending -= 1
                if not good:
                    break
                if number >= 0:
                    good = number < 4
                    held |= tile << 8 * (number & 3)
                    number += 1
                else:
                    good = tiles < _MOST_TILES
                    tiles += 1
                    rows[row, tile] += 1
                    last = tile
            digits = np.int64(0)  # a letter's tile has more than four bits
        elif byte == _OPEN:
            good = number < 0 and pending == 0 and placed < _MOST_MELDS
            number = 0
            held = np.int64(0)
        elif byte in (_CLOSE, _COMMA):
            source = np.int64(0)
            if byte == _COMMA:
                good = at + 1 < end and data[at + 1] == _CLOSE
                if good:
                    source = np.int64(data[at]) - _ZERO
                    good = source >= 1 and source <= 7 and source != 4
                at += 2
            code = np.int64(0)
            if good and pending == 0 and (number == 3 or number == 4):
                code = _meld_code(
                    held & 255, held >> 8 & 255, held >> 16 & 255, held >> 24, number, source
                )
            good = code > 0
            if good:
                codes[row, first + placed] = code
                placed += 1
            number = -1
        elif byte == _BAR:
            good, flags, seat, prevalent, more = _read_ending(data, at, end)
            while seen and at < end:  # flowers are told once
                good &= data[at] != _BAR
                at += 1
            at, blooms = end, blooms + more
        else:
            good = byte == _BLANK and number < 0
        if not good:
            break
    good = good and pending == 0 and number < 0 and tiles > 0
    return good, tiles, placed, last, flags, seat, prevalent, blooms


@bare_kernel
def plain_texts(data, offsets, plain, out, start, stop):
    """Write texts ``start`` to ``stop`` with usual letters for others, blanks behind what is left.

    ``data`` and ``offsets`` as for ``read_texts``; ``plain`` uint8 (65536,), the byte that stands
    for a character of three bytes, 0 for none; ``out`` uint8, as long as ``data``. ``read_texts``
    then has only single bytes to tell apart.
    """
    for row in range(start, stop):
        at = to = offsets[row]
        end = offsets[row + 1]
        while at < end:
            byte = np.int64(data[at])
            length = 1
            if byte & 0xF0 == 0xE0 and at + 2 < end:
                low = np.int64(data[at + 2]) & 63
                known = plain[(byte & 15) << 12 | (np.int64(data[at + 1]) & 63) << 6 | low]
                if known:
                    byte = np.int64(known)
                    length = 3
            out[to] = byte
            to += 1
            at += length
        while to < end:
            out[to] = _BLANK
            to += 1


@bare_kernel
def read_texts(
    data, offsets, letters, dragons,
    counts, melds, win_tile, circumstances, seat_wind, prevalent_wind, flowers, known, start, stop,
):  # fmt: skip
    """Read texts ``start`` to ``stop`` into rows of columns that hold zeros.

    ``data`` uint8, text i is at ``offsets[i]`` to ``offsets[i + 1]`` (int64); ``letters`` of
    ``letter_table``; ``dragons`` uint8 (16,), tile of each ``z`` rank, 255 for none. ``known`` bool
    (N,) tells which texts were read and make a possible hand; rows of others are left as zeros.
    """
    for row in range(start, stop):
        at = offsets[row]
        end = offsets[row + 1]
        good, tiles, placed, last, flags, seat, prevalent, blooms = _read_text(
            data, at, end, letters, dragons, counts, melds, 0, row
        )
        if good:
            good = _is_possible(counts[row], melds[row], tiles, placed, last, flags)
        if good:
            known[row] = True
            win_tile[row] = last
            circumstances[row] = flags
            seat_wind[row] = seat
            prevalent_wind[row] = prevalent
            flowers[row] = blooms
        else:
            known[row] = False
            counts[row] = 0
            melds[row] = 0


@bare_kernel
def read_packed(letters, dragons, data, hand):
    """Read one text into ``hand``, uint8 (1, 43) of zeros, as ``score_packed`` takes it.

    Whether it was understood; whether the hand is possible is for the scorer to say.
    """
    good, _, _, last, flags, seat, prevalent, blooms = _read_text(
        data, 0, len(data), letters, dragons, hand, hand, 34, 0
    )
    hand[0, 38] = last
    hand[0, 39] = flags
    hand[0, 40] = seat
    hand[0, 41] = prevalent
    hand[0, 42] = blooms
    return good
