"""Limits of learners that never stop exploring: equilibria of games in which players tremble.

A tremble replaces an action, with probability epsilon at every decision, by a uniformly random one.
"""

from __future__ import annotations

from tefuda._kernels import perturbed as kernels
from tefuda.errors import check_choice, check_range
from tefuda.evaluating.profile import Profile
from tefuda.evaluating.values import require_profile
from tefuda.forms.programs import Workspace, realised, sections
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree
from tefuda.solvers.exact.lp import require_two_player_constant_sum

KINDS = ("aware", "unaware", "anticipatory")


def trembling(profile: Profile, epsilon: float) -> Profile:
    """Return the profile mixed with epsilon of uniform play at every decision."""
    require_profile(profile)
    return profile.mixed(Profile.uniform(profile.tree), epsilon)


def trembling_equilibrium(
    tree: Tree, kind: str, epsilon: float, *, eta: float = 0.1, iterations: int = 8000
) -> Profile:
    """Return the average strategies to which learners converge that never stop exploring, by CFR+.

    The NashConv of this profile in the game without trembles is a lower bound for such learners.

    Args:
        tree: a game of two players with constant sum; in other games CFR's averages need not converge to an
            equilibrium.
        kind: ``"aware"``: both players tremble, and their responses take it into account (the perturbed game).
            ``"unaware"``: both tremble, and respond as if they did not, like off-policy Q-learning.
            ``"anticipatory"``: averages do not contain trembles, but opponents tremble in a share `eta` of the games.
        epsilon: probability of a tremble.
        eta: share of the games in which an opponent trembles; only for ``"anticipatory"``.
        iterations: number of iterations of CFR+ with trembles.

    Returns:
        The average profile. For ``"aware"`` and ``"unaware"`` it contains trembles: each of k actions has a
        probability of at least epsilon / k.

    Raises:
        GameError: the game has more than two players, or no constant sum.
        ParameterError: an unknown kind, or numbers out of range.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> profile = td.solvers.trembling_equilibrium(tree, "anticipatory", 0.1, iterations=200)
    >>> 0 < td.nash_conv(profile) < 0.2
    True
    """
    check_choice("kind", kind, KINDS)
    check_range("epsilon", epsilon, 0, 1, whole=False)
    check_range("eta", eta, 0, 1, whole=False)
    check_range("iterations", iterations, 1)
    require_two_player_constant_sum(tree, "trembling_equilibrium")
    form = sequence_form(tree)
    uniform = form.spread(Profile.uniform(tree).probabilities)
    names = ("regret", "g", "played", "x", "trembling", "faced", "total", "u")
    work = Workspace(form, " ".join(names))
    work["g"][:] = work["played"][:] = uniform
    work["x"][:] = work["trembling"][:] = work["faced"][:] = realised(form, uniform)
    layout = work.layout
    steps = sections(
        [*layout.gather(player, "faced"), layout.realise(player), layout.realise(player, "played", "trembling")]
        for player in range(tree.players)
    )
    steady = 1.0 - eta if kind == "anticipatory" else 0.0
    kernels.iterate(
        form.index, form.values, work.state, *steps, form.span, iterations, float(epsilon), kind == "aware", steady,
        kind != "anticipatory", *map(work.__getitem__, names),
    )  # fmt: skip
    return Profile.from_weights(tree, work["total"][form.sequence])
