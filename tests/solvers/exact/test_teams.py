"""Teams of threads: the same bits as one thread, shares of programs, the pace, errors."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels import programs as kernels
from tefuda.forms.programs import program
from tefuda.solvers.exact import teams
from tefuda.solvers.exact.teams import Pace, Team, shares
from tests.card_games import CASES, tree_of
from tests.conftest import compiled
from tests.small_games import forgetful, suitless

SMALL = td.METHODS["cfr+"]
METHODS = [
    td.METHODS["cfr"],
    td.METHODS["cfr+"],
    td.METHODS["ema"],
    replace(td.METHODS["lcfr"], order="simultaneous"),
    replace(td.METHODS["dcfr"], convention="opp"),
    td.METHODS["cfr-br"],
]


@pytest.fixture
def split_all(monkeypatch):
    """Split small groups too, and admit trees of any size."""
    monkeypatch.setattr(teams, "_LEAST", 0)
    monkeypatch.setattr(teams, "_HISTORIES", 0)


class Together(Pace):
    """A pace that always chooses the team."""

    def choose(self, now):
        return True, 7

    def record(self, together, iterations, seconds, now):
        pass


@pytest.fixture
def together(split_all, monkeypatch):
    """Run all iterations by the team."""
    monkeypatch.setattr(teams, "Pace", Together)


def assert_same_bits(one, two):
    assert one.iterations == two.iterations
    for name, array in one.state().items():
        assert np.array_equal(array, two.state()[name]), name


@pytest.mark.parametrize("case", range(len(CASES)))
def test_any_number_of_threads_gives_the_same_bits(together, case):
    """Also with more threads than cores, and in groups with fewer infosets than threads."""
    tree = tree_of(case)
    for method in METHODS:
        if tree.players != 2 and (method.opponent == "best response" or method.convention == "opp"):
            continue
        alone = td.make_solver(tree, method)
        alone.advance(5)
        for workers in (2, 3, 4):
            team = td.make_solver(tree, method, workers=workers)
            team.advance(5)
            assert_same_bits(alone, team)


def test_groups_that_are_not_split(together, monkeypatch):
    """Steps of the first thread alone follow each other without barriers, with the same bits."""
    tree = compiled("leduc", distinct_suits=True)
    alone = td.make_solver(tree, SMALL)
    alone.advance(20)
    barriers = []
    for least in (0, 100, 10**9):
        monkeypatch.setattr(teams, "_LEAST", least)
        solver = td.make_solver(tree, SMALL, workers=2)
        solver.advance(20)
        assert_same_bits(alone, solver)
        barriers.append((solver._team._shares[0][:, 0] == kernels.BARRIER).sum())
    # Alone: gather, then match, then accumulate in ranges, then realise; for each of two players.
    assert barriers[0] > barriers[1] > barriers[2] == 2 * 4


@pytest.mark.parametrize("key, method", [(suitless, "cfr+"), (suitless, "cfr-br"), (forgetful, "cfr")])
def test_partitions(together, key, method):
    """Both merged solvers and those of a small game use threads."""
    parameters = {"players": 3} if key is forgetful else {"distinct_suits": True}
    whole = td.forms.partition(compiled("kuhn" if key is forgetful else "leduc", **parameters), key)
    alone, team = td.make_solver(whole, method), td.make_solver(whole, method, workers=2)
    for solver in (alone, team):
        solver.advance(15)
    assert_same_bits(alone, team)


def test_resume_with_another_number_of_threads(together, tmp_path):
    tree = compiled("leduc")
    expected = td.solve(tree, "dcfr", iterations=60)
    td.solve(tree, "dcfr", iterations=30, workers=2, checkpoint=tmp_path / "run")
    resumed = td.resume(tmp_path / "run", iterations=60, workers=3)
    assert np.array_equal(expected.strategy.probabilities, resumed.strategy.probabilities)
    assert "workers" not in (tmp_path / "run" / "run.json").read_text()


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_shares_cover_each_step_once(split_all, case, threads):
    """The ranges of all threads make up each step, and all threads come to all barriers in order."""
    solver = td.make_solver(tree_of(case), SMALL)
    form, steps = solver._form, solver._program
    parts = [share.astype(np.int64) for share in shares(form, steps, threads)]
    barriers = [share[share[:, 0] == kernels.BARRIER, 1:3].tolist() for share in parts]
    assert all(found == barriers[0] for found in barriers)
    assert [number for number, _ in barriers[0]] == list(range(1, barriers[0][-1][1] + 1))
    rows = np.concatenate(parts)
    covered = {kind: rows[rows[:, 0] == kind] for kind in range(int(kernels.BARRIER))}
    for kind in (kernels.PAIRS, kernels.BLOCKS, kernels.LEAVES, kernels.ACCUMULATE):
        whole = steps[steps[:, 0] == kind].astype(np.int64)
        assert numbers(covered[int(kind)][:, 1:3]) == numbers(whole[:, 1:3])
    assert numbers(covered[int(kernels.BLOCKS)][:, 5:7]) == numbers(steps[steps[:, 0] == kernels.BLOCKS, 5:7])
    for kind in (kernels.MATCH_PART, kernels.REALISE_PART):
        for group, (_, m, _, _) in enumerate(form.groups.tolist()):
            mine = covered[int(kind)]
            mine = mine[mine[:, 8] == group]
            assert numbers(mine[:, 1:3]) == list(range(m)) and not (mine[:, 1] % 16).any()
    assert sorted(covered[int(kernels.ADD_MEANS)][:, 8].tolist()) == list(range(len(form.groups)))


def numbers(ranges):
    """All numbers of some ranges, sorted."""
    return sorted(itertools.chain.from_iterable(range(int(low), int(stop)) for low, stop in ranges))


def test_balanced_parts_cost_about_the_same():
    cost = np.random.default_rng(3).integers(1, 100, size=5000)
    bounds = teams.balanced(cost, 4)
    sums = np.add.reduceat(cost, bounds[:-1])
    assert bounds[0] == 0 and bounds[-1] == len(cost) and np.ptp(sums) < 2 * cost.max()


def test_small_trees_and_other_values_are_refused():
    """Goofspiel with 6 cards, 969,523 histories, is large enough."""
    assert teams.team_size(2, 969_523) == 2
    assert teams.team_size(None, 10) == teams.team_size(1, 10) == 1
    tree = compiled("leduc", distinct_suits=True)
    for workers in (2, 0, -1, True, 1.5, 10**6):
        with pytest.raises(td.errors.ParameterError) as caught:
            td.make_solver(tree, SMALL, workers=workers)
        assert caught.value.key == "workers"
    with ThreadPoolExecutor(2) as pool, pytest.raises(td.errors.ParameterError):
        td.make_solver(tree, SMALL, workers=pool)
    with pytest.raises(td.errors.ParameterError):
        td.make_solver(tree, "xfp", workers=2)  # not a member of the family


def team_of(tree, threads=3):
    solver = td.make_solver(tree, SMALL)
    return solver, Team(solver._work, solver._program, threads)


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_an_error_in_one_thread_ends_all(split_all, monkeypatch, failing, error):
    """The error is raised; no thread waits for ever at a barrier."""
    _, team = team_of(compiled("leduc"))
    run_share = kernels.run_share

    def broken(*arguments):
        if arguments[-2] == failing:
            raise error
        return run_share(*arguments)

    before = threading.active_count()
    monkeypatch.setattr(kernels, "run_share", broken)
    with pytest.raises(error):
        team._run_together(SMALL.schedule(1, 5))
    assert threading.active_count() == before


def test_threads_that_cannot_start(together, monkeypatch):
    """One thread does all the work, with the same bits, and a warning."""
    tree = compiled("leduc")
    alone = td.make_solver(tree, SMALL)
    alone.advance(30)
    solver = td.make_solver(tree, SMALL, workers=3)
    start, started, before = threading.Thread.start, itertools.count(), threading.active_count()

    def limited(thread):
        if next(started) % 2:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    with pytest.warns(RuntimeWarning):
        solver.advance(30)
    assert_same_bits(alone, solver)
    assert threading.active_count() == before


def failing_start(error, after):
    """Return a `Thread.start` that raises an error after some threads."""
    start, started = threading.Thread.start, itertools.count()

    def limited(thread):
        if next(started) >= after:
            raise error
        start(thread)

    return limited


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_an_error_while_threads_start_is_raised(split_all, monkeypatch, error):
    """Only threads that the system refuses are done without."""
    _, team = team_of(compiled("leduc"))
    before = threading.active_count()
    monkeypatch.setattr(threading.Thread, "start", failing_start(error, 1))
    with pytest.raises(type(error)):
        team._run_together(SMALL.schedule(1, 5))
    assert threading.active_count() == before


def test_threads_that_cannot_start_are_recorded_as_slow_for_ever(together, monkeypatch):
    recorded = []
    monkeypatch.setattr(Together, "record", lambda pace, *figures: recorded.append(figures[:3]))
    _, team = team_of(compiled("leduc"))
    monkeypatch.setattr(threading.Thread, "start", failing_start(RuntimeError("can't start new thread"), 0))
    with pytest.warns(RuntimeWarning):
        team.run(SMALL.schedule(1, 5))
    assert recorded[0] == (True, 1, float("inf")) and recorded[1][:2] == (False, 5)


def test_after_threads_that_cannot_start_no_team_is_chosen():
    pace = Pace()
    for now in range(3):
        pace.record(*pace.choose(now)[:1], 1, 0.1, now)
    pace.record(True, 1, float("inf"), 3)
    assert not any(pace.choose(now)[0] for now in (4, 1e3, 1e9))


def lasted(cost, seconds):
    """Simulate a run: return the iterations a second that a team does.

    cost: a function of (together, time) that returns the seconds of an iteration.
    """
    pace, now, done = Pace(), 0.0, 0
    while now < seconds:
        together, count = pace.choose(now)
        start = now
        for _ in range(count):
            now += cost(together, now)
        pace.record(together, count, now - start, now)
        done += count
    return done / now


@pytest.mark.parametrize("iteration", [3e-4, 2e-3, 3e-2])
@pytest.mark.parametrize("slower", [1.05, 2, 10, 100])
def test_a_team_that_is_slower_costs_little(iteration, slower):
    """After the first measurement at most 5 % of the speed of one thread is lost."""
    speed = lasted(lambda together, now: iteration * (slower if together else 1), 60 + 100 * iteration * slower)
    assert speed * iteration > 0.95


@pytest.mark.parametrize("iteration", [3e-4, 2e-3, 3e-2])
def test_a_team_that_is_faster_is_used(iteration):
    speed = lasted(lambda together, now: iteration / (1.8 if together else 1), 60)
    assert speed * iteration > 0.95 * 1.8


def test_a_core_that_is_busy_for_some_time():
    """The team is left and chosen again as the load of the second core changes."""

    def cost(together, now):
        busy = now % 20 < 10
        return 1e-3 * ((4 if busy else 1 / 1.8) if together else 1)

    assert lasted(cost, 200) * 1e-3 > 0.95 * (1 + 1.8) / 2


def test_a_machine_that_becomes_slower():
    """Old measurements of one thread are forgotten, so that a team is used again."""

    def cost(together, now):
        return 1e-3 * (1 if now < 2 else 3) / (1.8 if together else 1)

    assert lasted(cost, 200) * 3e-3 > 0.95 * 1.8


def test_times_that_vary():
    """Interruptions by chance: a slower team costs little, and a faster one is used."""
    chance = np.random.default_rng(5)

    def cost(factor):
        return lambda together, now: 1e-3 * (factor if together else 1) * (5 if chance.random() < 0.05 else 1)

    mean = 1e-3 * (0.95 + 0.05 * 5)
    for factor in (4, 1.5, 1.2, 1 / 1.8):
        assert lasted(cost(factor), 100) * mean > 0.95 / min(factor, 1) - 0.02


def test_programs_of_other_steps(split_all):
    """A program without regrets, with a step that only the first thread runs."""
    solver, _ = team_of(compiled("leduc"))
    layout = solver._work.layout
    steps = program(layout.gather(0), layout.fold_mean(0))
    solver._work.run(steps)
    expected = solver._work["u"].copy()
    solver._work["u"][:] = 0.0
    assert Team(solver._work, steps, 2)._run_together(np.zeros((1, 7)))
    assert np.array_equal(solver._work["u"][: solver._form.span[1]], expected[: solver._form.span[1]])
