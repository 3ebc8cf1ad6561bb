"""The update of one infoset in one iteration, as formulas filled in with its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tefuda.evaluating.off_path import infoset_marks
from tefuda.evaluating.values import history_values, reach
from tefuda.solvers.exact.steps import PlayerUpdate, Rule
from tefuda.words import significant

_MOST_TERMS = 6  # of a sum that is written out
_text = partial(significant, digits=4)


@dataclass(frozen=True)
class ActionUpdate:
    """The numbers of one action in the update of an infoset.

    Attributes:
        action: the label.
        history_values: expected payoff of the player after the action, for each history of the infoset.
        probability: its probability in the current strategy.
        value: counterfactual value.
        regret: instantaneous regret.
        before: cumulative regret before the update.
        factor: discount of the cumulative regret.
        after: cumulative regret after the update.
        prediction: expected next regret; 0 for methods that predict nothing.
        matched: the number whose positive part the next strategy is proportional to.
        next: its probability in the next strategy.
        averaged: its probability in the strategy that enters the average.
        sum_before: sum of the average before the update.
        sum: sum of the average after the update.
        average: its probability in the average strategy.
    """

    action: Hashable
    history_values: tuple[float, ...]
    probability: float
    value: float
    regret: float
    before: float
    factor: float
    after: float
    prediction: float
    matched: float
    next: float
    averaged: float
    sum_before: float
    sum: float
    average: float


@dataclass(frozen=True)
class Explanation:
    """The update of an infoset in one iteration.

    Attributes:
        infoset: printed name of the infoset.
        iteration: number of the iteration, from 1.
        player: the player that is updated.
        rule: the numbers of the update.
        histories: the histories of the infoset, each as its labels.
        reach: probability of each history by chance and the opponents.
        value: counterfactual value of the infoset.
        own_reach: probability that the player's own actions lead to the infoset.
        mark: a mark of `off_path.MARKS`, under the strategies that the player faces.
        actions: the numbers of each action.

    >>> explanation = td.solvers.trace(td.load_game("kuhn")).explain("0: J|")
    >>> [(update.action, round(update.regret, 3)) for update in explanation.actions]
    [('p', -0.125), ('b', 0.125)]
    """

    infoset: str
    iteration: int
    player: int
    rule: Rule
    histories: tuple[tuple[Hashable, ...], ...]
    reach: tuple[float, ...]
    value: float
    own_reach: float
    mark: str
    actions: tuple[ActionUpdate, ...]

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the title and the formulas of each part of the update, in order."""
        yield "Counterfactual value of an action: sum over histories of others' reach x value", self._values()
        yield (
            "Regret: value of the action - value of the infoset",
            [
                f"r({update.action}) = {_text(update.value)} - {_term(self.value)} = {_text(update.regret)}"
                for update in self.actions
            ],
        )
        yield "Cumulative regret", [self._cumulative(update) for update in self.actions]
        if self.rule.prediction:
            yield (
                "Cumulative regret plus prediction",
                [
                    f"{update.action}: {_text(update.after)} + {_text(self.rule.prediction)} x "
                    f"{_term(update.prediction)} = {_text(update.matched)}"
                    for update in self.actions
                ],
            )
        positive, following = zip(*((max(update.matched, 0.0), update.next) for update in self.actions), strict=True)
        shares = self._shares("no regret is positive", positive, following)
        yield "Next strategy: positive part / sum of the positive parts", shares
        yield "Sum of the average: + weight x own reach x strategy", [self._summed(update) for update in self.actions]
        sums, averages = zip(*((update.sum, update.average) for update in self.actions), strict=True)
        yield "Average strategy: sum / total of the sums", self._shares("no iteration counts yet", sums, averages)

    def _values(self) -> list[str]:
        lines = [
            f"v({update.action}) = {_products(self.reach, update.history_values)} = {_text(update.value)}"
            for update in self.actions
        ]
        probabilities, values = zip(*((update.probability, update.value) for update in self.actions), strict=True)
        return [*lines, f"v = {_products(probabilities, values)} = {_text(self.value)}"]

    def _cumulative(self, update: ActionUpdate) -> str:
        formula = f"{_text(update.before)} + {_term(update.regret)}"
        if update.factor != 1:
            formula = f"{_text(update.factor)} x ({formula})"
        if self.rule.clip:
            formula = f"max({formula}, 0)"
        return f"R({update.action}) = {formula} = {_text(update.after)}"

    def _summed(self, update: ActionUpdate) -> str:
        old = _text(update.sum_before)
        if self.rule.decay != 1:
            old = f"{_text(self.rule.decay)} x {old}"
        new = f"{_text(self.rule.weight)} x {_text(self.own_reach)} x {_text(update.averaged)}"
        return f"S({update.action}) = {old} + {new} = {_text(update.sum)}"

    def _shares(self, reason: str, parts: Sequence[float], shares: Sequence[float]) -> list[str]:
        """Return each part divided by the sum, as formulas; uniform, for a reason, if the sum is 0."""
        total = sum(parts)
        if total <= 0:
            return [f"{reason}: uniform, 1 / {len(self.actions)} for each action"]
        rows = zip(self.actions, parts, shares, strict=True)
        return [f"{update.action}: {_text(part)} / {_text(total)} = {_text(share)}" for update, part, share in rows]


def _term(value: float) -> str:
    """Return a number as a term after a sign, in brackets if it is negative."""
    return f"({_text(value)})" if value < 0 else _text(value)


def _products(factors: Sequence[float], values: Sequence[float]) -> str:
    """Return a sum of products; the first terms only if there are many."""
    terms = [f"{_text(factor)} x {_term(value)}" for factor, value in zip(factors, values, strict=True)]
    left = len(terms) - _MOST_TERMS
    return " + ".join([*terms[:_MOST_TERMS], *([f"... ({left} more)"] if left > 0 else [])])


def explain(step: PlayerUpdate, number: int) -> Explanation:
    """Return the numbers of a step at one infoset of its player."""
    tree = step.tree
    nodes, rows = tree.histories_of(number), tree.rows_of(number)
    return Explanation(
        infoset=tree.name_of(number),
        iteration=step.iteration,
        player=step.player,
        rule=step.rule,
        histories=tuple(tree.history(int(node)) for node in nodes),
        reach=tuple(reach(step.faced).counterfactual(step.player)[nodes].tolist()),
        value=float(step.counterfactual.infosets[number]),
        own_reach=float(step.own_reach[rows.start]),
        mark=infoset_marks(step.faced)[number],
        actions=tuple(_action(step, number, index, label) for index, label in enumerate(tree.labels(number))),
    )


def _action(step: PlayerUpdate, infoset: int, index: int, label: Hashable) -> ActionUpdate:
    tree, (regrets, _, sums) = step.tree, step.before
    row, children = int(tree.first_row[infoset]) + index, tree.first_child[tree.histories_of(infoset)] + index
    regret, before = float(step.counterfactual.regrets[row]), float(regrets[row])
    return ActionUpdate(
        action=label,
        history_values=tuple(history_values(step.faced)[children, step.player].tolist()),
        probability=float(step.faced.probabilities[row]),
        value=float(step.counterfactual.actions[row]),
        regret=regret,
        before=before,
        factor=step.rule.positive if before + regret > 0 else step.rule.negative,
        after=float(step.regrets[row]),
        prediction=float(step.predictions[row]),
        matched=float(step.matched[row]),
        next=float(step.next.probabilities[row]),
        averaged=float(step.averaged.probabilities[row]),
        sum_before=float(sums[row]),
        sum=float(step.sums[row]),
        average=float(step.average.probabilities[row]),
    )
