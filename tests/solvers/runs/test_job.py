"""Jobs: forms and methods are decided once, before anything is built, and saved in run.json."""

import dataclasses
import importlib.util
from pathlib import Path

import pytest

import tefuda as td
from tefuda.files import read_json, write_json
from tefuda.forms.form import form_class
from tefuda.games import size
from tefuda.solvers.runs.driver import make_record
from tefuda.solvers.runs.job import Job, choices
from tefuda.solvers.runs.methods import RecordedMethod
from tefuda.solvers.runs.run import PLAN_FILE
from tests.conftest import compiled

ROOT = Path(__file__).parents[3]
SPOT = {"board": "2c 2d 2h 3c 3d", "pot": 100, "stack": 100, "oop": "AA,QQ", "ip": "KK", "bets": "a", "raises": "a"}


def own_form():
    """Return a form and a method of the example."""
    spec = importlib.util.spec_from_file_location("own_form", ROOT / "examples" / "own_form.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Matrix([[0, -1, 2], [1, 0, -2], [-2, 2, 0]]), module.Hedge()


def leduc_ranks():
    leduc = compiled("leduc", distinct_suits=True)
    suits = str.maketrans("", "", "hs")
    return td.forms.partition(leduc, lambda view, player: view.translate(suits))


#: A job of each representation, and the form of a user.
JOBS = {
    "tree": lambda: Job.of(td.load_game("leduc"), "cfr+"),
    "partition": lambda: Job.of(leduc_ranks(), "cfr"),
    "rules": lambda: Job.of(td.load_game("kuhn"), "outcome", representation="rules", fields={"memory": 1e6}, seed=4),
    "simulator": lambda: Job.of(td.load_game("kuhn"), "nfsp", representation="simulator", evaluator=td.NoEvaluation()),
    "hands": lambda: Job.of(td.load_game("spot", **SPOT)),
    "payoffs": lambda: Job.of(*own_form()),
}


@pytest.mark.parametrize("name", JOBS)
def test_a_run_is_its_job_with_figures(name, tmp_path):
    """The job of run.json is the job that was run; with its form, it is resumed to the same bits."""
    _, job = dataclasses.replace(JOBS[name](), goal=td.Goal(iterations=6)).form()
    whole = job.run()
    solution = dataclasses.replace(job, goal=td.Goal(iterations=4)).run(None).save(tmp_path / "saved")
    record = make_record(tmp_path / "run", 30.0)
    dataclasses.replace(job, goal=td.Goal(iterations=4)).run(record)
    given = {"game": job.built, "method": job.method} if name == "payoffs" else {}
    for folder in (tmp_path / "run", tmp_path / "saved"):
        content, read = read_json(folder / "run.json"), Job.read(folder, **given)
        assert read.to_json() == {key: content[key] for key in read.to_json()} and read.goal.iterations == 4
        assert (read.representation, read.seed, read.method) == (name, job.seed, job.method)
    assert solution.iterations == 4
    resumed = Job.read(tmp_path / "run", **given).resume(tmp_path / "run", td.Goal(iterations=6))
    assert resumed.evaluation.figure == pytest.approx(whole.evaluation.figure, rel=0, nan_ok=True)
    again = Job.read(tmp_path / "run", **given).to_json()
    assert again == {**job.to_json(), "evaluator": resumed.evaluator.parameters()}


def test_the_representation_and_the_method_fit_each_other():
    """The first form of the game's kit that the method accepts; undecided between a tree and rules."""
    leduc, spot = td.load_game("leduc"), td.load_game("spot")
    holdem, limit = (td.load_game("holdem", limit=value) for value in (False, True))
    for game, method, wanted in (
        (leduc, None, ("", "ema")), (leduc, "external", ("", "external")), (leduc, "ema", ("tree", "ema")),
        (leduc, td.METHODS["cfr+"], ("tree", "cfr+")),
        (spot, None, ("hands", "dcfr-3")), (spot, "cfr+", ("hands", "cfr+")),
        (spot.spot, None, ("hands", "dcfr-3")), (spot, td.METHODS["cfr+"], ("tree", "cfr+")),
        (holdem, None, ("buckets", "external-buckets")), (holdem, "cfr+", ("tree", "cfr+")),
            (holdem, "external", ("rules", "external")),
        (limit, None, ("buckets", "external-buckets")),
    ):  # fmt: skip
        job = Job.of(game, method)
        assert (job.representation, job.method.name, job.built) == (*wanted, None)
    with pytest.raises(td.errors.UnknownNameError, match="unknown method 'lp'"):
        Job.of(spot, "lp")


@pytest.fixture
def nothing_built(monkeypatch):
    """Fail if a tree or another large form is built."""
    monkeypatch.setattr("tefuda.solvers.runs.job.compile_game", lambda *_, **__: pytest.fail("compiled"))
    for kind in map(form_class, ("buckets", "keys")):
        monkeypatch.setattr(kind, "build", lambda *_, **__: pytest.fail("built"))


@pytest.mark.parametrize(
    "method, options, error",
    [
        ("cfr+", {"goal": td.Goal(nodes=10)}, td.errors.ParameterError),
        ("cfr+", {"seed": -1}, td.errors.ParameterError),
        ("lp", {"workers": 2}, td.errors.ParameterError),
        ("cfr+", {"evaluator": "nash-conv"}, td.errors.ParameterError),
        ("cfr+", {"representation": "rules"}, td.errors.ParameterError),
        ("cfr+", {"representation": "none"}, td.errors.UnknownNameError),
        ("cfr++", {}, td.errors.UnknownNameError),
        (
            dataclasses.replace(td.METHODS["cfr+"], delay=10),
            {"goal": td.Goal(iterations=10)},
            td.errors.ParameterError,
        ),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_built(nothing_built, method, options, error):
    with pytest.raises(error):
        Job.of(td.load_game("leduc"), method, **options)
    if "representation" not in options and "goal" not in options:
        with pytest.raises(error):
            td.solve(td.load_game("leduc"), method, **options)


def test_forms_that_are_too_large_are_refused_before_anything_is_built(nothing_built, monkeypatch):
    monkeypatch.setattr("tefuda.holdem.buckets.solver.MEMORY", 1e6)
    with pytest.raises(td.errors.SizeError):
        Job.of(td.load_game("holdem", limit=True))
    with pytest.raises(td.errors.GameError):
        Job.of("kuhn")


def test_a_form_is_settled_by_its_size(nothing_built, monkeypatch):
    """Without building it; without a named method, the method follows the form."""
    game = td.load_game("goofspiel", cards=3)
    assert Job.of(game).settled().representation == "tree"
    monkeypatch.setattr(size, "free_memory", lambda: 0.0)
    job = Job.of(game).settled()
    assert (job.representation, job.method.name) == ("rules", "external") and "too large" in job.fields["reason"]
    with pytest.raises(td.errors.SizeError, match="external, outcome, oos"):
        Job.of(game, "ema").settled()
    with pytest.raises(td.errors.SizeError):
        Job.of(game, "external", representation="tree").settled()


def test_choices_have_methods_and_sizes(monkeypatch):
    """Each form of a game has its methods, the default one, its size, and an error if it is too large."""
    tree, rules = choices(td.load_game("leduc"))
    assert (tree.form, tree.default, tree.size.numbers["histories"]) == ("tree", "ema", 1936)
    assert rules.methods == ["external", "outcome", "oos"] and rules.default == "external" and not rules.error
    monkeypatch.setattr("tefuda.holdem.buckets.solver.MEMORY", 1e6)
    (buckets,) = choices(td.load_game("holdem", limit=True), {"counts": [169, 90, 90, 90]})
    assert buckets.size.bytes > buckets.size.limit and "GB" in buckets.error
    (hands,) = choices(td.load_game("spot", **SPOT))
    assert hands.methods[0] == hands.default and hands.size.bytes < hands.size.limit


def test_the_goal_and_the_seed_are_those_of_the_job():
    """Without rules to stop, the goal is that of the method."""
    kuhn = compiled("kuhn")
    assert Job.of(kuhn, "cfr").goal == td.Goal(iterations=1000)
    assert Job.of(td.load_game("kuhn"), "lp").form()[1].goal == td.Goal(iterations=td.METHODS["lp"].default_iterations)
    one, two, again = (Job.of(kuhn, "external", goal=td.Goal(5), seed=seed).run().strategy for seed in (1, 2, 1))
    assert one.probabilities.tolist() == again.probabilities.tolist() != two.probabilities.tolist()


def test_a_users_method_is_not_loaded_from_a_run(tmp_path):
    """A run of a method that is not given is read and loaded, and not resumed."""
    form, method = own_form()
    td.solve(form, method, iterations=3, checkpoint=tmp_path)
    job = Job.read(tmp_path, game=form)
    assert isinstance(job.method, RecordedMethod) and job.method.parameters() == method.parameters()
    with pytest.raises(td.errors.ParameterError, match="method of the user"):
        job.resume(tmp_path)


def test_a_plan_is_a_job_that_has_not_begun(tmp_path):
    job = Job.of(td.load_game("kuhn", players=3), "cfr", goal=td.Goal(iterations=3), seed=2).settled()
    write_json(tmp_path / PLAN_FILE, job.to_json())
    assert Job.read(tmp_path) == job and Job.read(tmp_path).run().iterations == 3
    write_json(tmp_path / PLAN_FILE, {**job.to_json(), "goal": {}})
    with pytest.raises(td.errors.RunError, match=PLAN_FILE):
        Job.read(tmp_path)


def test_evaluators_of_runs(tmp_path):
    """A given evaluator must be that of the run; one that is known by its settings alone cannot evaluate."""
    agent = td.named_agents(td.load_game("kuhn"), ["random"])[0]
    evaluator = td.HeadToHead(agent)
    td.solve(td.load_game("kuhn"), "cfr", iterations=2, evaluator=evaluator, checkpoint=tmp_path)
    job = Job.read(tmp_path)
    assert job.evaluator.parameters() == evaluator.parameters()
    with pytest.raises(td.errors.ParameterError, match="evaluator"):
        job.resume(tmp_path)
    with pytest.raises(td.errors.ParameterError, match="evaluator"):
        Job.read(tmp_path, evaluator=td.NoEvaluation())
    assert Job.read(tmp_path, evaluator=evaluator).resume(tmp_path, td.Goal(iterations=3)).iterations == 3


def test_a_simulator_is_of_the_tree_or_of_the_views(monkeypatch):
    """Rules are simulated by their views if the tree is too large, and a warning says so."""
    assert Job.of(td.load_game("kuhn"), "nfsp", representation="simulator").form()[0].source == "tree"
    monkeypatch.setattr(size, "free_memory", lambda: 0.0)
    game = td.load_game("goofspiel", cards=3)
    with pytest.warns(RuntimeWarning, match="Using the rules instead"):
        form, job = Job.of(game, "nfsp", representation="simulator").form()
    assert form.source == "views" and job.fields == {"source": "views"}
