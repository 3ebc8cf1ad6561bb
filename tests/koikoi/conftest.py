"""Tables of Koi-Koi that are learned at once."""

import pytest

from tefuda.koikoi.players.worth import Learning, learn
from tefuda.koikoi.playing import agents
from tefuda.koikoi.rules import PRESETS


@pytest.fixture
def little_learned(monkeypatch):
    """Tables of a few rounds instead of those that take two minutes."""
    worth = learn(PRESETS["standard"], Learning(rounds=2000))

    def known(rules, *, progress):
        for done in range(0, 2001, 100):
            progress(done, 2000)
        return worth

    monkeypatch.setattr(agents, "known", known)
    return worth


@pytest.fixture(scope="session")
def learned():
    """Tables of 300,000 rounds: seconds, and better than greedy play."""
    return learn(PRESETS["standard"], Learning(300_000), seed=1)
