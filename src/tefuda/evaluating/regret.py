"""Regret matching at a decision and in matrix games, and the regret of a sequence of profiles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tefuda._kernels import matrix
from tefuda.errors import out_of_range
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.evaluating.values import sequence_utilities
from tefuda.forms.programs import responded
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree


def match_regrets(regrets: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return probabilities proportional to the positive regrets; uniform if no regret is positive.

    Args:
        regrets: `[..., A]` regrets of the actions.
        axis: axis of the actions; default: the last.

    >>> match_regrets(np.array([2.0, -1.0, 6.0])).tolist(), match_regrets(np.array([-1.0, 0.0])).tolist()
    ([0.25, 0.0, 0.75], [0.5, 0.5])
    """
    positive = np.maximum(regrets, 0.0)
    total = positive.sum(axis=axis, keepdims=True)
    return np.divide(positive, total, out=np.full(positive.shape, 1 / positive.shape[axis]), where=total > 0)


def matrix_regret_matching(
    payoffs: np.ndarray,
    iterations: int,
    *,
    rng: np.random.Generator | None = None,
    clip: bool = False,
    averaging: float = 0.0,
    start: Sequence[Sequence[float]] | None = None,
    fixed: Mapping[int, Sequence[float]] | None = None,
) -> list[np.ndarray]:
    """Run regret matching for all players of a matrix game simultaneously (Hart and Mas-Colell 2000).

    Args:
        payoffs: `[A0, ..., A(P-1), P]` payoffs of all players.
        iterations: number of iterations.
        rng: generator of sampled actions; None: regrets of expected payoffs.
        clip: clip stored regrets at 0 (regret matching plus).
        averaging: exponent of the averaging weights t^averaging.
        start: initial regrets, one list for each player; default: 0.
        fixed: strategies of players that do not learn, by player.

    Returns:
        The average strategy of each player.

    Raises:
        ParameterError: a number is out of range.

    >>> import numpy as np
    >>> game = np.array([[3.0, -1.0], [-1.0, 1.0]])
    >>> average = td.evaluating.matrix_regret_matching(np.stack([game, -game], axis=-1), 10000)
    >>> average[0].round(1).tolist()
    [0.3, 0.7]
    """
    payoffs = np.asarray(payoffs, dtype=np.float64)
    sizes = np.array(payoffs.shape[:-1], dtype=np.int64)
    if payoffs.ndim < 2 or len(sizes) != payoffs.shape[-1]:
        raise out_of_range("payoffs", payoffs.shape, "of shape [A0, ..., A(P-1), P]")
    players, widest = len(sizes), int(sizes.max())
    regrets, sums, given = np.zeros((3, players, widest))
    for player in range(players):
        if start is not None:
            regrets[player, : sizes[player]] = start[player]
        if fixed and player in fixed:
            given[player, : sizes[player]] = fixed[player]
    sampled = rng is not None
    arrays = (np.ascontiguousarray(payoffs).reshape(math.prod(sizes.tolist()), players), sizes, regrets, given, sums)
    matrix.play(*arrays, iterations, clip, averaging, sampled, rng or np.random.default_rng(0))
    return [sums[p, : sizes[p]] / sums[p].sum() for p in range(players)]


class AverageRegret:
    """Overall and immediate counterfactual regret of a sequence of profiles.

    In two-player zero-sum games the overall regrets sum to the NashConv of the average profile
    (Zinkevich et al. 2007, theorem 2).

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> regret = td.evaluating.AverageRegret(tree)
    >>> regret.add(td.Profile.uniform(tree))
    >>> (regret.overall() * 24).round(6).tolist()  # best-response gains
    [9.0, 13.0]
    """

    def __init__(self, tree: Tree) -> None:
        self.tree, self.form, self.weight = tree, sequence_form(tree), 0.0
        self._utility = np.zeros(self.form.sequences)  # leaf utilities of every pure plan, summed over time
        self._folded, self._means = np.zeros(self.form.sequences), np.zeros(tree.infosets)
        self._value = np.zeros(tree.players)

    def add(self, profile: Profile, weight: float = 1.0) -> None:
        """Add a profile to the sequence."""
        require_same_game(self.tree, profile)
        leaves, folded, _ = sequence_utilities(profile)
        self._utility += weight * leaves
        self._folded += weight * folded
        self._value += weight * folded[self.form.span[:-1]]
        actions = profile.probabilities * folded[self.form.sequence]
        self._means += weight * np.add.reduceat(actions, self.tree.first_row[:-1])
        self.weight += weight

    def overall(self) -> np.ndarray:
        """Return `[P]` R_i^T = (1/T) (max over strategies s of sum_t u_i(s, sigma_-i^t) - sum_t u_i(sigma^t))."""
        form = self.form
        best = [responded(form, player, self._utility)[0][start] for player, start in enumerate(form.span[:-1])]
        return (np.array(best) - self._value) / self.weight

    def immediate(self) -> np.ndarray:
        """Return `[I]` R_imm^T(I) = (1/T) max over actions a of sum_t r^t(I, a)."""
        regrets = self._folded[self.form.sequence] - self._means[self.tree.infoset_of_row]
        return np.maximum.reduceat(regrets, self.tree.first_row[:-1]) / self.weight
