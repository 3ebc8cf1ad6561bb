"""SIMD vectors as values: `WIDTH` numbers that one instruction processes, however loops compile.

LLVM vectorises a loop only if it can prove that arrays do not overlap, and such loops take four times as long to
compile. Here a vector is a value: `load_part` reads it, `store_part` writes it. Two vectors of one type, or a vector
and a number, are added, subtracted, multiplied and divided. Arrays are contiguous. An index counts from the array's
first number, whatever its axes.
"""

from __future__ import annotations

import operator
from functools import wraps
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.extending import intrinsic, models, register_model, type_callable

from tefuda._kernels.compiling import types

WIDTH = 16
HALF = 8  # lanes of the shorter vectors, for arrays whose rows are that short
_ROUND = 1.5 * 2**23  # added to a float32, it leaves the number, rounded to an integer, in the last bits
TRANSPOSED = 8  # side of the block that `transpose` handles: no processor has fewer vector registers
_INT = ir.IntType(32)


class Vector(types.Type):
    """The numba type of a vector of numbers of one type."""

    def __init__(self, dtype: Any, lanes: int = WIDTH) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(f"vector({dtype} x {lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), kind.lanes))


def _integers(numbers):
    """Return a constant vector of 32-bit integers."""
    return ir.Constant(ir.VectorType(_INT, len(numbers)), list(numbers))


def _splat(builder, number, lanes=WIDTH):
    """Return a vector with a number in every lane."""
    empty = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, first, _integers([0] * lanes))


def _as_vector(context, builder, value, given, wanted):
    if isinstance(given, Vector):
        return value
    return _splat(builder, context.cast(builder, value, given, wanted.dtype), wanted.lanes)


def _operator(symbol, instruction):
    @type_callable(symbol)
    def typed(typing_context):
        def result_type(left, right):
            vectors = [kind for kind in (left, right) if isinstance(kind, Vector)]
            if vectors and all(kind == vectors[0] or isinstance(kind, types.Number) for kind in (left, right)):
                return vectors[0]
            return None

        return result_type

    for kinds in ((Vector, Vector), (Vector, types.Number), (types.Number, Vector)):

        @lower_builtin(symbol, *kinds)
        def lowered(context, builder, signature, arguments):
            wanted = signature.return_type
            pairs = zip(arguments, signature.args, strict=True)
            vectors = [_as_vector(context, builder, value, kind, wanted) for value, kind in pairs]
            integer = isinstance(wanted.dtype, types.Integer)
            return getattr(builder, instruction[1:] if integer else instruction)(*vectors)


for _symbol, _instruction in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _operator(_symbol, _instruction)


def _operation(result):
    """Declare an operation by its arguments and the type of its result; its arrays must be contiguous."""

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
    """Return one member of an array's structure: `data` or `shape`."""
    return builder.extract_value(array, context.data_model_manager[kind].get_field_position(name))


def _number_pointer(context, builder, kind, array, index_kind, index):
    """Return a pointer to a number of an array."""
    start = context.cast(builder, index, index_kind, types.intp)
    return builder.gep(_field(context, builder, kind, array, "data"), [start])


def _as_vector_pointer(builder, pointer, count=WIDTH):
    """Return a pointer to a number as a pointer to a vector of `count` numbers."""
    return builder.bitcast(pointer, ir.VectorType(pointer.type.pointee, count).as_pointer())


def _vector_pointer(context, builder, kinds, values, lanes=WIDTH):
    """Return a pointer to the vector at an index of an array, and its alignment."""
    number = _number_pointer(context, builder, kinds[0], values[0], kinds[1], values[1])
    return _as_vector_pointer(builder, number, lanes), kinds[0].dtype.bitwidth // 8


def _mask(context, builder, left_kind, left, lanes=WIDTH):
    """Return the mask of the first `left` lanes, and a bit that says if it has all of them."""
    count = context.cast(builder, left, left_kind, types.int32)
    mask = builder.icmp_signed("<", _integers(range(lanes)), _splat(builder, count, lanes))
    return mask, builder.icmp_signed(">=", count, ir.Constant(count.type, lanes))


def _masked(builder, name, dtype, function_type, lanes=WIDTH):
    """Return the instruction that loads or stores only the lanes of a mask."""
    suffix = f"v{lanes}{'i' if isinstance(dtype, types.Integer) else 'f'}{dtype.bitwidth}.p0"
    return cgutils.get_or_insert_function(builder.module, function_type, f"llvm.masked.{name}.{suffix}")


def _converted(builder, vector, source, target):
    """Return a vector of type `source` as numbers of the float type `target`."""
    wanted = ir.VectorType(ir.FloatType() if target == types.float32 else ir.DoubleType(), WIDTH)
    if source == target:
        return vector
    if isinstance(source, types.Integer):
        return (builder.sitofp if str(source).startswith("int") else builder.uitofp)(vector, wanted)
    return (builder.fpext if source.bitwidth < target.bitwidth else builder.fptrunc)(vector, wanted)


def _loaded(context, builder, kinds, values, lanes=WIDTH):
    """Return the first lanes of a vector in the array's type, with 0 in the other lanes."""
    pointer, align = _vector_pointer(context, builder, kinds, values, lanes)
    mask, whole = _mask(context, builder, kinds[2], values[2], lanes)
    vector_type = pointer.type.pointee
    with builder.if_else(whole, likely=True) as (then, otherwise):
        with then:
            full, full_block = builder.load(pointer, align=align), builder.block
        with otherwise:
            function_type = ir.FunctionType(vector_type, (pointer.type, _INT, mask.type, vector_type))
            load = _masked(builder, "load", kinds[0].dtype, function_type, lanes)
            part = builder.call(load, (pointer, ir.Constant(_INT, align), mask, ir.Constant(vector_type, None)))
            part_block = builder.block
    loaded = builder.phi(vector_type)
    loaded.add_incoming(full, full_block)
    loaded.add_incoming(part, part_block)
    return loaded


@_operation(lambda _, array, first, second: array.dtype)
def cell(context, builder, signature, arguments):
    """Return a number of an array of two axes; the indices must not be negative."""
    (kind, *kinds), (array, *indices) = signature.args, arguments
    row, column = (context.cast(builder, *pair, types.intp) for pair in zip(indices, kinds, strict=True))
    length = builder.extract_value(_field(context, builder, kind, array, "shape"), 1)
    index = builder.add(builder.mul(row, length), column)
    return builder.load(_number_pointer(context, builder, kind, array, types.intp, index))


@_operation(lambda _, array, index: Vector(array.dtype))
def load_vector(context, builder, signature, arguments):
    """Return the vector at an index."""
    pointer, align = _vector_pointer(context, builder, signature.args, arguments)
    return builder.load(pointer, align=align)


@_operation(lambda _, array, index, vector: types.void)
def store_vector(context, builder, signature, arguments):
    """Write a vector at an index."""
    pointer, align = _vector_pointer(context, builder, signature.args, arguments)
    builder.store(arguments[2], pointer, align=align)
    return context.get_dummy_value()


@_operation(lambda _, array, index: Vector(array.dtype, HALF))
def load_half(context, builder, signature, arguments):
    """Return the vector of `HALF` numbers at an index."""
    pointer, align = _vector_pointer(context, builder, signature.args, arguments, HALF)
    return builder.load(pointer, align=align)


@_operation(lambda _, array, index, left: Vector(array.dtype, HALF))
def load_half_part(context, builder, signature, arguments):
    """Load the first `left` of the `HALF` numbers at an index; the others are 0."""
    return _loaded(context, builder, signature.args, arguments, HALF)


@_operation(lambda _, like: Vector(like.dtype, HALF))
def zero_half(context, builder, signature, arguments):
    """Return `HALF` zeros of the type of the array `like`."""
    return ir.Constant(context.get_value_type(signature.return_type), None)


@_operation(lambda _, vector, number, added: vector)
def multiply_add(context, builder, signature, arguments):
    """Return vector * number + added, rounded once where the processor has such an instruction."""
    kind = signature.return_type
    factor = _as_vector(context, builder, arguments[1], signature.args[1], kind)
    name = f"llvm.fmuladd.v{kind.lanes}f{kind.dtype.bitwidth}"
    function_type = ir.FunctionType(arguments[0].type, [arguments[0].type] * 3)
    instruction = cgutils.get_or_insert_function(builder.module, function_type, name)
    return builder.call(instruction, (arguments[0], factor, arguments[2]))


@_operation(lambda _, array, index, left, like: Vector(like.dtype))
def load_part(context, builder, signature, arguments):
    """Load the first `left` lanes as numbers of the type of the array `like`; the others are 0."""
    loaded = _loaded(context, builder, signature.args, arguments)
    return _converted(builder, loaded, signature.args[0].dtype, signature.return_type.dtype)


@_operation(
    lambda _, array, index, left, like: Vector(types.int32 if isinstance(array.dtype, types.Integer) else like.dtype)
)
def positive_part(context, builder, signature, arguments):
    """Load max(x, 0) as `load_part` loads x; integers become 32-bit integers, to be added as such."""
    loaded, dtype = _loaded(context, builder, signature.args, arguments), signature.args[0].dtype
    integer = isinstance(dtype, types.Integer)
    if not integer:
        loaded = _converted(builder, loaded, dtype, signature.return_type.dtype)
    if not str(dtype).startswith("uint"):
        zeros = ir.Constant(loaded.type, None)
        positive = (builder.icmp_signed if integer else builder.fcmp_ordered)(">", loaded, zeros)
        loaded = builder.select(positive, loaded, zeros)
    return builder.zext(loaded, ir.VectorType(_INT, WIDTH)) if integer else loaded


@_operation(lambda _, vector, like: Vector(like.dtype))
def convert(context, builder, signature, arguments):
    """Return a vector as numbers of the type of the array `like`."""
    return _converted(builder, arguments[0], signature.args[0].dtype, signature.return_type.dtype)


def _rounded(builder, vector, pointer):
    """Return float32 numbers as 16-bit integers by one addition; truncation takes three instructions."""
    shifted = builder.fadd(vector, _splat(builder, ir.Constant(vector.type.element, _ROUND)))
    return builder.trunc(builder.bitcast(shifted, ir.VectorType(_INT, WIDTH)), pointer.type.pointee)


@_operation(lambda _, array, index, left, vector: types.void)
def store_part(context, builder, signature, arguments):
    """Store only the first `left` lanes, rounded if the array holds integers."""
    dtype, lanes = signature.args[0].dtype, signature.args[3].lanes
    pointer, align = _vector_pointer(context, builder, signature.args, arguments, lanes)
    mask, whole = _mask(context, builder, signature.args[2], arguments[2], lanes)
    vector = _rounded(builder, arguments[3], pointer) if isinstance(dtype, types.Integer) else arguments[3]
    with builder.if_else(whole, likely=True) as (then, otherwise):
        with then:
            builder.store(vector, pointer, align=align)
        with otherwise:
            function_type = ir.FunctionType(ir.VoidType(), (vector.type, pointer.type, _INT, mask.type))
            store = _masked(builder, "store", dtype, function_type, lanes)
            builder.call(store, (vector, pointer, ir.Constant(_INT, align), mask))
    return context.get_dummy_value()


@_operation(lambda _, array, index: types.void)
def prefetch(context, builder, signature, arguments):
    """Request a line of the cache; the index may lie outside of the array."""
    pointer = _number_pointer(context, builder, signature.args[0], arguments[0], signature.args[1], arguments[1])
    pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    function_type = ir.FunctionType(ir.VoidType(), (pointer.type, _INT, _INT, _INT))
    instruction = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0")
    builder.call(instruction, [pointer, *(ir.Constant(_INT, number) for number in (1, 3, 1))])
    return context.get_dummy_value()


@_operation(lambda _, number, like: Vector(like.dtype))
def broadcast(context, builder, signature, arguments):
    """Return a vector with a number in all lanes, in the type of the array `like`."""
    return _as_vector(context, builder, arguments[0], signature.args[0], signature.return_type)


@_operation(lambda _, left, right, yes, no: yes)
def select(context, builder, signature, arguments):
    """Return the lanes of `yes` where left > right, those of `no` elsewhere."""
    left, right, yes, no = arguments
    return builder.select(builder.fcmp_ordered(">", left, right), yes, no)


@_operation(lambda _, left, right: left)
def lane_maximum(context, builder, signature, arguments):
    """Return the maximum of two vectors in each lane."""
    return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)


@_operation(lambda _, vector: types.uint8)
def any_nonzero(context, builder, signature, arguments):
    """Return 1 if any lane is not 0, else 0."""
    nonzero = builder.fcmp_ordered("!=", arguments[0], ir.Constant(arguments[0].type, None))
    bits = builder.bitcast(nonzero, ir.IntType(WIDTH))  # one bit for each lane: one comparison tests all of them
    return builder.zext(builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0)), ir.IntType(8))


@_operation(lambda _, vector: vector.dtype)
def maximum(context, builder, signature, arguments):
    """Return the largest of all lanes."""
    (lanes,), count = arguments, WIDTH
    while count > 1:  # fold the upper half on the lower one
        count //= 2
        halves = (_integers(range(count)), _integers(range(count, 2 * count)))
        low, high = (builder.shuffle_vector(lanes, lanes, half) for half in halves)
        lanes = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    return builder.extract_element(lanes, ir.Constant(_INT, 0))


@_operation(lambda _, vector, left: vector)
def absolute_values(context, builder, signature, arguments):
    """Return the absolute values of the first `left` lanes; the others are 0."""
    mask, _ = _mask(context, builder, signature.args[1], arguments[1])
    integer = ir.IntType(signature.return_type.dtype.bitwidth)
    bits = builder.bitcast(arguments[0], ir.VectorType(integer, WIDTH))
    bits = builder.and_(bits, _splat(builder, ir.Constant(integer, 2 ** (integer.width - 1) - 1)))  # without the sign
    return builder.bitcast(builder.select(mask, bits, ir.Constant(bits.type, None)), arguments[0].type)


def _columns(builder, rows):
    """Return the columns of TRANSPOSED rows, by interleaving rows i and i + half three times."""
    count, half = len(rows), len(rows) // 2
    low, high = (_integers([start + i // 2 + i % 2 * count for i in range(count)]) for start in (0, half))
    for _ in range(count.bit_length() - 1):
        rows = [builder.shuffle_vector(rows[i], rows[i + half], order) for i in range(half) for order in (low, high)]
    return rows


@_operation(lambda _, target, target_index, target_step, source, starts, first, index: types.void)
def transpose(context, builder, signature, arguments):
    """Transpose a block of TRANSPOSED rows, each with TRANSPOSED numbers.

    Row i begins at source[starts[first + i] + index]. Numbers j of all rows are written from
    target[target_index + target_step * j] on.
    """
    kinds, (target, target_index, target_step, source, starts, first, index) = signature.args, arguments
    numbers = zip((target_index, target_step, first, index), (*kinds[1:3], *kinds[5:]), strict=True)
    target_index, target_step, first, index = (context.cast(builder, *pair, types.intp) for pair in numbers)
    align, rows = kinds[3].dtype.bitwidth // 8, []
    for i in range(TRANSPOSED):
        number = builder.add(first, ir.Constant(first.type, i))
        start = builder.load(_number_pointer(context, builder, kinds[4], starts, types.intp, number))
        pointer = _number_pointer(context, builder, kinds[3], source, types.intp, builder.add(start, index))
        rows.append(builder.load(_as_vector_pointer(builder, pointer, TRANSPOSED), align=align))
    for column in _columns(builder, rows):
        pointer = _number_pointer(context, builder, kinds[0], target, types.intp, target_index)
        builder.store(column, _as_vector_pointer(builder, pointer, TRANSPOSED), align=align)
        target_index = builder.add(target_index, target_step)
    return context.get_dummy_value()
