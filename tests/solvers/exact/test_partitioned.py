"""Solving partitions: hand computations, evaluation in the full game, resumed runs."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.files import read_arrays, write_arrays
from tefuda.solvers.exact.partitioned import MergedCfrSolver
from tests import oracle
from tests.conftest import compiled, rules
from tests.small_games import forgetful, suitless
from tests.spread import bar


def no_kings(view, player):
    return view.replace("K", "Q")


def same_first(view, player):
    """Return a partition in which player 1 forgets the first action of Kuhn poker."""
    return view[:2] if player else view


def by_hand(game, key, iterations):
    """Run CFR with simultaneous updates over real histories; return results by (player, key)."""
    regrets, sums, actions = defaultdict(float), defaultdict(float), {}
    for player in range(game.players):
        for view, names in oracle.infosets_of(game, player).items():
            actions[player, key(view, player)] = names

    def current(player, view):
        name = player, key(view, player)
        return oracle.match({action: regrets[name, action] for action in actions[name]})

    for _ in range(iterations):
        values, by_action = oracle.counterfactual(game, current)
        own = {}
        for state, _, reach, _ in oracle.histories(game, current):
            if (mover := game.player(state)) >= 0:
                own[mover, game.view(state, mover)] = reach[mover]
        changes = []
        for (player, view, action), value in by_action.items():
            name = player, key(view, player)
            sums[name, action] += own[player, view] * current(player, view)[action]
            changes.append(((name, action), value - values[player, view]))
        for row, change in changes:
            regrets[row] += change

    def average(player, view, _):
        name = player, key(view, player)
        total = sum(sums[name, action] for action in actions[name])
        return {action: sums[name, action] / total for action in actions[name]}

    return average


@pytest.mark.parametrize("players, key", [(2, no_kings), (2, same_first), (3, same_first)])
def test_regrets_of_a_class_are_those_of_its_infosets_summed(players, key):
    tree = compiled("kuhn", players=players)
    whole = td.forms.partition(tree, key)
    solver = MergedCfrSolver(whole, replace(td.METHODS["cfr"], order="simultaneous"))
    solver.advance(6)
    twin = td.Profile.from_function(tree, by_hand(rules("kuhn", players=players), key, 6))
    assert solver.average().probabilities == pytest.approx(twin.probabilities, abs=1e-12)
    assert (whole.forgotten is not None) == (players == 3)


@pytest.mark.parametrize("name", ["cfr", "pcfr+"])
@pytest.mark.parametrize("order", ["alternating", "simultaneous"])
def test_with_perfect_recall_it_is_the_small_game_solved(name, order):
    whole = td.forms.partition(compiled("leduc"), no_kings)
    method = replace(td.METHODS[name], order=order)
    merged, small = MergedCfrSolver(whole, method), method.solver(whole.small)
    for one in (merged, small):
        one.advance(20)
    for which in ("average", "current"):
        lifted = whole.spread(getattr(small, which)().probabilities)
        assert getattr(merged, which)().probabilities == pytest.approx(lifted, abs=1e-9)
    assert merged.arrays()["regret"][whole.rows] == pytest.approx(small.arrays()["regret"][whole.rows], abs=1e-9)


def test_evaluated_in_the_real_game():
    """Merging only suits gives Leduc's equilibrium; merging kings and queens does not."""
    tree = compiled("leduc", distinct_suits=True)
    solution = td.solve(td.forms.partition(tree, suitless), "lp")
    assert solution.tree is tree and solution.nash_conv < 1e-9
    assert solution.values[0] == pytest.approx(-0.085606424078, abs=1e-9)
    assert td.solve(td.forms.partition(compiled("leduc"), no_kings), "lp").nash_conv > 1


def test_cfr_br_is_less_exploitable_than_the_equilibrium_of_the_classes():
    whole = td.forms.partition(compiled("leduc"), no_kings)
    abstract, best = td.solve(whole, "lp"), td.solve(whole, "cfr-br", iterations=1000)
    assert best.nash_conv < abstract.nash_conv - 0.3
    assert best.strategy["0: KJ|cc/"] == best.strategy["0: QJ|cc/"]


@pytest.mark.learner
def test_loss_by_imperfect_recall_with_cfr_and_sampling():
    """Leduc without the first raiser: .79 by CFR+, .91 +- .12 by sampling (12 seeds); uniform play 4.75."""
    whole = td.forms.partition(compiled("leduc"), forgetful)
    assert 0.3 < td.solve(whole, "cfr+", iterations=500).nash_conv < 1.1
    sampled = [td.solve(whole, "external", iterations=2000, seed=seed).nash_conv for seed in range(4)]
    assert 0.3 < np.mean(sampled) < bar(0.91, 0.12, 4)
    assert td.solve(whole, "cfr-br", iterations=500).nash_conv < 0.4
    with pytest.raises(td.errors.GameError, match="imperfect") as refused:
        td.solve(whole, "lp")
    assert "td.forms.partition" in str(refused.value)


@pytest.mark.parametrize(
    "key, method", [(no_kings, "cfr+"), (forgetful, "cfr+"), (no_kings, "cfr-br"), (no_kings, "external")]
)
def test_runs_resume_in_their_classes(key, method, tmp_path):
    tree = compiled("leduc")
    whole = td.forms.partition(tree, key)
    kept = td.solve(whole, method, iterations=20, checkpoint=tmp_path / "run", seed=3)
    assert kept.form.representation == "partition"
    again = td.resume(tmp_path / "run", iterations=40)
    once = td.solve(whole, method, iterations=40, seed=3)
    assert again.strategy.probabilities.tolist() == once.strategy.probabilities.tolist()
    assert td.resume(tmp_path / "run", game=whole, iterations=41).iterations == 41
    assert td.load(tmp_path / "run", tree).nash_conv == pytest.approx(td.nash_conv(again.strategy), abs=1)


@pytest.mark.parametrize("method", ["cfr+", "cfr-br", "external"])
def test_runs_resume_with_actions_ordered_by_class(method, tmp_path):
    """The run saves the abstract rows, because the order of actions does not determine them."""
    whole = td.lossless(compiled("goofspiel", cards=4))
    assert (whole.share < 1).any()
    td.solve(whole, method, iterations=20, checkpoint=tmp_path / "run", seed=3)
    again, once = td.resume(tmp_path / "run", iterations=40), td.solve(whole, method, iterations=40, seed=3)
    assert again.strategy.probabilities.tolist() == once.strategy.probabilities.tolist()


def test_runs_of_other_classes_are_refused(tmp_path):
    tree = compiled("leduc")
    whole, other = td.forms.partition(tree, no_kings), td.forms.partition(tree, forgetful)
    td.solve(whole, "cfr+", iterations=5, checkpoint=tmp_path / "run")
    with pytest.raises(td.errors.ParameterError, match="partition"):
        td.resume(tmp_path / "run", game=other, iterations=9)
    td.solve(tree, "cfr+", iterations=5, checkpoint=tmp_path / "plain")
    with pytest.raises(td.errors.ParameterError, match="resumed"):
        td.resume(tmp_path / "plain", game=whole, iterations=9)


@pytest.mark.parametrize("name, change", [
    ("classes", lambda a: a[::-1].copy()), ("classes", lambda a: a * 0), ("classes", lambda a: a - 1),
    ("rows", lambda a: a * 0), ("rows", lambda a: a + 1), ("rows", lambda a: a[:-1]),
    ("rows", lambda a: a[::-1].copy()), ("classes", None), ("rows", None),
])  # fmt: skip
def test_forged_classes_are_refused(name, change, tmp_path):
    td.solve(td.forms.partition(compiled("leduc"), no_kings), "cfr+", iterations=5, checkpoint=tmp_path / "run")
    arrays, header = read_arrays(tmp_path / "run" / "form.npz")
    arrays = {key: array for key, array in arrays.items() if key != name or change}
    if change:
        arrays[name] = change(arrays[name])
    write_arrays(tmp_path / "run" / "form.npz", arrays, header)
    with pytest.raises(td.errors.RunError):
        td.resume(tmp_path / "run", iterations=9)


def test_refused():
    three = td.forms.partition(compiled("kuhn", players=3), same_first)
    with pytest.raises(td.errors.ParameterError, match="players"):
        td.solve(three, "cfr-br")
    with pytest.raises(td.errors.ParameterError) as caught:
        td.make_solver(three, "cfr+", workers=2)
    assert caught.value.key == "workers"  # too small for threads
    assert np.isfinite(td.solve(three, "cfr+", iterations=50).nash_conv)
