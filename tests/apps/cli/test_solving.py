"""The command ``tefuda solve``: output, refused options, and response time."""

from pathlib import Path

import pytest

import tefuda as td
from tests.apps.conftest import last_json
from tests.edge_games import Forgets


def test_solve_leduc_prints_value_and_nash_conv(tefuda):
    """Value -0.0856064 (linear programming) and NashConv in its known range."""
    found = last_json(tefuda("solve", "leduc", "--method", "cfr+", "--iterations", 1000, "--json"))
    assert {"game", "method", "iterations", "nash_conv", "exploitability", "values", "seconds", "run"} <= set(found)
    assert 0.0004 <= found["nash_conv"] <= 0.00065
    assert found["values"][0] == pytest.approx(-0.0856064, abs=2e-4)
    assert found["exploitability"] == found["nash_conv"] / 2


def test_default_method_is_named(tefuda):
    result = tefuda("solve", "kuhn")
    assert "recommended" in result.stderr and "NashConv" in result.stdout and "saved in" in result.stdout


def test_a_run_can_be_shown_evaluated_and_resumed(tefuda):
    first = last_json(tefuda("solve", "kuhn", "--method", "cfr", "--order", "simultaneous", "--out", "r", "--json"))
    assert first["method_parameters"]["order"] == "simultaneous"
    for named in (("r",), ("--run", "r")):
        assert last_json(tefuda("evaluate", *named, "--players", 2, "--json"))["nash_conv"] == first["nash_conv"]
    again = last_json(tefuda("solve", "--resume", "r", "--iterations", 2000, "--json"))
    straight = td.solve(td.load_game("kuhn"), td.find_method("cfr", {"order": "simultaneous"}), iterations=2000)
    assert again["nash_conv"] == straight.nash_conv
    assert last_json(tefuda("show", "r", "--infoset", "K|", "--json"))["profile"]["1: K|b"]["b"] > 0.99
    assert "J|pb" in tefuda("show", "r", "--all").stdout


def test_the_cure_for_imperfect_recall_works(tefuda):
    """Uniform play is worth 1.5; sampling finds c, which is worth 2, and evaluate shows it."""
    td.games.write_efg(Forgets(), "forgets.efg")
    game = ("efg", "--path", "forgets.efg")
    refused = tefuda("solve", *game, code=2)
    assert "--method external --evaluator none" in refused.stderr
    tefuda("solve", *game, "--method", "external", "--evaluator", "none", "--iterations", 2000, "--out", "r")
    found = last_json(tefuda("evaluate", "r", "--json"))
    assert found["values"] == pytest.approx([2, -2], abs=0.02) and found["nash_conv"] is None
    assert last_json(tefuda("evaluate", *game, "--profile", "uniform", "--json"))["values"] == [1.5, -1.5]
    assert "imperfect recall" in tefuda("evaluate", "r").stdout


def test_show_lists_the_runs_of_a_folder(tefuda):
    first = last_json(tefuda("solve", "kuhn", "--iterations", 10, "--out", "runs/first", "--json"))
    Path("runs/bad").mkdir()
    Path("runs/bad/run.json").write_text("{")
    good, bad = last_json(tefuda("show", "runs", "--json"))
    assert (good["id"], good["figure"]["value"], good["error"]) == ("first", first["nash_conv"], "")
    assert (bad["id"], bad["status"]) == ("bad", "damaged")
    assert {"first", "bad"} <= set(tefuda("show", "runs").stdout.split())


def test_options_of_methods_are_applied(tefuda):
    options = ("--averaging", "quadratic", "--delay", 5, "--convention", "opp", "--set", "alpha=1.5")
    found = last_json(tefuda("solve", "kuhn", "--method", "cfr+", *options, "--iterations", 20, "--json"))
    parameters = found["method_parameters"]
    assert [parameters[name] for name in ("averaging", "delay", "convention", "alpha")] == [2.0, 5, "opp", 1.5]


def test_tree_evaluate_games_compare_and_reproduce(tefuda):
    sizes = last_json(tefuda("inspect", "leduc", "--players", 3, "--json"))
    assert (sizes["terminals"], sizes["infosets"]) == (126_996, 7_428)
    assert "no fault" in tefuda("inspect", "kuhn", "--check", "--play", 1).stdout
    uniform = last_json(tefuda("evaluate", "leduc", "--profile", "uniform", "--json"))
    assert uniform["nash_conv"] == pytest.approx(1709 / 360, abs=1e-12)
    assert {"kuhn", "leduc", "rps", "matrix", "sampled"} <= set(last_json(tefuda("games", "--json")))
    both = last_json(tefuda("compare", "kuhn", "--methods", "cfr,cfr+", "--iterations", 50, "--until", 0, "--json"))
    assert [one["method"] for one in both["groups"]] == ["cfr", "cfr+"]


def test_sampling_from_the_command_line(tefuda):
    """Fields of the method are options; nodes may be written as 1e5 and are in the curve."""
    options = ("--method", "robust", "--k", 2, "--batch", 100, "--rule", "rm+", "--nodes", "1e5", "--seed", 3)
    found = last_json(tefuda("solve", "leduc", "--ranks", 3, *options, "--json"))
    assert found["method_parameters"]["k"] == 2 and found["method_parameters"]["rule"] == "rm+"
    assert found["game_parameters"]["ranks"] == 3 and 1e5 <= found["nodes"] < 1.2e5
    curve = last_json(tefuda("show", found["run"], "--json"))["curve"]
    assert curve[-1]["nodes"] == found["nodes"]
    more = last_json(tefuda("solve", "--resume", found["run"], "--nodes", "2e5", "--json"))
    again = last_json(tefuda("solve", "leduc", "--ranks", 3, *options[:-4], "--nodes", "2e5", "--seed", 3, "--json"))
    assert more["nash_conv"] == again["nash_conv"] and more["nodes"] == again["nodes"]


def test_compare_draws_a_picture(tefuda, tmp_path):
    pytest.importorskip("matplotlib")
    result = tefuda("compare", "kuhn", "--methods", "cfr+,ema,lp", "--until", 1e-3, "--png", "curves.png")
    assert "cfr+" in result.stdout and (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_rules_are_sampled_without_a_tree(tefuda, method):
    """A resumed run equals an uninterrupted one; deals of ten players are too many to list."""
    words = ("solve", "kuhn", "--players", 10, "--as", "rules", "--method", method, "--seed", 2)
    found = last_json(tefuda(*words, "--iterations", 4, "--out", "whole", "--json"))
    assert (found["iterations"], found["form"]) == (4, {"representation": "rules", "memory": 2e9})
    tefuda(*words, "--iterations", 2, "--out", "kept")
    more = last_json(tefuda("solve", "--resume", "kept", "--iterations", 4, "--json"))
    assert more["nodes"] == found["nodes"] == last_json(tefuda("show", "kept", "--json"))["nodes"]
    assert td.load("kept").strategy.weights == td.load("whole").strategy.weights
    assert (
        "fill the memory"
        in tefuda("solve", "--resume", "kept", "--as", "rules", "--memory", 1, "--iterations", 5).stdout
    )
    assert tefuda("evaluate", "kept").stdout


NO_TREE_REFUSED = {
    "another method": (("--method", "cfr+"), "as rules"),
    "a goal that a lower bound cannot show": (("--until", 0.1), "needs NashConv"),
    "no iterations": (("--iterations", 0), "iterations is 0"),
    "no memory": (("--memory", 0), "memory is 0"),
    "a run that there is": (("--out", "kept"), "kept"),
    "a run of a tree": (("--resume", "kept"), "leave --as out"),
}


@pytest.mark.parametrize("what", NO_TREE_REFUSED)
def test_sampling_without_a_tree_refuses_options_that_need_one(tefuda, tmp_path, what):
    tefuda("solve", "kuhn", "--iterations", 1, "--out", "kept")
    before = (tmp_path / "kept" / "run.json").read_bytes()
    words, cure = NO_TREE_REFUSED[what]
    result = tefuda("solve", *(() if "--resume" in words else ("kuhn",)), "--as", "rules", *words, code=2)
    assert cure in result.stderr and "Traceback" not in result.stderr
    assert (tmp_path / "kept" / "run.json").read_bytes() == before
    assert "--as rules" in tefuda("solve", "kuhn", "--memory", 1e6, code=2).stderr
    assert "leave --memory out" in tefuda("solve", "--resume", "kept", "--memory", 1e6, code=2).stderr


@pytest.mark.parametrize("method", ["cfr+", "lp", "external", "nfsp"])
def test_a_solution_is_drawn(tefuda, tmp_path, method):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    words = ("solve", "kuhn", "--method", method, "--iterations", 1 if method == "lp" else 20, "--out", "kept")
    assert "curve.png" in tefuda(*words, "--png", "curve.png").stdout
    assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
    if method != "lp":
        found = last_json(tefuda("solve", "--resume", "kept", "--iterations", 30, "--png", "more.svg", "--json"))
        assert found["iterations"] == 30 and "<svg" in (tmp_path / "more.svg").read_text()


@pytest.mark.parametrize("words", [
    ("--evaluator", "none", "--png", "a.png"), ("--png", "a.xyz"), ("--png", "nowhere/a.png"),
    ("--exact", "--png", "a.png"), ("--as", "rules", "--evaluator", "none", "--png", "a.png"),
])  # fmt: skip
def test_pictures_that_cannot_be_drawn_are_refused_before_the_work(tefuda, tmp_path, words):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    tefuda("solve", "kuhn", *words, code=2)
    assert not list(tmp_path.iterdir())


def test_a_custom_method(tefuda, tmp_path):
    """Each command with methods accepts a rule from a file; resuming requires naming it again."""
    rule = (Path(__file__).parents[3] / "examples" / "vad_cfr.py").read_text()
    (tmp_path / "own.py").write_text(rule.replace("delay=500", "delay=5"))
    found = last_json(
        tefuda("solve", "kuhn", "--method", "own.py:VAD_CFR", "--iterations", 50, "--out", "run", "--json")
    )
    assert found["method"] == "vad-cfr" and found["method_parameters"]["state"] == ["volatility"]
    assert "--method FILE.py:NAME" in tefuda("solve", "--resume", "run", "--iterations", 60, code=2).stderr
    tefuda("solve", "--resume", "run", "--method", "cfr", code=2)
    again = ("solve", "--resume", "run", "--method", "own.py:VAD_CFR", "--iterations", 60, "--json")
    assert last_json(tefuda(*again))["iterations"] == 60
    tefuda(*again[:5], "--averaging", 2, code=2)
    assert last_json(tefuda("show", "run", "--json"))["method"] == "vad-cfr"
    pair = ("--methods", "own.py:VAD_CFR,cfr+", "--iterations", 20, "--json")
    compared = last_json(tefuda("compare", "kuhn", *pair, "--workers", 2))
    assert [group["method"] for group in compared["groups"]] == ["vad-cfr", "cfr+"]
    assert "no_such" in tefuda("solve", "kuhn", "--method", "own.py:no_such", code=2).stderr


@pytest.mark.parametrize(
    "payoffs, value",
    [("[[0.1,0],[0,0.2]]", "1/15"), ("[[1/3, 0], [0, 2/3]]", "2/9"), ('[["2/5",0],[0,"2/5"]]', "1/5"),
     ("[[0.10000000000000000000000001]]", "10000000000000000000000001/100000000000000000000000000"),
     ("[[9007199254740993]]", "9007199254740993"), ("[[-1/4,-1/4]]", "-1/4")],
)  # fmt: skip
def test_exact_payoffs_on_the_command_line(tefuda, payoffs, value):
    found = last_json(tefuda("solve", "matrix", "--payoffs", payoffs, "--exact", "--json"))
    assert found["certified"] and found["values"][0] == value


def test_all_equilibria(tefuda):
    """Ranges of a constant-sum tree, extreme equilibria of a table, and limits."""
    found = last_json(tefuda("solve", "kuhn", "--all", "--json"))["players"]
    assert found[0]["ranges"]["0: J|"]["b"] == ["0", "1/3"] and [each["fixed"] for each in found] == [5, 13]
    assert "0 to 1/3" in tefuda("solve", "kuhn", "--all").stdout
    table = ("solve", "matrix", "--payoffs", "[[[3,3],[3,3]],[[2,2],[5,6]],[[0,3],[6,1]]]", "--all")
    found = last_json(tefuda(*table, "--json"))
    assert [each["values"] for each in found["equilibria"]] == [["3", "3"], ["3", "3"], ["4", "8/3"]]
    assert found["complete"] and found["components"] == [[0, 1], [2]]
    assert not last_json(tefuda(*table, "--method", "lemke", "--json"))["complete"]
    assert "may be wider" in tefuda("solve", "kuhn", "--all", "--seconds", 0).stdout
    assert last_json(tefuda("solve", "kuhn", "--all", "--seconds", 0, "--json"))["players"][0]["fixed"] is None
    few = last_json(tefuda(*table, "--most", 1, "--json"))
    assert len(few["equilibria"]) == 1 and not few["complete"] and not few["components"]
    ends = last_json(tefuda("solve", "kuhn", "--all", "--method", "vertices", "--json"))
    assert ends["vertices"] == [2, 1] and [each["profile"]["0: J|"]["b"] for each in ends["equilibria"]] == ["0", "1/3"]
    assert "Gambit" in tefuda("solve", "kuhn", "--players", 3, "--all", code=2).stderr
    pennies = ("solve", "matching_pennies", "--players", 3, "--all", "--method", "pure")
    assert "0 equilibria (all pure equilibria)" in tefuda(*pennies).stdout
    assert "--most" in tefuda("solve", "kuhn", "--iterations", 5, "--most", 1, code=2).stderr
    assert "most" in tefuda(*table, "--most", -1, code=2).stderr
    assert "--iterations" in tefuda("solve", "kuhn", "--all", "--iterations", 5, code=2).stderr


def test_sensible_answers(tefuda):
    """The method's option, and the polynomial of the exact answer."""
    found = last_json(tefuda("solve", "kuhn", "--exact", "--json"))
    assert found["refined"] and found["polynomial"] == ["-1/18", "7/18", "0", "-1/3"] and not found["reason"]
    tefuda("solve", "leduc", "--method", "lp", "--off-path", "floors", "--out", "run")
    found = last_json(tefuda("evaluate", "run", "--json"))
    assert found["off_path_regret"] <= 2e-3 and found["dominated_actions"] == 0 and found["nash_conv"] < 4e-3
    assert "off-path regret" in tefuda("evaluate", "run").stdout
    assert "--off-path floors" in tefuda("solve", "leduc", "--method", "lp").stdout
    assert "--off-path" not in tefuda("solve", "kuhn", "--method", "lp").stdout
    assert "--off-path" in tefuda("solve", "kuhn", "--method", "lp", "--off-path", "best", code=2).stderr


def test_a_history_of_a_tree(tefuda):
    tefuda("solve", "kuhn", "--method", "lp", "--out", "run")
    found = last_json(tefuda("show", "run", "--line", "Q J~b~b", "--json"))
    assert found["mark"] is None and found["values"] == [2, -2]
    found = last_json(tefuda("show", "run", "--line", "Q J~b", "--json"))
    assert (found["mark"], found["infoset"]) == ("on", "1: J|b") and found["actions"][0]["share"] == 1
    assert "1: J|b: on the path" in tefuda("show", "run", "--line", "Q J~b").stdout
    assert "-0.0556" in tefuda("show", "run", "--line", "root").stdout
    assert "Known" in tefuda("show", "run", "--line", "x", code=2).stderr
    assert "--classes" in tefuda("show", "run", "--line", "Q J~b", "--classes", code=2).stderr


def test_a_run_keeps_the_payoffs_as_written(tefuda):
    tefuda("solve", "matrix", "--payoffs", "[[1/3,0],[0,2/3]]", "--iterations", 10, "--out", "r")
    assert last_json(tefuda("solve", "r", "--exact", "--json"))["values"][0] == "2/9"


def test_files_in_place_of_games(tefuda):
    tefuda("export", "kuhn", "--to", "kuhn.efg")
    assert last_json(tefuda("solve", "kuhn.efg", "--exact", "--json"))["values"][0] == "-1/18"
    assert last_json(tefuda("inspect", "kuhn.efg", "--json"))["terminals"] == 30
    assert last_json(tefuda("evaluate", "kuhn.efg", "--profile", "uniform", "--json"))["nash_conv"] > 0.9
    Path("x.nfg").write_text('NFG 1 R "x" { "Ann" "Ben" } { 2 2 } 1 -1 0 0 0 0 2 -2')
    assert last_json(tefuda("solve", "x.nfg", "--exact", "--json"))["values"] == ["2/3", "-2/3"]
    tefuda("export", "x.nfg", "--to", "y.nfg")
    assert last_json(tefuda("solve", "y.nfg", "--exact", "--json"))["values"] == ["2/3", "-2/3"]
    for words in (("efg", "--path", "x.nfg"), ("nfg", "--path", "kuhn.efg"), ("kuhn.efg", "--path", "kuhn.efg")):
        assert tefuda("solve", *words, code=2).stderr
    assert "write_efg" in tefuda("export", "kuhn", "--to", "kuhn.nfg", code=2).stderr


def test_views_of_two_lines_are_printed_in_one(tefuda):
    Path("two.py").write_text(
        "from tefuda.games.small.matrix import Matrix\n"
        "class Two(Matrix):\n"
        "    def __init__(self):\n"
        "        super().__init__([[1, 0], [0, 1]], name='two')\n"
        "    def view(self, state, player):\n"
        "        return 'first\\nsecond'\n"
    )
    for words in (("--exact",), ("--iterations", 10)):
        assert r"0: first\nsecond" in tefuda("solve", "two.py:Two", *words).stdout
