"""SIMD vectors as values: rows of `WIDTH` lanes, worked on at once, whatever loops compile to.

A loop over numbers is turned into vectors only where the compiler can tell that arrays do not overlap, and then takes
four loops' time to compile. A row is a value: read with `take`, written with `put`. Rows of one type are added,
subtracted, multiplied and divided, and so are rows and numbers. Arrays are contiguous, and a place counts from the
array's first number, whatever its axes.
"""

from __future__ import annotations

import operator
from functools import wraps
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.extending import models, register_model, type_callable

from tefuda._kernels.jit import intrinsic, types

WIDTH = 16
_WHOLE = 1.5 * 2**23  # added to a number of 32 bits, its last bits are the number, rounded, as an integer
TRANSPOSED = 8  # rows and lanes of a block that `transpose` exchanges: as many as the registers of any processor hold
_INT = ir.IntType(32)


class Row(types.Type):
    """The type of a row of numbers of a type."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"row({dtype})")


@register_model(Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Row) -> None:
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), WIDTH))


def _integers(numbers):
    """A constant vector of 32-bit integers."""
    return ir.Constant(ir.VectorType(_INT, len(numbers)), list(numbers))


def _splat(builder, number):
    """A row of one number."""
    empty = ir.Constant(ir.VectorType(number.type, WIDTH), ir.Undefined)
    one = builder.insert_element(empty, number, ir.Constant(_INT, 0))
    return builder.shuffle_vector(one, one, _integers([0] * WIDTH))


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


for _symbol, _instruction in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _operator(_symbol, _instruction)


def _operation(result):
    """Declare an operation by its arguments and the type of its result; it accepts contiguous arrays alone."""

    def declared(emit):
        @wraps(result)  # numba asks for the names of the arguments
        def typed(typing_context, *kinds):
            if all(kind.layout == "C" for kind in kinds if isinstance(kind, types.Array)):
                return result(typing_context, *kinds)(*kinds), emit
            return None

        typed.__name__, typed.__doc__ = emit.__name__, emit.__doc__
        return intrinsic(typed)

    return declared


def _field(context, builder, kind, array, name):
    """One member of an array's structure: `data` or `shape`."""
    return builder.extract_value(array, context.data_model_manager[kind].get_field_position(name))


def _place(context, builder, kind, array, place_kind, place):
    """A pointer to a number of an array."""
    start = context.cast(builder, place, place_kind, types.intp)
    return builder.gep(_field(context, builder, kind, array, "data"), [start])


def _rows_at(builder, pointer, count=WIDTH):
    """The pointer as one to a row."""
    return builder.bitcast(pointer, ir.VectorType(pointer.type.pointee, count).as_pointer())


def _pointer(context, builder, kinds, given):
    """A pointer to the row of an array at a place, and its alignment."""
    pointer = _rows_at(builder, _place(context, builder, kinds[0], given[0], kinds[1], given[1]))
    return pointer, kinds[0].dtype.bitwidth // 8


def _mask(context, builder, left_kind, left):
    """The mask of the first `left` lanes; whether all of them count."""
    many = context.cast(builder, left, left_kind, types.int32)
    some = builder.icmp_signed("<", _integers(range(WIDTH)), _splat(builder, many))
    return some, builder.icmp_signed(">=", many, ir.Constant(many.type, WIDTH))


def _masked(builder, what, dtype, called):
    """The instruction that loads or stores the lanes of a mask alone."""
    name = f"llvm.masked.{what}.v{WIDTH}{'i' if isinstance(dtype, types.Integer) else 'f'}{dtype.bitwidth}.p0"
    return cgutils.get_or_insert_function(builder.module, called, name)


def _converted(builder, row, of, to):
    """A row of numbers of another type."""
    wanted = ir.VectorType(ir.FloatType() if to == types.float32 else ir.DoubleType(), WIDTH)
    if of == to:
        return row
    if isinstance(of, types.Integer):
        return (builder.sitofp if str(of).startswith("int") else builder.uitofp)(row, wanted)
    return (builder.fpext if of.bitwidth < to.bitwidth else builder.fptrunc)(row, wanted)


def _loaded(context, builder, kinds, given):
    """The first lanes of a row as they are stored, the others 0."""
    pointer, align = _pointer(context, builder, kinds, given)
    some, whole = _mask(context, builder, kinds[2], given[2])
    row = pointer.type.pointee
    with builder.if_else(whole, likely=True) as (then, other):
        with then:
            full, there = builder.load(pointer, align=align), builder.block
        with other:
            called = ir.FunctionType(row, (pointer.type, _INT, some.type, row))
            load = _masked(builder, "load", kinds[0].dtype, called)
            part = builder.call(load, (pointer, ir.Constant(_INT, align), some, ir.Constant(row, None)))
            here = builder.block
    found = builder.phi(row)
    found.add_incoming(full, there)
    found.add_incoming(part, here)
    return found


@_operation(lambda _, array, first, second: array.dtype)
def cell(context, builder, signature, arguments):
    """Return a number of an array of two axes; its places must not be negative."""
    (kind, *kinds), (given, *places) = signature.args, arguments
    one, two = (context.cast(builder, *both, types.intp) for both in zip(places, kinds, strict=True))
    length = builder.extract_value(_field(context, builder, kind, given, "shape"), 1)
    return builder.load(_place(context, builder, kind, given, types.intp, builder.add(builder.mul(one, length), two)))


@_operation(lambda _, array, place: Row(array.dtype))
def row(context, builder, signature, arguments):
    """Return the row at a place."""
    pointer, align = _pointer(context, builder, signature.args, arguments)
    return builder.load(pointer, align=align)


@_operation(lambda _, array, place, row: types.void)
def set_row(context, builder, signature, arguments):
    """Write a row at a place."""
    pointer, align = _pointer(context, builder, signature.args, arguments)
    builder.store(arguments[2], pointer, align=align)
    return context.get_dummy_value()


@_operation(lambda _, array, place, left, like: Row(like.dtype))
def take(context, builder, signature, arguments):
    """Load the first `left` lanes as numbers of the type of the array `like`; the others are 0."""
    found = _loaded(context, builder, signature.args, arguments)
    return _converted(builder, found, signature.args[0].dtype, signature.return_type.dtype)


@_operation(
    lambda _, array, place, left, like: Row(types.int32 if isinstance(array.dtype, types.Integer) else like.dtype)
)
def positive_part(context, builder, signature, arguments):
    """Load max(x, 0) as `take` loads x, but integers as 32-bit integers, so that they are added as such."""
    found, of = _loaded(context, builder, signature.args, arguments), signature.args[0].dtype
    whole = isinstance(of, types.Integer)
    if not whole:
        found = _converted(builder, found, of, signature.return_type.dtype)
    if not str(of).startswith("uint"):
        none = ir.Constant(found.type, None)
        more = (builder.icmp_signed if whole else builder.fcmp_ordered)(">", found, none)
        found = builder.select(more, found, none)
    return builder.zext(found, ir.VectorType(_INT, WIDTH)) if whole else found


@_operation(lambda _, row, like: Row(like.dtype))
def convert(context, builder, signature, arguments):
    """Return a row as numbers of the type of the array `like`."""
    return _converted(builder, arguments[0], signature.args[0].dtype, signature.return_type.dtype)


def _rounded(builder, row, pointer):
    """Numbers of 32 bits as integers of 16: one addition, where cutting them takes three instructions."""
    more = builder.fadd(row, _splat(builder, ir.Constant(row.type.element, _WHOLE)))
    return builder.trunc(builder.bitcast(more, ir.VectorType(_INT, WIDTH)), pointer.type.pointee)


@_operation(lambda _, array, place, left, row: types.void)
def put(context, builder, signature, arguments):
    """Store the first `left` lanes alone, rounded where integers are stored."""
    dtype = signature.args[0].dtype
    pointer, align = _pointer(context, builder, signature.args, arguments)
    some, whole = _mask(context, builder, signature.args[2], arguments[2])
    row = _rounded(builder, arguments[3], pointer) if isinstance(dtype, types.Integer) else arguments[3]
    with builder.if_else(whole, likely=True) as (then, other):
        with then:
            builder.store(row, pointer, align=align)
        with other:
            called = ir.FunctionType(ir.VoidType(), (row.type, pointer.type, _INT, some.type))
            builder.call(_masked(builder, "store", dtype, called), (row, pointer, ir.Constant(_INT, align), some))
    return context.get_dummy_value()


@_operation(lambda _, array, place: types.void)
def prefetch(context, builder, signature, arguments):
    """Ask for a line of the cache; the place may lie outside of the array."""
    pointer = _place(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
    pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    called = ir.FunctionType(ir.VoidType(), (pointer.type, _INT, _INT, _INT))
    fetch = cgutils.get_or_insert_function(builder.module, called, "llvm.prefetch.p0")
    builder.call(fetch, [pointer, *(ir.Constant(_INT, number) for number in (1, 3, 1))])
    return context.get_dummy_value()


@_operation(lambda _, number, like: Row(like.dtype))
def broadcast(context, builder, signature, arguments):
    """Return a number in all lanes, in the type of the array `like`."""
    return _as_row(context, builder, arguments[0], signature.args[0], signature.return_type)


@_operation(lambda _, one, two, yes, no: yes)
def select(context, builder, signature, arguments):
    """Return by lane `yes` if one > two, else `no`."""
    one, two, yes, no = arguments
    return builder.select(builder.fcmp_ordered(">", one, two), yes, no)


@_operation(lambda _, one, two: one)
def larger(context, builder, signature, arguments):
    """Return the maximum by lane."""
    return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)


@_operation(lambda _, row: types.uint8)
def any_positive(context, builder, signature, arguments):
    """Return 1 if any lane is more than 0, else 0."""
    found = builder.fcmp_ordered(">", arguments[0], ir.Constant(arguments[0].type, None))
    bits = builder.bitcast(found, ir.IntType(WIDTH))  # a bit for each lane: one comparison asks all of them
    return builder.zext(builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0)), ir.IntType(8))


@_operation(lambda _, row: row.dtype)
def maximum(context, builder, signature, arguments):
    """Return the largest of all lanes."""
    (lanes,), count = arguments, WIDTH
    while count > 1:  # fold the upper half on the lower one
        count //= 2
        halves = (_integers(range(count)), _integers(range(count, 2 * count)))
        one, two = (builder.shuffle_vector(lanes, lanes, half) for half in halves)
        lanes = builder.select(builder.fcmp_ordered(">", one, two), one, two)
    return builder.extract_element(lanes, ir.Constant(_INT, 0))


@_operation(lambda _, row, left: row)
def magnitudes(context, builder, signature, arguments):
    """Return the absolute values of the first `left` lanes; the others are 0."""
    some, _ = _mask(context, builder, signature.args[1], arguments[1])
    whole = ir.IntType(signature.return_type.dtype.bitwidth)
    bits = builder.bitcast(arguments[0], ir.VectorType(whole, WIDTH))
    bits = builder.and_(bits, _splat(builder, ir.Constant(whole, 2 ** (whole.width - 1) - 1)))  # all but the sign
    return builder.bitcast(builder.select(some, bits, ir.Constant(bits.type, None)), arguments[0].type)


def _turned(builder, rows):
    """As many columns from TRANSPOSED rows: pairs of rows, half of all apart, are interleaved three times."""
    count, half = len(rows), len(rows) // 2
    low, high = (_integers([start + i // 2 + i % 2 * count for i in range(count)]) for start in (0, half))
    for _ in range(count.bit_length() - 1):
        rows = [builder.shuffle_vector(rows[i], rows[i + half], order) for i in range(half) for order in (low, high)]
    return rows


@_operation(lambda _, to, to_place, to_step, of, starts, first, place: types.void)
def transpose(context, builder, signature, arguments):
    """Transpose a block of TRANSPOSED rows of as many numbers.

    Row i begins at of[starts[first + i] + place]. Number j of each row is written to to[to_place + to_step * j:].
    """
    kinds, (to, to_place, to_step, of, starts, first, place) = signature.args, arguments
    numbers = zip((to_place, to_step, first, place), (*kinds[1:3], *kinds[5:]), strict=True)
    to_place, to_step, first, place = (context.cast(builder, *one, types.intp) for one in numbers)
    align, rows = kinds[3].dtype.bitwidth // 8, []
    for i in range(TRANSPOSED):
        number = builder.add(first, ir.Constant(first.type, i))
        start = builder.load(_place(context, builder, kinds[4], starts, types.intp, number))
        pointer = _place(context, builder, kinds[3], of, types.intp, builder.add(start, place))
        rows.append(builder.load(_rows_at(builder, pointer, TRANSPOSED), align=align))
    for column in _turned(builder, rows):
        pointer = _place(context, builder, kinds[0], to, types.intp, to_place)
        builder.store(column, _rows_at(builder, pointer, TRANSPOSED), align=align)
        to_place = builder.add(to_place, to_step)
    return context.get_dummy_value()
