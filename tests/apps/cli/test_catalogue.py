"""Games of the catalogue, of the user, and of files, on the command line."""

import subprocess
import sys

import pytest

import tefuda as td
from tefuda import files
from tests.apps.conftest import OWN_GAME, last_json
from tests.conftest import refused


def test_lists(tefuda):
    assert {"cfr", "lp", "external", "oos"} <= set(last_json(tefuda("methods", "--json")))
    assert "vr-mccfr" in tefuda("methods").stdout
    assert {"kuhn-cfr", "mccfr-sampling"} <= set(last_json(tefuda("reproduce", "--json")))
    assert "chance-sampled" in tefuda("reproduce").stdout


def test_a_custom_game(tefuda, tmp_path):
    """The game has value 1/3 of a chip: double with the top card, stop with the lowest (2 - 1 + 0) / 3."""
    (tmp_path / "own.py").write_text(OWN_GAME)
    found = last_json(tefuda("solve", "own.py:HighCard", "--until", 1e-6, "--json"))
    assert found["values"][0] == pytest.approx(1 / 3, abs=1e-5)


def test_a_saved_run_of_a_custom_game(tefuda, tmp_path):
    """A run never executes code that it names: the user names the same game again."""
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
    """Matching pennies with stakes 3 and 1: both rows earn 1/3 if the first has probability 1/3."""
    found = last_json(tefuda("solve", "matrix", "--payoffs", "[[3,-1],[-1,1]]", "--until", 1e-6, "--json"))
    assert found["values"][0] == pytest.approx(1 / 3, abs=1e-5)  # (3*1 - 1) / (3 + 1 + 2)


def test_exact_answers_and_gambits_files(tefuda):
    found = last_json(tefuda("solve", "kuhn", "--exact", "--json"))
    assert (found["certified"], found["values"]) == (True, ["-1/18", "1/18"])
    assert "certified" in tefuda("solve", "rps", "--exact").stdout
    last_json(tefuda("export", "kuhn", "--to", "kuhn.efg", "--json"))
    again = last_json(tefuda("solve", "efg", "--path", "kuhn.efg", "--method", "lp", "--json"))
    assert again["values"][0] == pytest.approx(-1 / 18, abs=1e-12) and again["nash_conv"] < 1e-12
    # The run contains the path of the file.
    assert last_json(tefuda("show", again["run"], "--json"))["nash_conv"] == again["nash_conv"]


BROKEN = {
    "own.py cannot be loaded: SyntaxError": "class G(:\n  pass",
    "ZeroDivisionError: division by zero (own.py, line 2)": "class G:\n    x = 1 / 0",
    "cannot be loaded: SystemExit": "import sys\nsys.exit(3)",
    "RuntimeError: no (own.py, line 2)": "class G:\n    def __init__(self): raise RuntimeError('no')",
    "it lacks root, player": "class G:\n    name, players = 'g', 2",
    "not a class or a function": "G = 3",
    "unknown game in own.py 'G'": "Game = 3",
}


@pytest.mark.parametrize("words", BROKEN)
def test_broken_files_of_custom_games(tefuda, tmp_path, words):
    (tmp_path / "own.py").write_text(BROKEN[words])
    result = tefuda("solve", "own.py:G", "--json", code=2)
    assert words in result.stderr and "Traceback" not in result.stderr
    assert words in last_json(result)["error"]


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


#: Prints the packages that take long to import, of those that a command imports.
IMPORTS = """
import sys
from tefuda.apps.cli import main
try: main()
except SystemExit: pass
heavy = {"numpy", "numba", "scipy.linalg", "scipy.stats", "torch", "matplotlib", "highspy", "rich"}
print("heavy:", *sorted(heavy & {*sys.modules}), file=sys.stderr)
"""


def imported(*words):
    """Return the heavy packages that a command imports, and its output."""
    done = subprocess.run([sys.executable, "-c", IMPORTS, *words], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1].split()[1:], done.stdout


def test_help_loads_nothing_heavy():
    """``tefuda --help`` takes less than 0.3 s: it imports neither NumPy nor numba nor rich."""
    heavy, text = imported("--help")
    assert heavy == [] and "solve" in text and "reproduce" in text


def test_looking_compiles_nothing(tefuda, tmp_path):
    """Commands that only look at games and runs import no numba, and a solve imports no part of SciPy."""
    assert tefuda("solve", "kuhn", "--iterations", "10", "--out", "run").exit_code == 0  # its kernels are in the cache
    looking = (
        "games", "games koikoi", "games holdem", "methods", "methods nfsp", "inspect leduc --check --play 1",
        "show run", "show run --infoset K|", "show .",
    )  # fmt: skip
    for words in looking:
        heavy, text = imported(*words.split())
        assert heavy == ["numpy", "rich"] and text, words
    assert imported("solve", "kuhn", "--iterations", "10", "--out", "again")[0] == ["numba", "numpy", "rich"]


RAISING = {
    "chances above one": ("1 / 6) for pair in", "{'12': 3 / 2}.get(pair, -1 / 10)) for pair in"),
    "three payoffs": ("return (stake, -stake)", "return (stake, -stake, 0)"),
    "payoffs raise": ("return (stake, -stake)", "raise OSError('no')"),
    "a child raises": ("return (*state, action)", "return (*state, action) if not state else 1 / 0"),
    "a player raises": ("return (-1, 0, -2)[len(state)]", "return (-1, 0)[len(state)]"),
}


@pytest.mark.parametrize("what", RAISING)
@pytest.mark.parametrize(
    "command", ["export --to game.efg", "inspect", "inspect --estimate --check", "inspect --play 1"]
)
def test_unusable_rules_end_with_a_message(tefuda, tmp_path, what, command):
    """Such rules used to end in tracebacks, and `export` wrote impossible games."""
    (tmp_path / "own.py").write_text(OWN_GAME.replace(*RAISING[what]))
    name, *options = command.split()
    result = tefuda(name, "own.py:HighCard", *options, code=2)
    assert result.stderr.startswith("tefuda: ") and not (tmp_path / "game.efg").exists()


def test_estimates_of_rules_that_raise(tefuda, tmp_path):
    (tmp_path / "own.py").write_text(OWN_GAME.replace(*RAISING["a child raises"]))
    assert "ZeroDivisionError" in tefuda("inspect", "own.py:HighCard", "--estimate", code=2).stderr


def test_reserved_and_repeated_parameters(tefuda):
    """Reserved names, parameters given twice, and impossible values are refused."""
    assert "unknown option '--name'" in tefuda("inspect", "kuhn", "--name", "x", code=2).stderr
    assert "given twice" in tefuda("inspect", "kuhn(players=3)", "--players", "2", code=2).stderr
    assert "deal is 5" in tefuda("solve", "kuhn", "--method", "external", "--set", "deal=5", code=2).stderr


@pytest.mark.parametrize(
    "forged", [{"game_parameters": {"name": "x"}}, {"game_parameters": {"self": 1}}, {"method_parameters": {"deal": 5}}]
)
def test_forged_runs_of_such_parameters(tefuda, tmp_path, forged):
    tefuda("solve", "kuhn", "--method", "external", "--iterations", 100, "--out", "run")
    content = files.read_json(tmp_path / "run" / "run.json")
    changed = {name: {**content[name], **value} for name, value in forged.items()}
    files.write_json(tmp_path / "run" / "run.json", {**content, **changed})
    words = (
        ("show", "run") if "game_parameters" in forged else ("solve", "kuhn", "--resume", "run", "--iterations", 200)
    )
    assert "tefuda: " in tefuda(*words, code=2).stderr


@pytest.mark.parametrize("deal", [5, "0.5", (0.5, "0.5"), (0.5, 0.25), (1.5, -0.5), (float("nan"), 1.0)], ids=str)
def test_invalid_probabilities_of_a_deal(deal):
    with refused(td.errors.ParameterError, key="deal"):
        td.find_method("external", {"deal": deal})
