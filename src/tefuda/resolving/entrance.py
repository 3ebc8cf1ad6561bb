"""Where play enters a subgame: how probable it is there, and the gifts of the other player on the way.

One player's strategy, that of `player`, is re-solved. The other player is the one who could exploit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tefuda.forms.sequence import last_rows
from tefuda.forms.subgame import Subgame
from tefuda.forms.tree import Tree
from tefuda.judging.profile import Profile, best_response
from tefuda.judging.values import Reach, counterfactual, history_values, reach


@dataclass(frozen=True, eq=False)
class Reply:
    """The other player's best response to a blueprint's `player`, and its value everywhere.

    >>> import tefuda as td
    >>> reply = Reply(td.Profile.uniform(td.compile_game(td.load_game("kuhn"))), 0)
    >>> round(float(reply.value[0]), 6)  # at the root
    0.416667
    """

    blueprint: Profile
    player: int

    @property
    def tree(self) -> Tree:
        """The game."""
        return self.blueprint.tree

    @property
    def other(self) -> int:
        """The player who replies."""
        return 1 - self.player

    @cached_property
    def reached(self) -> Reach:
        """The reach of all histories under the blueprint."""
        return reach(self.blueprint)

    @cached_property
    def reach(self) -> np.ndarray:
        """`[N]` reach of each history by chance and the player alone."""
        return self.reached.counterfactual(self.other)

    @cached_property
    def profile(self) -> Profile:
        """The blueprint with the reply in it."""
        return best_response(self.blueprint, self.other).profile

    @cached_property
    def value(self) -> np.ndarray:
        """`[N]` value of each history to the other player, who plays its reply."""
        return history_values(self.profile)[:, self.other]

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[R]` counterfactual loss of each action of the other player; 0 for the player's own."""
        lost = np.maximum(0.0, -counterfactual(self.profile).regrets)
        return np.where(self.tree.player_of_row == self.other, lost, 0.0)

    @cached_property
    def infoset_reach(self) -> np.ndarray:
        """`[I]` the sum of `reach` over the histories of each infoset."""
        nodes = np.flatnonzero(self.tree.infoset >= 0)
        return np.bincount(self.tree.infoset[nodes], self.reach[nodes], self.tree.infosets)


@dataclass(frozen=True, eq=False)
class Entrance:
    """The entrance to a subgame `sub`; since: the subgame that was re-solved before on the way here, if any."""

    reply: Reply
    sub: Subgame
    since: Subgame | None = None

    @property
    def seats(self) -> np.ndarray:
        """`[R]` the other player's seat at each root."""
        return self.sub.seats[self.reply.other]

    @property
    def reach(self) -> np.ndarray:
        """`[R]` reach of each root by chance and the player alone."""
        return self.reply.reach[self.sub.roots]

    @cached_property
    def seat_reach(self) -> np.ndarray:
        """`[S]` the sum of `reach` over the roots of each seat."""
        return self.sub.summed(self.reply.other, self.reach)

    @cached_property
    def worth(self) -> np.ndarray:
        """`[S]` counterfactual best-response values of the other player's seats."""
        return self.sub.summed(self.reply.other, self.reach * self.reply.value[self.sub.roots])

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[S]` amounts by which the seats' values may rise without any loss to the player.

        An action that loses g, counterfactually, may improve by g in all. A seat receives a share of g proportional to
        its reach, so that all seats of all subgames together receive at most g. (Brown and Sandholm 2017 divide by
        reach and do not split.) Gifts above a subgame that was re-solved before are spent.
        """
        tree, found = self.reply.tree, np.zeros(len(self.seat_reach))
        last, before = last_rows(tree)
        unspent = None if self.since is None else set(self.since.infosets.tolist())
        first = np.unique(self.seats, return_index=True)[1]
        for seat, root in enumerate(self.sub.roots[first].tolist()):
            row = int(last[root, self.reply.other])
            while row >= 0:
                infoset = int(tree.infoset_of_row[row])
                if unspent is not None and infoset not in unspent:
                    break
                if (whole := self.reply.infoset_reach[infoset]) > 0:
                    found[seat] += self.reply.gifts[row] * self.seat_reach[seat] / whole
                row = int(before[infoset])
        return found
