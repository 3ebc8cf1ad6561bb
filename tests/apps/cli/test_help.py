"""What the command line says of itself: help, version, completion, and the nearest of what was mistyped."""

import pytest
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app


def said(*words, code=0, **environment):
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "80", **environment}, prog_name="tefuda")
    assert result.exit_code == code, result.output
    return result.output


def test_help_is_whole():
    """``-h`` is ``--help``; what a command does is not cut off in 80 columns."""
    text = said("-h")
    assert text == said("--help") and "..." not in text.split("Commands:")[1] and "-h, --help" in text
    assert said("solve", "-h") == said("solve", "--help") and "--checkpoint-seconds" in said("solve", "-h")


def test_version():
    assert said("--version") == f"tefuda {td.__version__}\n"


def completed(*words):
    typed = ("tefuda", *words)
    shell = {"_TEFUDA_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    return said(**shell).split()


def test_completion():
    assert completed("tourn") == ["tournament"]
    assert completed("solve", "li") == ["liars_dice"]
    assert completed("solve", "kuhn", "--method", "vr-m") == ["vr-mccfr"]
    assert completed("compare", "kuhn", "--methods", "cfr,vr-m") == ["cfr,vr-mccfr"]
    assert "--checkpoint-seconds" in completed("solve", "--check")


TYPOS = {
    "of the command": (("solve", "kuhn", "--itertions", "5"), "--iterations"),
    "of the method": (("solve", "kuhn", "--method", "external", "--bach", "5"), "--batch"),
    "of the default method": (("solve", "kuhn", "--alpa", "5"), "--alpha"),
    "of the game": (("solve", "leduc", "--distict-suits"), "--distinct-suits"),
    "of another command": (("tree", "kuhn", "--chek"), "--check"),
    "of an experiment": (("reproduce", "nfsp-exploration", "--worker", "2"), "--workers"),
    "of a command without a game": (("games", "--jsn"), "--json"),
}


@pytest.mark.parametrize("what", TYPOS)
def test_a_mistyped_option_suggests_the_nearest(what):
    words, nearest = TYPOS[what]
    text = " ".join(said(*words, code=2).split())
    assert f"ean '{nearest}'" in text or f"Possible options: {nearest}" in text, text


def test_a_player_there_is_not():
    with pytest.raises(td.ParameterError, match="player"):
        td.best_response(td.Profile.uniform(td.compile_game(td.load_game("kuhn"))), -1)
    with pytest.raises(td.ParameterError, match=r"it must be 0, 1 or 2\."):
        td.best_response(td.Profile.uniform(td.compile_game(td.load_game("kuhn", players=3))), 3)
