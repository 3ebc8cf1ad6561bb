"""Fixtures of the command line and of printed text."""

import io
import json

import pytest
from typer.testing import CliRunner

from tefuda.apps.cli import app
from tefuda.apps.display import consoles


@pytest.fixture
def printed(monkeypatch):
    """Return the lines that a function prints in a terminal of some width and encoding."""

    def run(show, width=80, encoding="utf-8"):
        file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # strict: unencodable characters raise
        monkeypatch.setattr(consoles.out, "_width", width)
        monkeypatch.setattr(consoles.out, "_file", file)
        show()
        file.flush()
        return file.buffer.getvalue().decode(encoding).splitlines()

    return run


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
    """Run the command in an empty folder; return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0, input=None):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input)
        assert result.exit_code == code, result.output + str(result.exception)
        return result

    return run


def last_json(result):
    return json.loads(result.stdout.strip().splitlines()[-1])
