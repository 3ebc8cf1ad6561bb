"""Learned value tables for tests."""

import pytest

from tefuda.koikoi.players.tables import TableTraining, learn_tables
from tefuda.koikoi.playing import agents
from tefuda.koikoi.rules import PRESETS


@pytest.fixture
def little_learned(monkeypatch):
    """Replace tables that take two minutes by tables of a few rounds."""
    tables = learn_tables(PRESETS["standard"], TableTraining(rounds=2000))

    def load_tables(rules, *, progress):
        for done in range(0, 2001, 100):
            progress(done, 2000)
        return tables

    monkeypatch.setattr(agents, "load_tables", load_tables)
    return tables


@pytest.fixture(scope="session")
def learned():
    """Return tables of 300,000 rounds: seconds of learning, stronger than greedy play."""
    return learn_tables(PRESETS["standard"], TableTraining(300_000), seed=1)
