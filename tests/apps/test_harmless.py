"""Text from files and labels never acts on the terminal: no markup, no escape codes."""

import dataclasses
import io

import pytest
from rich.table import Table
from rich.text import Text

import tefuda as td
from tefuda import files
from tefuda.apps import grids
from tefuda.apps.display import consoles, curves, results
from tefuda.words import escaped

EVIL = ("[/x]", "[link=http://a]b[/link]", "a\x1b[2Jb", ":smile:", "\x9b31m", "\u202eback", "\ud800", "\x1b]0;t\x07")


class Hostile:
    """Game in which one player chooses between labels with escape codes."""

    name, players = "hostile[/x]\x1b[2J", 2

    def root(self):
        return ""

    def player(self, state):
        return 0 if state == "" else -2

    def actions(self, state):
        return EVIL

    def child(self, state, action):
        return action

    def chances(self, state):
        return ()

    def payoffs(self, state):
        return (len(state), -len(state))

    def view(self, state, player):
        return EVIL[2]


@pytest.fixture
def printed(monkeypatch):
    """Return the text sent to a terminal with colours."""
    screen = consoles.SafeConsole(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=100)
    for module in (consoles, curves, results):
        monkeypatch.setattr(module, "out", screen, raising=False)

    def show(*things):
        for thing in things:
            screen.print(thing)
        text = screen.file.getvalue()
        screen.file.seek(screen.file.truncate(0))
        codes = [part.split("m")[0] for part in text.split("\x1b[")[1:]]
        assert all(set(code) <= set("0123456789;") for code in codes), "only colours may be set"
        assert text.count("\x1b") == len(codes) and not any(c in text for c in "\x07\x9b\u202e\ud800")
        return text

    return show


def test_the_screen_prints_text_without_markup(printed):
    """Strings, texts, cells, titles and columns; `[/x]` used to be an error, and escape codes were sent."""
    table = Table(*EVIL, title=EVIL[2])
    table.add_row(*EVIL)
    table.add_row(*map(Text, EVIL))
    found = printed(*EVIL, *map(Text, EVIL), table, "\n".join(EVIL))
    for text in ("[/x]", "[link=http://a]b[/link]", "a\\x1b[2Jb", ":smile:", "\\x9b31m", "\\u202eback", "\\ud800"):
        assert found.count(text) >= 3


def test_labels_and_names_in_tables_and_curves(printed):
    tree = td.compile_game(Hostile())
    solution = td.solve(tree, "cfr+", iterations=20)
    named = dataclasses.replace(solution, method={**solution.method, "name": EVIL[0] + EVIL[2]}, run="runs/[/x]\x1b[2J")
    consoles.show(*results.solution_report(named))
    table = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in EVIL[:2]]
    match = td.duplicate_match(tree, table, deals=2)
    found = printed(grids.strategy_grid(solution.strategy), *grids.match_grids(match, {}))
    assert found.count("[/x]") >= 4 and found.count("[link=http://a]b[/link]") >= 4 and "a\\x1b[2Jb" in found


def test_errors_and_runs_on_the_command_line(tefuda, tmp_path):
    """A run whose fields contain escape codes; an error that quotes its input."""
    shown = tefuda("evaluate", "kuhn", "--profile", "\x1b[2J[/x]", code=2)
    assert "\x1b" not in shown.stderr and "\\x1b[2J[/x]" in shown.stderr
    td.solve(td.load_game("kuhn"), iterations=10, checkpoint=tmp_path / "run")
    content = files.read_json(tmp_path / "run" / "run.json")
    files.write_json(tmp_path / "run" / "run.json", {**content, "stop": "\x1b[2J[/x]"})
    shown = tefuda("show", tmp_path / "run")
    assert "\x1b" not in shown.stdout and "[/x]" in shown.stdout


def test_harmless_preserves_letters_and_line_ends():
    assert escaped("K|c 手札 é\nnext") == "K|c 手札 é\nnext"
    assert escaped("\x1b\r\t\x00") == "\\x1b\\r\\t\\x00"
