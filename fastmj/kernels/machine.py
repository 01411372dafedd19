"""Steps that the machine has an instruction for and Python has not, each with its plain twin.

The twin says what the step does. It runs where compilation is switched off; and where a GPU has no
such instruction, as for vectors of bytes, the twin is compiled for it.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, register_jitable

from .scoring.layout import KONG

_LOW_32 = (1 << 32) - 1
#: Every other byte of a word, and one in each of these: room for sums and comparisons.
_EVEN, _UNITS = 0x00FF00FF00FF00FF, 0x0001000100010001
_BIT_6 = 0x4040404040404040
#: Part of the name of machines for which some twins are compiled (a test has them on this one).
TWINS_ON = "nvptx"


def _step(plain: Any, typed: Any) -> Any:
    """The machine's way, or its twin where nothing is compiled.

    Not as an overload: each would be a function more to compile.
    """
    return plain if getattr(config, "DISABLE_JIT", False) else intrinsic(typed)


def _processor_step(plain: Any, typed: Any) -> Any:
    """The processor's way; on a GPU the twin, compiled."""

    @wraps(typed)
    def chosen(typingctx: Any, *kinds: Any) -> Any:
        signature, own = typed(typingctx, *kinds)

        def build(context, builder, signature, args):
            if TWINS_ON in builder.module.triple:
                return context.compile_internal(builder, plain, signature, args)
            return own(context, builder, signature, args)

        return signature, build

    return _step(plain, chosen)


def _plain_popcount(mask):
    """Number of bits of a mask."""
    return int(mask).bit_count()


def _typed_popcount(typingctx, mask):
    def build(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


popcount = _step(_plain_popcount, _typed_popcount)


def _plain_high_product(key, factor):
    """Upper half of the 64-bit product of two words, taken as unsigned."""
    return (int(key) * int(factor) >> 32) & _LOW_32


def _typed_high_product(typingctx, key, factor):
    def build(context, builder, signature, args):
        return builder.lshr(builder.mul(*args), ir.Constant(ir.IntType(64), 32))

    return types.int64(types.int64, types.int64), build


high_product = _step(_plain_high_product, _typed_high_product)


def _plain_fewer_bytes(a, b):
    """The lower of each two bytes of two words, all below 64."""
    first = int(a)
    not_less = ((first | _BIT_6) - int(b)) & _BIT_6
    return first ^ (first ^ int(b)) & (not_less - (not_less >> 6))


def _typed_fewer_bytes(typingctx, a, b):
    def build(context, builder, signature, args):
        eight = ir.VectorType(ir.IntType(8), 8)
        first, second = (builder.bitcast(word, eight) for word in args)
        below = builder.icmp_unsigned("<", first, second)
        return builder.bitcast(builder.select(below, first, second), ir.IntType(64))

    return types.int64(types.int64, types.int64), build


fewer_bytes = _processor_step(_plain_fewer_bytes, _typed_fewer_bytes)


def _plain_load_word(counts, row, column):
    """Eight counts of a row as the bytes of a word, the first the lowest."""
    return int.from_bytes(counts[row, column : column + 8].tobytes(), "little", signed=True)


def _bytes_at(context, builder, kind, array, row, column, vector):
    """Unaligned load from a place in a matrix of bytes."""
    made = context.make_array(kind)(context, builder, array)
    pointer = cgutils.get_item_pointer(
        context, builder, kind, made, [row, column], wraparound=False
    )
    return builder.load(builder.bitcast(pointer, vector.as_pointer()), align=1)


def _typed_load_word(typingctx, counts, row, column):
    def build(context, builder, signature, args):
        return _bytes_at(context, builder, signature.args[0], *args, ir.IntType(64))

    return types.int64(counts, types.intp, types.intp), build


load_word = _step(_plain_load_word, _typed_load_word)


def _plain_prefetch(longs, place):
    """Begin to bring an entry of a table to the cache."""


def _typed_prefetch(typingctx, longs, place):
    def build(context, builder, signature, args):
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole]),
            "llvm.prefetch.p0",
        )
        array = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.bitcast(builder.gep(array.data, [args[1]]), byte)
        builder.call(function, [pointer, *(ir.Constant(whole, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(longs, types.intp), build


prefetch = _processor_step(_plain_prefetch, _typed_prefetch)


@register_jitable
def _at_least(even, odd, least):
    """Which of eight bytes, the even and the odd ones, are at least so much: a bit each."""
    room = (256 - least) * _UNITS
    pairs = even + room >> 8 & _UNITS | (odd + room >> 8 & _UNITS) << 1
    fours = (pairs | pairs >> 14) & 0xF0000000F
    return (fours | fours >> 28) & 255


def _plain_add_melds(counts, row, longs, first, second, third, fourth, tile):
    """Copies of all tiles in hand and melds, whose copies begin the records at four places.

    Returns masks of the tiles that are present, of those held four times outside a kong, and of
    those that cannot be; and the copies of one tile. Sums are bytes: 256 is none.
    """
    present, fours, impossible = 0, 0, 0
    for word in range(5):
        held = np.int64(counts[row, 32]) | np.int64(counts[row, 33]) << 8
        if word < 4:
            held = load_word(counts, row, 8 * word)
        a, b = int(longs[first + word]), int(longs[second + word])
        c, d = int(longs[third + word]), int(longs[fourth + word])
        even = (held & _EVEN) + (a & _EVEN) + (b & _EVEN) + (c & _EVEN) + (d & _EVEN) & _EVEN
        odd = (held >> 8 & _EVEN) + (a >> 8 & _EVEN) + (b >> 8 & _EVEN)
        odd = odd + (c >> 8 & _EVEN) + (d >> 8 & _EVEN) & _EVEN
        four, five = _at_least(even, odd, 4), _at_least(even, odd, 5)
        kong, more = _at_least(even, odd, KONG), _at_least(even, odd, KONG + 1)
        present |= _at_least(even, odd, 1) << 8 * word
        fours |= (four & ~five) << 8 * word
        impossible |= (five & ~(kong & ~more)) << 8 * word
    copies = np.int64(counts[row, tile])
    for place in (first, second, third, fourth):
        copies += int(longs[place + (tile >> 3)]) >> 8 * (tile & 7) & 255
    return present, fours, impossible, copies & 255


def _tile_masks(builder, copies, width):
    """Three masks of ``add_melds`` for a vector of copies."""
    vector = copies.type

    def constant(value):
        return ir.Constant(vector, [value] * width)

    def mask_of(lanes):
        return builder.zext(builder.bitcast(lanes, ir.IntType(width)), ir.IntType(64))

    over = builder.icmp_unsigned(">", copies, constant(4))
    no_kong = builder.icmp_unsigned("!=", copies, constant(KONG))
    return (
        mask_of(builder.icmp_unsigned("!=", copies, constant(0))),
        mask_of(builder.icmp_unsigned("==", copies, constant(4))),
        mask_of(builder.and_(over, no_kong)),
    )


def _typed_add_melds(typingctx, counts, row, longs, first, second, third, fourth, tile):
    def build(context, builder, signature, args):
        matrix, number, records, *places, wanted = args
        table = context.make_array(signature.args[2])(context, builder, records)
        whole, byte = ir.IntType(64), ir.IntType(8)
        with builder.goto_entry_block():  # numba's own way would fill it with zeros, row by row
            memory = builder.alloca(ir.ArrayType(byte, 64))
        masks = []
        # 34 bytes as 32 and, beginning with the 18th, 16.
        for begin, width in ((0, 32), (18, 16)):
            vector = ir.VectorType(byte, width)
            offset = ir.Constant(whole, begin)
            copies = _bytes_at(context, builder, signature.args[0], matrix, number, offset, vector)
            for place in places:
                record = builder.bitcast(builder.gep(table.data, [place]), byte.as_pointer())
                at = builder.bitcast(builder.gep(record, [offset]), vector.as_pointer())
                copies = builder.add(copies, builder.load(at, align=1))
            kept = builder.gep(memory, [ir.Constant(whole, 0), offset])
            builder.store(copies, builder.bitcast(kept, vector.as_pointer()), align=1)
            masks.append(_tile_masks(builder, copies, width))
        joined = [
            builder.or_(low, builder.shl(high, ir.Constant(whole, 18)))
            for low, high in zip(*masks, strict=True)
        ]
        found = builder.load(builder.gep(memory, [ir.Constant(whole, 0), wanted]))
        joined.append(builder.zext(found, whole))
        return context.make_tuple(builder, signature.return_type, joined)

    place = types.intp
    given = (counts, place, longs, place, place, place, place, place)
    return types.UniTuple(types.int64, 4)(*given), build


add_melds = _processor_step(_plain_add_melds, _typed_add_melds)


def _plain_join_records(records, a, b, c, d, e, f, g):
    """Fans of seven records that count, and those that one takes away from another: four words."""
    held0 = held1 = implied0 = implied1 = 0
    for record in (a, b, c, d, e, f, g):
        held0 |= int(records[record])
        held1 |= int(records[record + 1])
        implied0 |= int(records[record + 2])
        implied1 |= int(records[record + 3])
    return held0 & ~implied0, held1 & ~implied1, held0 & implied0, held1 & implied1


def _typed_join_records(typingctx, records, a, b, c, d, e, f, g):
    def build(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        four = ir.VectorType(ir.IntType(64), 4)
        joined = None
        for position in args[1:]:
            pointer = builder.gep(array.data, [position])
            loaded = builder.load(builder.bitcast(pointer, four.as_pointer()), align=8)
            joined = loaded if joined is None else builder.or_(joined, loaded)

        def half(first):
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), 2), [first, first + 1])
            return builder.shuffle_vector(joined, ir.Constant(four, ir.Undefined), lanes)

        lost = builder.and_(half(0), half(2))
        counted = builder.xor(half(0), lost)
        words = [
            builder.extract_element(pair, ir.Constant(ir.IntType(32), lane))
            for pair in (counted, lost)
            for lane in range(2)
        ]
        return context.make_tuple(builder, signature.return_type, words)

    whole = types.int64
    return types.UniTuple(whole, 4)(records, *[whole] * 7), build


join_records = _step(_plain_join_records, _typed_join_records)
