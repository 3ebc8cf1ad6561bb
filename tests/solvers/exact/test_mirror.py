"""Mirror descent: fixed points of other programs, definitions in NumPy, refused values."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.programs import gathered, realised
from tefuda.forms.sequence import sequence_form
from tests.conftest import compiled, refused

NAMES = ("mmd-exact", "omd", "omd-euclid", "oomd", "r-nad", "neurd")
KUHN_RANGE = 2.0  # half the range of payoffs


def changed(name, *, magnet=None, every=None, **rule):
    """Return a method with other fields."""
    method = td.METHODS[name]
    method = replace(method, rule=replace(method.rule, **rule))
    return replace(method, magnet=method.magnet if magnet is None else magnet, every=every or method.every)


def advanced(tree, method, iterations):
    solver = td.make_solver(tree, method)
    solver.advance(iterations)
    return solver


#: Fixed points of two other programs: values, rationality, asked value to player 0, NashConv, bet with the jack.
FIXED = [
    ("conditional", 1, -0.033624847162, 0.3396086923, 0.4219364914),
    ("conditional", 5, -0.046036554972, 0.0871473964, 0.1922143025),
    ("dilated", 1, 0.034929916013, 0.7301956037, 0.3762207523),
    ("dilated", 5, 0.013461375066, 0.3184506079, 0.3380626066),
    ("dilated", 20, -0.028715083346, 0.0924545637, 0.1868016237),
]


@pytest.mark.parametrize("values, rationality, value, nash_conv, bet", FIXED)
def test_fixed_points_are_quantal_responses(kuhn, values, rationality, value, nash_conv, bet):
    method = changed("mmd-exact", magnet=1 / rationality / KUHN_RANGE, values=values, step=1.0, decay=0.0)
    profile = advanced(kuhn, method, 4000).current()
    assert td.evaluate(profile).values[0] == pytest.approx(value, abs=1e-11)
    assert td.nash_conv(profile) == pytest.approx(nash_conv, abs=1e-9)
    assert profile["0: J|"]["b"] == pytest.approx(bet, abs=1e-9)


def test_a_uniform_reference_has_another_fixed_point_over_plans(kuhn):
    method = changed("mmd-exact", magnet=0.1, every=10**9, values="dilated", step=1.0, decay=0.0)
    profile = advanced(kuhn, method, 3000).current()
    assert td.evaluate(profile).values[0] == pytest.approx(-0.012695646339, abs=1e-11)
    assert profile["0: J|"]["b"] == pytest.approx(0.448448986674, abs=1e-11)


@pytest.mark.parametrize("game, options", [("leduc", {}), ("kuhn", {"players": 3})])
def test_neurd_is_cfr_with_hedge(game, options):
    def hedge(regrets, utilities, strategy, iteration, *, step):
        regrets += utilities - (strategy * utilities).sum(axis=0)
        weights = np.exp(step * (regrets - regrets.max(axis=0)))
        return weights / weights.sum(axis=0)

    tree = compiled(game, **options)
    step = 0.7 / (np.ptp(tree.payoffs, axis=0).max() / 2)
    rule = td.solvers.UpdateRule("hedge", hedge, settings={"step": step}, order="simultaneous")
    one, two = advanced(tree, rule, 60), advanced(tree, changed("neurd", step=0.7), 60)
    assert two.current().probabilities == pytest.approx(one.current().probabilities, abs=1e-9)
    assert two.average().probabilities == pytest.approx(one.average().probabilities, abs=1e-9)


def test_logits_stop_at_the_bound(kuhn):
    """Actions that are always worse fall, though no further than the bound allows."""
    solver = advanced(kuhn, changed("neurd", bound=2.0, step=0.1), 2000)
    logits = solver.arrays()["point"]
    assert np.abs(logits).max() <= 2 and np.abs(logits).max() > 1.8
    assert 1 / (1 + np.exp(4)) <= solver.current()["1: K|b"]["p"] < 0.05


def distance(tree, x, y, kind, weights):
    """The dilated distance of two strategies `[R]`, whose own reach is that of the first, by definition."""
    form = sequence_form(tree)
    reach = realised(form, form.spread(x))[form.sequence] / x
    parts = x * np.log(x / y) if kind == "kl" else (x - y) ** 2 / 2
    return (weights[tree.infoset_of_row] * reach * parts).sum()


@pytest.mark.parametrize("name", ["omd", "omd-euclid", "oomd"])
@pytest.mark.parametrize("game, options", [("leduc", {"ranks": 2}), ("liars_dice", {"sides": 2})])
def test_steps_maximise_over_plans(game, options, name):
    """No plan near the step has a larger objective, also with a magnet to the first strategy."""
    tree, rng = compiled(game, **options), np.random.default_rng(0)
    method = changed(name, magnet=0.2, every=10**9, step=2.0)
    form, kind = sequence_form(tree), method.rule.distance
    half = np.ptp(tree.payoffs, axis=0).max() / 2
    solver = advanced(tree, method, 3)
    before, point = solver.current(), solver._point.copy()
    start = point[form.sequence] if kind == "euclid" else np.exp(point)[form.sequence]
    solver.advance(1)
    if method.rule.optimistic:  # the iterate is one more step, from the new point
        start = np.exp(solver._point)[form.sequence]
    first, weights = td.Profile.uniform(tree).probabilities, np.empty(tree.infosets)
    weights[form.infoset] = solver._weights
    x = realised(form, form.spread(before.probabilities))
    utilities = gathered(form, 0, x) + gathered(form, 1, x)

    def objective(rows):
        plan = realised(form, form.spread(rows))
        gain = (utilities * plan).sum()
        pull = 0.2 * half * distance(tree, rows, first, kind, weights)
        return gain - distance(tree, rows, start, kind, weights) * half / 2.0 - pull

    best = np.maximum(solver.current().probabilities, 1e-12)
    top = objective(best)
    for _ in range(30):
        other = td.Profile.random(tree, rng).probabilities
        for share in (1e-3, 0.1):
            assert objective((1 - share) * best + share * other) <= top + 1e-9


def test_weights_of_dilated_distances(kuhn):
    """2 at last infosets, 2 + 2 * 2 at the first ones of player 0 (kroer2020)."""
    solver = td.make_solver(kuhn, "omd")
    names = [kuhn.name_of(int(number)) for number in solver._form.infoset]
    by_name = dict(zip(names, solver._weights, strict=True))
    assert by_name["0: J|"] == 6 and by_name["0: J|pb"] == by_name["1: J|p"] == 2


@pytest.mark.parametrize("game, options", [("kuhn", {}), ("leduc", {"ranks": 2})])
def test_regularised_payoffs_are_those_at_the_ends(game, options):
    """A step is one of NeuRD in the tree whose payoffs contain the log ratios of histories."""
    tree, step, magnet = compiled(game, **options), 0.4, 0.3
    half = np.ptp(tree.payoffs, axis=0).max() / 2
    solver = advanced(tree, changed("r-nad", step=step, magnet=magnet, every=4), 6)
    before, reference = solver.current(), solver.arrays()["reference"]
    assert np.abs(reference - before.probabilities).max() > 1e-3
    logs = np.zeros((2, len(tree.player)))  # log ratios of each player along the history
    ratio = np.log(before.probabilities / reference)
    for node in range(1, len(tree.player)):
        parent = int(tree.parent[node])
        logs[:, node] = logs[:, parent]
        if tree.player[parent] >= 0:
            row = tree.first_row[tree.infoset[parent]] + node - tree.first_child[parent]
            logs[tree.player[parent], node] += ratio[row]
    ends = logs[:, tree.terminals]
    payoffs = tree.payoffs + magnet * half * np.stack([ends[1] - ends[0], ends[0] - ends[1]], axis=1)
    values = td.evaluating.action_values(td.Profile(replace(tree, payoffs=payoffs), before.probabilities))
    explicit = step / half / (1 + step * magnet)
    logits = np.log(before.probabilities) + explicit * values
    expected = td.Profile.from_weights(tree, np.exp(logits)).probabilities
    solver.advance(1)
    assert solver.current().probabilities == pytest.approx(expected, abs=1e-10)


def test_r_nad_comes_nearer_with_every_reference():
    """The divergence from the equilibrium (2/5, 3/5) of value 1/5 falls (perolat2021)."""
    payoffs = [[(2, -2), (-1, 1)], [(-1, 1), (1, -1)]]
    tree = td.compile_game(td.load_game("matrix", payoffs=payoffs))
    solver, best = td.make_solver(tree, changed("r-nad", magnet=0.3, every=400)), np.array([0.4, 0.6] * 2)
    distances = []
    for _ in range(30):
        solver.advance(400)
        distances.append((best * np.log(best / solver.arrays()["reference"])).sum())
    falling = [distance for distance in distances if distance > 1e-12]
    assert len(falling) > 3 and all(two < one for one, two in itertools.pairwise(falling))
    assert solver.current().probabilities == pytest.approx(best, abs=1e-6)
    assert td.evaluate(solver.current()).values == pytest.approx([0.2, -0.2], abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_splitting_and_restoring_change_no_bits(leduc, name):
    method = replace(td.METHODS[name], every=7 if name == "r-nad" else td.METHODS[name].every, floor=0.01)
    whole, pieces, again = (td.make_solver(leduc, method) for _ in range(3))
    whole.advance(40)
    for count in (6, 1, 7, 9):
        pieces.advance(count)
    again.restore(pieces.state())
    again.advance(17)
    for key, array in whole.state().items():
        assert np.array_equal(array, again.state()[key]), key


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_of_payoffs_changes_nothing(name):
    tree = compiled("leduc", ranks=2)
    one, two = advanced(tree, name, 25), advanced(replace(tree, payoffs=1000 * tree.payoffs), name, 25)
    assert two.current().probabilities == pytest.approx(one.current().probabilities, abs=1e-9)


@pytest.mark.parametrize(
    "name, iterations, most", [("mmd-exact", 1000, 0.02), ("oomd", 1000, 1e-5), ("r-nad", 5000, 1e-8)]
)
def test_last_iterates_converge(kuhn, name, iterations, most):
    solver = advanced(kuhn, name, iterations)
    assert td.nash_conv(solver.current()) < most
    assert td.METHODS["mmd-exact"].reported == "current" and td.METHODS["omd"].reported == "better"


@pytest.mark.parametrize("name", ["omd", "omd-euclid", "neurd"])
def test_averages_converge(kuhn, name):
    assert td.nash_conv(advanced(kuhn, name, 2000).average()) < 0.04


def test_what_is_refused(kuhn):
    for key, value in {"rule_step": 0, "rule_values": "mean", "magnet": -1, "every": -1}.items():
        with refused(td.errors.ParameterError, key=key, value=value):
            td.find_method("mmd-exact", {key: value})
    with refused(td.errors.ParameterError, key="every", value=0):
        td.find_method("rtcfr+", {"every": 0})
    for changes in ({"rule_optimistic": True}, {"rule_nested": True}, {"rule_bound": 0.5}):
        with pytest.raises(td.errors.ParameterError):
            td.find_method("neurd", changes)
    with refused(td.errors.ParameterError, key="distance"):
        td.find_method("r-nad", {"rule_distance": "euclid"})
    for game in (td.load_game("kuhn", players=3), td.load_game("sheriff")):
        with pytest.raises(td.errors.GameError):
            td.make_solver(game, "r-nad")
    state = td.make_solver(kuhn, "omd").state()
    with pytest.raises(td.errors.RunError):
        td.make_solver(kuhn, "omd").restore({**state, "point": np.full_like(state["point"], np.nan)})
    assert td.find_method("mmd-exact", {"rule": "regrets", "every": 50, "floor": 1e-6}).rule.name == "cfr"
    assert td.find_method("rtcfr+", {"rule": "mirror"}).rule.step == 1
