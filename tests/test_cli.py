"""The command line: what it prints, what it refuses, and how fast it answers."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import tefuda as tf
from tefuda.apps.cli import app
from tefuda.papers import nfsp_exploration

OWN_GAME = '''
class HighCard:
    """Two players get a different card of three; player 0 may stop or double, the higher card wins."""

    name, players = "high_card", 2

    def root(self): return ()
    def player(self, state): return (-1, 0, -2)[len(state)]
    def actions(self, state): return ("stop", "double")
    def chances(self, state): return tuple((pair, 1 / 6) for pair in ("12", "13", "21", "23", "31", "32"))
    def child(self, state, action): return (*state, action)
    def payoffs(self, state):
        stake = (1 if state[0][0] > state[0][1] else -1) * (2 if state[1] == "double" else 1)
        return (stake, -stake)
    def view(self, state, player): return state[0][player]
'''


@pytest.fixture
def tefuda(tmp_path, monkeypatch):
    """Run the command in an empty folder; give its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output + str(result.exception)
        return result

    return run


def last_json(result):
    return json.loads(result.stdout.strip().splitlines()[-1])


def test_solve_leduc_prints_what_is_asked(tefuda):
    """Value -0.0856064 (linear programming); NashConv within the range of row F2."""
    found = last_json(tefuda("solve", "leduc", "--method", "cfr+", "--iterations", 1000, "--json"))
    assert {"game", "method", "iterations", "nash_conv", "exploitability", "values", "seconds", "run"} <= set(found)
    assert 0.0004 <= found["nash_conv"] <= 0.00065
    assert found["values"][0] == pytest.approx(-0.0856064, abs=2e-4)
    assert found["exploitability"] == found["nash_conv"] / 2


def test_default_method_is_named(tefuda):
    result = tefuda("solve", "kuhn")
    assert "recommended" in result.stderr and "NashConv" in result.stdout and "saved in" in result.stdout


def test_a_run_can_be_shown_judged_and_resumed(tefuda):
    first = last_json(tefuda("solve", "kuhn", "--method", "cfr", "--order", "simultaneous", "--out", "r", "--json"))
    assert first["method_parameters"]["order"] == "simultaneous"
    assert last_json(tefuda("evaluate", "r", "--json"))["nash_conv"] == first["nash_conv"]
    again = last_json(tefuda("solve", "--resume", "r", "--iterations", 2000, "--json"))
    straight = tf.solve(tf.load_game("kuhn"), tf.find_method("cfr", {"order": "simultaneous"}), iterations=2000)
    assert again["nash_conv"] == straight.nash_conv
    assert last_json(tefuda("show", "r", "--infoset", "K|", "--json"))["profile"]["1: K|b"]["b"] > 0.99
    assert "J|pb" in tefuda("show", "r", "--all").stdout


def test_options_of_methods_reach_them(tefuda):
    options = ("--averaging", "quadratic", "--delay", 5, "--convention", "opp", "--set", "alpha=1.5")
    found = last_json(tefuda("solve", "kuhn", "--method", "cfr+", *options, "--iterations", 20, "--json"))
    parameters = found["method_parameters"]
    assert [parameters[name] for name in ("averaging", "delay", "convention", "alpha")] == [2.0, 5, "opp", 1.5]


def test_tree_evaluate_games_compare_and_reproduce(tefuda):
    sizes = last_json(tefuda("tree", "leduc", "--players", 3, "--json"))
    assert (sizes["terminals"], sizes["infosets"]) == (126_996, 7_428)
    assert "no fault" in tefuda("tree", "kuhn", "--check", "--play", 1).stdout
    uniform = last_json(tefuda("evaluate", "leduc", "--profile", "uniform", "--json"))
    assert uniform["nash_conv"] == pytest.approx(1709 / 360, abs=1e-12)
    assert {"kuhn", "leduc", "rps", "matrix", "sampled"} <= set(last_json(tefuda("games", "--json")))
    both = last_json(tefuda("compare", "kuhn", "--methods", "cfr,cfr+", "--iterations", 50, "--until", 0, "--json"))
    assert [one["method"] for one in both["solutions"]] == ["cfr", "cfr+"]


def test_sampling_from_the_command_line(tefuda):
    """Fields of the method are options; nodes may be written 1e5; the curve counts them."""
    options = ("--method", "robust", "--k", 2, "--batch", 100, "--rule", "rm+", "--nodes", "1e5", "--seed", 3)
    found = last_json(tefuda("solve", "leduc", "--ranks", 3, *options, "--json"))
    assert found["method_parameters"]["k"] == 2 and found["method_parameters"]["rule"] == "rm+"
    assert found["game_parameters"]["ranks"] == 3 and 1e5 <= found["nodes"] < 1.2e5
    curve = last_json(tefuda("show", found["run"], "--json"))["curve"]
    assert curve[-1]["nodes"] == found["nodes"]
    more = last_json(tefuda("solve", "--resume", found["run"], "--nodes", "2e5", "--json"))
    again = last_json(tefuda("solve", "leduc", "--ranks", 3, *options[:-4], "--nodes", "2e5", "--seed", 3, "--json"))
    assert more["nash_conv"] == again["nash_conv"] and more["nodes"] == again["nodes"]


def test_sweep_and_experiments_with_options(tefuda, tmp_path, monkeypatch, in_threads):
    """A sweep prints means over seeds and is not run twice; experiments take and refuse options."""
    options = ("--methods", "external,cfr+", "--seeds", "2", "--iterations", "2e3", "--folder", tmp_path / "kept")
    found = last_json(tefuda("sweep", "kuhn", *options, "--json"))
    assert [(group["method"], len(group["runs"])) for group in found["groups"]] == [("external", 2), ("cfr+", 2)]
    assert found["groups"][1]["deviation"] == 0.0
    assert "NashConv over seeds" in tefuda("sweep", "kuhn", *options, "--png", tmp_path / "curves.png").stdout
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    monkeypatch.setattr(nfsp_exploration, "EPSILONS", (0.01, 0.05, 0.1))
    small = ("--games", 1000, "--seeds", 1, "--workers", 1, "--folder", tmp_path / "table", "--json")
    table = last_json(tefuda("reproduce", "nfsp-exploration", *small, "--png", tmp_path / "figure.png", code=1))
    assert not table["met"] and (tmp_path / "figure.png").stat().st_size > 10_000


def test_matches(tefuda, tmp_path):
    """Exact where nobody learns; hands are written; the exploiter finds the weak one."""
    fixed = last_json(tefuda("match", "leduc", "--agents", "always-raise,uniform", "--json"))
    assert fixed["exact"] and fixed["deals"] == 0 and sum(fixed["mean"]) == pytest.approx(0, abs=1e-12)
    options = ("--players", 3, "--agents", "exploiter,equilibrium,always-raise", "--hands", 20, "--seed", 1)
    found = tefuda("match", "leduc", *options, "--record", tmp_path / "hands.jsonl")
    assert "exploiter" in found.stdout and "by seating" in found.stdout
    assert len((tmp_path / "hands.jsonl").read_text().splitlines()) == 1 + 6 * 20
    assert "always-call" in tefuda("match", "leduc").stdout


def test_matches_with_less_luck(tefuda, tmp_path):
    """An equilibrium against one who learns: AIVAT's error is far below that of chips."""
    options = ("--agents", "equilibrium,exploiter", "--hands", 60, "--replicates", 3)
    found = last_json(tefuda("match", "leduc", *options, "--aivat", "--json"))
    assert list(found["aivat"]) == ["equilibrium"] and found["replicates"] == 3 and found["deals"] == 180
    mean, error = found["aivat"]["equilibrium"]
    low, high = found["interval"][0]
    assert abs(mean) < 0.05 and error < 0.01 and (low < mean < high or low == high)
    record = tmp_path / "hands.jsonl"
    assert "AIVAT" in tefuda("match", "leduc", *options, "--aivat", "--record", record).stdout
    again = last_json(tefuda("hands", "leduc", record, "--agents", "equilibrium,exploiter", "--json"))
    assert again["aivat"] == found["aivat"] and again["mean"] == found["mean"]
    turned = last_json(tefuda("hands", "leduc", record, "--agents", "exploiter,equilibrium", "--json"))
    assert turned == again  # agents go by their names, not by their order
    assert "AIVAT" not in tefuda("hands", "leduc", record).stdout
    for names in ("uniform", "equilibrium,uniform", "equilibrium,equilibrium", "equilibrium,exploiter,uniform"):
        refused = tefuda("hands", "leduc", record, "--agents", names, code=2).stderr
        assert "played by equilibrium, exploiter; got " in " ".join(refused.split())
    assert "cannot read" in tefuda("hands", "leduc", tmp_path / "none", code=2).stderr


def test_tournament(tefuda):
    found = last_json(tefuda("tournament", "kuhn", "--agents", "uniform,always-raise,always-pass", "--json"))
    assert found["won"][1][2] == pytest.approx(1) and found["error"][1][2] == 0  # a bet takes the ante
    assert "wins from" in tefuda("tournament", "kuhn", "--agents", "uniform,always-raise").stdout


def test_exploiting(tefuda, tmp_path):
    """The frontier of restricted Nash responses ends at the best response; the picture is written."""
    tefuda("exploit", "kuhn", "--opponent", "uniform", "--png", tmp_path / "frontier.png")
    assert (tmp_path / "frontier.png").stat().st_size > 10_000
    found = last_json(tefuda("exploit", "kuhn", "--opponent", "uniform", "--json"))
    assert found["value"] == pytest.approx(-1 / 18) and found["frontier"][-1]["exploitation"] == pytest.approx(0.5)
    safe = last_json(tefuda("exploit", "kuhn", "--opponent", "always-raise", "--method", "safe", "--json"))
    assert safe["frontier"][3]["exploitation"] == pytest.approx(0.211111, abs=1e-6)


def test_lists(tefuda):
    assert {"cfr", "lp", "external", "oos"} <= set(last_json(tefuda("methods", "--json")))
    assert "vr-mccfr" in tefuda("methods").stdout
    assert {"kuhn-cfr", "mccfr-sampling"} <= set(last_json(tefuda("reproduce", "--json")))
    assert "chance-sampled" in tefuda("reproduce").stdout


def test_ones_own_game(tefuda, tmp_path):
    """Doubling the top card and stopping with the lowest is worth 1/3 of a chip: (2 - 1 + 0) / 3."""
    (tmp_path / "own.py").write_text(OWN_GAME)
    found = last_json(tefuda("solve", "own.py:HighCard", "--until", 1e-6, "--json"))
    assert found["values"][0] == pytest.approx(1 / 3, abs=1e-5)


def test_a_kept_run_of_ones_own_game(tefuda, tmp_path):
    """A run never executes what it names: the game is named again, and must be the same."""
    (tmp_path / "own.py").write_text(OWN_GAME)
    words = tefuda("solve", "own.py:HighCard", "--out", "run", "--iterations", 100).stdout
    assert "tefuda show run --game own.py:HighCard" in words
    again = tefuda("show", "run", "--game", "own.py:HighCard").stdout
    assert again.splitlines()[-1] == words.splitlines()[-1]
    assert "NashConv" in tefuda("evaluate", "run", "--game", "own.py:HighCard").stdout
    assert "200 iterations" in tefuda("solve", "own.py:HighCard", "--resume", "run", "--iterations", 200).stdout
    assert "--game FILE.py:Class" in tefuda("show", "run", code=2).stderr
    assert "other rules" in tefuda("show", "run", "--game", "kuhn", code=2).stderr


def test_matrix_game_from_the_command_line(tefuda):
    """Matching pennies with stakes 3 and 1: both rows earn 1/3 if the first is played a third of the time."""
    found = last_json(tefuda("solve", "matrix", "--payoffs", "[[3,-1],[-1,1]]", "--until", 1e-6, "--json"))
    assert found["values"][0] == pytest.approx(1 / 3, abs=1e-5)  # (3*1 - 1) / (3 + 1 + 2)


def test_exact_answers_and_gambits_files(tefuda):
    found = last_json(tefuda("solve", "kuhn", "--exact", "--json"))
    assert (found["certified"], found["values"]) == (True, ["-1/18", "1/18"])
    assert "certified" in tefuda("solve", "rps", "--exact").stdout
    last_json(tefuda("export", "kuhn", "--to", "kuhn.efg", "--json"))
    again = last_json(tefuda("solve", "efg", "--path", "kuhn.efg", "--method", "lp", "--json"))
    assert again["values"][0] == pytest.approx(-1 / 18, abs=1e-12) and again["nash_conv"] < 1e-12
    # The run names the file, so it is found again.
    assert last_json(tefuda("show", again["run"], "--json"))["nash_conv"] == again["nash_conv"]


def test_compare_draws_a_picture(tefuda, tmp_path):
    pytest.importorskip("matplotlib")
    result = tefuda("compare", "kuhn", "--methods", "cfr+,ema,lp", "--until", 1e-3, "--png", "curves.png")
    assert "cfr+" in result.stdout and (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


REFUSED = {
    "unknown game": (("solve", "ledoc"), "Did you mean 'leduc'?"),
    "unknown method": (("solve", "kuhn", "--method", "crf"), "Did you mean 'cfr'?"),
    "unknown parameter": (("solve", "kuhn", "--playres", "3"), "players"),
    "parameter out of range": (("solve", "kuhn", "--players", "1"), "at least 2|from 2 to"),
    "negative iterations": (("solve", "kuhn", "--iterations", "-3"), "at least 1"),
    "delay too long": (("solve", "kuhn", "--delay", "5", "--iterations", "5"), "smaller delay"),
    "bad order": (("solve", "kuhn", "--order", "sideways"), "alternating or simultaneous"),
    "opp with three players": (("solve", "kuhn", "--players", "3", "--convention", "opp"), "two players"),
    "nodes of full sweeps": (("solve", "kuhn", "--method", "cfr", "--nodes", "1e5"), "sampling methods count nodes"),
    "workers of full sweeps": (("solve", "kuhn", "--workers", "2"), "one process"),
    "half a node": (("solve", "kuhn", "--method", "external", "--nodes", "10.5"), "whole number"),
    "biased sampling": (("solve", "kuhn", "--method", "outcome", "--epsilon", "0"), "bias"),
    "unknown field": (("solve", "kuhn", "--set", "gama=3"), "gamma|averaging"),
    "nothing to solve": (("solve",), "which game"),
    "no run": (("solve", "--resume", "nowhere"), "holds no run"),
    "no such run": (("show", "nowhere"), "holds no run"),
    "no such player": (("show", "kept", "--player", "7"), "player"),
    "no profile": (("evaluate", "kuhn"), "--profile uniform"),
    "run in the way": (("solve", "kuhn", "--out", "kept"), "already holds a run"),
    "unknown agent": (("match", "kuhn", "--agents", "uniform,nobody"), "unknown agent"),
    "too few agents": (("match", "kuhn", "--agents", "uniform"), "2 players"),
    "a way that is none": (("exploit", "kuhn", "--method", "luck"), "rnr"),
    "three to exploit": (("exploit", "kuhn", "--players", "3"), "two players"),
    "unknown option of a paper": (("reproduce", "kuhn-cfr", "--games", "5"), "unknown option '--games'"),
    "bad seeds": (("sweep", "kuhn", "--methods", "cfr", "--seeds", "x"), "numbers separated by commas"),
    "unknown paper": (("reproduce", "kuhn-crf"), "Did you mean 'kuhn-cfr'?"),
    "too large": (("solve", "leduc", "--players", "6"), "--force"),
    "damaged run": (("show", "damaged"), "damaged"),
    "run of another game": (("solve", "leduc", "--resume", "kept"), "not of this leduc"),
    "exact with three players": (("solve", "kuhn", "--players", "3", "--exact"), "two players"),
    "lp with three players": (("solve", "kuhn", "--players", "3", "--method", "lp"), "two players"),
    "no such efg": (("solve", "efg", "--path", "nowhere.efg"), "nowhere.efg"),
    "missing parameter": (("solve", "efg"), "path"),
    "unknown game of OpenSpiel": (("solve", "openspiel", "--game", "nonesuch"), "nonesuch"),
    "missing file": (("solve", "nothing.py:Game"), "nothing.py"),
    "no number of iterations": (("solve", "kuhn", "--iterations", "nan"), "whole number"),
    "endless iterations": (("compare", "kuhn", "--iterations", "inf"), "whole number"),
    "endless nodes": (("solve", "kuhn", "--method", "external", "--nodes", "inf"), "whole number"),
    "too many nodes": (("solve", "kuhn", "--method", "external", "--nodes", "1e17"), "at most 1e+15"),
    "no number of hands": (("match", "kuhn", "--agents", "uniform,uniform", "--hands", "nan"), "whole number"),
    "more hands than memory": (("match", "kuhn", "--agents", "uniform,uniform", "--play", "--hands", "1e12"), "GB"),
    "no hands": (("tournament", "kuhn", "--agents", "uniform,uniform", "--hands", "0"), "at least 1"),
    "endless seconds": (("solve", "kuhn", "--seconds", "inf"), "at least 0"),
    "no NashConv": (("solve", "kuhn", "--until", "nan"), "at least 0"),
    "no checkpoints": (("solve", "kuhn", "--checkpoint-seconds", "nan"), "at least 0"),
    "negative seed": (("solve", "kuhn", "--seed", "-1"), "seed is -1"),
    "negative seed of cards": (("match", "kuhn", "--agents", "uniform,uniform", "--seed", "-1"), "seed is -1"),
    "negative seed of games": (("tree", "kuhn", "--play", "1", "--seed", "-1"), "seed is -1"),
    "negative seed of several": (("compare", "kuhn", "--seed", "-1"), "seed is -1"),
    "negative seeds": (("sweep", "kuhn", "--methods", "cfr", "--seeds", "1,-1"), "seed is -1"),
    "one seed twice": (("sweep", "kuhn", "--methods", "cfr", "--seeds", "3,3"), "different seeds"),
    "a number of seeds": (("sweep", "kuhn", "--methods", "cfr", "--seeds", "999999999999"), "from 1 to 10000"),
    "negative games": (("tree", "kuhn", "--play", "-3"), "play is -3"),
    "neither true nor false": (("tree", "leduc", "--distinct-suits", "maybe"), "True or False"),
    "half a player": (("tree", "leduc", "--players", "2.5"), "whole number"),
    "a truth for a number": (("tree", "leduc", "--players"), "whole number"),
    "another method to go on with": (("solve", "--resume", "kept", "--method", "cfr"), "with --method ema"),
    "another seed to go on with": (("solve", "--resume", "kept", "--seed", "3"), "with --seed 0"),
    "another folder to go on in": (("solve", "--resume", "kept", "--out", "other"), "with --out kept"),
    "other fields to go on with": (("solve", "--resume", "kept", "--set", "alpha=9"), "with --alpha"),
    "other options to go on with": (("solve", "--resume", "kept", "--averaging", "9"), "with --averaging"),
    "another game to go on with": (("solve", "--resume", "kept", "--players", "3"), "--players 2"),
    "another game to judge": (("evaluate", "kept", "--players", "3"), "--players 2"),
    "a parameter nobody has": (("evaluate", "kept", "--playres", "3"), "--players"),
    "the game of no run": (("evaluate", "kuhn", "--profile", "uniform", "--game", "leduc"), "no run folder"),
    "fractions after a time": (("solve", "kuhn", "--exact", "--iterations", "5"), "--exact"),
    "a game behind its options": (("solve", "--players", "3", "kuhn"), "write the game first"),
    "an option for a game": (("tree", "--distinct-suits"), "the game comes first"),
    "which game of a file": (("solve", "own.py"), "own.py:MyGame"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_with_the_cure(tefuda, what, tmp_path):
    tf.solve(tf.load_game("kuhn"), iterations=3, checkpoint=tmp_path / "kept")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.json").write_bytes((tmp_path / "kept" / "run.json").read_bytes()[:200])
    before = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    arguments, cure = REFUSED[what]
    result = tefuda(*arguments, code=2)
    assert any(part in result.stderr for part in cure.split("|")), result.stderr
    assert "Traceback" not in result.stderr and not (tmp_path / "runs").exists()
    assert before == {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}


def test_options_that_a_run_has_are_no_contradiction(tefuda):
    tefuda("solve", "kuhn", "--method", "cfr+", "--seed", 3, "--delay", 2, "--out", "kept", "--iterations", 20)
    same = ("--method", "cfr+", "--seed", 3, "--set", "delay=2", "--out", "kept", "--players", 2)
    found = last_json(tefuda("solve", "--resume", "kept", *same, "--iterations", 30, "--json"))
    assert (found["iterations"], found["seed"], found["method_parameters"]["delay"]) == (30, 3, 2)
    judged = last_json(tefuda("evaluate", "kept", "--players", 2, "--json"))
    assert judged["nash_conv"] == found["nash_conv"]
    uniform = last_json(tefuda("evaluate", "kept", "--profile", "uniform", "--json"))
    assert uniform["nash_conv"] == pytest.approx(11 / 12)


BROKEN = {
    "own.py cannot be loaded: SyntaxError": "class G(:\n  pass",
    "ZeroDivisionError: division by zero (own.py, line 2)": "class G:\n    x = 1 / 0",
    "cannot be loaded: SystemExit": "import sys\nsys.exit(3)",
    "cannot be made: RuntimeError: no (own.py, line 2)": "class G:\n    def __init__(self): raise RuntimeError('no')",
    "it lacks root, player": "class G:\n    name, players = 'g', 2",
    "not a class or a function": "G = 3",
    "unknown class in own.py 'G'": "Game = 3",
}


@pytest.mark.parametrize("words", BROKEN)
def test_broken_files_of_ones_own(tefuda, tmp_path, words):
    (tmp_path / "own.py").write_text(BROKEN[words])
    result = tefuda("solve", "own.py:G", "--json", code=2)
    assert words in result.stderr and "Traceback" not in result.stderr
    assert words in last_json(result)["error"]


def test_json_is_json_always(tefuda):
    """Errors of ours and of the command line as objects, no NaN, and all that was asked for."""

    def strict(result):
        def refuse(text):
            raise AssertionError(text)

        return json.loads(result.stdout.strip().splitlines()[-1], parse_constant=refuse)

    assert "Did you mean 'kuhn'" in strict(tefuda("solve", "kuhm", "--json", code=2))["error"]
    assert "valid integer" in strict(tefuda("solve", "kuhn", "--seed", "x", "--json", code=2))["error"]
    one = tefuda("sweep", "kuhn", "--methods", "cfr", "--seeds", "1", "--iterations", "5", "--json")
    assert strict(one)["groups"][0]["deviation"] is None
    alone = tefuda("match", "kuhn", "--agents", "uniform,uniform", "--play", "--hands", 1, "--json")
    assert strict(alone)["mean"][0] == pytest.approx(0)
    found = strict(tefuda("tree", "kuhn", "--check", "--play", 2, "--json"))
    assert "no fault" in found["check"][0] and len(found["played"]) == 2 and found["infosets"] == 12
    assert "uniform" in strict(tefuda("match", "kuhn", "--json"))


def test_a_faulty_game_is_refused_with_the_histories(tefuda, tmp_path):
    (tmp_path / "own.py").write_text(OWN_GAME.replace("1 / 6) for", "1 / 7) for"))
    result = tefuda("solve", "own.py:HighCard", code=2)
    assert "sum to" in result.stderr and "at the root" in result.stderr
    forgetful = OWN_GAME.replace("return state[0][player]", "return 'card'").replace(
        'return ("stop", "double")', 'return ("stop", "double")[: 1 + (state[0] == "31")]'
    )
    (tmp_path / "own.py").write_text(forgetful)
    result = tefuda("solve", "own.py:HighCard", code=2)
    assert "actions differ" in result.stderr and "at 12" in result.stderr and "at 31" in result.stderr


def test_help_loads_nothing_heavy():
    """What makes ``tefuda --help`` answer in under 0.3 s: neither NumPy nor numba nor rich is imported."""
    code = (
        "import sys; sys.argv = ['tefuda', '--help']\n"
        "from tefuda.apps.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'torch', 'matplotlib', 'highspy'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "solve" in done.stdout and "reproduce" in done.stdout


@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_rules_are_sampled_without_a_tree(tefuda, tmp_path, method):
    """In two parts with a file as in one, bit for bit; deals of ten players are too many to list."""
    words = ("solve", "kuhn", "--players", 10, "--no-tree", "--method", method, "--seed", 2)
    found = last_json(tefuda(*words, "--iterations", 4, "--json"))
    assert (found["iterations"], found["file"], found["interrupted"]) == (4, None, False) and found["infosets"] > 30
    assert "2 iterations" in tefuda(*words, "--iterations", 2, "--out", "kept.npz").stdout
    more = tefuda(*words, "--iterations", 4, "--out", "kept.npz", "--json")
    assert "going on" in more.stderr and last_json(more) == {**found, "file": "kept.npz"}


NO_TREE_REFUSED = {
    "another method": (("--method", "cfr+"), "needs a tree"),
    "a goal without a tree": (("--until", 0.1), "--until can do nothing with --no-tree"),
    "no iterations": (("--iterations", 0), "iterations is 0"),
    "no memory": (("--memory", 0), "limit is 0"),
    "another seed": (("--out", "kept.npz", "--seed", 7), "was begun with --seed 0"),
    "another scheme": (("--out", "kept.npz", "--method", "oos"), "kept.npz is of"),
    "no such file of ours": (("--out", "other.npz"), "damaged"),
}


@pytest.mark.parametrize("what", NO_TREE_REFUSED)
def test_what_sampling_without_a_tree_refuses(tefuda, tmp_path, what):
    (tmp_path / "other.npz").write_bytes(b"x" * 100)
    tefuda("solve", "kuhn", "--no-tree", "--iterations", 1, "--out", "kept.npz")
    before = (tmp_path / "kept.npz").read_bytes()
    words, cure = NO_TREE_REFUSED[what]
    result = tefuda("solve", "kuhn", "--no-tree", *words, code=2)
    assert cure in result.stderr and "Traceback" not in result.stderr
    assert (tmp_path / "kept.npz").read_bytes() == before and (tmp_path / "other.npz").read_bytes() == b"x" * 100
    assert "--no-tree" in tefuda("solve", "kuhn", "--memory", 1e6, code=2).stderr


def test_hands_that_cannot_be_written_are_refused_before_the_match(tefuda, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN_GAME.replace('"stop", "double"', 'frozenset("s"), "double"'))
    monkeypatch.setattr("tefuda.playing.match.duplicate_match", lambda *_, **__: pytest.fail("it was played"))
    result = tefuda("match", "own.py:HighCard", "--agents", "uniform,uniform", "--record", "h.jsonl", code=2)
    assert "labels must be texts" in result.stderr and not (tmp_path / "h.jsonl").exists()
