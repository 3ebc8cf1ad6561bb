"""Subtrees built by workers: the same tree, bit for bit, as that of one traversal; the same faults."""

import pickle
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from typing import NamedTuple

import pytest

import tefuda as td
from tefuda.forms import builder as building
from tefuda.forms import plan as planning
from tefuda.forms.builder import Builder, build_with_workers
from tefuda.games.protocol import CHANCE, TERMINAL
from tests.conftest import rules
from tests.same_tree import assert_same_tree
from tests.small_games import CATALOGUE, ForgetfulKuhn, Good, Nonlocal, SharedAnswers, Torn, Unseen, Wild


class Pickling(Executor):
    """`count` workers in this process, to which everything is sent as to other processes."""

    def __init__(self, count=1):
        self._max_workers = count

    def submit(self, function, *arguments):
        future = Future()
        try:
            function, arguments = pickle.loads(pickle.dumps((function, arguments)))
            future.set_result(pickle.loads(pickle.dumps(function(*arguments))))
        except BaseException as error:
            future.set_exception(error)
        return future


def passing():
    return True


def spread(game, roots, progress=None):
    """The tree of a game from at least this number of subtrees; None if workers cannot build it."""
    return build_with_workers(game, Pickling(roots), progress, passing)


@pytest.fixture(autouse=True)
def _one_task_a_worker(monkeypatch):
    monkeypatch.setattr(building, "_SUBTREES", 1)
    monkeypatch.setattr(planning, "SPREAD_FROM", 0)


@pytest.mark.parametrize("name, parameters", CATALOGUE)
def test_catalogue_agrees(name, parameters):
    """Catalogue games have the same tree, whatever the depth of the cut."""
    game = rules(name, **parameters)
    expected, grafted = Builder(game).build(), 0
    for roots in (2, 3, 5, 9, 20, 40) if len(expected.player) < 100_000 else (9,):
        tree = spread(game, roots)
        if tree is not None:
            grafted += 1
            assert_same_tree(tree, expected)
    assert grafted or len(expected.player) < 20


@pytest.mark.parametrize("seed", range(15))
def test_random_games_agree(seed):
    """So have random games of 1 to 5 players, in which views say little and an infoset is on a path twice."""
    players, grafted = 1 + seed % 5, 0
    games = [
        td.load_game("sampled", seed=seed, players=players, depth=3 + seed % 4, zero_sum=seed % 2 == 0),
        Wild(seed, players=players, depth=7),
    ]
    for game in games:
        for roots in (2, 4, 7, 15):
            tree = spread(game, roots)
            if tree is not None:
                grafted += 1
                assert_same_tree(tree, Builder(game).build())
    assert grafted > 0


@pytest.mark.parametrize(
    "game",
    [Nonlocal(), ForgetfulKuhn(), Torn(), Unseen(), Good(), SharedAnswers()],
    ids=lambda game: type(game).__name__,
)
def test_shapes_agree(game):
    """So have games with shared, renewed and unusual answers."""
    for tree in (spread(game, 1), spread(game, 2) or spread(game, 1)):  # below the root, or its children
        assert tree is not None
        assert_same_tree(tree, Builder(game).build())


class Card(Enum):
    """Cards whose texts are those of their members."""

    HIGH = 1
    LOW = 2


class Seen(NamedTuple):
    """A view with named parts."""

    card: Card
    moves: tuple


@dataclass(frozen=True)
class Dealt:
    """Two actions each after a card; subclasses change a part."""

    name = "dealt"
    players = 2

    def root(self):
        return ()

    def player(self, state):
        return TERMINAL if len(state) == 5 else len(state) % 2 if state else CHANCE

    def actions(self, state):
        return ("a", 2)

    def chances(self, state):
        return ((Card.HIGH, 0.5), (Card.LOW, 0.5))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return (len(set(state[1:])), state.count("a"))

    def view(self, state, player):
        return Seen(state[0], state[1:]) if player else state[1:]


def test_named_tuples_and_enumerations_agree():
    """Views and labels of named tuples and members of enumerations are compared between workers."""
    tree = spread(Dealt(), 5)
    assert tree is not None
    assert_same_tree(tree, Builder(Dealt()).build())


class Token:
    """Equal to itself only, so that a copy in another process is another view."""

    def __repr__(self):
        return "token"


TOKENS = {"a": Token(), 2: Token()}


class Tokens(Dealt):
    """Views are objects of the module."""

    def view(self, state, player):
        return (TOKENS[state[1]], len(state)) if len(state) > 1 else "start"


class NotNumbers(Dealt):
    """Views hold nan, which one process finds by its identity."""

    nan = float("nan")

    def view(self, state, player):
        return (self.nan, len(state))


@pytest.mark.parametrize("game", [Tokens(), NotNumbers()], ids=lambda game: type(game).__name__)
def test_views_that_processes_cannot_compare(game):
    """A warning says that one process compiles the game."""
    with pytest.warns(RuntimeWarning, match="one process"):
        assert spread(game, 5) is None


class Faulty(Dealt):
    """A rule fails at a single history, deep in the tree."""

    def payoffs(self, state):
        if state == (Card.LOW, 2, "a", 2, 2):
            raise ValueError("no payoffs here")
        return (1, 2)


class Differing(Dealt):
    """An infoset offers other actions at one of its histories, in another subtree."""

    def view(self, state, player):
        return len(state)

    def actions(self, state):
        return ("a", "b") if state == (Card.LOW, 2, 2, "a") else ("a", 2)


class Unhashable(Dealt):
    """A view is a list at one history."""

    def view(self, state, player):
        return [1] if len(state) == 4 and state[0] is Card.LOW else state[1:]


class Mutating(Dealt):
    """A state changes while a child is made."""

    def root(self):
        return Counter()

    def player(self, state):
        return TERMINAL if len(state.moves) == 5 else 0

    def child(self, state, action):
        if state.moves == ("a", 2, "a"):
            state.moves = (*state.moves, action)
        return Counter((*state.moves, action))

    def payoffs(self, state):
        return (0, 0)

    def view(self, state, player):
        return state.moves


@dataclass(eq=True, unsafe_hash=True)
class Counter:
    """A state that can be changed."""

    moves: tuple = ()


@pytest.mark.parametrize(
    "game", [Faulty(), Differing(), Unhashable(), Mutating()], ids=lambda game: type(game).__name__
)
def test_faults_are_those_of_one_process(game):
    """Workers do not build a tree of rules at fault, and the error is the same, with the same histories."""
    assert spread(game, 4) is None
    with pytest.raises(td.errors.GameError) as alone:
        td.compile_game(game)
    with pytest.raises(td.errors.GameError) as together:
        td.compile_game(game, workers=Pickling(4))
    assert str(alone.value) == str(together.value)


def test_progress_rises_to_the_size():
    """Progress counts the histories of the subtrees that are built."""
    reports = []
    tree = spread(rules("goofspiel"), 5, reports.append)
    assert len(reports) >= 4 and reports == sorted(set(reports))
    assert 0 < len(tree.player) - reports[-1] <= 21  # the histories above the cut


def test_small_games_need_no_workers():
    """Games without enough subtrees are built by one process; so is a game that is over at once."""
    assert spread(rules("rps"), 50) is None
    over = type("Over", (Dealt,), {"player": lambda self, state: TERMINAL, "payoffs": lambda self, state: (1, 2)})()
    assert spread(over, 2) is None


def test_processes_build_the_same_tree():
    """Two and three processes, an executor of the user, and one process give the same tree."""
    game = rules("goofspiel", cards=4)
    expected = td.compile_game(game)
    for workers in (2, 3):
        assert_same_tree(td.compile_game(game, workers=workers), expected)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert_same_tree(td.compile_game(game, workers=pool), expected)
        assert_same_tree(td.compile_game(Dealt(), workers=pool), td.compile_game(Dealt()))


def test_rules_that_cannot_be_sent():
    """Rules of a function, and at a prompt, are refused: they cannot be imported by a worker."""
    local = type("Local", (Dealt,), {})()
    with pytest.raises(td.errors.ParameterError):
        td.compile_game(local, workers=2)
    prompt = (
        "from tests.forms.test_builder import Dealt, planning, td\n"
        "class Mine(Dealt): pass\n"
        "planning.SPREAD_FROM = 0\n"
        "try:\n    td.compile_game(Mine(), workers=2)\n"
        "except td.errors.ParameterError as error:\n    print(error.key)"
    )
    result = subprocess.run([sys.executable, "-c", prompt], capture_output=True, text=True, check=True)
    assert result.stdout == "workers\n"


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2"])
def test_numbers_of_workers(workers):
    """A number of workers is checked before the game is visited."""
    with pytest.raises(td.errors.ParameterError):
        td.compile_game(rules("kuhn"), workers=workers)


def test_interruption_ends_the_workers():
    """Ctrl-C during a progress report reaches the caller."""

    def stop(histories):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        td.compile_game(rules("goofspiel", cards=4), workers=2, progress=stop)


def test_a_check_that_fails():
    """Rules whose sample has a fault are left to one process, which reports it."""
    assert build_with_workers(rules("goofspiel", cards=4), Pickling(5), None, failing) is None


def failing():
    return False
