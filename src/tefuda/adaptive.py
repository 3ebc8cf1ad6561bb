"""An exploiter for any number of opponents in Leduc hold'em: it models all of them and plays exact best responses.

Where source 004's player ignores everybody but its target, this one answers all at once on the whole tree. An opponent
who does not play less like an equilibrium than the equilibrium itself does is taken for an equilibrium player, so with
nobody weak at the table it plays the equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.agents import ProfileAgent, Sight, Turn
from tefuda.opponents import FLOOR, Likelihood, count_moves, entropy
from tefuda.profile import Profile
from tefuda.response import best_response
from tefuda.tree import Tree
from tefuda.virtual import LETTERS, Histogram, count_states

_FIRST, _GROWTH = 10, 1.3  # hands before the first answer, and how the hands between answers grow


@dataclass
class AdaptiveExploiter:
    """Counts what opponents do with each card, and answers the counts.

    Args:
        name: how it is called.
        equilibrium: what is played before and unless somebody is found weak.
        smoothing: fictitious plays of what is expected at a state, added to the counts of each infoset.
        margin: standard errors, and nats, by which a score must exceed the equilibrium's own for its owner to be weak.
    """

    name: str
    equilibrium: Profile
    smoothing: float = 100.0
    margin: tuple[float, float] = (3.0, 0.1)
    profile: Profile | None = None
    _table: ProfileAgent = field(init=False, repr=False)

    def start(self, tree: Tree, seat: int) -> None:
        """See `agents.Agent`."""
        game: Any = tree.rules
        self._tree, self._rules, self._seat, self._hands, self._next = tree, game._rules, seat, 0, _FIRST
        self._others = [other for other in range(tree.players) if other != seat]
        self._states = {other: Histogram(game, unseen=True) for other in self._others}
        self._counts = {other: np.zeros(tree.rows) for other in self._others}
        self._likelihood = Likelihood(self.equilibrium, FLOOR)
        self._entropy = {other: entropy(self.equilibrium, other) for other in self._others}
        self._place = state_rows(tree, self._states[self._others[0]])
        self._table = ProfileAgent(self.name, self.equilibrium)
        self._table.start(tree, seat)

    def act(self, turn: Turn) -> int:
        """See `agents.Agent`."""
        return self._table.act(turn)

    def see(self, sight: Sight) -> None:
        """See `agents.Agent`: counts, scores, and now and then a new answer."""
        count_states(self._rules, self._tree, self._states, sight)
        for other, counts in self._counts.items():
            count_moves(self._tree, counts, sight, other)
        self._likelihood.see(sight)
        self._hands += 1
        if self._hands >= self._next:
            self._next = max(self._hands + 1, int(self._hands * _GROWTH))
            self._answer()

    def weak(self, player: int) -> bool:
        """Whether an opponent plays less like an equilibrium than the equilibrium does."""
        errors, nats = self.margin
        excess = self._likelihood.score(player) - self._entropy[player]
        return excess > errors * self._likelihood.error(player) + nats

    def model(self, player: int) -> Profile:
        """What an opponent is thought to play."""
        if not self.weak(player):
            return self.equilibrium
        weights = self._states[player].counts.reshape(-1)[self._place]
        total = np.add.reduceat(weights, self._tree.first_row[:-1])[self._tree.infoset_of_row]
        expected = np.where(total > 0, weights / np.where(total > 0, total, 1.0), self.equilibrium.probabilities)
        return Profile.from_weights(self._tree, self._counts[player] + self.smoothing * expected)

    def _answer(self) -> None:
        if not any(self.weak(other) for other in self._others):
            self._table = ProfileAgent(self.name, self.equilibrium)
            return
        thought = self.equilibrium
        for other in self._others:
            thought = thought.replace(other, self.model(other))
        self._table = ProfileAgent(self.name, best_response(self._tree, thought, self._seat).profile)


def state_rows(tree: Tree, states: Histogram) -> np.ndarray:
    """`[R]` the place in a histogram's flattened counts of each row of the tree: its state, and its letter."""
    shape, found = states.counts.shape, np.zeros(tree.rows, dtype=np.int64)
    for number, key in enumerate(tree.keys):
        cards, history = str(key).split("|")
        board = states.ranks.index(cards[1]) if len(cards) > 1 else len(states.ranks)
        state = (history.count("/"), history.split("/")[-1].count("r"), board, states.ranks.index(cards[0]))
        for place, label in enumerate(tree.labels(number)):
            found[tree.first_row[number] + place] = np.ravel_multi_index((*state, LETTERS.index(str(label))), shape)
    return found
