"""Fixtures shared by the tests."""

import gc
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import typer.main
import typer.testing

import tefuda as td
from tefuda import workers
from tefuda.solvers.learned import nfsp
from tests import small_games

# A shell that starts commands in the background lets them ignore Ctrl-C, and Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling makes many objects that live on. Python's default thresholds spend 4 to 6 % of its time looking for garbage.
gc.set_threshold(100_000, 50, 50)

# Typer reads the signatures of all commands anew whenever one is called: more than most of the calls in tests cost.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)


def rules(name: str, **parameters) -> td.Game:
    """A game of the tests or of the package."""
    return small_games.GAMES[name](**parameters) if name in small_games.GAMES else td.load_game(name, **parameters)


@cache
def compiled(name: str, **parameters) -> td.Tree:
    """A compiled tree, built once a process."""
    return td.compile_game(rules(name, **parameters))


@contextmanager
def refused(kind: type[td.TefudaError], **data: object) -> Iterator[pytest.ExceptionInfo]:
    """Expect an error whose attributes have these values; its wording may change."""
    with pytest.raises(kind) as error:
        yield error
    assert {name: getattr(error.value, name) for name in data} == data


def marked(methods):
    """Names of methods; those that need PyTorch carry the mark of tests that do."""
    deep = pytest.mark.deep
    return [pytest.param(name, marks=deep) if td.METHODS[name].extra == "deep" else name for name in methods]


def pytest_runtest_setup(item):
    """Skip tests that need PyTorch where it is absent."""
    if item.get_closest_marker("deep"):
        pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")


def own_reach(tree: td.Tree, profile: td.Profile) -> np.ndarray:
    """`[R]` the owner's reach of each row's infoset, read off any of its histories."""
    decisions = np.flatnonzero(tree.infoset >= 0)
    some = np.zeros(tree.infosets, dtype=int)
    some[tree.infoset[decisions]] = decisions
    return td.evaluating.reach(profile).own[some, tree.infoset_player][tree.infoset_of_row]


@pytest.fixture(scope="session")
def kuhn():
    return compiled("kuhn")


@pytest.fixture(scope="session")
def leduc():
    return compiled("leduc")


@pytest.fixture
def in_threads(monkeypatch):
    """Replace pools of processes by pools of threads, which start faster; not for tests of pools."""
    monkeypatch.setattr(workers, "ProcessPoolExecutor", lambda count, *_, **__: ThreadPoolExecutor(count))


def preset(name):
    """Return a method by name; ``fsp-even-d``, ``nfsp-d-neural`` and ``nfsp-lua`` are variants."""
    if name == "nfsp-lua":
        return nfsp.LUA
    if name.startswith("fsp-even"):
        return nfsp.low_discrepancy(td.METHODS[name.replace("fsp-even", "nfsp")])
    return nfsp.full_batch(td.METHODS[name.removesuffix("-neural")]) if name.endswith("-neural") else td.METHODS[name]
