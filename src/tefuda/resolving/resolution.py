"""Re-solving a subgame: a better strategy for one player below a public state of a blueprint.

Sources: Burch, Johanson, Bowling 2014 (CFR-D gadget); Moravcik, Schmid, Ha, Hladik, Gaukrodger 2016 (max-margin); Brown
and Sandholm 2017 (reach). Two players, constant sum.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np

from tefuda.evaluating.augmented import best_response_values
from tefuda.evaluating.profile import Profile, check_player
from tefuda.evaluating.values import require_profile
from tefuda.forms.subgame import Subgame, subgame
from tefuda.forms.tree import Tree
from tefuda.resolving.gadget_game import GadgetGame
from tefuda.resolving.gadgets import Gadget, OpponentResponse, ResolvingProblem, find_gadget
from tefuda.solvers.exact.linear_program import LinearProgram
from tefuda.solvers.exact.lp import require_two_player_constant_sum
from tefuda.solvers.protocol import Method
from tefuda.solvers.runs.evaluators import NoEvaluation
from tefuda.solvers.runs.methods import find_method
from tefuda.solvers.runs.solving import solve
from tefuda.views import Displayable
from tefuda.words import significant


@dataclass(frozen=True, eq=False)
class Resolution(Displayable):
    """A subgame re-solved for one player.

    All values are counterfactual, in the game's unit per game. Letter: S augmented infosets of the opponent.

    Attributes:
        sub: the subgame.
        player: player whose strategy was re-solved.
        gadget: gadget of the subgame.
        profile: the blueprint with the new strategy.
        reach: `[S]` probability of each augmented infoset if the opponent tries to reach it.
        before: `[S]` the opponent's best-response values against the blueprint.
        after: `[S]` the opponent's best-response values against `profile`.
        limits: `[S]` values that the gadget allows the opponent: `before`, with gifts more.
        histories: number of histories of the gadget game; 0 if the player never reaches the subgame.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> resolution = td.resolve(td.Profile.uniform(tree), "1: K|b", "max-margin")
    >>> resolution
    Resolution(kuhn, public state 3, player 1, max-margin, margin 0.125)
    >>> resolution.augmented_infosets
    ('0: J|b', '0: Q|b', '0: K|b')
    >>> resolution.before.round(3).tolist(), resolution.after.round(3).tolist()
    ([-0.167, 0.167, 0.5], [-0.292, -0.167, 0.375])
    """

    sub: Subgame
    player: int
    gadget: Gadget
    profile: Profile
    reach: np.ndarray  # [S]
    before: np.ndarray  # [S]
    after: np.ndarray  # [S]
    limits: np.ndarray  # [S]
    histories: int

    def __repr__(self) -> str:
        sub = self.sub
        return (
            f"Resolution({sub.tree.name}, public state {sub.public_state}, player {self.player}, {self.gadget.name}, "
            f"margin {significant(self.margin)})"
        )

    @property
    def margin(self) -> float:
        """See `margin`, over the augmented infosets that are reached."""
        return margin(self.limits[self.reach > 0], self.after[self.reach > 0])

    @property
    def augmented_infosets(self) -> tuple[str, ...]:
        """`[S]` names of the opponent's augmented infosets."""
        return self.sub.augmented_names(1 - self.player)


def margin(before: np.ndarray, after: np.ndarray) -> float:
    """Return the least loss of the opponent by a new strategy; 0 if no value is known.

    Args:
        before: `[S]` values that the opponent may have, such as those against the blueprint; nan: ignored.
        after: `[S]` the opponent's best-response values against the new strategy.

    >>> margin(np.array([1.0, 0.5, np.nan]), np.array([0.75, 0.0, 1.0]))
    0.25
    """
    losses = before - after
    known = losses[~np.isnan(losses)]
    return float(known.min()) if len(known) else 0.0


def accepts(before: np.ndarray, after: np.ndarray, slack: float) -> bool:
    """Return whether a new strategy may replace the blueprint: the opponent gains nowhere.

    Args:
        before: see `margin`.
        after: see `margin`.
        slack: largest gain that counts as round-off, in the unit of the values.

    >>> accepts(np.array([1.0, 0.5]), np.array([1.0, 0.6]), slack=1e-9)
    False
    """
    return margin(before, after) >= -slack


def resolve(
    blueprint: Profile,
    public_state: int | str | tuple[int, Hashable],
    gadget: str | Gadget = "max-margin",
    *,
    player: int | None = None,
    method: str | Method = "lp",
    iterations: int | None = None,
    seconds: float | None = None,
    previous: Subgame | None = None,
) -> Resolution:
    """Re-solve the subgame at a public state.

    Args:
        blueprint: profile of a two-player constant-sum game.
        public_state: its number, or the name of an infoset in it.
        gadget: ``"unsafe"``, ``"cfr-d"``, ``"max-margin"``, ``"reach"``, or a `Gadget`. With all but unsafe,
            an exact method never makes the strategy more exploitable than the blueprint.
        player: player whose strategy is re-solved; default: the player to move.
        method: method that solves the gadget game: a name in `METHODS` or a value.
        iterations: iterations of the method.
        seconds: time limit of the method in seconds.
        previous: last subgame on the way here that was re-solved before; gifts above it are spent.

    Returns:
        The blueprint with the player's new strategy in the subgame, and the opponent's values there.

    Raises:
        GameError: the game is not a two-player constant-sum game, or there is no subgame (see `subgame`).
        ProfileError: `blueprint` is not a profile.
        ParameterError: an unknown player or public state, or a number out of range.
        UnknownNameError: an unknown gadget, infoset or method.

    >>> tree = td.compile_game(td.load_game("leduc"))
    >>> blueprint = td.solve(tree, "cfr+", iterations=10).strategy
    >>> resolution = td.resolve(blueprint, "0: JQ|rc/", "reach")
    >>> td.nash_conv(resolution.profile) <= td.nash_conv(blueprint) + 1e-9, resolution.margin > 0
    (True, True)
    """
    require_profile(blueprint)
    tree = blueprint.tree
    require_two_player_constant_sum(tree, "re-solving")
    sub, gadget = subgame(tree, public_state), find_gadget(gadget)
    own = sub.mover if player is None else player
    check_player(tree, own)
    problem = ResolvingProblem(OpponentResponse(blueprint, int(own)), sub, previous)
    return resolve_problem(problem, gadget, tree_solver(method, iterations, seconds))


#: Solves a game; returns None if there was no time.
TreeSolver = Callable[[Tree], Profile | None]


def quick_method(method: str | Method) -> Method:
    """Return a method by name or value; `lp` takes any equilibrium, because fractions are slow."""
    known = find_method(method)
    return replace(known, off_path="any") if isinstance(known, LinearProgram) and known.off_path == "auto" else known


def tree_solver(method: str | Method, iterations: int | None = None, seconds: float | None = None) -> TreeSolver:
    """Return a function that solves trees by a method; an unknown method raises at once."""
    known = quick_method(method)
    return lambda tree: solve(tree, known, iterations=iterations, seconds=seconds, evaluator=NoEvaluation()).strategy


def resolve_problem(problem: ResolvingProblem, gadget: Gadget, solve_tree: TreeSolver) -> Resolution:
    """Re-solve a subgame, see `resolve`; problems of one blueprint and player share an `OpponentResponse`."""
    response, top = problem.response, gadget.top(problem)
    profile, histories = response.blueprint, 0
    if top is not None:
        game = GadgetGame(problem.sub, response.opponent, top)
        if (solution := solve_tree(game.tree)) is not None:
            profile, histories = game.insert(profile, solution, response.player), len(game.tree.player)
    after = best_response_values(problem.sub, profile, response.opponent)
    return Resolution(
        problem.sub, response.player, gadget, profile, problem.augmented_reach, problem.best_response_values, after,
        gadget.alternative_payoffs(problem), histories,
    )  # fmt: skip
