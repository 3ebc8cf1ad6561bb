"""SIMD vectors as values: rows of `WIDTH` lanes, worked on at once, whatever loops compile to.

A loop over numbers is turned into vectors only where the compiler can tell that arrays do not overlap, and then takes
four loops' time to compile. A row is a value: read with `take`, written with `put`; rows of one type, and rows and
numbers, are added, subtracted and multiplied. Arrays are contiguous and places count from their first number,
whatever their axes.
"""

from __future__ import annotations

import operator
from functools import wraps
from typing import Any

from llvmlite import ir
from numba.core.imputils import lower_builtin
from numba.extending import models, register_model, type_callable

from tefuda._kernels.jit import intrinsic, types

WIDTH = 16
_WHOLE = 1.5 * 2**23  # added to a number of 32 bits, its last bits are the number, rounded, as an integer
TRANSPOSED = 8  # rows and lanes of a block that `transpose` exchanges: as many as the registers of any processor hold


class Row(types.Type):
    """The type of a row of numbers of a type."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"row({dtype})")


@register_model(Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Row) -> None:
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), WIDTH))


def _splat(builder, number, count=WIDTH):
    """A row of one number."""
    kind = ir.VectorType(number.type, count)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count))


def _as_row(context, builder, value, given, wanted):
    return value if isinstance(given, Row) else _splat(builder, context.cast(builder, value, given, wanted.dtype))


def _operator(symbol, instruction):
    @type_callable(symbol)
    def typed(typing_context):
        def of(one, two):
            rows = [kind for kind in (one, two) if isinstance(kind, Row)]
            if rows and all(kind == rows[0] or isinstance(kind, types.Number) for kind in (one, two)):
                return rows[0]
            return None

        return of

    for kinds in ((Row, Row), (Row, types.Number), (types.Number, Row)):

        @lower_builtin(symbol, *kinds)
        def lowered(context, builder, signature, arguments):
            wanted = signature.return_type
            rows = [_as_row(context, builder, *one, wanted) for one in zip(arguments, signature.args, strict=True)]
            whole = isinstance(wanted.dtype, types.Integer)
            return getattr(builder, instruction[1:] if whole else instruction)(*rows)


for _symbol, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    _operator(_symbol, _instruction)


def _dense(typed):
    """An instruction that takes contiguous arrays only; others are refused when a kernel is compiled."""

    @wraps(typed)
    def checked(typing_context, *kinds):
        if all(kind.layout == "C" for kind in kinds if isinstance(kind, types.Array)):
            return typed(typing_context, *kinds)
        return None

    return intrinsic(checked)


def _field(context, builder, kind, array, name):
    """What is known of an array, without a copy of all that is: `data` or `shape`."""
    return builder.extract_value(array, context.data_model_manager[kind].get_field_position(name))


def _place(context, builder, kind, array, place_kind, place):
    """A pointer to a number of an array."""
    start = context.cast(builder, place, place_kind, types.intp)
    return builder.gep(_field(context, builder, kind, array, "data"), [start])


def _cell(typing_context, array, first, second):
    def generate(context, builder, signature, arguments):
        (kind, *kinds), (given, *places) = signature.args, arguments
        one, two = (context.cast(builder, *both, types.intp) for both in zip(places, kinds, strict=True))
        length = builder.extract_value(_field(context, builder, kind, given, "shape"), 1)
        return builder.load(
            _place(context, builder, kind, given, types.intp, builder.add(builder.mul(one, length), two))
        )

    return array.dtype(array, first, second), generate


def _rows_at(builder, pointer, count):
    """The pointer as one to a row."""
    return builder.bitcast(pointer, ir.VectorType(pointer.type.pointee, count).as_pointer())


def _mask(context, builder, left_kind, left):
    """Which lanes count, the first `left`; whether all do."""
    lanes = ir.VectorType(ir.IntType(32), WIDTH)
    many = context.cast(builder, left, left_kind, types.int32)
    some = builder.icmp_signed("<", ir.Constant(lanes, list(range(WIDTH))), _splat(builder, many))
    return some, builder.icmp_signed(">=", many, ir.Constant(many.type, WIDTH))


def _converted(builder, row, of, to):
    """A row of numbers of another type."""
    wanted = ir.VectorType(ir.FloatType() if to == types.float32 else ir.DoubleType(), WIDTH)
    if of == to:
        return row
    if isinstance(of, types.Integer):
        return (builder.sitofp if str(of).startswith("int") else builder.uitofp)(row, wanted)
    return (builder.fpext if of.bitwidth < to.bitwidth else builder.fptrunc)(row, wanted)


def _pointer(context, builder, kind, array, place_kind, place):
    """A pointer to the row at a place, and its alignment."""
    pointer = _rows_at(builder, _place(context, builder, kind, array, place_kind, place), WIDTH)
    return pointer, kind.dtype.bitwidth // 8


def _row(typing_context, array, place):
    def generate(context, builder, signature, arguments):
        pointer, align = _pointer(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
        return builder.load(pointer, align=align)

    return Row(array.dtype)(array, place), generate


def _set_row(typing_context, array, place, row):
    def generate(context, builder, signature, arguments):
        pointer, align = _pointer(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
        builder.store(arguments[2], pointer, align=align)
        return context.get_dummy_value()

    return types.void(array, place, row), generate


def _rounded(builder, row, pointer):
    """Numbers of 32 bits as integers of 16: one addition, where cutting them takes three instructions."""
    more = builder.fadd(row, _splat(builder, ir.Constant(row.type.element, _WHOLE)))
    return builder.trunc(builder.bitcast(more, ir.VectorType(ir.IntType(32), WIDTH)), pointer.type.pointee)


def _loaded(context, builder, kinds, given):
    """The first lanes of a row as they are stored, the others 0."""
    pointer, align = _pointer(context, builder, kinds[0], given[0], kinds[1], given[1])
    some, whole = _mask(context, builder, kinds[2], given[2])
    row = pointer.type.pointee
    with builder.if_else(whole, likely=True) as (then, other):
        with then:
            full, there = builder.load(pointer, align=align), builder.block
        with other:
            called = ir.FunctionType(row, (pointer.type, ir.IntType(32), some.type, row))
            load = _masked(builder, "load", kinds[0].dtype, called)
            less = (pointer, ir.Constant(ir.IntType(32), align), some, ir.Constant(row, None))
            part, here = builder.call(load, less), builder.block
    found = builder.phi(row)
    found.add_incoming(full, there)
    found.add_incoming(part, here)
    return found


def _take(typing_context, array, place, left, like):
    def generate(context, builder, signature, arguments):
        found = _loaded(context, builder, signature.args, arguments)
        return _converted(builder, found, array.dtype, like.dtype)

    return Row(like.dtype)(array, place, left, like), generate


def _positive_part(typing_context, array, place, left, like):
    kind = Row(types.int32 if isinstance(array.dtype, types.Integer) else like.dtype)

    def generate(context, builder, signature, arguments):
        found, of = _loaded(context, builder, signature.args, arguments), array.dtype
        if not isinstance(of, types.Integer):
            found = _converted(builder, found, of, kind.dtype)
        elif str(of).startswith("uint"):
            return builder.zext(found, ir.VectorType(ir.IntType(32), WIDTH))
        none = ir.Constant(found.type, None)
        more = (builder.icmp_signed if isinstance(of, types.Integer) else builder.fcmp_ordered)(">", found, none)
        found = builder.select(more, found, none)
        return builder.zext(found, ir.VectorType(ir.IntType(32), WIDTH)) if isinstance(of, types.Integer) else found

    return kind(array, place, left, like), generate


def _convert(typing_context, row, like):
    def generate(context, builder, signature, arguments):
        return _converted(builder, arguments[0], row.dtype, like.dtype)

    return Row(like.dtype)(row, like), generate


def _put(typing_context, array, place, left, row):
    def generate(context, builder, signature, arguments):
        kinds, given = signature.args, arguments
        pointer, align = _pointer(context, builder, kinds[0], given[0], kinds[1], given[1])
        some, whole = _mask(context, builder, kinds[2], given[2])
        row = _rounded(builder, given[3], pointer) if isinstance(kinds[0].dtype, types.Integer) else given[3]
        with builder.if_else(whole, likely=True) as (then, other):
            with then:
                builder.store(row, pointer, align=align)
            with other:
                called = ir.FunctionType(ir.VoidType(), (row.type, pointer.type, ir.IntType(32), some.type))
                store = _masked(builder, "store", kinds[0].dtype, called)
                builder.call(store, (row, pointer, ir.Constant(ir.IntType(32), align), some))
        return context.get_dummy_value()

    return types.void(array, place, left, row), generate


def _masked(builder, what, dtype, called):
    """The instruction that loads or stores the lanes of a mask alone."""
    name = f"llvm.masked.{what}.v{WIDTH}{'i' if isinstance(dtype, types.Integer) else 'f'}{dtype.bitwidth}.p0"
    return builder.module.globals.get(name) or ir.Function(builder.module, called, name)


def _prefetch(typing_context, array, place):
    def generate(context, builder, signature, arguments):
        pointer = _place(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
        number = ir.IntType(32)
        pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        called = ir.FunctionType(ir.VoidType(), (pointer.type, number, number, number))
        name = "llvm.prefetch.p0"
        fetch = builder.module.globals.get(name) or ir.Function(builder.module, called, name)
        builder.call(fetch, [pointer, *(ir.Constant(number, one) for one in (1, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, place), generate


def _broadcast(typing_context, number, like):
    def generate(context, builder, signature, arguments):
        return _splat(builder, context.cast(builder, arguments[0], signature.args[0], like.dtype))

    return Row(like.dtype)(number, like), generate


def _select(typing_context, one, two, yes, no):
    def generate(context, builder, signature, arguments):
        return builder.select(builder.fcmp_ordered(">", arguments[0], arguments[1]), arguments[2], arguments[3])

    return yes(one, two, yes, no), generate


def _any_positive(typing_context, row):
    def generate(context, builder, signature, arguments):
        (row,) = arguments
        found = builder.fcmp_ordered(">", row, ir.Constant(row.type, None))
        bits = builder.bitcast(found, ir.IntType(WIDTH))  # a bit for each lane: one comparison asks all of them
        return builder.zext(builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0)), ir.IntType(8))

    return types.uint8(row), generate


def _maximum(typing_context, row):
    def generate(context, builder, signature, arguments):
        (lanes,), count = arguments, WIDTH
        while count > 1:  # fold the upper half on the lower one
            count //= 2
            upper = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count, 2 * count)))
            lower = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count)))
            one, two = (builder.shuffle_vector(lanes, lanes, half) for half in (lower, upper))
            lanes = builder.select(builder.fcmp_ordered(">", one, two), one, two)
        return builder.extract_element(lanes, ir.Constant(ir.IntType(32), 0))

    return row.dtype(row), generate


def _larger(typing_context, one, two):
    def generate(context, builder, signature, arguments):
        one, two = arguments
        return builder.select(builder.fcmp_ordered(">", one, two), one, two)

    return one(one, two), generate


def _magnitudes(typing_context, row, left):
    def generate(context, builder, signature, arguments):
        row = arguments[0]
        some, _ = _mask(context, builder, signature.args[1], arguments[1])
        whole = ir.IntType(signature.return_type.dtype.bitwidth)
        bits = builder.bitcast(row, ir.VectorType(whole, WIDTH))
        bits = builder.and_(bits, _splat(builder, ir.Constant(whole, 2 ** (whole.width - 1) - 1)))  # all but the sign
        return builder.bitcast(builder.select(some, bits, ir.Constant(bits.type, None)), row.type)

    return row(row, left), generate


def _ratio(typing_context, one, two):
    def generate(context, builder, signature, arguments):
        return builder.fdiv(*arguments)

    return one(one, two), generate


#: cell(array, first, second): a number of a contiguous array of two axes, whose places must not be negative.
cell: Any = _dense(_cell)
#: row(array, place): the row at a place. set_row(array, place, row): its other side.
row: Any = _dense(_row)
set_row: Any = _dense(_set_row)
#: take(array, place, left, like): a masked load of the first `left` lanes, the others 0, converted to the type of the
#: array `like`. positive_part(array, place, left, like): likewise max(x, 0); of integers a row of 32-bit integers, so
#: that they are added as such. convert(row, like): a row in the type of `like`. put(array, place, left, row): the
#: masked store; it leaves the other lanes as they were, and rounds where integers are stored.
take: Any = _dense(_take)
positive_part: Any = _dense(_positive_part)
convert: Any = intrinsic(_convert)
put: Any = _dense(_put)
#: prefetch(array, place): ask for a line of the cache; the place may lie outside of the array.
prefetch: Any = _dense(_prefetch)
#: broadcast(number, like): a number in all lanes, in the type of the array `like`. ratio(one, two): one / two.
broadcast: Any = intrinsic(_broadcast)
ratio: Any = intrinsic(_ratio)
#: select(one, two, yes, no): by lane `yes` if one > two, else `no`. larger(one, two): the maximum by lane.
#: magnitudes(row, left): the absolute values of the first `left` lanes, the others 0.
select: Any = intrinsic(_select)
larger: Any = intrinsic(_larger)
magnitudes: Any = intrinsic(_magnitudes)
#: any_positive(row): 1 if any lane is more than 0, else 0. maximum(row): the largest of all lanes.
any_positive: Any = intrinsic(_any_positive)
maximum: Any = intrinsic(_maximum)


def _turned(builder, rows):
    """As many columns from TRANSPOSED rows: pairs of rows, half of all apart, are interleaved three times."""
    count = len(rows)
    lanes = ir.VectorType(ir.IntType(32), count)
    low = ir.Constant(lanes, [i // 2 + (i % 2) * count for i in range(count)])
    high = ir.Constant(lanes, [count // 2 + i // 2 + (i % 2) * count for i in range(count)])
    for _ in range(count.bit_length() - 1):
        half = count // 2
        rows = [builder.shuffle_vector(rows[i], rows[i + half], order) for i in range(half) for order in (low, high)]
    return rows


def _transpose(typing_context, to, to_place, to_step, of, starts, first, place):
    def generate(context, builder, signature, arguments):
        kinds, given = signature.args, arguments
        one = context.cast(builder, given[5], kinds[5], types.intp)
        align, rows = kinds[3].dtype.bitwidth // 8, []
        for i in range(TRANSPOSED):
            start = builder.load(
                _place(context, builder, kinds[4], given[4], types.intp, builder.add(one, ir.Constant(one.type, i)))
            )
            at = builder.add(start, context.cast(builder, given[6], kinds[6], types.intp))
            pointer = _place(context, builder, kinds[3], given[3], types.intp, at)
            rows.append(builder.load(_rows_at(builder, pointer, TRANSPOSED), align=align))
        at = context.cast(builder, given[1], kinds[1], types.intp)
        step = context.cast(builder, given[2], kinds[2], types.intp)
        for row in _turned(builder, rows):
            pointer = _place(context, builder, kinds[0], given[0], types.intp, at)
            builder.store(row, _rows_at(builder, pointer, TRANSPOSED), align=align)
            at = builder.add(at, step)
        return context.get_dummy_value()

    return types.void(to, to_place, to_step, of, starts, first, place), generate


#: transpose(to, to_place, to_step, of, starts, first, place): a block of TRANSPOSED rows of as many numbers, row i from
#: of[starts[first + i] + place] on. Number j of each row is written to to[to_place + to_step * j:].
transpose: Any = _dense(_transpose)
