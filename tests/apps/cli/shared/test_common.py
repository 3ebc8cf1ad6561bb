"""Bad input, contradictions and JSON output of all commands."""

import json

import pytest

import tefuda as td
from tests.apps.conftest import last_json

REFUSED = {
    "unknown game": (("solve", "ledoc"), "Did you mean 'leduc'?"),
    "unknown method": (("solve", "kuhn", "--method", "crf"), "Did you mean 'cfr'?"),
    "unknown parameter": (("solve", "kuhn", "--playres", "3"), "players"),
    "parameter out of range": (("solve", "kuhn", "--players", "1"), "at least 2|from 2 to"),
    "negative iterations": (("solve", "kuhn", "--iterations", "-3"), "at least 1"),
    "delay too long": (("solve", "kuhn", "--delay", "5", "--iterations", "5"), "smaller delay"),
    "bad order": (("solve", "kuhn", "--order", "sideways"), "alternating or simultaneous"),
    "opp with three players": (("solve", "kuhn", "--players", "3", "--convention", "opp"), "two players"),
    "nodes of full passes": (("solve", "kuhn", "--method", "cfr", "--nodes", "1e5"), "sampling methods"),
    "workers of full passes": (("solve", "kuhn", "--workers", "2"), "workers must be 1"),
    "half a node": (("solve", "kuhn", "--method", "external", "--nodes", "10.5"), "whole number"),
    "biased sampling": (("solve", "kuhn", "--method", "outcome", "--epsilon", "0"), "bias"),
    "unknown field": (("solve", "kuhn", "--set", "gama=3"), "gamma|averaging"),
    "nothing to solve": (("solve",), "which game"),
    "no run": (("solve", "--resume", "nowhere"), "contains no run"),
    "no such run": (("show", "nowhere"), "contains no run"),
    "no such player": (("show", "kept", "--player", "7"), "player"),
    "no profile": (("evaluate", "kuhn"), "--profile uniform"),
    "run in the way": (("solve", "kuhn", "--out", "kept"), "already contains a run"),
    "run in the way of a large game": (("solve", "leduc", "--players", "6", "--out", "kept"), "already contains a run"),
    "unknown agent": (("match", "kuhn", "--agents", "uniform,nobody"), "unknown agent"),
    "too few agents": (("match", "kuhn", "--agents", "uniform"), "2 players"),
    "a way that is none": (("exploit", "kuhn", "--method", "luck"), "rnr"),
    "three to exploit": (("exploit", "kuhn", "--players", "3"), "two players"),
    "unknown option of a paper": (("reproduce", "kuhn-cfr", "--games", "5"), "unknown option '--games'"),
    "bad seeds": (("compare", "kuhn", "--seeds", "x"), "numbers separated by commas"),
    "unknown paper": (("reproduce", "kuhn-crf"), "Did you mean 'kuhn-cfr'?"),
    "too large": (("solve", "leduc", "--players", "6", "--method", "cfr+"), "--force"),
    "damaged run": (("show", "damaged"), "damaged"),
    "run of another game": (("solve", "leduc", "--resume", "kept"), "got leduc"),
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
    "no number of hands": (("match", "kuhn", "--agents", "uniform,uniform", "--deals", "nan"), "whole number"),
    "more hands than memory": (("match", "kuhn", "--agents", "uniform,uniform", "--play", "--deals", "1e12"), "GB"),
    "no hands": (("match", "kuhn", "--all-pairs", "--agents", "uniform,uniform", "--deals", "0"), "at least 1"),
    "endless seconds": (("solve", "kuhn", "--seconds", "inf"), "at least 0"),
    "no NashConv": (("solve", "kuhn", "--until", "nan"), "until is nan; it must be a number"),
    "no checkpoints": (("solve", "kuhn", "--checkpoint-seconds", "nan"), "at least 0"),
    "negative seed": (("solve", "kuhn", "--seed", "-1"), "seed is -1"),
    "negative seed of cards": (("match", "kuhn", "--agents", "uniform,uniform", "--seed", "-1"), "seed is -1"),
    "negative seed of games": (("inspect", "kuhn", "--play", "1", "--seed", "-1"), "seed is -1"),
    "negative seed of several": (("compare", "kuhn", "--seeds", "-1,"), "seed is -1"),
    "negative seeds": (("compare", "kuhn", "--seeds", "1,-1"), "seed is -1"),
    "one seed twice": (("compare", "kuhn", "--seeds", "3,3"), "different seeds"),
    "a number of seeds": (("compare", "kuhn", "--seeds", "999999999999"), "from 1 to 10000"),
    "one method twice": (("compare", "kuhn", "--methods", "cfr,cfr"), "different names"),
    "one game twice": (("compare", "kuhn", "rps", "kuhn"), "different games"),
    "games behind their options": (("compare", "--players", "3", "kuhn"), "different games, then their options"),
    "one unknown game of two": (("compare", "kuhn", "ledoc"), "Did you mean 'leduc'?"),
    "nodes of full passes in a comparison": (("compare", "kuhn", "--nodes", "1e5"), "sampling methods"),
    "a table in a folder": (("compare", "kuhn", "--latex", "kept"), "cannot write kept"),
    "negative games": (("inspect", "kuhn", "--play", "-3"), "play is -3"),
    "neither true nor false": (("inspect", "leduc", "--distinct-suits", "maybe"), "True or False"),
    "half a player": (("inspect", "leduc", "--players", "2.5"), "whole number"),
    "a truth for a number": (("inspect", "leduc", "--players"), "whole number"),
    "resume with another method": (("solve", "--resume", "kept", "--method", "cfr"), "with --method ema"),
    "resume with another seed": (("solve", "--resume", "kept", "--seed", "3"), "with --seed 0"),
    "resume in another folder": (("solve", "--resume", "kept", "--out", "other"), "with --out kept"),
    "resume with other fields": (("solve", "--resume", "kept", "--set", "alpha=9"), "with --alpha"),
    "resume with other options": (("solve", "--resume", "kept", "--averaging", "9"), "with --averaging"),
    "resume with another game": (("solve", "--resume", "kept", "--players", "3"), "--players 2"),
    "another game to evaluate": (("evaluate", "kept", "--players", "3"), "--players 2"),
    "nothing to evaluate": (("evaluate",), "--run RUN"),
    "a run and a game": (("evaluate", "kuhn", "--run", "kept"), "either a run folder"),
    "a run that is none": (("evaluate", "--run", "nowhere"), "contains no run"),
    "a parameter that no game has": (("evaluate", "kept", "--playres", "3"), "--players"),
    "the game of no run": (("evaluate", "kuhn", "--profile", "uniform", "--game", "leduc"), "no run folder"),
    "fractions after a time": (("solve", "kuhn", "--exact", "--iterations", "5"), "--exact"),
    "a game behind its options": (("solve", "--players", "3", "kuhn"), "write the game first"),
    "an option for a game": (("inspect", "--distinct-suits"), "write the game first"),
    "which game of a file": (("solve", "own.py"), "own.py:MyGame"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_with_advice(tefuda, what, tmp_path):
    td.solve(td.load_game("kuhn"), iterations=3, checkpoint=tmp_path / "kept")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.json").write_bytes((tmp_path / "kept" / "run.json").read_bytes()[:200])
    before = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    arguments, cure = REFUSED[what]
    result = tefuda(*arguments, code=2)
    assert any(part in result.stderr for part in cure.split("|")), result.stderr
    assert "Traceback" not in result.stderr and not (tmp_path / "runs").exists()
    assert before == {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}


def test_options_equal_to_those_of_the_run_are_accepted(tefuda):
    tefuda("solve", "kuhn", "--method", "cfr+", "--seed", 3, "--delay", 2, "--out", "kept", "--iterations", 20)
    same = ("--method", "cfr+", "--seed", 3, "--set", "delay=2", "--out", "kept", "--players", 2)
    found = last_json(tefuda("solve", "--resume", "kept", *same, "--iterations", 30, "--json"))
    assert (found["iterations"], found["seed"], found["method_parameters"]["delay"]) == (30, 3, 2)
    evaluated = last_json(tefuda("evaluate", "kept", "--players", 2, "--json"))
    assert evaluated["nash_conv"] == found["nash_conv"]
    uniform = last_json(tefuda("evaluate", "kept", "--profile", "uniform", "--json"))
    assert uniform["nash_conv"] == pytest.approx(11 / 12)


def test_json_is_json_always(tefuda):
    """Errors of tefuda and of the command line are objects, without NaN, and output is complete."""

    def strict(result):
        def refuse(text):
            raise AssertionError(text)

        return json.loads(result.stdout.strip().splitlines()[-1], parse_constant=refuse)

    assert "Did you mean 'kuhn'" in strict(tefuda("solve", "kuhm", "--json", code=2))["error"]
    assert "valid integer" in strict(tefuda("solve", "kuhn", "--seed", "x", "--json", code=2))["error"]
    one = tefuda("compare", "kuhn", "--methods", "cfr", "--iterations", "5", "--json")
    assert strict(one)["groups"][0]["deviation"] is None
    alone = tefuda("match", "kuhn", "--agents", "uniform,uniform", "--play", "--deals", 1, "--json")
    assert strict(alone)["mean"][0] == pytest.approx(0)
    found = strict(tefuda("inspect", "kuhn", "--check", "--play", 2, "--json"))
    assert "no fault" in found["check"][0] and len(found["played"]) == 2 and found["infosets"] == 12
    assert "uniform" in strict(tefuda("match", "kuhn", "--json"))
