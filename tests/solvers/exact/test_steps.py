"""Steps of an iteration: equal to the solver's, with formulas that add up."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.evaluating.off_path import completed
from tefuda.solvers.exact.cfr import FAMILY
from tefuda.solvers.exact.explanation import explain
from tefuda.solvers.exact.steps import family_method, player_updates
from tests.conftest import compiled

VARIANTS = (
    dataclasses.replace(td.METHODS["cfr"], name="simultaneous", order="simultaneous"),
    dataclasses.replace(td.METHODS["cfr+"], name="opp", convention="opp"),
    dataclasses.replace(td.METHODS["cfr"], name="delayed", delay=3),
)
GAMES = (
    ("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {}), ("goofspiel", {"cards": 3}), ("rps", {}),
    ("sampled", {"players": 1, "seed": 1}), ("sampled", {"players": 4, "seed": 2}),
    ("sampled", {"players": 2, "seed": 3, "zero_sum": False}),
)  # fmt: skip


def iterations(tree, method, count, first=1):
    """Return a list of steps for each of some iterations."""
    return [player_updates(tree, family_method(method), number) for number in range(first, first + count)]


@pytest.mark.parametrize("method", [*FAMILY, *VARIANTS], ids=lambda method: method.name)
@pytest.mark.parametrize("game, parameters", GAMES)
def test_steps_equal_the_solver(game, parameters, method):
    """After each iteration regrets, predictions, strategy and sums of the average are the solver's."""
    tree = compiled(game, **parameters)
    if tree.players != 2 and (method.opponent == "best response" or method.convention == "opp"):
        with pytest.raises(td.errors.ParameterError):
            td.solvers.trace(tree, method)
        return
    solver = td.make_solver(tree, method)
    for group in iterations(tree, method, 6):
        solver.advance(1)
        state, last = solver.arrays(), group[-1]
        expected = (last.regrets, last.next.probabilities, last.sums)
        for name, array in zip(("regret", "g", "average"), expected, strict=True):
            assert state[name] == pytest.approx(array, rel=1e-9, abs=1e-9), name
        if method.prediction:
            assert state["expected"] == pytest.approx(last.predictions, rel=1e-9, abs=1e-9)
        if solver.iterations > method.delay:
            average = completed(last.average, last.sums)
            assert solver.average().probabilities == pytest.approx(average.probabilities, abs=1e-9)


def test_steps_from_a_later_iteration_on(leduc):
    """Earlier iterations are run by the solver."""
    later = iterations(leduc, "dcfr", 1, first=5)[0]
    for step, other in zip(later, iterations(leduc, "dcfr", 5)[-1], strict=True):
        assert (step.iteration, step.player) == (other.iteration, other.player)
        assert step.regrets == pytest.approx(other.regrets, abs=1e-12)
        assert step.sums == pytest.approx(other.sums, abs=1e-12)


def test_the_first_iteration_by_hand(kuhn):
    """The table of chapter 2 of the learning text, times 24."""
    step = dict(enumerate(iterations(kuhn, dataclasses.replace(td.METHODS["cfr"], order="simultaneous"), 1)[0]))
    by_hand = {"0: J|": (-3, 3), "0: Q|pb": (-2, 2), "0: K|pb": (-6, 6), "1: J|b": (2, -2), "1: K|b": (-6, 6)}
    for infoset, regrets in by_hand.items():
        updates = explain(step[int(infoset[0])], kuhn.number(infoset)).actions
        assert [24 * update.regret for update in updates] == pytest.approx(regrets)


@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+", "ema", "cfr-br"])
def test_formulas_add_up(leduc, method):
    """Each number of an explanation follows from those before it."""
    for step in iterations(leduc, method, 1, first=4)[0]:
        for infoset in leduc.infosets_of(step.player)[::9].tolist():
            found = explain(step, infoset)
            reach, clip = np.array(found.reach), found.rule.clip
            for update in found.actions:
                assert update.value == pytest.approx(reach @ update.history_values, abs=1e-12)
                assert update.regret == pytest.approx(update.value - found.value, abs=1e-12)
                after = update.factor * (update.before + update.regret)
                assert update.after == pytest.approx(max(after, 0) if clip else after, abs=1e-12)
                assert update.matched == pytest.approx(update.after + found.rule.prediction * update.prediction)
                added = found.rule.weight * found.own_reach * update.averaged
                assert update.sum == pytest.approx(found.rule.decay * update.sum_before + added)
            positive = [max(update.matched, 0) for update in found.actions]
            sums = [update.sum for update in found.actions]
            for update, part in zip(found.actions, positive, strict=True):
                uniform = 1 / len(positive)
                assert update.next == pytest.approx(part / sum(positive) if sum(positive) else uniform)
                assert update.average == pytest.approx(update.sum / sum(sums) if sum(sums) else uniform)
            value = sum(update.probability * update.value for update in found.actions)
            assert found.value == pytest.approx(value, abs=1e-12)


def test_each_number_is_written_in_the_formulas(kuhn):
    """Discounts, clipping and predictions appear where the method has them."""
    texts = {}
    for method in ("cfr", "dcfr", "pcfr+"):
        found = explain(iterations(kuhn, method, 1, first=2)[0][0], kuhn.number("0: J|"))
        texts[method] = "\n".join(itertools.chain.from_iterable(lines for _, lines in found.sections()))
    assert "max(" in texts["pcfr+"] and "max(" not in texts["cfr"] + texts["dcfr"]
    assert "R(p) = 0.7388 x (" in texts["dcfr"]  # 2^1.5 / (2^1.5 + 1)
    assert texts["pcfr+"].count("\n") == texts["cfr"].count("\n") + 2  # the prediction of each action


def test_refusals(kuhn):
    with pytest.raises(td.errors.UnknownNameError) as error:
        td.solvers.trace(kuhn, "lp")
    assert error.value.name == "lp" and "dcfr" in error.value.known
    with pytest.raises(td.InputError):
        td.solvers.trace(kuhn, td.METHODS["lp"])
    with pytest.raises(td.errors.ParameterError):
        td.solvers.trace(kuhn, "cfr", 0)
    with pytest.raises(td.errors.UnknownNameError):
        td.solvers.trace(kuhn).explain("0: A|")


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["explain", *arguments])
    assert result.exit_code == code, result.output
    return result


def test_explain_on_the_command_line(kuhn):
    found = json.loads(run("kuhn", "--infoset", "0: J|", "--json").stdout.splitlines()[-1])
    assert [update["regret"] for update in found["actions"]] == pytest.approx([-0.125, 0.125])
    assert "J Q" in run("kuhn", "--infoset", "0: J|").stdout
    whole = json.loads(run("kuhn", "--iteration", "3", "--method", "cfr+", "--json").stdout.splitlines()[-1])
    solver = td.make_solver(kuhn, "cfr+")
    solver.advance(3)
    assert [row["cumulative"] for row in whole["actions"]] == pytest.approx(solver.arrays()["regret"].tolist())
    assert run("leduc", "--infoset", "0: K|").stdout.count("K J") == 1
    for wrong in (["--iteration", "0"], ["--method", "lp"], ["--infoset", "nowhere"], ["--players", "0"]):
        run("kuhn", *wrong, code=2)
