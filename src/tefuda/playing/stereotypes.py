"""Named profiles: simple strategies, and strategies derived from an equilibrium."""

from __future__ import annotations

from collections.abc import Callable

from tefuda.errors import ParameterError
from tefuda.evaluating.profile import Profile, best_response
from tefuda.evaluating.values import require_profile
from tefuda.forms.tree import Tree
from tefuda.games.protocol import Label
from tefuda.solvers.exact.perturbed import trembling
from tefuda.solvers.runs.solving import solve


def _pure(tree: Tree, choose: Callable[[tuple[Label, ...]], Label]) -> Profile:
    """Return the pure profile of the actions that a function chooses at each infoset."""
    return Profile.from_function(tree, lambda player, key, labels: {choose(labels): 1.0})


def always_raise(tree: Tree) -> Profile:
    """Return the profile of the last action at each infoset: in betting games it raises, or calls."""
    return _pure(tree, lambda labels: labels[-1])


def always_pass(tree: Tree) -> Profile:
    """Return the profile of the first action at each infoset: in betting games it checks and folds."""
    return _pure(tree, lambda labels: labels[0])


def always_call(tree: Tree) -> Profile:
    """Return the profile that checks and calls; raise ParameterError without the action ``"c"``."""
    if not all("c" in tree.labels(number) for number in range(tree.infosets)):
        raise ParameterError(f"{tree.name} has infosets without action 'c'; always-call needs it.")
    return _pure(tree, lambda labels: "c")


def equilibrium(tree: Tree) -> Profile:
    """Return an approximate equilibrium, by DCFR."""
    return solve(tree, "dcfr", until=1e-3, iterations=100_000).strategy


def best_responses(profile: Profile) -> Profile:
    """Return the profile of each player's best response to the others."""
    require_profile(profile)
    responses = profile
    for player in range(profile.tree.players):
        responses = responses.replace(player, best_response(profile, player).profile)
    return responses


#: Agents by name: (a description, the function that makes the profile).
NAMED_PROFILES: dict[str, tuple[str, Callable[[Tree], Profile]]] = {
    "always-call": ("checks and calls", always_call),
    "always-pass": ("the first action: checks and folds", always_pass),
    "always-raise": ("the last action: bets and raises, else calls", always_raise),
    "best-response": ("a best response to the equilibrium", lambda tree: best_responses(equilibrium(tree))),
    "equilibrium": ("DCFR to a NashConv of 1e-3", equilibrium),
    "tilted": (
        "the equilibrium mixed with a quarter of always-raise",
        lambda tree: equilibrium(tree).mixed(always_raise(tree), 0.25),
    ),
    "trembling": ("the equilibrium mixed with a tenth of uniform", lambda tree: trembling(equilibrium(tree), 0.1)),
    "uniform": ("uniformly random actions", Profile.uniform),
}
