"""Games whose numbers are fractions, and their exact values."""

from fractions import Fraction

import numpy as np

from tests import oracle
from tests.conftest import rules


class Exact:
    """A game with its payoffs as Fractions."""

    def __init__(self, game):
        self.players, self.exact = game.players, game.payoffs
        for name in ("root", "player", "actions", "chances", "child", "view"):
            setattr(self, name, getattr(game, name))

    def payoffs(self, state):
        return tuple(map(Fraction, self.exact(state)))


def exact_game(name, **parameters):
    return Exact(rules(name, **parameters))


def random_strategy(game, seed, zeros=False):
    """Rational probabilities at every infoset; with zeros, one action in four."""
    rng, table = np.random.default_rng(seed), {}
    for player in range(game.players):
        for key, actions in oracle.infosets_of(game, player).items():
            weights = rng.integers(1, 6, len(actions)) * (rng.random(len(actions)) > 0.25 * zeros)
            weights = weights if weights.sum() else np.ones(len(actions), int)
            total = int(weights.sum())
            table[player, key] = {a: Fraction(int(w), total) for a, w in zip(actions, weights, strict=True)}
    return oracle.in_table(table), table


def exact_regrets(game, strategy, player):
    infosets, actions = oracle.counterfactual(game, strategy)
    return {name: v - infosets[name[:2]] for name, v in actions.items() if name[0] == player}


def exact_weights(game, strategy, player):
    """pi_owner(I) times the sum over h in I of pi_c(h), for every infoset of `player`."""
    found = {}
    for state, _, own, chance in oracle.histories(game, strategy):
        if game.player(state) == player:
            name = (player, game.view(state, player))
            found[name] = found.get(name, 0) + own[player] * chance
    return found
