"""What a best response is worth at least, without computing it: looking one action ahead, and learning by play."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tefuda.driver import closing
from tefuda.errors import ParameterError
from tefuda.game import CHANCE
from tefuda.lp import require_two_player_constant_sum
from tefuda.methods import find_goal, find_method, make_solver
from tefuda.modelled import own_part, response_game
from tefuda.profile import Profile, check_player, require_same_game
from tefuda.response import BestResponse, reach, values
from tefuda.solution import Method
from tefuda.tree import Tree, compile_game


def approximate_best_response(
    tree: Tree,
    profile: Profile,
    player: int,
    *,
    method: str | Method = "outcome",
    iterations: int = 100_000,
    seed: int = 0,
) -> BestResponse:
    """A best response as a learner finds it who plays against the profile (Timbers et al. 2020, arXiv 2004.09677).

    Its value is a lower bound of the best response's. Any number of players.

    Args:
        tree: the game.
        profile: what the others play.
        player: who responds.
        method: the learner: any method that samples or plays, tabular or neural.
        iterations: of the method.
        seed: of its luck.

    Returns:
        The response, and its value in the game's unit per game: a lower bound of the best response's.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.approximate_best_response(tree, tf.Profile.uniform(tree), 0, iterations=2000)
    >>> found.value <= 0.5
    True
    """
    game = compile_game(response_game(tree, player, profile))
    value = find_method(method)
    find_goal(value, iterations)  # refuses what leaves nothing to average
    solver = make_solver(game, value, seed=seed)
    with closing(solver):
        solver.advance(iterations)
    # Against fixed opponents the strategy in force may answer better than the average that is the method's answer.
    parts = (own_part(tree, player, found) for found in (solver.average(), solver.current()))
    answers = [_answer(tree, player, profile.replace(player, part)) for part in parts]
    return max(answers, key=lambda answer: answer.value)


def _answer(tree: Tree, player: int, profile: Profile) -> BestResponse:
    return BestResponse(player, float(values(tree, profile)[player]), profile)


def local_best_response(tree: Tree, profile: Profile, player: int) -> BestResponse:
    """What a player earns who knows the other's strategy, looks one action ahead, and then expects to be called down.

    Lisy and Bowling 2017, arXiv 1612.07547, exact over the other's range: a lower bound of the best response that needs
    no search. For poker trees whose actions are ``"f"``, ``"c"`` and ``"r"``.

    Returns:
        The profile that does so, and its value: a lower bound of the best response's.

    Raises:
        GameError: more or less than two players, or not constant-sum.
        ParameterError: other actions.

    >>> tree = tf.compile_game(tf.load_game("leduc"))
    >>> round(tf.local_best_response(tree, tf.Profile.uniform(tree), 0).value, 4)
    1.7296
    """
    require_same_game(tree, profile)
    require_two_player_constant_sum(tree, "a local best response")
    check_player(tree, player)
    if not {label for number in range(tree.infosets) for label in tree.labels(number)} <= {"f", "c", "r"}:
        raise ParameterError(f"{tree.name} has other actions than f, c and r; a local best response is for poker.")
    down, probabilities = _called_down(tree, player), profile.probabilities.copy()
    _choose_locally(tree, profile, player, down, probabilities)
    return _answer(tree, player, Profile(tree, probabilities))


def _called_down(tree: Tree, player: int) -> np.ndarray:
    """`[N]` what the player gets if everybody checks and calls from here on."""
    worth = np.zeros(len(tree.player))
    worth[tree.terminals] = tree.payoffs[:, player]
    for node in range(len(worth) - 1, -1, -1):
        first, count = int(tree.first_child[node]), int(tree.child_count[node])
        if tree.player[node] == CHANCE:
            worth[node] = tree.chance[first : first + count] @ worth[first : first + count]
        elif count:
            worth[node] = worth[_after(tree, node, "c")]
    return worth


def _after(tree: Tree, node: int, label: Hashable) -> int:
    """The child by a label."""
    return int(tree.first_child[node]) + tree.label_sets[tree.label_set[node]].index(label)


def _choose_locally(tree: Tree, profile: Profile, player: int, down: np.ndarray, probabilities: np.ndarray) -> None:
    """Write the local best response into `probabilities` `[R]`, infoset by infoset in the order of play."""
    reached = reach(tree, profile)
    tie = 1e-12 * float(np.abs(tree.payoffs).max(initial=0.0))  # round-off must not choose
    likely = reached.chance * reached.own[:, 1 - player]
    for number in np.flatnonzero(tree.infoset_player == player).tolist():
        members = np.flatnonzero(tree.infoset == number)
        labels = tree.labels(number)
        worth = {label: 0.0 for label in labels}
        for node in members.tolist():
            for label in labels:
                child = _after(tree, node, label)
                worth[label] += likely[node] * (_raised(tree, profile, child, down) if label == "r" else down[child])
        best = "f" if "f" in labels and worth["c"] < worth["f"] else "c"
        if "r" in labels and worth["r"] > worth[best] + tie:
            best = "r"
        rows = slice(int(tree.first_row[number]), int(tree.first_row[number + 1]))
        probabilities[rows] = [float(label == best) for label in labels]


def _raised(tree: Tree, profile: Profile, node: int, down: np.ndarray) -> float:
    """What a raise earns if the other folds as the profile does, and otherwise calls."""
    row, labels = int(tree.first_row[tree.infoset[node]]), tree.labels(int(tree.infoset[node]))
    folds = float(profile.probabilities[row + labels.index("f")])
    return folds * float(down[_after(tree, node, "f")]) + (1 - folds) * float(down[_after(tree, node, "c")])
