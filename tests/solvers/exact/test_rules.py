"""User-defined update rules: equality with built-in methods, runs, workers, refusals, VAD-CFR."""

import dataclasses
import itertools
import multiprocessing
import random
from pathlib import Path

import numba
import numpy as np
import pytest

import tefuda as td
from tefuda.games.own import load_file
from tefuda.solvers.runs.sweep import sweep
from tests.conftest import compiled

EXAMPLE = Path(__file__).parents[3] / "examples" / "vad_cfr.py"
VAD_CFR = load_file(EXAMPLE).VAD_CFR


def cfr(regrets, utilities, strategy, iteration):
    regrets += utilities - (strategy * utilities).sum(axis=0)
    return td.evaluating.match_regrets(regrets, axis=0)


def cfr_plus(regrets, utilities, strategy, iteration):
    regrets += utilities - (strategy * utilities).sum(axis=0)
    np.maximum(regrets, 0, out=regrets)
    return td.evaluating.match_regrets(regrets, axis=0)


def dcfr(regrets, utilities, strategy, iteration):
    regrets += utilities - (strategy * utilities).sum(axis=0)
    regrets *= np.where(regrets > 0, iteration**1.5 / (iteration**1.5 + 1), 0.5)
    return td.evaluating.match_regrets(regrets, axis=0)


def pcfr_plus(regrets, utilities, strategy, iteration):
    last = utilities - (strategy * utilities).sum(axis=0)
    regrets[:] = np.maximum(regrets + last, 0)
    return td.evaluating.match_regrets(regrets + last, axis=0)


def averaged(regrets, utilities, strategy, iteration, expected, memory=1.0, prediction=0.0):
    """Return the update of the library's `ema` without its discounts."""
    last = utilities - (strategy * utilities).sum(axis=0)
    regrets[:] = np.maximum(regrets + last, 0)
    expected[:] = expected * (1 - memory) + memory * last
    return td.evaluating.match_regrets(regrets + prediction * expected, axis=0)


SLOW = td.CFRMethod("slow", clip=True, prediction=2.0, memory=0.1, averaging=5.0)
RULES = {
    "cfr": (cfr, td.METHODS["cfr"], {}),
    "cfr+": (cfr_plus, td.METHODS["cfr+"], {}),
    "dcfr": (dcfr, td.METHODS["dcfr"], {}),
    "pcfr+": (pcfr_plus, td.METHODS["pcfr+"], {}),
    "averaged": (averaged, SLOW, {"state": ("expected",), "settings": {"memory": 0.1, "prediction": 2.0}}),
}
GAMES = {
    "kuhn": ("kuhn", {}),
    "leduc": ("leduc", {}),
    "goofspiel": ("goofspiel", {"cards": 4}),  # infosets of 2 actions have one depth, those of 4 another
    "3-player kuhn": ("kuhn", {"players": 3}),
}


def rule_of(name, **changes):
    update, method, more = RULES[name]
    fields = {field: getattr(method, field) for field in ("order", "averaging", "delay", "convention")} | changes
    return td.solvers.UpdateRule(f"my-{name}", update, **fields, **more), dataclasses.replace(method, **changes)


def same(one, two):
    return all(np.array_equal(a.probabilities, b.probabilities) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_the_bits_of_the_compiled_method(name, game):
    tree = compiled(GAMES[game][0], **GAMES[game][1])
    for order, convention in itertools.product(("alternating", "simultaneous"), ("own", "opp")):
        if convention == "own" or tree.players == 2:
            rule, method = rule_of(name, order=order, convention=convention, delay=2)
            own, other = td.make_solver(tree, rule), td.make_solver(tree, method)
            for solver in (own, other):
                solver.advance(30)
            assert same((own.average(), own.current()), (other.average(), other.current()))
            assert np.array_equal(own.arrays()["regret"], other.arrays()["regret"])


def test_a_rule_compiled_with_numba():
    @numba.njit
    def plus(regrets, utilities, strategy, iteration):
        k, m = regrets.shape
        new = np.empty((k, m))
        for j in range(m):
            value = (strategy[:, j] * utilities[:, j]).sum()
            regrets[:, j] = np.maximum(regrets[:, j] + utilities[:, j] - value, 0)
            total = regrets[:, j].sum()
            new[:, j] = 1 / k
            if total > 0:
                new[:, j] = regrets[:, j] / total
        return new

    tree = compiled("leduc")
    own, other = (
        td.solve(tree, rule, iterations=20) for rule in (td.solvers.UpdateRule("jit", plus), rule_of("cfr+")[0])
    )
    assert own.strategy.probabilities != pytest.approx(other.strategy.probabilities, abs=1e-12)  # uniform, not linear
    own = td.solve(tree, td.solvers.UpdateRule("jit", plus, averaging=1), iterations=20)
    assert own.strategy.probabilities == pytest.approx(other.strategy.probabilities, abs=1e-12)


def weighted(regrets, utilities, strategy, iteration):
    return cfr_plus(regrets, utilities, strategy, iteration), np.full(regrets.shape[1], float(iteration))


def test_weights_of_a_rule_replace_the_averaging():
    tree = compiled("leduc")
    own = td.solve(tree, td.solvers.UpdateRule("weighted", weighted), iterations=100)
    linear = td.solve(tree, rule_of("cfr+")[0], iterations=100)
    assert own.strategy.probabilities == pytest.approx(linear.strategy.probabilities, abs=1e-12)
    late = td.make_solver(tree, td.solvers.UpdateRule("weighted", weighted, delay=50))
    late.advance(50)
    with pytest.raises(td.errors.SolverError):
        late.average()
    before = late.current()
    late.advance(1)
    assert td.nash_conv(late.average()) == pytest.approx(td.nash_conv(before), rel=1e-9)


def test_a_partition_is_solved_by_rules_where_recall_is_perfect():
    tree = compiled("leduc", distinct_suits=True)
    classes = td.lossless(tree)
    own, other = (td.solve(classes, rule, iterations=50) for rule in rule_of("cfr+"))
    assert same((own.strategy,), (other.strategy,)) and own.tree is tree


#: The paper gives curves only: on 3-player Kuhn and Leduc below DPCFR+, on liar's dice 6 close to DCFR, on 3-player
#: Leduc below 1e-3. Bounds are ten times the measured figures, because round-off changes these trajectories.
@pytest.mark.parametrize(
    "game, parameters, most",
    [("kuhn", {"players": 3}, 5e-9), ("leduc", {}, 4e-4), ("liars_dice", {"sides": 5}, 4e-4)],
)
def test_vad_cfr_reaches_the_figures_of_its_paper(game, parameters, most):
    """NashConv after 1,000 iterations is at most `most`, and below that of PDCFR+."""
    tree, found = compiled(game, **parameters), {}
    for method in (VAD_CFR, td.METHODS["pdcfr+"]):
        solver = td.make_solver(tree, method)
        solver.advance(1000)
        found[method.name] = td.nash_conv(solver.average())
    assert found["vad-cfr"] < most and found["vad-cfr"] < found["pdcfr+"]


def test_resume_is_bit_for_bit(tmp_path):
    """All of the rule's own arrays are saved, even where the average is still empty."""
    tree = compiled("leduc")
    rule = dataclasses.replace(VAD_CFR, delay=40)
    td.solve(tree, rule, iterations=30 + 11, checkpoint=tmp_path / "run")
    resumed, straight = td.resume(tmp_path / "run", method=rule, iterations=90), td.solve(tree, rule, iterations=90)
    assert same((resumed.strategy,), (straight.strategy,)) and resumed.method == straight.method
    assert td.load(tmp_path / "run", tree).nash_conv == resumed.nash_conv


def go_on(tree, folder):
    if (folder / "run.json").exists():
        td.resume(folder, method=VAD_CFR, checkpoint_seconds=0)
    else:
        td.solve(tree, VAD_CFR, iterations=600, checkpoint=folder, checkpoint_seconds=0)


def test_a_killed_run_ends_with_the_same_result(tmp_path):
    tree, folder = compiled("kuhn"), tmp_path / "run"
    whole = td.solve(tree, VAD_CFR, iterations=600)
    context, rng = multiprocessing.get_context("fork"), random.Random(1)
    for _ in range(4):
        process = context.Process(target=go_on, args=(tree, folder))
        process.start()
        process.join(0.02 + 0.1 * rng.random())  # at an arbitrary time
        process.kill()
        process.join()
    go_on(tree, folder)
    found = td.load(folder, tree)
    assert found.status == "finished" and same((found.strategy,), (whole.strategy,))
    assert [point[0::2] for point in found.curve] == [point[0::2] for point in whole.curve]


def test_a_run_is_resumed_with_its_own_rule_only(tmp_path):
    """Saved text is never executed, and a changed function counts as another method."""
    tree, rule = compiled("kuhn"), td.solvers.UpdateRule("mine", cfr)
    td.solve(tree, rule, iterations=10, checkpoint=tmp_path)
    others = (None, "cfr", dataclasses.replace(rule, update=cfr_plus), dataclasses.replace(rule, averaging=2.0))
    for other in others:
        with pytest.raises(td.errors.ParameterError):
            td.resume(tmp_path, method=other, iterations=20)
    assert td.resume(tmp_path, method=rule, iterations=20).iterations == 20


def test_sweeps_with_workers_and_changed_rules(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(EXAMPLE.read_text())
    tree, methods = compiled("kuhn"), [f"{file}:VAD_CFR", "pdcfr+"]
    one = sweep(tree, methods, seeds=[1], iterations=510, folder=tmp_path / "one")
    two = sweep(tree, methods, seeds=[1], iterations=510, folder=tmp_path / "two", workers=2)
    for group, other in zip(one, two, strict=True):
        assert same((group.solutions[0].strategy,), (other.solutions[0].strategy,))
    file.write_text(EXAMPLE.read_text() + "# a comment changes nothing\n")
    sweep(tree, methods, seeds=[1], iterations=510, folder=tmp_path / "one")
    file.write_text(EXAMPLE.read_text().replace("1.1", "1.2"))
    with pytest.raises(td.errors.RunError):
        sweep(tree, methods, seeds=[1], iterations=510, folder=tmp_path / "one")


WRONG = {
    "shape": lambda regrets, utilities, strategy, iteration: np.ones(3),
    "sum": lambda regrets, utilities, strategy, iteration: strategy * 2,
    "nan": lambda regrets, utilities, strategy, iteration: strategy * np.nan,
    "weights": lambda regrets, utilities, strategy, iteration: (strategy, -np.ones(strategy.shape[1])),
}


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_results_of_rules_are_refused(fault):
    with pytest.raises(td.errors.ParameterError, match="must return"):
        td.solve(compiled("kuhn"), td.solvers.UpdateRule("wrong", WRONG[fault]), iterations=5)


def test_functions_with_other_arguments_are_refused():
    for update in (None, "cfr", max, lambda regrets: regrets):
        with pytest.raises(td.errors.ParameterError):
            td.solvers.UpdateRule("wrong", update)
    for fields in ({"state": ("x",)}, {"state": ("a b",)}, {"settings": {"k": 1}}, {"order": "no"}, {"delay": -1}):
        with pytest.raises(td.errors.ParameterError):
            td.solvers.UpdateRule("wrong", cfr, **fields)
