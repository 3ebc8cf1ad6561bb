"""Sets as the bits of a uint64: their size, lowest member, and a random member."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda._kernels.jit import Instruction, inlined

_ONE, _LOW32, _S32 = np.uint64(1), np.uint64(0xFFFFFFFF), np.uint64(32)


def _count(typing_context, mask):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _lowest(typing_context, mask):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


#: Returns the number of set bits, by one instruction of the processor.
count: Any = Instruction(_count)
#: Returns the index of the lowest set bit; 64 if there is none.
lowest: Any = Instruction(_lowest)


@inlined
def below(random, bound):
    """Return a number in 0..bound - 1 from the low 32 of 64 random bits.

    Lemire 2019, without rejection: the bias is at most 2^-32.
    """
    return ((random & _LOW32) * np.uint64(bound)) >> _S32


@inlined
def pick_bit(mask, random):
    """Return a random set bit of a mask, as a mask; all are equally likely."""
    left = mask
    for _ in range(below(random, count(mask))):
        left &= left - _ONE  # without its lowest bit
    return left & (~left + _ONE)  # only its lowest bit: -left in two's complement
