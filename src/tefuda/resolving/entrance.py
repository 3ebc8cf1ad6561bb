"""What is known where play enters a subgame: how it may have come there, and what the other player gave up on the way.

One player's strategy is solved again, that of `player`; the other is who could exploit it. The blueprint is a profile.
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
    """The other player's best reply to a blueprint's `player`, and what it is worth everywhere.

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
        """Who replies."""
        return 1 - self.player

    @cached_property
    def reach(self) -> np.ndarray:
        """`[N]` how probable each history is if the other tries to get there: by chance and the player."""
        return self._reach.counterfactual(self.other)

    @cached_property
    def belief(self) -> np.ndarray:
        """`[N]` how probable the other's own actions make each history, by the blueprint."""
        return self._reach.own[:, self.other]

    @property
    def chance(self) -> np.ndarray:
        """`[N]` how probable chance makes each history."""
        return self._reach.chance

    @cached_property
    def _reach(self) -> Reach:
        return reach(self.blueprint)

    @cached_property
    def profile(self) -> Profile:
        """The blueprint with the reply in it."""
        return best_response(self.blueprint, self.other).profile

    @cached_property
    def value(self) -> np.ndarray:
        """`[N]` what each history is worth to the other, who replies as well as it can from there on."""
        return history_values(self.profile)[:, self.other]

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[R]` what the other gives up by each of its actions, counterfactual; 0 at the player's own."""
        lost = np.maximum(0.0, -counterfactual(self.profile).regrets)
        return np.where(self.tree.player_of_row == self.other, lost, 0.0)

    @cached_property
    def infoset_reach(self) -> np.ndarray:
        """`[I]` the sum of `reach` over the histories of each infoset."""
        nodes = np.flatnonzero(self.tree.infoset >= 0)
        return np.bincount(self.tree.infoset[nodes], self.reach[nodes], self.tree.infosets)


@dataclass(frozen=True, eq=False)
class Entrance:
    """Where play enters a subgame in which a player's strategy is to be solved again.

    reply: to the blueprint. sub: the subgame. since: the subgame that was solved before on the way here, if any.
    """

    reply: Reply
    sub: Subgame
    since: Subgame | None = None

    @property
    def seats(self) -> np.ndarray:
        """`[R]` the other's seat at each root."""
        return self.sub.seats[self.reply.other]

    @cached_property
    def reach(self) -> np.ndarray:
        """`[R]` how probable each root is if the other tries to get there."""
        return self.reply.reach[self.sub.roots]

    @cached_property
    def belief(self) -> np.ndarray:
        """`[R]` how probable the other's own actions make each root, by the blueprint."""
        return self.reply.belief[self.sub.roots]

    @property
    def chance(self) -> np.ndarray:
        """`[R]` how probable chance makes each root."""
        return self.reply.chance[self.sub.roots]

    @cached_property
    def seat_reach(self) -> np.ndarray:
        """`[S]` how probable each of the other's seats is if it tries to get there."""
        return self.sub.summed(self.reply.other, self.reach)

    @cached_property
    def worth(self) -> np.ndarray:
        """`[S]` what the other can make of the blueprint at each of its seats: counterfactual best-response values."""
        return self.sub.summed(self.reply.other, self.reach * self.reply.value[self.sub.roots])

    @cached_property
    def gifts(self) -> np.ndarray:
        """`[S]` what the other may be paid more at each seat without any loss, for what it gave up on the way there.

        An action that is g worse than the best, counterfactually, may become better by g in all. Of that a seat gets
        the part of the infoset's reach that leads to it, so that all seats of all subgames together get no more than g:
        reach is made of chance's and the player's moves alone, and what flows out of an infoset is not more than what
        flows in. (Brown and Sandholm 2017 give the same in quotients by reach, without the split.) Where a subgame was
        solved before, what was given up above it is spent: only what comes after counts.
        """
        tree, found = self.reply.tree, np.zeros(len(self.seat_reach))
        last, before = last_rows(tree)
        first = np.unique(self.seats, return_index=True)[1]
        for seat, root in enumerate(self.sub.roots[first].tolist()):
            row = int(last[root, self.reply.other])
            while row >= 0 and self._counts(infoset := int(tree.infoset_of_row[row])):
                if (whole := self.reply.infoset_reach[infoset]) > 0:
                    found[seat] += self.reply.gifts[row] * self.seat_reach[seat] / whole
                row = int(before[infoset])
        return found

    def _counts(self, infoset: int) -> bool:
        return self.since is None or infoset in self._inside

    @cached_property
    def _inside(self) -> frozenset[int]:
        assert self.since is not None
        return frozenset(self.since.infosets.tolist())
