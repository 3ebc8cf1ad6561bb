"""Comparison of a tree with the rules that it was compiled from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tefuda.errors import quoted
from tefuda.forms.bundles.regions import NotBundled
from tefuda.forms.paths import moves_to, path_of
from tefuda.forms.plan import CHECK_EVERY, Plan, check_rules
from tefuda.forms.tree import Tree
from tefuda.games.answers import TOLERANCE, InvalidAnswer, attribute_of, outcomes_of, payoffs_of
from tefuda.games.protocol import CHANCE, TERMINAL, Game


def verify(tree: Tree, game: Game, plan: Plan) -> None:
    """Raise GameError, with the first history at fault, if rules disagree with their tree.

    The plan says how many plays are compared. Rules that it checks are checked again if the tree is much larger than
    estimated, and all payoffs must have the declared sum.

    Raises:
        NotBundled: the rules give other answers than the tree.
        GameError: they have other faults.
    """
    if plan.compared and (node := _disagreement(tree, game, plan.plays(tree))) is not None:
        raise NotBundled(
            f"the answers of the rules at {path_of(tree, node)} differ from those that "
            "follow from the same actions at other deals"
        )
    if plan.checked:
        if len(tree.player) > 2 * CHECK_EVERY * plan.checked:
            check_rules(game, len(tree.player) // CHECK_EVERY)
        _require_sums(tree, attribute_of(game, "constant_sum"))


def _require_sums(tree: Tree, constant: float | None) -> None:
    """Raise InvalidAnswer unless all payoffs have the declared sum; None: no sum is declared."""
    if constant is None:
        return
    wrong = np.abs(tree.payoffs.sum(axis=1) - float(constant)) > TOLERANCE * np.abs(tree.payoffs).max(axis=1)
    if wrong.any():
        end = int(tree.terminals[wrong.argmax()])
        payoffs = f"payoffs are {quoted(tree.payoffs_at(end))} at {path_of(tree, end)}"
        raise InvalidAnswer("not constant-sum", f"constant_sum is {constant}, but {payoffs}")


def _disagreement(tree: Tree, game: Game, plays: np.ndarray) -> int | None:
    """Return a history at which the rules disagree with a tree, or None.

    plays: indices of the terminal histories that are reached by the rules.
    """
    agreed = set[int]()
    for place in plays.tolist():
        end, state = int(tree.terminals[place]), game.root()
        for node, index in moves_to(tree, end):
            if node not in agreed and _answers_of_tree(tree, node) != _answers_of_rules(game, state):
                return node
            agreed.add(node)
            state = game.child(state, tree.labels_at(node)[index])
        payoffs = payoffs_of(game.payoffs(state), game.players) if game.player(state) == TERMINAL else ()
        if [float(payoff) for payoff in payoffs] != tree.payoffs[place].tolist():
            return end
    return None


def _answers_of_tree(tree: Tree, node: int) -> tuple[int, Any, Any]:
    """Return player, labels, and infoset key or chance probabilities of an inner history."""
    player, labels = int(tree.player[node]), tree.label_sets[tree.label_set[node]]
    first = int(tree.first_child[node])
    if player == CHANCE:
        return player, labels, tree.chance[first : first + len(labels)].tolist()
    return player, labels, tree.keys[tree.infoset[node]]


def _answers_of_rules(game: Game, state: Any) -> tuple[int, Any, Any]:
    """Return the same values by the rules."""
    player = game.player(state)
    if player == CHANCE:
        labels, chances = outcomes_of(game.chances(state))
        return player, labels, [float(chance) for chance in chances]
    if player == TERMINAL:
        return player, (), ()
    return player, tuple(game.actions(state)), game.view(state, player)
