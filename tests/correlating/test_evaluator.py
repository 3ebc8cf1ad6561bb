"""Gaps as evaluators: devices of the iterates of any method, recorded and resumed with the run."""

import dataclasses

import numpy as np
import pytest

import tefuda as td
from tefuda.correlating import CorrelationGap, Device
from tests.conftest import compiled, refused

TOGETHER = dataclasses.replace(td.METHODS["cfr"], order="simultaneous")
METHODS = [TOGETHER, "cfr+", "external", "xfp", "lp", dataclasses.replace(td.METHODS["cfr+"], delay=3)]


@pytest.mark.parametrize("averaging", [0.0, 2.0])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: getattr(method, "name", method))
def test_devices_of_iterates(method, averaging):
    """The strategies before the updates, by hand; pieces of a run do not matter."""
    tree = compiled("kuhn")
    solution = td.solve(tree, method, iterations=9, evaluator=CorrelationGap("efcce", averaging=averaging), seed=3)
    solver, device = td.make_solver(tree, method, seed=3), Device(tree)
    for number in range(1, 10):
        weight = number - solver.method.delay
        if weight > 0:
            device.add(solver.current(), (weight / 9) ** averaging)
        solver.advance(1)
    assert solution.evaluation.figure == pytest.approx(device.gaps.gap("efcce"), abs=1e-14)
    assert solution.values == pytest.approx(device.gaps.values)


def test_nfcce_gap_is_the_average_regret(leduc):
    """In zero-sum games of two players it is NashConv of the average (Zinkevich et al. 2007, theorem 2)."""
    solution = td.solve(leduc, TOGETHER, iterations=50, evaluator=CorrelationGap("nfcce"))
    average = td.solve(leduc, TOGETHER, iterations=50, evaluator=td.NashConv())
    assert solution.evaluation.figure == pytest.approx(average.curve[-1].average_nash_conv, rel=1e-9)
    assert (
        np.array_equal(solution.strategy.probabilities, average.strategy.probabilities) or average.iterate == "current"
    )


@pytest.mark.parametrize("method", [TOGETHER, "external"], ids=lambda method: getattr(method, "name", method))
def test_runs_are_resumed_with_their_device(tmp_path, method):
    gap = CorrelationGap("efce", "largest")
    straight = td.solve(td.load_game("kuhn", players=3), method, iterations=80, evaluator=gap, seed=2)
    td.solve(td.load_game("kuhn", players=3), method, iterations=30, evaluator=gap, checkpoint=tmp_path / "run", seed=2)
    resumed = td.resume(tmp_path / "run", iterations=80)
    assert resumed.curve[-1].figure == straight.curve[-1].figure == straight.evaluation.figure
    loaded = td.load(tmp_path / "run")
    assert loaded.evaluator == gap and loaded.values == straight.values and repr(loaded) == repr(resumed)
    assert Device.of_run(loaded).gaps.gap("efce", "largest") == straight.evaluation.figure


def test_merged_infosets_are_evaluated_in_the_real_game(tmp_path):
    tree = compiled("kuhn", players=3)
    partition = td.lossless(tree)
    solution = td.solve(partition, TOGETHER, iterations=20, evaluator=CorrelationGap(), checkpoint=tmp_path / "run")
    assert Device.of_run(td.load(tmp_path / "run")).gaps.gap() == solution.evaluation.figure > 0


def test_solvers_without_profiles_are_refused(kuhn):
    gap = CorrelationGap()
    with pytest.raises(td.errors.ParameterError, match="needs a compiled game"):
        td.solve(td.RulesForm(td.load_game("kuhn")), "external", iterations=9, evaluator=gap)
    with pytest.raises(td.errors.InputError, match="has no profiles"):
        gap.check(td.make_solver(td.forms.TreeSimulator(kuhn), "nfsp"), None)
    with pytest.raises(td.errors.GameError):
        td.solve(compiled("forgetful"), "external", iterations=9, evaluator=gap)
    with pytest.raises(td.errors.ParameterError, match="until"):
        td.solve(kuhn, TOGETHER, until=-1, evaluator=gap)
    for changes in ({"concept": "ce"}, {"how": "sum"}, {"averaging": np.nan}):
        with pytest.raises(td.errors.ParameterError):
            CorrelationGap(**changes)


def test_runs_without_a_device_say_so(tmp_path, kuhn):
    solution = td.solve(kuhn, "cfr+", iterations=9, checkpoint=tmp_path / "run")
    with refused(td.errors.RunError, key="device"):
        Device.of_run(solution)


def test_changed_devices_are_refused(tmp_path):
    """The table has the checksum of the checkpoint, and its own checks after that."""
    solution = td.solve(
        td.load_game("kuhn"), "cfr+", iterations=9, evaluator=CorrelationGap(), checkpoint=tmp_path / "run"
    )
    device = Device(solution.tree)
    for changes in ({"device_mass": np.array([-1.0])}, {"device_table": np.full(len(device.table), np.nan)}):
        with pytest.raises(td.errors.RunError, match="device"):
            device.restore({**device.arrays(), **changes})
    with pytest.raises(td.errors.RunError, match="device"):
        device.restore({})
    data = (tmp_path / "run" / "checkpoint.npz").read_bytes()
    (tmp_path / "run" / "checkpoint.npz").write_bytes(data[:-9] + b"000000000")
    with pytest.raises(td.errors.RunError):
        Device.of_run(solution)
