"""The places of arrays in a sequence form, for kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda._kernels.jit import Instruction

HANDS = 8  # own hands of a block: `lanes.HALF`, which this module does not import because lanes.py imports numba


# The head of a form's `index`: the number of players, then the places of arrays in `index` and in `values`.
HEAD = (
    "players", "span", "group_span", "groups", "parent", "leaf_start", "leaf_other", "pair_span", "pairs", "block_span",
    "blocks", "block_scale", "leaf_value",
)  # fmt: skip
PLAYERS, GROUPS, PARENT, LEAF_START, LEAF_OTHER, PAIRS, BLOCKS, BLOCK_SCALE, LEAF_VALUE = (
    np.uint64(HEAD.index(name))
    for name in (
        "players", "groups", "parent", "leaf_start", "leaf_other", "pairs", "blocks", "block_scale", "leaf_value",
    )
)  # fmt: skip


def _rest(typing_context, array, first):
    from tefuda._kernels.compiling import types

    def generate(context, builder, signature, arguments):
        place = context.data_model_manager[signature.args[0]].get_field_position("data")
        data = builder.gep(builder.extract_value(arguments[0], place), [arguments[1]])
        return builder.insert_value(arguments[0], data, place)

    return array(array, types.uint64), generate


#: Returns an array from a number on, without a check; loops over it have its address in a register.
rest: Any = Instruction(_rest, lambda array, first: array[int(first) :])
