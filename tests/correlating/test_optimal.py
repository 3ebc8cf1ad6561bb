"""Optimal correlated equilibria and commitment: published optima, joint plans by brute force, faults."""

from fractions import Fraction

import numpy as np
import pytest

import tefuda as td
from tefuda.correlating import Commitment, Correlated, Device, Polytope, commitment, optimum, triggers
from tests.conftest import compiled, refused
from tests.joint_plans import JointPlans
from tests.known_devices import COMMITMENTS, OPTIMA, signalling

SMALL = 5  # infosets of a player whose joint plans are enumerated


def small_games(count):
    """Yield random games with few infosets, and their joint plans."""
    for seed in range(100):
        tree = compiled("sampled", seed=seed, depth=3 + seed % 3, branching=2, zero_sum=False)
        if count and max(len(tree.infosets_of(player)) for player in (0, 1)) <= SMALL:
            count -= 1
            yield tree, JointPlans(tree)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "sheriff 5, 3, 2" else name for name in OPTIMA]
)
def test_optima(name):
    """Fractions that two other programs computed; devices of the plans are equilibria by their own gaps."""
    game = OPTIMA[name]
    tree = td.compile_game(game.rules)
    for concept, asked in game.optima.items():
        plan = Correlated(concept, bound=game.relaxed).plan(tree)
        assert plan.exact is not None and plan.relaxed == game.relaxed
        assert (
            sum(plan.exact) == asked if isinstance(asked, Fraction) else plan.objective == pytest.approx(asked, 1e-12)
        )
        if not plan.relaxed:
            gaps = plan.device.gaps
            assert gaps.gap(concept) < 1e-9 and gaps.values == pytest.approx(plan.values, abs=1e-9)
            assert game.values.get(concept, plan.exact) == plan.exact


def test_other_objectives():
    chicken, battleship = (td.compile_game(OPTIMA[name].rules) for name in ("chicken", "battleship, loss 2"))
    least, best = (Correlated(maximise=aim).plan(chicken) for aim in ((-1, -1), 1))
    assert sum(least.exact) == Fraction(36, 5) and best.exact[1] == 7
    assert Correlated(maximise="minimum").plan(chicken).objective == 5.25
    assert sum(Correlated(maximise=(-1, -1)).plan(battleship).exact) == Fraction(-8, 9)
    assert Correlated(maximise=0).plan(battleship).exact[0] == Fraction(1, 45)
    assert Correlated(maximise=1).plan(battleship).exact[1] == Fraction(-11, 18)
    weighted = Correlated("nfcce", maximise=(1, 0.5)).plan(compiled("sheriff"))
    assert weighted.objective == pytest.approx(weighted.values[0] + weighted.values[1] / 2) == pytest.approx(0.96)


def test_devices_of_random_games():
    """Programs over correlation plans and over mixtures of joint plans share no code."""
    for tree, plans in small_games(25):
        assert Polytope(tree).triangle is None
        for number, concept in enumerate(("nfcce", "efcce", "efce")):
            weights = ((1, 1), (1, 0), (-1, 0.5))[(number + tree.rows) % 3]
            plan = Correlated(concept, maximise=weights).plan(tree)
            assert plan.objective == pytest.approx(plans.optimum(concept, weights), abs=1e-7)
            assert plan.device.gaps.gap(concept) < 1e-7


def test_commitment_in_random_games():
    """Each reply as a program over mixed plans; signals as a device for one player."""
    for tree, plans in small_games(25):
        for leader in (0, 1):
            plain, signals = (Commitment(leader, signals).plan(tree) for signals in (False, True))
            assert plain.objective == pytest.approx(plans.commitment(leader), abs=1e-7)
            assert plain.bound == pytest.approx(signals.objective, abs=1e-7)
            assert plain.objective <= signals.objective + 1e-7
            asked = plans.optimum("efce", np.eye(2)[leader], (1 - leader,))
            assert signals.objective == pytest.approx(asked, abs=1e-7)
            for plan in (plain, signals):
                assert plan.device.gaps.gap("efce", player=1 - leader) < 1e-7
                assert plan.device.gaps.values[leader] == pytest.approx(plan.objective, abs=1e-7)


@pytest.mark.parametrize("name, leader", COMMITMENTS)
def test_commitment(name, leader):
    """The leader gains by signals in two of the games; zero-sum games give the value."""
    values, bound = COMMITMENTS[name, leader]
    plan = Commitment(leader, signals=False).plan(td.compile_game(OPTIMA[name].rules))
    assert plan.exact == tuple(map(Fraction, values)) and plan.bound == pytest.approx(float(Fraction(bound)), abs=1e-9)
    assert plan.device.gaps.gap("efce", player=1 - leader) < 1e-9


def test_triangles_by_definition():
    """Four loops over all infosets of games with private chance, and random ones."""
    games = [
        ("signalling", {}),
        ("chsh", {}),
        ("kuhn", {}),
        ("sheriff", {"items": 2}),
        ("leduc", {"ranks": 2, "cap": 1}),
    ]
    games += [("sampled", {"seed": seed, "depth": 6, "branching": 2, "hidden": 0.8}) for seed in range(12)]
    known = 0
    for name, parameters in games:
        tree = compiled(name, **parameters)
        if tree.infosets > 80:
            continue
        every, found = set(JointPlans(tree).triangles()), Polytope(tree).triangle
        assert (found is None) == (not every) and (found is None or found in every)
        known += bool(every)
    assert known >= 3


def test_bounds_of_games_with_triangles():
    """CHSH: 2 by the program, 3/2 in truth. The signalling game has a device that reaches the bound."""
    chsh = compiled("chsh")
    bound = Correlated(bound=True).plan(chsh)
    assert bound.relaxed and sum(bound.exact) == 2
    assert JointPlans(chsh).optimum("efce", (1, 1)) == pytest.approx(1.5)
    tree = compiled("signalling")
    assert Correlated(bound=True).plan(tree).objective == pytest.approx(sum(signalling().gaps.values)) == 10
    best = [Correlated(concept, maximise=1, bound=True).plan(tree).exact[1] for concept in ("nfcce", "efcce", "efce")]
    assert best == [Fraction(15, 2), Fraction(13, 2), Fraction(13, 2)]
    for plan in (
        lambda: bound.device,
        lambda: bound.recommend(np.random.default_rng(1)),
        lambda: Correlated().plan(chsh),
    ):
        with pytest.raises(td.errors.GameError, match=r"0: 0\|.*0: 1\|.*1: 1\|.*1: 0\|"):
            plan()
    with refused(td.errors.ParameterError, key="bound"):
        td.make_solver(compiled("sheriff"), Correlated(bound=True))


class Scripted:
    """A source of choices that goes through all of them; `weight` is the probability of the last ones."""

    def __init__(self):
        self.script, self.weight = [], 1.0

    def choice(self, count, p):
        self.place += 1
        if self.place == len(self.script):
            self.script.append(list(np.flatnonzero(p > 1e-12)))
        chosen = self.script[self.place][0]
        self.weight *= p[chosen]
        return chosen

    def draws(self, draw):
        while True:
            self.place, self.weight = -1, 1.0
            yield draw(self)
            while self.script and len(self.script[-1]) == 1:
                self.script.pop()
            if not self.script:
                return
            self.script[-1].pop(0)


@pytest.mark.parametrize(
    "concept, maximise",
    [("efce", "welfare"), ("nfcce", (1, 0.5)), ("efcce", 1), ("efce", (-1, -1)), ("nfcce", "minimum")],
)
@pytest.mark.parametrize("name", ["chicken", "sheriff 3, 3, 1", "sheriff 2, 2, 2", "battleship, loss 2"])
def test_recommendations_rebuild_the_plan(name, concept, maximise):
    """The probabilities of all draws sum to those of the plan, at every relevant pair of sequences."""
    tree = td.compile_game(OPTIMA[name].rules)
    plan = Correlated(concept, maximise=maximise).plan(tree)
    space, rng, total = plan.polytope, Scripted(), 0.0
    for count, labels in enumerate(rng.draws(plan.recommend)):
        played = [np.zeros(side.size) for side in space.sides]
        for each in played:
            each[0] = 1.0
        for player, each in enumerate(played):
            for j in range(1, len(space.sides[player].parent)):
                number = space.number_of(player, j)
                if (label := labels.get(tree.name_of(number))) is not None:
                    each[np.flatnonzero(space.sides[player].infoset == j)[tree.labels(number).index(label)]] = 1.0
        total = total + rng.weight * np.multiply.outer(*played).ravel()
        if count > 20_000:
            pytest.skip("too many draws")
    assert total[space.codes] == pytest.approx(plan.plan, abs=1e-9)


def test_runs(tmp_path):
    """Saved, resumed and evaluated like other runs; the device is that of the plan."""
    for method in (Correlated("efcce", maximise=(1, 0.5)), Commitment(1, signals=False), Commitment(1)):
        solution = td.solve(
            td.load_game("sheriff"), method, checkpoint=tmp_path / str(method.name + str(method)[-6:-1])
        )
        plan = method.plan(solution.tree)
        assert solution.evaluation.figure < 1e-9 and solution.values == pytest.approx(plan.values)
        assert solution.strategy.probabilities == pytest.approx(plan.strategy.probabilities, abs=1e-9)
        loaded = td.resume(solution.run, iterations=2)
        assert loaded.method == method.parameters() and loaded.values == solution.values
        assert Device.of_run(td.load(solution.run)).gaps.values == pytest.approx(plan.values)
    solver = td.make_solver(compiled("sheriff"), "correlated")
    solver.advance(1)
    for wrong in (np.nan, 2.0, -1.0):
        with pytest.raises(td.errors.RunError, match="plan"):
            solver.restore({**solver.state(), "plan": np.full_like(solver.state()["plan"], wrong)})


@pytest.mark.parametrize("algorithm", ["ipm", "pdlp"])
def test_other_algorithms(algorithm):
    plan = Correlated(algorithm=algorithm).plan(compiled("sheriff"))
    assert plan.objective == pytest.approx(0.75, abs=1e-3) and (plan.exact is None) == (algorithm == "pdlp")


def test_every_concept_gives_the_value_of_zero_sum_games():
    for seed in range(4):
        tree = compiled("sampled", seed=seed, depth=5)
        value = td.solve(tree, "lp").values[0]
        for method in (Correlated("nfcce", bound=True), Correlated(bound=True), Commitment(0, signals=False)):
            assert method.plan(tree).values[0] == pytest.approx(value, abs=1e-7)


def test_wrong_input(monkeypatch):
    for maximise in ("fairness", 2, -1, 0.5, True, None, (1,), (1, 2, 3), (0, 0), (np.nan, 1), (np.inf, 1), "0"):
        with pytest.raises(td.errors.ParameterError, match="maximise"):
            Correlated(maximise=maximise)
    with refused(td.errors.ParameterError, key="concept", value="nfce"):
        Correlated("nfce")
    for leader in (2, -1, 0.5):
        with pytest.raises(td.errors.ParameterError, match="leader"):
            Commitment(leader)
    for method in (Correlated(), Commitment(), Commitment(signals=False)):
        for game in (compiled("kuhn", players=3), compiled("forgetful")):
            with refused(td.errors.GameError):
                method.plan(game)
        with pytest.raises(td.errors.SolverError):
            method.plan(compiled("sheriff", rounds=2), seconds=0)
    with pytest.raises(td.errors.GameError, match="similar size"):
        Correlated().plan(td.compile_game(td.load_game("matrix", payoffs=[[(1e17, 0), (0, 1)], [(0, 1), (1, 0)]])))
    monkeypatch.setattr(triggers, "free_memory", lambda: 1e4)
    with pytest.raises(td.errors.SizeError, match="pairs of sequences"):
        Correlated().plan(compiled("sheriff"))
    monkeypatch.undo()
    dealt = Correlated().plan(compiled("sampled", seed=8, depth=3, branching=2, zero_sum=False))
    with pytest.raises(td.errors.GameError, match="chance"):
        dealt.recommend(np.random.default_rng(1))


def test_limits_of_commitment_say_the_bounds(monkeypatch):
    """Too many plans of the follower, and a time limit that passes after the first one."""
    tree = td.compile_game(OPTIMA["battleship, loss 2"].rules)
    monkeypatch.setattr(commitment, "_MOST_PLANS", 10)
    with pytest.raises(td.errors.SizeError, match=r"0\.0222222222 at most"):
        Commitment(0, signals=False).plan(tree)
    monkeypatch.undo()
    times = iter((0.0, 1.0, 2.0))
    monkeypatch.setattr(commitment.time, "monotonic", lambda: next(times, 99.0))
    with pytest.raises(td.errors.SolverError, match=r"time limit passed; the best plan of .* 0\.0222222222 at most"):
        Commitment(0, signals=False).plan(tree, seconds=3)


def test_limits_of_runs_give_bounds():
    """The objective of every device is between its least and its largest value at the ends."""
    tree = compiled("sheriff")
    ends = {"welfare": tree.payoffs.sum(axis=1), (1, -2): tree.payoffs @ [1, -2], 0: tree.payoffs[:, 0]}
    for maximise, values in ends.items():
        solver = td.make_solver(tree, Correlated(maximise=maximise))
        solver.limit = 0.0
        with pytest.raises(td.errors.SolverError, match=f"not finished.*between {values.min():g} and {values.max():g}"):
            solver.advance(1)
    assert td.solve(tree, "correlated", seconds=60).evaluation.figure < 1e-9


def test_the_certificate_refuses_other_bases():
    """Maximise x + y for x <= 1, y <= 1, x + y <= 3: bases that are not feasible, or not optimal."""
    from scipy.sparse import csc_array

    program = optimum.Maximum(
        np.ones(2), np.zeros(2, bool), csc_array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0, 3.0]), 0
    )
    assert program.certified([0, 1], [2]) == {0: 1, 1: 1}
    for basic, loose in (([0, 1], [0]), ([0], [1, 2]), ([], [0, 1, 2])):
        with pytest.raises(td.errors.SolverError):
            program.certified(basic, loose)
    found, fractions = program.solve()
    assert found.tolist() == [1, 1] and fractions == {0: 1, 1: 1}
    least = optimum.Maximum(np.ones(1), np.zeros(1, bool), csc_array([[1.0]]), np.array([-1.0]), 0)
    assert least.solve() is None
