"""Steps that the machine has an instruction for and Python has not, each with its plain twin.

The twin runs where compilation is switched off, and says what the step does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from .jit import BARE, INLINED

_BYTES = 32
_OPTIONS: Any = {"nogil": True, **BARE, **INLINED}


def popcount(mask):
    """Number of bits of a mask."""
    return int(mask).bit_count()


@intrinsic
def _popcount(typingctx, mask):
    def build(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@overload(popcount, jit_options=_OPTIONS)
def _popcount_step(mask):
    return lambda mask: _popcount(np.int64(mask))


def byte_planes(counts, row):
    """First 32 counts of a row as bit planes: weights 1, 2 and 4, and the counts over 7."""
    values = [int(count) for count in counts[row, :_BYTES]]
    planes = [sum((value >> bit & 1) << i for i, value in enumerate(values)) for bit in range(3)]
    return planes[0], planes[1], planes[2], sum((value > 7) << i for i, value in enumerate(values))


@intrinsic
def _byte_planes(typingctx, counts, row):
    def build(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        zero = context.get_constant(types.intp, 0)
        pointer = cgutils.get_item_pointer(
            context, builder, signature.args[0], array, [args[1], zero], wraparound=False
        )
        vector = ir.VectorType(ir.IntType(8), _BYTES)
        loaded = builder.load(builder.bitcast(pointer, vector.as_pointer()), align=1)

        def constant(value):
            return ir.Constant(vector, [value] * _BYTES)

        def mask_of(lanes):
            return builder.zext(builder.bitcast(lanes, ir.IntType(_BYTES)), ir.IntType(64))

        zeros = constant(0)
        masks = [
            mask_of(builder.icmp_unsigned("!=", builder.and_(loaded, constant(wanted)), zeros))
            for wanted in (1, 2, 4, 0xF8)
        ]
        return context.make_tuple(builder, signature.return_type, masks)

    return types.UniTuple(types.int64, 4)(counts, types.intp), build


@overload(byte_planes, jit_options=_OPTIONS)
def _byte_planes_step(counts, row):
    return lambda counts, row: _byte_planes(counts, row)


def counted_fans(records, a, b, c, d, e, f, g):
    """Fans of seven records that hold and that none of them takes away, as two words."""
    held0 = held1 = implied0 = implied1 = 0
    for record in (a, b, c, d, e, f, g):
        held0 |= int(records[record])
        held1 |= int(records[record + 1])
        implied0 |= int(records[record + 2])
        implied1 |= int(records[record + 3])
    return held0 & ~implied0, held1 & ~implied1


@intrinsic
def _counted_fans(typingctx, records, a, b, c, d, e, f, g):
    def build(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        four = ir.VectorType(ir.IntType(64), 4)
        joined = None
        for position in args[1:]:
            pointer = builder.gep(array.data, [position])
            loaded = builder.load(builder.bitcast(pointer, four.as_pointer()), align=8)
            joined = loaded if joined is None else builder.or_(joined, loaded)

        def part(lane):
            return builder.extract_element(joined, ir.Constant(ir.IntType(32), lane))

        words = [builder.and_(part(lane), builder.not_(part(lane + 2))) for lane in range(2)]
        return context.make_tuple(builder, signature.return_type, words)

    whole = types.int64
    return types.UniTuple(whole, 2)(records, *[whole] * 7), build


@overload(counted_fans, jit_options=_OPTIONS)
def _counted_fans_step(records, a, b, c, d, e, f, g):
    return lambda records, a, b, c, d, e, f, g: _counted_fans(records, a, b, c, d, e, f, g)
