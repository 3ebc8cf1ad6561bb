"""Rows of `WIDTH` numbers that are added at once: the processor's vectors, whatever loops compile to.

A loop over so few numbers is not turned into vectors where the compiler cannot know that arrays do not overlap; here
each row is loaded, added and stored as one. Arrays are `[rows, WIDTH]` and contiguous, all of one type.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tefuda._kernels.jit import intrinsic, types

WIDTH = 16


def _row(context, builder, kind, array, row_kind, row):
    """A pointer to a row as one vector, and its alignment."""
    found = context.make_array(kind)(context, builder, array)
    place = context.cast(builder, row, row_kind, types.intp)
    start = builder.gep(found.data, [builder.mul(place, ir.Constant(place.type, WIDTH))])
    vector = ir.VectorType(context.get_data_type(kind.dtype), WIDTH)
    return builder.bitcast(start, vector.as_pointer()), kind.dtype.bitwidth // 8


def _load(builder, pointer, align):
    return builder.load(pointer, align=align)


def _change(how):
    """table[row] becomes itself plus (``fadd``) or minus (``fsub``) values[place]."""

    def typed(typing_context, table, row, values, place):
        def generate(context, builder, signature, arguments):
            (table_kind, row_kind, values_kind, place_kind), (to, at, of, where) = signature.args, arguments
            pointer, align = _row(context, builder, table_kind, to, row_kind, at)
            other, _ = _row(context, builder, values_kind, of, place_kind, where)
            changed = getattr(builder, how)(_load(builder, pointer, align), _load(builder, other, align))
            builder.store(changed, pointer, align=align)
            return context.get_dummy_value()

        return types.void(table, row, values, place), generate

    return typed


def _count(more):
    """out[place] becomes, or gets more by, table[total] - table[one] - table[two]."""

    def typed(typing_context, out, place, table, total, one, two):
        def generate(context, builder, signature, arguments):
            kinds, given = signature.args, arguments
            rows = [_row(context, builder, kinds[2], given[2], kinds[i], given[i]) for i in (3, 4, 5)]
            align = rows[0][1]
            left = _load(builder, rows[0][0], align)
            for pointer, _ in rows[1:]:
                left = builder.fsub(left, _load(builder, pointer, align))
            pointer, _ = _row(context, builder, kinds[0], given[0], kinds[1], given[1])
            left = builder.fadd(_load(builder, pointer, align), left) if more else left
            builder.store(left, pointer, align=align)
            return context.get_dummy_value()

        return types.void(out, place, table, total, one, two), generate

    return typed


#: gain(table, row, values, place): table[row] += values[place]; lose: -=.
gain: Any = intrinsic(_change("fadd"))
lose: Any = intrinsic(_change("fsub"))
#: balance(out, place, table, total, one, two): out[place] = table[total] - table[one] - table[two]; more: +=.
balance: Any = intrinsic(_count(False))
more: Any = intrinsic(_count(True))
