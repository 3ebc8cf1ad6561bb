"""The least exploitable strategies in the classes of a partition, exactly: the limit of CFR-BR.

Each player chooses a plan of the small game, and the opponent responds in the real one (johanson2012): the
sequence-form program with one treeplex replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tefuda._kernels.traversal import realise
from tefuda.errors import wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.forms.partition import Partition
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.solvers.exact.lp import (
    plan_parts,
    plan_program,
    require_two_player_constant_sum,
    run_highs,
    treeplex_constraints,
)


def least_exploitable(partition: Partition) -> Profile:
    """Return the profile of the real game with the least NashConv within the classes, by linear programming.

    Args:
        partition: classes with perfect recall, of a game of two players with constant sum.

    Raises:
        GameError: more players, payoffs without constant sum, or a partition that forgets.

    >>> leduc = td.compile_game(td.load_game("leduc"))
    >>> whole = td.partition(leduc, lambda view, player: view.replace("K", "Q"))
    >>> round(td.nash_conv(td.least_exploitable(whole)), 3)
    0.65
    """
    if not isinstance(partition, Partition):
        cure = "Make one with td.partition(tree, key), td.buckets(tree, 3) or td.lossless(tree)."
        raise wrong_type("a Partition", partition, cure)
    require_two_player_constant_sum(partition.tree, "the least exploitable strategies by linear programming")
    form, small = sequence_form(partition.tree), sequence_form(partition.small)
    weights = np.zeros(small.sequences)
    for player in range(2):
        parts = form.derived(plan_parts, player)
        payoffs = parts.payoffs @ _spread(partition, player, form, small)
        held = replace(parts, own=treeplex_constraints(small, player), payoffs=payoffs)
        program = plan_program(form, player, parts=held)
        weights[small.own(player)] = run_highs(program).getSolution().col_value[: program.plan]
    found = Profile.from_weights(partition.small, np.maximum(weights, 0.0)[small.sequence])
    return Profile(partition.tree, partition.spread(found.probabilities))


def _spread(partition: Partition, player: int, form: SequenceForm, small: SequenceForm) -> Any:
    """Return the matrix from plans of the small game to plans of the real game."""
    from scipy.sparse import csr_array

    place, part = np.zeros(form.sequences, dtype=np.int64), np.ones(form.sequences)
    realise(form.arrays, player, form.spread(partition.share), part)
    place[form.sequence] = small.sequence[partition.rows]
    own, mine = form.own(player), small.own(player)
    place[own.start] = mine.start
    count = own.stop - own.start
    entries = (part[own], (np.arange(count), place[own] - mine.start))
    return csr_array(entries, shape=(count, mine.stop - mine.start))
