"""Best joint plans of a team against a fixed plan of its adversary.

Sequences are numbered by player, the empty one first. A *side* is a player, or an absent one (None) with the empty
sequence alone. Dimension letters: L leaves, Q, R sequences of the two members, S of the adversary, K relevant pairs.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tefuda.correlating.pairs import Pairs
from tefuda.errors import GameError, SizeError
from tefuda.evaluating.profile import Profile
from tefuda.forms.programs import realised
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import Side

#: Ways of finding the best joint plan.
PRICINGS = ("auto", "plans", "milp")
_FEW, _MOST = 100_000, 1_000_000  # plans of a member that "auto" tries one by one, and that "plans" does
_CHUNK = 10_000  # plans that are tried at once
_ROWS = 1_000  # sequences that are folded at once
_UNIT = 1e3  # of payoffs in integer programs: their absolute gap, 1e-6, is 1e-9 of the largest number
_RISE = 1e-12  # of the value in a step of the local search, relative to the scale


class Priced(NamedTuple):
    """A joint plan, its value, and an upper bound of the values of all joint plans."""

    plans: tuple[np.ndarray, np.ndarray]
    value: float
    bound: float = math.inf


class TeamGame:
    """The payoffs of a team of one or two members, in units of the form's scale.

    Args:
        tree: the game.
        adversary: the player whose loss is the team's gain; None: all players are the team, and their payoffs add up.
        pricing: search for the best joint plan, one of `PRICINGS`.

    Raises:
        GameError: the team has not one or two members, or a player has imperfect recall.
        SizeError: ``"plans"`` with more than 1 million plans of both members.
    """

    def __init__(self, tree: Tree, adversary: int | None, pricing: str = "auto") -> None:
        members = [player for player in range(tree.players) if player != adversary]
        if not 1 <= len(members) <= 2:
            raise GameError(
                f"a team has one or two members; in {tree.name}, {len(members)} of {tree.players} players would play "
                "together. Choose a game of at most two players and an adversary."
            )
        self.tree, self.form = tree, sequence_form(tree)
        self.sides = [Side(tree, player) for player in (*members, None)[:2]]
        self.adversary = Side(tree, adversary)
        parts = []
        for player in members if adversary is None else (adversary,):
            leaves = self.form.leaves(player)
            sequences = np.insert(leaves.others, player, leaves.own, axis=1) - self.form.span[:-1].astype(np.int64)
            parts.append((sequences, leaves.value if adversary is None else -leaves.value))
        sequences = np.concatenate([part[0] for part in parts])
        empty = np.zeros(len(sequences), dtype=np.int64)
        roles = (*self.sides, self.adversary)
        self.places = [empty if side.player is None else sequences[:, side.player] for side in roles]
        self.values = np.concatenate([part[1] for part in parts]) / self.form.scale
        self._listed = self._member_to_list(pricing)

    def _member_to_list(self, pricing: str) -> int | None:
        """Return the member whose plans are tried one by one, or None for integer programs."""
        counts = [side.plan_count for side in self.sides]
        least = min(counts)
        if pricing == "plans" and least > _MOST:
            raise SizeError(f"{self.tree.name}: both members have more than {_MOST:,} plans to try; use milp.")
        return counts.index(least) if pricing == "plans" or (pricing == "auto" and least <= _FEW) else None

    def uniform(self) -> list[np.ndarray]:
        """Return uniform plans of both members and of the adversary."""
        plans = realised(self.form, self.form.spread(Profile.uniform(self.tree).probabilities))
        roles = (*self.sides, self.adversary)
        return [np.ones(1) if side.player is None else plans[self.form.own(side.player)] for side in roles]

    def column(self, plans: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return `[S]` the payoffs of the adversary's sequences against a joint plan, to the team."""
        one, two, adversary = self.places
        return np.bincount(adversary, self.values * plans[0][one] * plans[1][two], self.adversary.size)

    def table(self, plan: np.ndarray) -> Any:
        """Return `[Q, R]` the team's payoffs against a plan of the adversary, as a csr_array."""
        from scipy.sparse import csr_array

        one, two, adversary = self.places
        return csr_array((self.values * plan[adversary], (one, two)), [side.size for side in self.sides])

    def climb(self, table: Any, start: np.ndarray, first: int = 0) -> Priced:
        """Return a joint plan that no member alone can improve, from a plan of the member `first`."""
        value, tables, member, plans = -math.inf, (table, table.T), 1 - first, [start, start]
        while True:
            reached, plans[member] = self.sides[member].respond(tables[member] @ plans[1 - member])
            if member == first and reached <= value + _RISE:
                return Priced((plans[0], plans[1]), reached)
            value, member = reached, 1 - member

    def bound(self, table: Any) -> float:
        """Return a bound of the values of joint plans: as if the second member knew the first one's sequence."""
        starts = range(0, table.shape[0], _ROWS)
        values = [self.sides[1].best_values(table[start : start + _ROWS].T.toarray()) for start in starts]
        return self.sides[0].respond(np.concatenate(values))[0]

    def best(self, table: Any, seconds: float) -> Priced:
        """Return the best joint plan with a bound, which is its value unless the time limit passed.

        seconds: time limit of an integer program.
        """
        return self._by_program(table, seconds) if self._listed is None else self._by_plans(table, self._listed)

    def _by_plans(self, table: Any, member: int) -> Priced:
        """Try all plans of a member, each with the best response of the other."""
        plans, payoffs = self.sides[member].plans, table.T if member == 0 else table
        chunks = np.array_split(plans, math.ceil(len(plans) / _CHUNK))
        values = [self.sides[1 - member].best_values(payoffs @ chunk.T.astype(np.float64)) for chunk in chunks]
        found = self.climb(table, plans[np.concatenate(values).argmax()].astype(np.float64), member)
        return found._replace(bound=found.value)

    def _by_program(self, table: Any, seconds: float) -> Priced:
        """Solve an integer program over the relevant pairs, with pure plans of one member."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        pairs, member = self._pairs, int(self.sides[1].size < self.sides[0].size)
        entries = table.tocoo()
        unit = _UNIT / max(np.abs(entries.data).max(initial=0.0), 1e-300)
        cost = np.bincount(pairs.place(0, entries.row, entries.col), -unit * entries.data, pairs.size)
        alone = pairs.alone(member)
        fixed = np.arange(len(cost)) == 0  # the pair of empty sequences
        solution = milp(
            cost, integrality=np.bincount(alone, minlength=len(cost)), bounds=Bounds(fixed * 1.0, 1.0),
            constraints=LinearConstraint(self._rows, 0.0, 0.0), options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )  # fmt: skip
        start = self.uniform()[member] if solution.x is None else solution.x[alone].round()
        found, dual = self.climb(table, start, member), solution.mip_dual_bound
        if solution.status == 0:
            return found._replace(bound=found.value)
        return found if dual is None else found._replace(bound=max(found.value, -float(dual) / unit))

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(*self.sides)

    @cached_property
    def _rows(self) -> Any:
        from scipy.sparse import vstack

        return vstack([self._pairs.consistency(member) for member in (0, 1)]).tocsr()
