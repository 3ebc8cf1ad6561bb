"""Saved matches: the same bits after an interruption anywhere, refusals, damaged and foreign files."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import BusyError, ParameterError, RunError
from tefuda.exploiting.roster import ROSTER
from tefuda.files import read_arrays, write_arrays
from tefuda.locks import locked
from tefuda.playing import saving
from tefuda.playing.agents import traits
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.match import seatings_of
from tefuda.playing.stereotypes import NAMED_PROFILES
from tefuda.playing.table import play_seating, table_of
from tests.conftest import compiled, refused
from tests.players import Learner


@dataclass
class Stopped(td.RandomAgent):
    """A random agent that is interrupted at one of its decisions, counted over all hands."""

    at: int = -1
    decisions: int = field(default=0, init=False)

    def act(self, decision):
        self.decisions += 1
        if self.decisions == self.at:
            raise KeyboardInterrupt
        return super().act(decision)


def match(folder, game="kuhn", deals=5, at=-1, **options):
    """Play a match on a tree of a small game, or over its rules."""
    return td.duplicate_match(
        compiled(game) if isinstance(game, str) else game, [Stopped("a", at), td.RandomAgent("b")],
        checkpoint=folder, **{"deals": deals, "seed": 3, **options},
    )  # fmt: skip


def same(one, other):
    return np.array_equal(one.payoffs, other.payoffs) and np.array_equal(one.ends, other.ends)


def interrupted(folder, **options):
    with pytest.raises(KeyboardInterrupt):
        match(folder, **options)


@pytest.mark.parametrize("slow", [False, True])
def test_interrupted_at_any_decision(tmp_path, monkeypatch, slow):
    """At the first decision of a deal no part of it is played; slow deals are saved one by one."""
    monkeypatch.setattr(saving, "_SECONDS", 0.0 if slow else 1.0)
    whole, decisions = match(None), []
    agent = Stopped("a")
    td.duplicate_match(compiled("kuhn"), [agent, td.RandomAgent("b")], deals=5, seed=3)
    for at in range(1, agent.decisions + 1):
        folder = tmp_path / str(at)
        interrupted(folder, at=at)
        saved = [len(read_arrays(path)[0]["ends"]) for path in folder.glob("*.npz")]
        decisions.append(sum(saved))
        assert same(match(folder), whole)
    assert decisions == sorted(decisions) and decisions[0] == 0
    assert {*decisions} == {*range(10)} if slow else max(decisions) > 5


def test_killed_at_any_write(tmp_path, monkeypatch):
    """Before or after the new file is in its place."""
    monkeypatch.setattr(saving, "_SECONDS", 0.0)
    whole, rename = match(None, deals=3), os.replace
    for number in range(6):
        for before in (True, False):
            left = [number]

            def killed(*places, left=left, before=before):
                left[0] -= 1
                if not before or left[0] >= 0:
                    rename(*places)
                if left[0] < 0:
                    raise KeyboardInterrupt

            folder = tmp_path / f"{number}-{before}"
            monkeypatch.setattr(os, "replace", killed)
            interrupted(folder, deals=3)
            monkeypatch.setattr(os, "replace", rename)
            assert same(match(folder, deals=3), whole)
            assert {path.name for path in folder.iterdir()} == {"deals-0.npz", "deals-1.npz"}


GAMES = {
    "tree": lambda: compiled("leduc"),
    "three players": lambda: compiled("kuhn", players=3),
    "rules": lambda: td.load_game("leduc"),
    "compiled rounds": lambda: td.load_game("koikoi"),
    "no-limit": lambda: td.load_game("holdem", stack=200, blinds=[5, 10], bets="any"),
}


@pytest.mark.parametrize(
    "name, shared", [*((name, "luck") for name in GAMES), ("rules", "cards"), ("rules", "nothing"), ("tree", "nothing")]
)
def test_more_and_fewer_deals(tmp_path, name, shared):
    """Each is the match with that number of deals."""
    game = GAMES[name]()
    agents = [td.RandomAgent(letter) for letter in "abc"[: game.players]]
    for deals in (4, 9, 6):
        whole = td.duplicate_match(game, agents, deals=deals, seed=1, shared=shared)
        found = td.duplicate_match(game, agents, deals=deals, seed=1, shared=shared, checkpoint=tmp_path)
        assert same(found, whole) and np.array_equal(found.interval(), whole.interval())


@pytest.mark.parametrize("first, second", [(1, 2), (2, 1)])
def test_other_workers(tmp_path, in_threads, first, second):
    interrupted(tmp_path, at=4, workers=first)
    assert same(match(tmp_path, workers=second), match(None))


def test_an_executor(tmp_path):
    with ThreadPoolExecutor(2) as executor:
        assert same(match(tmp_path, workers=executor), match(None))


def test_progress_continues(tmp_path):
    """It counts hands."""
    interrupted(tmp_path, at=12)
    before = sum(len(read_arrays(path)[0]["ends"]) for path in tmp_path.glob("*.npz"))
    reports = []
    match(tmp_path, progress=lambda *parts: reports.append(parts))
    assert reports[0] == (before, 10) and 0 < before < 10 and reports[-1] == (10, 10) and reports == sorted(reports)


def test_exact_results_are_saved_with_their_hands(tmp_path):
    tree = compiled("kuhn")
    table = [td.ProfileAgent(name, td.Profile.uniform(tree)) for name in "ab"]
    with refused(ParameterError):
        td.duplicate_match(tree, table, deals=5, checkpoint=tmp_path)
    found = td.duplicate_match(tree, table, deals=5, checkpoint=tmp_path, play=True)
    assert found.exact is not None and same(found, td.duplicate_match(tree, table, deals=5, play=True))


def test_what_cannot_be_resumed_is_refused(tmp_path):
    tree, agents = compiled("kuhn"), [td.RandomAgent("a"), td.RandomAgent("b")]
    with refused(ParameterError, value="learner"):
        td.duplicate_match(tree, [agents[0], Learner()], deals=5, checkpoint=tmp_path)
    for options in ({"record": True}, {"replicates": 2}):
        with refused(ParameterError):
            td.duplicate_match(tree, agents, deals=5, checkpoint=tmp_path, **options)
    assert not any(tmp_path.iterdir())


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "match"
    match(folder)
    return folder


OTHERS = {
    "seed": {"seed": 4},
    "luck": {"shared": "cards"},
    "game": {"game": "leduc"},
    "parameters": {"game": td.load_game("kuhn", cards=4)},
    "tree": {"game": td.load_game("kuhn")},
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_match_is_refused(saved, tmp_path, other):
    shutil.copytree(saved, tmp_path / "match")
    before = {path.name: path.read_bytes() for path in saved.iterdir()}
    with refused(RunError):
        match(tmp_path / "match", **OTHERS[other])
    assert {path.name: path.read_bytes() for path in (tmp_path / "match").iterdir()} == before


def test_other_agents_are_refused(tmp_path):
    """By name, by seat, and by a strategy that changed under the same name."""
    tree = compiled("kuhn")
    fixed = td.ProfileAgent("fixed", td.Profile.uniform(tree))
    policy = td.PolicyAgent("policy", td.Profile.uniform(tree), "1")
    for first, others in (
        (fixed, [replace(fixed, name="other"), replace(fixed, profile=td.solve(tree, iterations=5).strategy)]),
        (policy, [replace(policy, version="2")]),
    ):
        folder = tmp_path / first.name
        td.duplicate_match(td.load_game("kuhn"), [first, td.RandomAgent()], deals=2, checkpoint=folder)
        td.duplicate_match(td.load_game("kuhn"), [first, td.RandomAgent()], deals=3, checkpoint=folder)
        for agents in ([other, td.RandomAgent()] for other in (*others, td.RandomAgent("random 2"))):
            with refused(RunError):
                td.duplicate_match(td.load_game("kuhn"), agents, deals=3, checkpoint=folder)
        with refused(RunError):
            td.duplicate_match(td.load_game("kuhn"), [td.RandomAgent(), first], deals=3, checkpoint=folder)


def test_truncated_and_changed_files_are_refused(saved, tmp_path):
    shutil.copytree(saved, tmp_path / "match")
    file = tmp_path / "match" / "deals-1.npz"
    whole = file.read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:size])
        with refused(RunError):
            match(tmp_path / "match")
    for place in range(0, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with refused(RunError):
            match(tmp_path / "match")
    shutil.copy(tmp_path / "match" / "deals-0.npz", file)  # of another seat order
    with refused(RunError):
        match(tmp_path / "match")


FORGED = {
    "no deals": {"ends": None},
    "another number": {"ends": np.zeros(4, dtype=np.int64)},
    "floats": {"ends": np.zeros(5)},
    "negative": {"ends": np.full(5, -2)},
    "more agents": {"payoffs": np.zeros((5, 3))},
    "nan": {"payoffs": np.full((5, 2), np.nan)},
    "single precision": {"payoffs": np.zeros((5, 2), dtype=np.float32)},
    "unknown": {"more": np.zeros(5)},
}


@pytest.mark.parametrize("forged", FORGED)
def test_forged_files_are_refused(saved, tmp_path, forged):
    shutil.copytree(saved, tmp_path / "match")
    arrays, header = read_arrays(saved / "deals-0.npz")
    arrays = {name: array for name, array in (arrays | FORGED[forged]).items() if array is not None}
    write_arrays(tmp_path / "match" / "deals-0.npz", arrays, header)
    with refused(RunError):
        match(tmp_path / "match")


@pytest.mark.parametrize("header", [{}, {"match": []}, {"match": {}}, {"match": {"seed": "3"}}])
def test_forged_headers_are_refused(saved, tmp_path, header):
    shutil.copytree(saved, tmp_path / "match")
    write_arrays(tmp_path / "match" / "deals-0.npz", read_arrays(saved / "deals-0.npz")[0], header)
    with refused(RunError):
        match(tmp_path / "match")


def test_one_process_plays_a_match(tmp_path):
    with locked(tmp_path / "deals"), refused(BusyError, process=os.getpid()):
        match(tmp_path)


@pytest.mark.parametrize("name", sorted({*ROSTER} - {*NAMED_PROFILES} - {"human", "virtual"}))
def test_agents_that_do_not_learn_have_no_memory(name):
    """A deal has the same result alone as after others, by new agents."""
    assert_no_memory(compiled("kuhn"), name)


@pytest.mark.parametrize("name", ["caller", "equity"])
def test_agents_of_holdem_have_no_memory(name):
    assert_no_memory(td.load_game("holdem", stack=200, blinds=[5, 10]), name)


def assert_no_memory(game, name, deals=8):
    def play(count, first):
        agents = [td.named_agents(game, [name])[0], td.RandomAgent("b")]
        if traits(agents[0]).learns:
            return None
        table, seatings = game if isinstance(game, td.Tree) else table_of(game), seatings_of(2)
        return [
            play_seating(Task(table, agents, seating, DealSource(count), number, first))
            for number, seating in enumerate(seatings)
        ]

    if (whole := play(deals, 0)) is not None:
        single = [play(1, deal) for deal in reversed(range(deals))][::-1]
        for number, result in enumerate(whole):
            assert np.array_equal(result.payoffs, np.concatenate([parts[number].payoffs for parts in single]))
