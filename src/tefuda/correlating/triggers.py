"""The treeplexes of all triggers of a game, as one sequence form without leaves.

Dimension letters: P players, Q sequences of the game, J infosets, E sequences of the copies, C copied infosets.

A *trigger* is where a player stops obeying a device, to play a plan of its own in the subtree below: before the game
(the empty sequence), at an infoset, or at an infoset once an action is recommended there. Each trigger has a copy of
its subtree. A player's first sequences are its triggers, the one before the game first; from each hangs its copy. The
passes over sequence forms then compute best responses, and run regret minimizers, for all triggers at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.errors import SizeError
from tefuda.forms.arrays import ranges
from tefuda.forms.sequence import SequenceForm, assemble, payoff_arrays
from tefuda.games.size import free_memory

_BYTES = 64  # of one sequence of the copies, in the form and in the arrays of a learner


@dataclass(frozen=True, eq=False)
class TriggerForm(SequenceForm):
    """The copies of all triggers' subtrees (see the module); fields of `SequenceForm`, and:

    counts: `[P]` number of triggers of each player.
    root: `[E]` trigger of each sequence, as a sequence of the copies.
    trigger: `[E]` sequence of the game at which the trigger is met: its realisation probability is the trigger's.
    target: `[E]` sequence of the game that is copied; Q at all triggers but the one before the game.
    first: `[Q + 1]` first copy of each sequence of the game; its copies follow each other.
    latest: `[Q]` the copy of each sequence whose trigger is the first one at the sequence's infoset; that of an empty
        sequence is the trigger before the game.
    """

    counts: np.ndarray  # [P]
    root: np.ndarray  # [E]
    trigger: np.ndarray  # [E]
    target: np.ndarray  # [E]
    first: np.ndarray  # [Q + 1]
    latest: np.ndarray  # [Q]

    def starts(self, player: int) -> int:
        """Return the number of a player's triggers."""
        return int(self.counts[player])

    def triggered(self, plans: np.ndarray, utilities: np.ndarray) -> np.ndarray:
        """Return `[E]` the probability of each sequence's trigger times the sequence's utility.

        plans, utilities: `[Q]` of the game's sequences.
        """
        return plans[self.trigger] * np.append(utilities, 0.0)[self.target]


def trigger_form(form: SequenceForm, recommended: bool = True) -> TriggerForm:
    """Return the copies of all triggers' subtrees, cached.

    recommended: whether the triggers of an infoset are its actions (EFCE), or the infoset itself (EFCCE).

    Raises:
        SizeError: the free memory is too small.
    """
    return form.derived(_build, recommended)


def _build(form: SequenceForm, recommended: bool) -> TriggerForm:
    groups, parent, empty = form.groups.astype(np.int64), form.parent.astype(np.int64), form.span[:-1].astype(np.int64)
    m, k, base = groups.T[1:]
    owner = np.searchsorted(form.group_span, np.arange(len(groups)), side="right") - 1
    own = np.repeat(k if recommended else np.ones(len(k), np.int64), m)  # number of triggers of each infoset
    inherited, length = _copies(form, own)
    counts = 1 + np.bincount(np.repeat(owner, m), own, form.players).astype(np.int64)
    repeats = length.copy()
    repeats[empty] = counts
    first = np.append(0, np.cumsum(repeats))
    require_room("the triggers of the game", int(first[-1]) * _BYTES)
    earlier = np.cumsum(counts) - counts - np.arange(form.players)  # triggers of earlier players
    met = np.repeat((first[empty] + 1 - earlier)[owner], m) + np.cumsum(own) - own  # first trigger of each infoset
    parents = ranges(_alternating(first[parent], met), _alternating(length[parent], own))
    ends = np.append(0, np.cumsum(length[parent] + own))[np.append(0, np.cumsum(m))]
    table = np.stack([ends[:-1], np.diff(ends), k, first[base]], axis=1)
    target, root = np.repeat(np.arange(form.sequences), repeats), np.arange(first[-1])
    for start, copies, actions, entry in table.tolist():
        root[entry : entry + copies * actions] = np.tile(root[parents[start : start + copies]], actions)
    at = target.copy()  # right for the triggers before the game
    by_infoset = [actions.T.ravel() for _, actions in form.groups_of(None)]
    at[ranges(met, own)] = np.concatenate([parent[:0], *by_infoset]) if recommended else parent
    target[ranges(first[empty] + 1, counts - 1)] = form.sequences
    span = first[np.append(empty, form.sequences)]
    payoffs = payoff_arrays(np.zeros((0, form.players), np.int64), np.zeros((0, form.players)), span, None)
    treeplex = {"span": span, "group_span": form.group_span, "groups": table, "parent": parents}
    return TriggerForm(
        **assemble(treeplex, payoffs, np.zeros(0, np.int64)), infoset=np.full(len(parents), -1, np.int32),
        scale=form.scale, counts=counts, root=root, trigger=at[root], target=target, first=first,
        latest=first[:-1] + inherited,
    )  # fmt: skip


def _copies(form: SequenceForm, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[Q]` the copies of each sequence for triggers above its infoset, and `[Q]` all its copies.

    own: `[J]` number of triggers of each infoset.
    """
    inherited, length = np.zeros(form.sequences, dtype=np.int64), np.ones(form.sequences, dtype=np.int64)
    for start, m, k, base in form.groups.astype(np.int64).tolist():
        infosets, sequences = slice(start, start + m), slice(base, base + k * m)
        inherited[sequences] = np.tile(length[form.parent[infosets]], k)
        length[sequences] = inherited[sequences] + np.tile(own[infosets], k)
    return inherited, length


def _alternating(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return the numbers of two arrays in turn."""
    return np.stack([one, two], axis=1).ravel()


def require_room(things: str, needed: float) -> None:
    """Raise SizeError if the free memory is smaller than the needed bytes of these things."""
    free = free_memory()
    if needed > free:
        raise SizeError(
            f"{things} need about {needed / 1e9:,.1f} GB, {free / 1e9:,.1f} GB are free; choose a smaller game, "
            "another method or another evaluator."
        )
