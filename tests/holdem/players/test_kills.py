"""Matches of the agent that re-solves, and its blueprints: kills, and two tables at once."""

import multiprocessing
import random

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import RunError
from tefuda.files import read_arrays
from tefuda.holdem.buckets import clusters
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.solver import in_buckets
from tefuda.holdem.players import named
from tefuda.holdem.players.street import StreetPlay
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.table import play_seating, table_of
from tests.conftest import refused
from tests.holdem import limits
from tests.holdem.players import blueprints
from tests.processes import PATIENCE

FORK = multiprocessing.get_context("fork")
DEALS = 4


def any_amounts():
    return td.load_game("holdem", **blueprints.CHIPS, bets="any")


def play(folder, **options):
    table = any_amounts()
    agents = [blueprints.agent(0.01), td.named_agents(table, ["equity"])[0]]
    return td.duplicate_match(table, agents, deals=DEALS, seed=2, checkpoint=folder, **options)


def playing(folder, line) -> None:
    """Play, and send a message in the middle of each re-solving."""
    solve = StreetPlay._solve

    def reported(street, wanted):
        line.send("solving")
        return solve(street, wanted)

    StreetPlay._solve = reported
    play(folder)


def test_a_match_killed_while_it_re_solves(tmp_path):
    """Resumed, it has the same bits and has lost no finished deal."""
    whole, draw, saved = play(None), random.Random(2), 0
    for _ in range(5):
        here, there = FORK.Pipe()
        process = FORK.Process(target=playing, args=(tmp_path, there))
        process.start()
        there.close()
        try:
            for _ in range(draw.randrange(1, 4)):
                here.poll(PATIENCE)
                here.recv()
        except EOFError:  # it has ended
            pass
        process.kill()
        process.join()
        before, saved = saved, sum(len(read_arrays(path)[0]["ends"]) for path in tmp_path.glob("*.npz"))
        assert saved >= before
    assert saved > 0
    resumed = play(tmp_path)
    assert np.array_equal(resumed.payoffs, whole.payoffs) and np.array_equal(resumed.interval(), whole.interval())


def test_two_tables_at_once_use_one_blueprint(tmp_path):
    """Each plays its own match, with the bits of a match alone."""
    whole, folders = play(None), [tmp_path / name for name in "ab"]
    tables = [FORK.Process(target=play, args=(folder,)) for folder in folders]
    for table in tables:
        table.start()
    for table in tables:
        table.join(PATIENCE)
        assert table.exitcode == 0
    for folder in folders:
        assert np.array_equal(play(folder).payoffs, whole.payoffs)


def test_another_budget_is_another_match(tmp_path):
    agents = [blueprints.agent(), td.RandomAgent()]
    td.duplicate_match(any_amounts(), agents, deals=1, checkpoint=tmp_path)
    agents[0] = blueprints.agent(0.01)
    with refused(RunError):
        td.duplicate_match(any_amounts(), agents, deals=2, checkpoint=tmp_path)


def test_deals_are_independent():
    """A hand that begins with the line of an earlier one is mapped by its own luck."""
    table = any_amounts()
    raises = td.ScriptedAgent("raises", lambda player, view, actions: "r340" if "r340" in actions else "c")
    agents, rules = [blueprints.agent(), raises], table_of(table)
    whole = play_seating(Task(rules, agents, (0, 1), DealSource(30)))
    single = [play_seating(Task(rules, agents, (0, 1), DealSource(1), first=deal)).payoffs for deal in range(30)]
    assert np.array_equal(whole.payoffs, np.concatenate(single))


@pytest.fixture(scope="module")
def form():
    """A table in few buckets, built once for all processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters, "_cache_by_seed", {0: limits.flat()})
        return in_buckets(blueprints.table(), Buckets((4, 1, 1, 1)))


@pytest.fixture
def quick(monkeypatch, tmp_path, form):
    """Solve blueprints of few buckets, in a cache of their own."""
    monkeypatch.setenv("TEFUDA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(named, "_form", lambda parameters, notify: form)
    monkeypatch.setattr(named, "load", lambda folder: td.load(folder, form))
    monkeypatch.setattr(named, "_ITERATIONS", 3000)
    monkeypatch.setattr(named, "_WAIT", 0.02)


def blueprint_of(rules, line) -> None:
    line.send((lambda found: found.policy.version)(named.table_blueprint(rules)))


def tables_at_once(count):
    """Start processes that ask for one blueprint; return them and their pipes."""
    started = []
    for _ in range(count):
        here, there = FORK.Pipe()
        process = FORK.Process(target=blueprint_of, args=(blueprints.table().rules, there))
        process.start()
        there.close()
        started.append((process, here))
    return started


def answers(started):
    """Return the blueprints of processes that have not been killed."""
    found = []
    for process, here in started:
        assert here.poll(PATIENCE)
        found.append(here.recv())
        process.join(PATIENCE)
        assert process.exitcode == 0
    return found


def test_tables_at_once_share_the_blueprint_that_one_solves(quick, tmp_path):
    alone = named.table_blueprint(blueprints.table().rules)
    cache = tmp_path / "cache" / "holdem"
    for folder in cache.iterdir():
        folder.rename(tmp_path / "first")
    named._loaded.cache_clear()
    assert {*answers(tables_at_once(3))} == {alone.policy.version}
    assert [path.name[:10] for path in cache.iterdir()] == ["blueprint-"]


@pytest.mark.parametrize("pause", [0.0, 0.1, 0.3])
def test_the_others_go_on_when_the_solving_table_is_killed(quick, pause):
    first, *others = tables_at_once(3)
    first[0].join(pause)
    first[0].kill()
    first[0].join()
    assert len({*answers(others)}) == 1


def solving(folder, form, iterations) -> None:
    if (folder / "run.json").exists():
        td.resume(folder, game=form, iterations=iterations)
    else:
        options = {"evaluator": td.NoEvaluation(), "checkpoint_seconds": 0.01}
        td.solve(form, iterations=iterations, checkpoint=folder, **options)


def test_a_blueprint_killed_at_random_moments(tmp_path, form):
    """Its tables have the bits of an uninterrupted run."""
    draw, iterations = random.Random(3), 20_000
    solving(tmp_path / "whole", form, iterations)
    whole, reached, caught = read_arrays(tmp_path / "whole" / "checkpoint.npz")[0], 0, 0
    for _ in range(6):
        process = FORK.Process(target=solving, args=(tmp_path / "run", form, iterations))
        process.start()
        process.join(0.05 + 0.2 * draw.random())
        caught += process.is_alive()
        process.kill()
        process.join()
        if (tmp_path / "run" / "checkpoint.npz").exists():
            before, reached = reached, int(read_arrays(tmp_path / "run" / "checkpoint.npz")[0]["iterations"])
            assert reached >= before
    solving(tmp_path / "run", form, iterations)
    found = read_arrays(tmp_path / "run" / "checkpoint.npz")[0]
    assert caught and all(np.array_equal(found[name], whole[name]) for name in whole if name != "curve")
