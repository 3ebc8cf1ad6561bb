"""Correlation devices as trigger tables, which are all that their gaps need.

A device draws one of its profiles x^t with weight w_t, and recommends moves by it. For each player i and trigger tau,
its table has G_i[tau, sigma] = sum over t of w_t x_i^t(tau) g_i^t[sigma], where g_i^t are the utilities of i's
sequences against the others (Farina, Bianchi, Sandholm 2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tefuda.correlating.gaps import Gaps, gaps_of
from tefuda.correlating.triggers import trigger_form
from tefuda.errors import ParameterError, RunError, SolverError, check_range, out_of_range
from tefuda.evaluating.profile import Profile, require_same_game
from tefuda.evaluating.values import require_profile, sequence_utilities
from tefuda.files import NOT_NEGATIVE, array_specs, check_arrays
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.lazy import load_reference
from tefuda.solvers.runs.solution import Solution


class Device:
    """A correlation device that grows by profiles, of which it stores the trigger table alone.

    Args:
        tree: the game, of any number of players.

    Attributes:
        table: `[E]` trigger table by the sequences of `TriggerForm`, times the sum of the weights.
        mass: `[1]` sum of the weights.

    Raises:
        GameError: a player has imperfect recall.
        SizeError: the free memory is too small for the table.

    >>> tree = td.compile_game(td.load_game("matrix", payoffs=[[(0, 0), (7, 2)], [(2, 7), (6, 6)]]))
    >>> chicken = [td.Profile(tree, plan) for plan in ((1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1))]
    >>> device = td.correlating.Device.of(chicken, weights=[1, 1, 2])
    >>> device.gaps.values, device.gaps.gap("efce")
    ((5.25, 5.25), 0.0)
    """

    def __init__(self, tree: Tree) -> None:
        self.tree, self._triggers = tree, trigger_form(sequence_form(tree))
        self.table, self.mass = np.zeros(self._triggers.sequences), np.zeros(1)

    def __repr__(self) -> str:
        return f"Device({self.tree.name}, {self.tree.players} players, {len(self.table):,} numbers)"

    @classmethod
    def of(cls, profiles: Sequence[Profile], weights: Sequence[float] | None = None) -> Device:
        """Return the device that draws one of some profiles.

        Args:
            profiles: profiles of one game, pure or mixed.
            weights: their weights, not negative; they are divided by their sum. Default: equal.

        Raises:
            ParameterError: there are no profiles, or the weights are wrong.
            ProfileError: a profile belongs to another game.
        """
        if not len(profiles):
            raise ParameterError("a device needs at least one profile; got none.", key="profiles")
        shares = finite_numbers("weights", [1.0] * len(profiles) if weights is None else weights, len(profiles))
        if not (shares >= 0).all() or not shares.any():
            raise out_of_range("weights", shares.tolist(), "numbers of at least 0, and not all 0")
        require_profile(profiles[0])
        device = cls(profiles[0].tree)
        for profile, weight in zip(profiles, (shares / shares.max()).tolist(), strict=True):
            device.add(profile, weight)
        return device

    @classmethod
    def of_run(cls, solution: Solution) -> Device:
        """Read the device of a saved run from its checkpoint.

        Args:
            solution: solution of `td.load`, of a run of `Triggers` or with the evaluator `CorrelationGap`.

        Raises:
            RunError: the run has no device (the error's key is "device"), or is damaged.

        >>> gap = td.correlating.CorrelationGap("nfcce")
        >>> solution = td.solve(td.load_game("kuhn"), iterations=9, evaluator=gap, checkpoint="device-run")
        >>> td.correlating.Device.of_run(td.load("device-run")).gaps.gap("nfcce") == solution.evaluation.figure
        True
        """
        solver = load_reference("tefuda.solvers.runs.saved:load_solver")(solution)
        if not isinstance(device := getattr(solver, "device", None), cls):
            raise RunError(f"{solution.run} has no device; solve the game with --evaluator efce-gap.", key="device")
        return device

    def add(self, profile: Profile, weight: float = 1.0, decay: float = 1.0) -> None:
        """Add a profile.

        Args:
            profile: profile of the game.
            weight: its weight, from 0 to 1.
            decay: factor of the weights of all profiles so far, from 0 to 1.
        """
        require_same_game(self.tree, profile)
        check_range("weight", weight, 0, 1, whole=False)
        check_range("decay", decay, 0, 1, whole=False)
        for array in (self.table, self.mass) if decay < 1 else ():
            array *= decay
        utilities = sequence_utilities(profile)
        self.add_plans(utilities.plans, utilities.leaves, weight)

    def add_plans(self, plans: np.ndarray, utilities: np.ndarray, weight: float = 1.0) -> None:
        """Add realisation plans `[Q]` of all players; utilities: `[Q]` those of their sequences' leaves."""
        self.table += weight * self._triggers.triggered(plans, utilities)
        self.mass += weight

    @property
    def gaps(self) -> Gaps:
        """The values of obedient players, and the gaps of all concepts.

        Raises:
            SolverError: no profile was added.
        """
        if not self.mass[0] > 0:
            raise SolverError("the device has no profile yet; add one with a positive weight, or iterate the solver.")
        return gaps_of(sequence_form(self.tree), self._triggers, self.table / self.mass[0])

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the table and the mass by their names in the state of a solver, not copied."""
        return {"device_table": self.table, "device_mass": self.mass}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore the arrays of a state that may have others; raise RunError if they belong to another game."""
        own = self.arrays()
        saved = {name: state[name] for name in own if name in state}
        check_arrays("the state", saved, array_specs(own, device_mass=NOT_NEGATIVE))
        for name, array in own.items():
            array[...] = state[name]
