"""Messages of the page of an iteration of CFR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tefuda.apps.web.messages.chapters import Node
from tefuda.apps.web.messages.explore import NAMED, HistoryNode
from tefuda.apps.web.messages.formulas import formulas
from tefuda.apps.web.messages.message import Message
from tefuda.forms.paths import label_text
from tefuda.solvers.exact.explanation import ActionUpdate, Explanation
from tefuda.solvers.exact.trace import Iteration, IterationHistory

_NOISE = 1e-15  # smaller sums of regrets are 0
_SUMS = ("regret", "before", "after", "matched")


class StepHistory(HistoryNode):
    """A history with the numbers of the shown player's update, see `IterationHistory`."""

    own: float
    others: float
    value: float


class StepAction(Message):
    """An action in the update of an infoset, see `ActionUpdate`."""

    action: str
    value: float
    regret: float
    after: float
    next: float
    average: float


class Update(Message):
    """The update of an infoset."""

    infoset: str
    actions: Sequence[StepAction]


class Step(Message):
    """An iteration at all histories or around an infoset.

    Attributes:
        times: factor of the regrets that the page shows.
        at: the infoset that is shown.
        player: the player of this infoset.
        names: names of the infosets of the game.
        formulas: formulas of the shown update by stage, as nodes of MathML.
        uniform: stages whose strategy is uniform, because no number is positive.
    """

    game: str
    method: str
    order: str
    iteration: int
    times: int
    at: str
    player: int
    names: Sequence[str]
    histories: Sequence[StepHistory]
    infosets: Sequence[Update]
    formulas: Mapping[str, Sequence[Node]]
    uniform: Sequence[str]


def step_message(iteration: Iteration, infoset: str, times: int, infosets: Sequence[str]) -> Step:
    """Return an iteration with the formulas of an infoset.

    Args:
        iteration: the iteration.
        infoset: name of the infoset.
        times: factor of the regrets.
        infosets: names of all infosets of the game.
    """
    updates = [_readable(iteration.explain(number)) for number in iteration.infosets]
    shown = next(update for update in updates if update.infoset == infoset)
    sums = {
        "strategy": sum(max(action.matched, 0.0) for action in shown.actions),
        "average": sum(action.sum for action in shown.actions),
    }
    return Step.of(
        iteration,
        iteration=iteration.number,
        times=times,
        at=infoset,
        player=shown.player,
        names=infosets[:NAMED],
        histories=[_history(history, shown.player) for history in iteration.histories],
        infosets=[Update(update.infoset, [StepAction.of(action) for action in update.actions]) for update in updates],
        formulas=formulas(iteration, shown, times),
        uniform=[stage for stage, total in sums.items() if total <= 0],
    )


def _history(history: IterationHistory, player: int) -> StepHistory:
    return StepHistory.of(
        history,
        share=history.shares[player],
        own=history.own[player],
        others=history.others[player],
        value=history.values[player],
    )


def _readable(update: Explanation) -> Explanation:
    """Return an update with labels as texts, and regrets without the errors of their rounding."""
    return replace(update, actions=tuple(map(_exact, update.actions)))


def _exact(action: ActionUpdate) -> ActionUpdate:
    zeros: dict[str, Any] = {name: 0.0 for name in _SUMS if abs(getattr(action, name)) < _NOISE}
    return replace(action, action=label_text(action.action), **zeros)
