"""Help pages and their examples, version, completion, and suggestions for mistyped options."""

import shlex

import pytest
import typer
from typer.testing import CliRunner

import tefuda as td
from tefuda.apps.cli import app
from tefuda.apps.cli.jobs import read_job
from tefuda.apps.cli.shared.reading import read_game, read_options, split_options
from tests.conftest import refused
from tests.language import faults_of_help, help_pages


def said(*words, code=0, **environment):
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "80", **environment}, prog_name="tefuda")
    assert result.exit_code == code, result.output
    return result.output


def test_help_pages():
    """``-h`` is ``--help``; no line is cut or too wide, and every command has a section and an example."""
    assert list(faults_of_help()) == []
    text = said("-h")
    assert text == said("--help") and "-h, --help" in text
    assert text.index("Solve and evaluate:") < text.index("Play:") < text.index("Games:") < text.index("Papers and")
    assert said("solve", "-h") == said("solve", "--help") and "--checkpoint-seconds" in said("solve", "-h")


USAGE_ERROR = typer.BadParameter.__mro__[1]  # of the click in use, which may be typer's own
COMMANDS = {name: command for name, command, _ in help_pages()}
EXAMPLES = list(
    dict.fromkeys(
        line.strip()
        for command in COMMANDS.values()
        for line in command.epilog.replace("\\\n", " ").split("\n")
        if line.strip().startswith("tefuda ")
    )
)
#: Examples that need a person, files, or more than a few seconds; tests of their commands run them on smaller games.
LONG = (
    "play", "hands holdem", "hands session.txt", "hands --store", "reproduce rps-matching", "reproduce --all",
    "holdem batch", "holdem sizes", "solve holdem", "koikoi replay", "koikoi agree", "koikoi ladder",
    "koikoi tables", "koikoi train", "docs", "web", "share", "resolve", "prepare",
)  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_is_valid(example, tmp_path, monkeypatch):
    """Every option of an example exists for its command, its game or its method."""
    monkeypatch.chdir(tmp_path)
    words, name = shlex.split(example)[1:], "tefuda"
    while words and f"{name} {words[0]}" in COMMANDS:
        name += f" {words.pop(0)}"
    command = COMMANDS[name]
    context = command.make_context(name, words, **command.context_settings, resilient_parsing="--help" in words)
    game = context.params.get("game")
    if game and not game.startswith(("runs/", "session.txt")):
        if name == "tefuda solve":
            read_job(context)
            return
        options = split_options(context, game)
        options.refuse_others((), context)
        read_game(game, options.own, context)
    elif name in ("tefuda resolve", "tefuda holdem batch", "tefuda holdem sizes"):
        assert read_options(context.args).keys() <= {"spot", "bets"}
    elif name.startswith("tefuda koikoi"):
        assert read_options(context.args).keys() <= {"double_at"}
    else:
        assert not context.args


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if not hasattr(command, "commands")])
def test_words_left_over_are_refused(name):
    """Every command refuses words after its arguments; commands check lists of words themselves."""
    command = COMMANDS[name]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    needed = [
        word for each in command.params if each.required and each not in arguments for word in (each.opts[0], "1")
    ]
    if any(each.nargs == -1 for each in arguments):
        assert name in ("tefuda compare", "tefuda hands", "tefuda prepare")
        return
    extra = ("--players", "3") if command.context_settings.get("allow_extra_args") else ()
    for words in (("left",), ("left", "over"), (*extra, "left")):
        with pytest.raises((USAGE_ERROR, td.errors.ParameterError)) as refused:
            command.make_context(name, [*("1" for _ in arguments), *needed, *words], **command.context_settings)
        assert "left" in refused.value.message


def test_cheap_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLES:
        if not example.removeprefix("tefuda ").startswith(LONG):
            assert said(*shlex.split(example)[1:])


def test_version():
    assert said("--version") == f"tefuda {td.__version__}\n"


def completed(*words):
    typed = ("tefuda", *words)
    shell = {"_TEFUDA_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    return said(**shell).split()


def test_completion():
    assert completed("insp") == ["inspect"]
    assert completed("solve", "li") == ["liars_dice", "liars_poker"]
    assert completed("solve", "kuhn", "--method", "vr-m") == ["vr-mccfr"]
    assert completed("compare", "kuhn", "--methods", "cfr,vr-m") == ["cfr,vr-mccfr"]
    assert "--checkpoint-seconds" in completed("solve", "--check")


TYPOS = {
    "of the command": (("solve", "kuhn", "--itertions", "5"), "--iterations"),
    "of the method": (("solve", "kuhn", "--method", "external", "--bach", "5"), "--batch"),
    "of the default method": (("solve", "kuhn", "--alpa", "5"), "--alpha"),
    "of the game": (("solve", "leduc", "--distict-suits"), "--distinct-suits"),
    "of another command": (("inspect", "kuhn", "--chek"), "--check"),
    "of an experiment": (("reproduce", "nfsp-exploration", "--worker", "2"), "--workers"),
    "of a command without a game": (("games", "--jsn"), "--json"),
}


@pytest.mark.parametrize("what", TYPOS)
def test_a_mistyped_option_suggests_the_nearest(what):
    words, nearest = TYPOS[what]
    text = " ".join(said(*words, code=2).split())
    assert f"ean '{nearest}'" in text or f"Possible options: {nearest}" in text, text


def test_unknown_players_are_refused(kuhn):
    with refused(td.errors.ParameterError, key="player", value=-1):
        td.best_response(td.Profile.uniform(kuhn), -1)
    with pytest.raises(td.errors.ParameterError, match=r"it must be 0, 1 or 2\."):
        td.best_response(td.Profile.uniform(td.compile_game(td.load_game("kuhn", players=3))), 3)
