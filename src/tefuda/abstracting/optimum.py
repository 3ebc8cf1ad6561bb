"""Exact least exploitable strategies within the classes of a partition, the limit of CFR-BR.

Each player chooses a realization plan of the small game, and the opponent responds in the real game (johanson2012). The
linear program is the sequence-form program with one treeplex replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tefuda.errors import wrong_type
from tefuda.evaluating.profile import Profile
from tefuda.forms.partitions import Partition
from tefuda.forms.programs import realised
from tefuda.forms.sequence import SequenceForm, sequence_form
from tefuda.solvers.exact.lp import (
    plan_parts,
    plan_program,
    require_two_player_constant_sum,
    run_highs,
    treeplex_constraints,
)


def least_exploitable(partition: Partition) -> Profile:
    """Return the profile of the real game with the least NashConv within the classes.

    Args:
        partition: classes with perfect recall, of a two-player constant-sum game.

    Raises:
        GameError: the game is not two-player constant-sum, or the partition has imperfect recall.

    >>> leduc = td.compile_game(td.load_game("leduc"))
    >>> whole = td.forms.partition(leduc, lambda view, player: view.replace("K", "Q"))
    >>> round(td.nash_conv(td.least_exploitable(whole)), 3)
    0.65
    """
    if not isinstance(partition, Partition):
        cure = "Create one with td.forms.partition(tree, key), td.abstracting.buckets(tree, 3) or td.lossless(tree)."
        raise wrong_type("a Partition", partition, cure)
    require_two_player_constant_sum(partition.tree, "the least exploitable strategies by linear programming")
    form, small = sequence_form(partition.tree), sequence_form(partition.small)
    weights = np.zeros(small.sequences)
    for player in range(2):
        parts = form.derived(plan_parts, player)
        payoffs = parts.payoffs @ _spread_matrix(partition, player, form, small)
        restricted = replace(parts, own=treeplex_constraints(small, player), payoffs=payoffs)
        program = plan_program(form, player, parts=restricted)
        weights[small.own(player)] = run_highs(program).getSolution().col_value[: program.plan]
    profile = Profile.from_weights(partition.small, np.maximum(weights, 0.0)[small.sequence])
    return Profile(partition.tree, partition.spread(profile.probabilities))


def _spread_matrix(partition: Partition, player: int, form: SequenceForm, small: SequenceForm) -> Any:
    """Return the matrix that maps plans of the small game to plans of the real game."""
    from scipy.sparse import csr_array

    column, weight = np.zeros(form.sequences, dtype=np.int64), realised(form, form.spread(partition.share))
    column[form.sequence] = small.sequence[partition.rows]
    own, own_small = form.own(player), small.own(player)
    column[own.start] = own_small.start
    count = own.stop - own.start
    entries = (weight[own], (np.arange(count), column[own] - own_small.start))
    return csr_array(entries, shape=(count, own_small.stop - own_small.start))
