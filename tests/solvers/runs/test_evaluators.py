"""Evaluators other than NashConv: curves, stop rules, runs and reports."""

import dataclasses
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda import files
from tefuda.apps.cli import app
from tefuda.apps.display.consoles import show
from tefuda.apps.display.curves import curve_plot
from tefuda.apps.display.progress import progress_share
from tefuda.apps.display.results import solution_report
from tefuda.solvers.runs.evaluators import LongEvaluator, RecordedEvaluator
from tefuda.solvers.runs.listing import run_curve
from tests.conftest import refused


@dataclasses.dataclass(frozen=True)
class Bets(td.solvers.Evaluator):
    """Evaluator with a rising figure: probability that player 0 bets with the king, plus or minus `width`."""

    width: float = 0.0

    name = "bets"
    title = "bets with the king"
    unit = "parts of 1"
    lower_is_better = False

    def evaluate(self, solver):
        profile = solver.average() if solver.iterations else td.Profile.uniform(solver.form.tree)
        figure = profile["0: K|"]["b"]
        return td.solvers.Evaluation("average", profile, figure, figure - self.width, figure + self.width)


@dataclasses.dataclass(frozen=True)
class Slowly(LongEvaluator):
    """Evaluator that computes `Bets` in pieces, with progress."""

    pieces: int = 10

    name = "slowly"
    title = "bets with the king"

    def evaluate_with_progress(self, solver, progress):
        for piece in range(self.pieces):
            progress(piece + 1, self.pieces)
        return Bets().evaluate(solver)


class Later(Slowly):
    """Evaluator whose first point is later."""

    first = 3


def without_seconds(curve):
    return [(point.iteration, *point[2:]) for point in curve]


def test_nash_conv_is_the_default_evaluator(kuhn, tmp_path):
    """The default gives the same curve and strategy to the bit."""
    plain, named = (td.solve(kuhn, "cfr+", iterations=30, evaluator=evaluator) for evaluator in (None, td.NashConv()))
    assert without_seconds(plain.curve) == without_seconds(named.curve) and plain.evaluator == td.NashConv()
    assert np.array_equal(plain.strategy.probabilities, named.strategy.probabilities)
    assert plain.curve[-1].figure == plain.curve[-1].low == plain.curve[-1].high == plain.nash_conv
    plain.save(tmp_path / "run")
    content = files.read_json(tmp_path / "run" / "run.json")
    assert (
        content["format"] == 1
        and content["evaluator"] == {"name": "nash-conv"}
        and content["form"] == {"representation": "tree"}
    )
    assert content["figure"]["value"] == content["nash_conv"] and content["figure"]["title"] == "NashConv"
    heads = "iteration,seconds,nash_conv,average_nash_conv,current_nash_conv,nodes"
    assert (tmp_path / "run" / "curve.csv").read_text().splitlines()[0].rpartition(",")[0] == heads


def test_runs_without_evaluation(kuhn, tmp_path, capsys):
    """Without evaluation a run reports the average without figures, and resumes bit for bit."""
    evaluator = td.NoEvaluation()
    td.solve(kuhn, "cfr+", iterations=40, evaluator=evaluator, checkpoint=tmp_path / "run")
    found = td.resume(tmp_path / "run", iterations=100)
    whole, evaluated = (
        td.solve(kuhn, "cfr+", iterations=100, evaluator=evaluator),
        td.solve(kuhn, "cfr+", iterations=100),
    )
    assert np.array_equal(found.strategy.probabilities, whole.strategy.probabilities) and found.iterate == "average"
    assert [p.iteration for p in whole.curve] == [p.iteration for p in evaluated.curve] != []
    assert [p.iteration for p in found.curve] == [p.iteration for p in whole.curve] or len(found.curve) > 0
    assert all(np.isnan([point.figure, point.low, point.high]).all() for point in found.curve)
    again = td.load(tmp_path / "run", kuhn)
    assert again.evaluator == evaluator and repr(again) == "Solution(kuhn, cfr+, 100 done, unevaluated, finished)"
    content = files.read_json(tmp_path / "run" / "run.json")
    assert content["figure"]["value"] is None and "nash_conv" not in content
    for name in ("nash_conv", "exploitability", "values"):
        with pytest.raises(td.errors.SolverError, match=r"solution\.strategy"):
            getattr(found, name)
    with pytest.raises(td.errors.SolverError, match="NashConv"):
        found.curve[0].nash_conv  # noqa: B018
    show(*solution_report(again))
    assert "unevaluated of the average strategies" in capsys.readouterr().out
    assert not curve_plot({"cfr+": found.curve}, evaluator=evaluator)


@pytest.mark.parametrize("first, after", [(20, 1), (20, 30), (20, 66), (20, 72), (20, 75), (16, 65), (16, 71)])
def test_evaluation_is_interrupted(kuhn, tmp_path, capsys, after, first):
    """The partial solution is saved unevaluated; resumed, it equals an uninterrupted run.

    The driver checks for an interruption 12 times a point. The check number `after` interrupts:
    before the first point, during or between evaluations, or at the end.
    """
    asked = []
    found = td.solve(
        kuhn, "cfr", iterations=first, evaluator=Slowly(), checkpoint=tmp_path / "run",
        interrupted=lambda: asked.append(1) or len(asked) >= after,
    )  # fmt: skip
    assert len(asked) <= after + 2 and found.status == "interrupted" == found.stop
    if found.curve and found.curve[-1].iteration == found.iterations:  # it was evaluated before
        assert found.evaluation.figure == found.curve[-1].figure
        return
    assert np.isnan(found.evaluation.figure) and not any(np.isnan(point.figure) for point in found.curve)
    assert repr(found) == f"Solution(kuhn, cfr, {found.iterations:,} done, unevaluated, interrupted)"
    show(*solution_report(found))
    assert "unevaluated of" in capsys.readouterr().out
    content = files.read_json(tmp_path / "run" / "run.json")
    assert content["figure"]["value"] is None and content["iterations"] == found.iterations
    again = td.load(tmp_path / "run", kuhn)
    assert again.status == "interrupted" and without_seconds(again.curve) == without_seconds(found.curve)
    for iterations in (first, 60):
        ended = td.resume(tmp_path / "run", iterations=iterations, evaluator=Slowly())
        whole = td.solve(kuhn, "cfr", iterations=first, evaluator=Slowly(), checkpoint=tmp_path / f"whole-{iterations}")
        whole = td.resume(tmp_path / f"whole-{iterations}", iterations=iterations, evaluator=Slowly())
        assert without_seconds(ended.curve) == without_seconds(whole.curve) and ended.status == "finished"
        assert np.array_equal(ended.strategy.probabilities, whole.strategy.probabilities)


def test_evaluation_is_interrupted_at_the_end(kuhn):
    """A run stopped by its time limit between points, with an interrupted evaluation, is not finished."""
    asked = []
    found = td.solve(
        kuhn, "cfr", seconds=1e-9, evaluator=Later(), interrupted=lambda: asked.append(1) or len(asked) > 2
    )  # fmt: skip
    assert (found.status, found.stop, found.iterations) == ("interrupted", "interrupted", 1) and len(asked) == 3
    assert np.isnan(found.evaluation.figure) and not found.curve


def test_until_needs_an_evaluator(kuhn):
    with refused(td.errors.ParameterError, key="until", value=0.1):
        td.solve(kuhn, "cfr+", until=0.1, evaluator=td.NoEvaluation())
    with refused(td.errors.ParameterError, key="until", value=-0.1):
        td.solve(kuhn, "cfr+", until=-0.1)


def test_a_run_stops_when_the_whole_interval_is_good_enough(kuhn):
    """The low end of the interval decides if higher is better, else the high end."""
    sharp, wide = (td.solve(kuhn, "cfr", iterations=300, until=0.7, evaluator=Bets(width)) for width in (0.0, 0.1))
    assert sharp.stop == wide.stop == "bets with the king reached 0.7"
    assert sharp.curve[-1].figure >= 0.7 > sharp.curve[-2].figure and sharp.iterations < wide.iterations
    assert wide.curve[-1].low >= 0.7 > wide.curve[-2].low
    point = td.solvers.EstimatedPoint(1, 0.0, 0.5, 0.4, 0.6)
    assert not Bets().reached(point, 0.5) and Bets().reached(point, 0.4)
    figure = {"title": "x", "unit": "", "lower_is_better": True}
    falling = RecordedEvaluator({"evaluator": {"name": "x"}, "figure": figure})
    assert not falling.reached(point, 0.5) and falling.reached(point, 0.6)


def test_a_run_keeps_its_evaluator(kuhn, tmp_path):
    """A run can be shown without its evaluator; resuming requires the same evaluator."""
    folder, evaluator = tmp_path / "run", Bets(0.25)
    first = td.solve(kuhn, "cfr+", iterations=20, evaluator=evaluator, checkpoint=folder)
    shown = td.load(folder, kuhn)
    assert shown.evaluator.parameters() == evaluator.parameters() == {"name": "bets", "width": 0.25}
    assert shown.evaluation.figure == first.evaluation.figure and shown.evaluation.low == first.evaluation.low
    assert (shown.evaluator.title, shown.evaluator.unit, shown.evaluator.lower_is_better) == (
        "bets with the king",
        "parts of 1",
        False,
    )
    for other in (None, td.NashConv(), Bets(0.5)):
        with pytest.raises(td.errors.ParameterError, match="must be resumed with its evaluator"):
            td.resume(folder, iterations=50, evaluator=other)
    found, whole = (
        td.resume(folder, iterations=50, evaluator=evaluator),
        td.solve(kuhn, "cfr+", iterations=50, evaluator=evaluator),
    )
    assert without_seconds(found.curve)[-1] == without_seconds(whole.curve)[-1]
    td.solve(kuhn, "cfr+", iterations=5, checkpoint=tmp_path / "exact")
    with pytest.raises(td.errors.ParameterError, match="must be resumed with its evaluator"):
        td.resume(tmp_path / "exact", iterations=50, evaluator=evaluator)


def test_a_forged_evaluator_is_refused(kuhn, tmp_path):
    """Another evaluator than the checkpoint's, and wrong figures in run.json, are refused."""
    td.solve(kuhn, "cfr+", iterations=20, evaluator=td.NoEvaluation(), checkpoint=tmp_path)
    content = files.read_json(tmp_path / "run.json")
    for evaluator in ({"name": "nash-conv"}, {"name": 7}, {}):
        files.write_json(tmp_path / "run.json", {**content, "evaluator": evaluator})
        with pytest.raises(td.errors.RunError):
            td.resume(tmp_path, iterations=30)
    for change in ({"value": "much"}, {"lower_is_better": 1}, {"title": None}):
        files.write_json(tmp_path / "run.json", {**content, "figure": {**content["figure"], **change}})
        with pytest.raises(td.errors.RunError, match="figure"):
            td.load(tmp_path, kuhn)


def test_a_run_names_the_fields_of_its_evaluator(kuhn, tmp_path):
    """Other fields of the figure in run.json never become attributes of the evaluator."""
    td.solve(kuhn, "cfr+", iterations=20, evaluator=Bets(), checkpoint=tmp_path)
    content = files.read_json(tmp_path / "run.json")
    forged = {"point_type": 1, "describe": "x", "evaluate": None, "recorded": {"name": "nash-conv"}, "growth": 0}
    files.write_json(tmp_path / "run.json", {**content, "figure": {**content["figure"], **forged}})
    found = td.load(tmp_path, kuhn)
    assert found.evaluator.parameters() == Bets().parameters()
    assert found.evaluator.growth == (2.0, 1.5)
    assert found.evaluator.describe(found.evaluation).startswith(Bets.title) and found.curve
    assert isinstance(run_curve(tmp_path)[0], td.solvers.EstimatedPoint)


def test_figures_that_rise_are_plotted_and_described(kuhn):
    """Plots have a linear axis, and progress does not estimate a share from the figure."""
    found = td.solve(kuhn, "cfr+", iterations=30, evaluator=Bets(0.5))
    text = str(curve_plot({"cfr+": found.curve}, evaluator=found.evaluator))
    assert text.startswith("bets with the king (parts of 1)") and "1e-" not in text
    assert repr(found).startswith("Solution(kuhn, cfr+, 30 done, bets with the king +0.")
    point = td.solvers.EstimatedPoint(5, 0.0, 0.5, 0.4, 0.6)
    assert progress_share(td.solvers.Progress(td.Goal(until=0.9), 5, 0.0, point, Bets())) == 0.0
    falling = td.solvers.Progress(td.Goal(until=0.1), 5, 0.0, td.solvers.Point(5, 0.0, 1.0, 1.0, 1.0), td.NashConv())
    assert 0 < progress_share(falling) < 1


def test_wrong_evaluators_are_refused(kuhn):
    for make in (
        lambda: td.HeadToHead(td.Profile.uniform(kuhn)),
        lambda: td.HeadToHead(td.RandomAgent(), deals=1),
        lambda: td.exploiting.LearnedResponse(learners=1),
        lambda: td.exploiting.LearnedResponse(method="nonesuch"),
        lambda: td.solve(kuhn, "cfr", evaluator=td.HeadToHead(td.RandomAgent()), until=float("nan")),
        lambda: td.solve(Alone(), "cfr", evaluator=td.HeadToHead(td.RandomAgent())),
    ):
        with pytest.raises(td.InputError):
            make()


class Alone:
    """A game of one player."""

    name, players = "alone", 1

    def root(self):
        return ""

    def player(self, state):
        return -2 if state else 0

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return ()

    def child(self, state, action):
        return action

    def payoffs(self, state):
        return (float(state == "a"),)

    def view(self, state, player):
        return state


def test_evaluators_on_the_command_line(tmp_path, monkeypatch):
    """Evaluators are chosen by name, saved, rebuilt by resume, and refused if they do not fit."""
    monkeypatch.chdir(tmp_path)

    def tefuda(*arguments, code=0):
        result = CliRunner().invoke(app, [*map(str, arguments)])
        assert result.exit_code == code, result.output
        return result

    told = tefuda(
        "solve", "kuhn", "--method", "cfr+", "--iterations", 20, "--evaluator", "against:uniform", "--out", "run"
    )
    assert "evaluated  won from uniform +0." in told.stdout and "a hand" in told.stdout
    more = json.loads(tefuda("solve", "--resume", "run", "--iterations", 30, "--json").stdout.splitlines()[-1])
    assert more["evaluator"] == {"name": "against", "agent": "uniform", "deals": 1000, "seed": 0}
    assert more["iterations"] == 30 and more["figure"]["title"] == "won from uniform" and "nash_conv" not in more
    assert "won from uniform" in tefuda("show", "run").stdout
    assert (
        "must be resumed with its evaluator" in tefuda("solve", "--resume", "run", "--evaluator", "none", code=2).stderr
    )
    assert "unknown evaluator 'x'" in tefuda("solve", "kuhn", "--evaluator", "x", code=2).stderr
    assert "unknown agent" in tefuda("solve", "kuhn", "--evaluator", "against:x", code=2).stderr
    assert "--evaluator has no effect" in tefuda("solve", "kuhn", "--evaluator", "none", "--exact", code=2).stderr
    unevaluated = ["--method", "cfr", "--evaluator", "none", "--until", 0.1, "--out", "other"]
    assert "until=0.1" in tefuda("solve", "kuhn", *unevaluated, code=2).stderr
    assert not (tmp_path / "other").exists()
    assert "as simulator" in tefuda("solve", "kuhn", "--method", "cfr", "--as", "simulator", code=2).stderr
    assert "leave --as out" in tefuda("solve", "--resume", "run", "--as", "simulator", code=2).stderr
