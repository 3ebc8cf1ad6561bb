"""Teams against an adversary: published values by two routes, all joint plans, bounds, faults."""

import numpy as np
import pytest
from scipy.optimize import linprog

import tefuda as td
from tefuda.correlating.pricing import Side, TeamGame
from tefuda.correlating.teams import Team, TeamSolver
from tests.conftest import compiled
from tests.known_teams import VALUES


@pytest.mark.parametrize("pricing", ["plans", "milp"])
@pytest.mark.parametrize("cards, adversary", [place for place, value in VALUES.items() if value is not None])
def test_values_by_two_routes(cards, adversary, pricing):
    """Values of 3-player Kuhn, of two other programs: fractions for 4 cards, twelve digits for 5."""
    solver = TeamSolver(compiled("kuhn", players=3, cards=cards), Team(adversary=adversary, pricing=pricing))
    solver.finish()
    low, high = solver.bounds
    assert low == high == pytest.approx(float(VALUES[cards, adversary]), abs=2e-12)


def test_device_is_judged_by_its_gaps():
    """The gaps of devices share no code with the column generation: the adversary gains nothing."""
    solver = TeamSolver(compiled("kuhn", players=3), Team(adversary=1))
    solver.finish()
    gaps = solver.device.gaps
    assert gaps.totals["nfcce"][1] == pytest.approx(0, abs=1e-9)
    assert gaps.values[0] + gaps.values[2] == pytest.approx(7 / 264, abs=1e-9)
    assert sum(weight for weight, _ in solver.joint_plans()) == pytest.approx(1)


@pytest.mark.parametrize("name, value", [("chsh", 3 / 4), ("tiny_hanabi", 10)])
@pytest.mark.parametrize("pricing", ["plans", "milp"])
def test_teams_without_an_adversary(name, value, pricing):
    """Published optima of games with a common payoff."""
    solution = td.solve(compiled(name), Team(adversary=None, pricing=pricing))
    assert solution.evaluation.low == solution.evaluation.high == pytest.approx(2 * value)
    assert td.values(solution.strategy) == pytest.approx([value, value])  # of one joint plan: the marginals are pure


def test_all_joint_plans_of_3_cards():
    """One linear program over all joint plans of 3-player Kuhn with 3 cards, whose value is 0 [published]."""
    game = TeamGame(compiled("kuhn", players=3, cards=3), 2, "milp")
    one, two = (side.plans.astype(float) for side in game.sides)
    assert [len(one), len(two)] == [side.plan_count for side in game.sides] == [9**3, 10**3]
    plan = game.uniform()[2]
    best = game.best(game.table(plan), 10.0)
    assert best.value <= game.bound(game.table(plan)) < 1
    assert best.value == best.bound == pytest.approx((one @ game.table(plan) @ two.T).max(), abs=1e-12)
    solver = TeamSolver(game.tree, Team(adversary=2))
    solver.finish()
    answer = game.table(solver.arrays()["best"])
    assert (one @ answer @ two.T).max() == pytest.approx(0, abs=1e-9)  # no joint plan beats the adversary's plan
    assert solver.bounds == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players, adversary", [(3, 0), (3, 1), (3, 2), (2, 1)])
def test_random_tables(seed, players, adversary):
    """Games in normal form: the linear program over all joint actions, by another assembly."""
    rng = np.random.default_rng(seed)
    losses = rng.integers(-9, 10, (2, 3, 2)[:players]).astype(float)
    rest = [player for player in range(players) if player != adversary]
    payoffs = np.zeros((*losses.shape, players))
    payoffs[..., adversary], payoffs[..., rest[0]] = -losses, losses
    tree = td.compile_game(td.load_game("matrix", payoffs=payoffs.tolist()))
    table = np.moveaxis(losses, adversary, -1).reshape(-1, losses.shape[adversary])
    count = len(table)
    program = linprog(
        np.append(np.zeros(count), -1.0), np.column_stack([-table.T, np.ones(table.shape[1])]),
        np.zeros(table.shape[1]), np.append(np.ones(count), 0.0)[None], [1.0], [(0, None)] * count + [(None, None)],
    )  # fmt: skip
    solver = TeamSolver(tree, Team(adversary=adversary, pricing="milp"))
    solver.finish()
    assert solver.bounds == pytest.approx((-program.fun, -program.fun), abs=1e-8)


def test_bounds_enclose_the_value_and_rise():
    solver = TeamSolver(compiled("kuhn", players=3), Team(adversary=0, pricing="milp"))
    bounds = []
    while not solver.finished:
        solver.advance(1)
        bounds.append(solver.bounds)
    lows, highs = np.array(bounds).T
    assert (lows <= 5 / 132 + 1e-12).all() and (highs >= 5 / 132 - 1e-12).all()
    assert (np.diff(lows) >= -1e-12).all() and (np.diff(highs) <= 1e-12).all() and lows[0] < highs[0]


def test_time_limit_leaves_a_bound():
    """Time limits that pass in vain give bounds of the value 1/24 below, never a value; the limit grows."""
    tree = compiled("kuhn", players=3, cards=8)
    solver = TeamSolver(tree, Team(adversary=2, pricing="milp", seconds=0.01))
    solver.advance(3)
    low, high = solver.bounds
    assert low <= -0.0192812 <= high and low < high  # the value by runs without a limit


def test_the_limit_of_a_run_ends_an_integer_program():
    """A program that the run's limit cuts short gives later ones no more time; bounds stay valid."""
    solver = TeamSolver(compiled("kuhn", players=3, cards=8), Team(adversary=2, pricing="milp"))
    solver.advance(10)
    solver.limit = 0.0
    solver.advance(50)
    assert solver.iterations == 11 and solver.state()["figures"][1] == 10.0
    assert solver.bounds[0] <= -0.0192812 <= solver.bounds[1]


def test_runs_resume_and_show_their_plans(tmp_path):
    """A resumed run continues with the same plans; a saved run gives its joint plans."""
    method, game = Team(adversary=0), td.load_game("kuhn", players=3)
    whole = td.solve(game, method, iterations=4)
    td.solve(game, method, iterations=2, checkpoint=tmp_path / "run")
    resumed = td.resume(tmp_path / "run", iterations=4)
    assert [point[2:] for point in resumed.curve] == [point[2:] for point in whole.curve]
    solver = td.solvers.load_solver(td.load(tmp_path / "run"))
    assert solver.bounds == (resumed.evaluation.low, resumed.evaluation.high)
    state = solver.state()
    with pytest.raises(td.errors.RunError):
        solver.restore(state | {"plans": state["plans"][:, 1:]})
    with pytest.raises(td.errors.RunError):
        solver.restore(state | {"weights": state["weights"] * 3})


def test_two_players_and_other_sums():
    """A team of one is a player, with Kuhn's value and equilibrium; payoffs that sum to 9 keep their sum."""
    solution = td.solve(compiled("kuhn"), "team")
    assert solution.evaluation.figure == pytest.approx(-1 / 18, abs=1e-10)
    assert td.nash_conv(solution.strategy) == pytest.approx(0, abs=1e-9)
    pennies = td.compile_game(td.load_game("matrix", payoffs=[[(9, 0), (0, 9)], [(0, 9), (9, 0)]]))
    assert td.solve(pennies, "team").evaluation.figure == pytest.approx(4.5)


def test_faults():
    with pytest.raises(td.errors.GameError, match="two members"):
        TeamSolver(compiled("kuhn", players=4, cards=5), Team())
    with pytest.raises(td.errors.GameError, match="two members"):
        td.solve(compiled("kuhn", players=3), Team(adversary=None))
    with pytest.raises(td.errors.GameError, match="constant-sum"):
        td.solve(compiled("sheriff"), "team")
    with pytest.raises(td.errors.ParameterError):
        td.solve(compiled("kuhn", players=3), Team(adversary=3))
    with pytest.raises(td.errors.ParameterError):
        Team(tolerance=float("nan"))
    with pytest.raises(td.errors.ParameterError, match="method team"):
        td.solve(compiled("kuhn"), "cfr", evaluator=td.correlating.TeamValue())
    with pytest.raises(td.errors.SizeError, match="milp"):
        td.solve(compiled("leduc", players=3, ranks=3, suits=3, cap=1), Team(pricing="plans"))


def test_numbers_of_plans():
    """Plans of 3-player Kuhn with 4 cards, counted and listed (the enumeration of an earlier version)."""
    sides = [Side(compiled("kuhn", players=3), player) for player in range(3)]
    assert [side.plan_count for side in sides] == [len(side.plans) for side in sides] == [6561, 10_000, 65_536]
