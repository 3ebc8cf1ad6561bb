"""Faulty rules: every answer is used as given or refused with a message, never read out of bounds."""

import contextlib
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.forms.features import infoset_features
from tefuda.forms.public import public_states
from tefuda.forms.tree import states
from tefuda.games.answers import InvalidAnswer
from tefuda.playing.deals import DealSource
from tefuda.playing.table import RulesTable, Table, is_table
from tests.small_games import Good, broken


class Unprintable:
    """An object whose repr and str both raise."""

    def __repr__(self):
        raise RuntimeError("no words")


def raising(name):
    """Return a label or view with one function that raises."""
    return type("Raising", (), {name: lambda *_: 1 / 0, **({"__hash__": hash_of} if name == "__eq__" else {})})()


def hash_of(_):
    return 7


def leave(*_):
    raise SystemExit(3)


def generated(self, state):
    yield from Good().chances(state)


#: faults, with words of the message
LIES = {
    "chances as a generator": (broken(chances=generated), "chances() returned the generator"),
    "chances as a dict": (broken(chances=lambda s, _: {"hl": 1.0}), "chances() returned the dict"),
    "chances as None": (broken(chances=lambda s, _: None), "chances() returned the NoneType"),
    "probability as text": (broken(chances=lambda s, _: (("hl", "0.5"), ("lh", "0.5"))), "probability of the str 'hl'"),
    "probability beyond floats": (broken(chances=lambda s, _: (("hl", 10**400),)), "probability of the str 'hl'"),
    "probability is complex": (broken(chances=lambda s, _: (("hl", 1j),)), "probability of the str 'hl'"),
    "outcomes are nan": (broken(chances=lambda s, _: ((math.nan, 1.0),)), "nan"),
    "outcomes unhashable": (broken(chances=lambda s, _: (([1], 1.0),)), "not hashable"),
    "outcomes unprintable": (broken(chances=lambda s, _: ((Unprintable(), 1.0),)), "cannot be printed"),
    "actions as a set": (broken(actions=lambda s, _: {"stop", "bet"}), "actions() returned the set"),
    "actions as a generator": (broken(actions=lambda s, _: (a for a in "ab")), "actions() returned the generator"),
    "actions unprintable": (broken(actions=lambda s, _: (Unprintable(),)), "cannot be printed"),
    "actions are nan": (broken(actions=lambda s, _: (math.nan, "bet")), "nan"),
    "views are nan": (broken(view=lambda s, _, p: math.nan), "nan"),
    "views unprintable": (broken(view=lambda s, _, p: Unprintable()), "cannot be printed"),
    "labels without a hash": (broken(actions=lambda s, _: (raising("__hash__"), "bet")), "not hashable"),
    "labels without ==": (broken(actions=lambda s, _: (raising("__eq__"), raising("__eq__"))), "cannot be compared"),
    "labels without a text": (broken(actions=lambda s, _: (raising("__str__"), "bet")), "cannot be printed"),
    "views without a hash": (broken(view=lambda s, _, p: raising("__hash__")), "not hashable"),
    "views without ==": (broken(view=lambda s, _, p: raising("__eq__")), "not hashable"),
    "views without a text": (broken(view=lambda s, _, p: raising("__str__")), "cannot be printed"),
    "states without a hash": (broken(root=lambda s: raising("__hash__")), "state"),
    "payoffs that floats round": (broken(payoffs=lambda s, _: (10**17 + 3, -(10**17) - 3)), "would be rounded"),
    "payoffs of NumPy that floats round": (broken(payoffs=lambda s, _: np.array([2**53 + 1, 0])), "would be rounded"),
    "fractions that floats round": (broken(payoffs=lambda s, _: (Fraction(10**20, 3), 0)), "would be rounded"),
    "payoffs as a dict": (broken(payoffs=lambda s, _: {1: -1, -1: 1}), "payoffs() returned the dict"),
    "payoffs as a set": (broken(payoffs=lambda s, _: {1, -1}), "payoffs() returned the set"),
    "payoffs as text": (broken(payoffs=lambda s, _: ("1", "-1")), "one number per player"),
    "payoffs as None": (broken(payoffs=lambda s, _: None), "payoffs() returned the NoneType"),
    "payoffs beyond floats": (broken(payoffs=lambda s, _: (10**400, -(10**400))), "up to 1e+100"),
    "payoffs that overflow": (broken(payoffs=lambda s, _: (1e200, -1e200)), "up to 1e+100"),
    "mover is true": (broken(player=lambda s, _: True), "player() returned the bool True"),
    "mover is a float": (broken(player=lambda s, _: 0.0), "player() returned the float 0.0"),
    "mover is -3": (broken(player=lambda s, _: -3), "0..1"),
    "mover is huge": (broken(player=lambda s, _: 2**70), "0..1"),
    "mover is None": (broken(player=lambda s, _: None), "0..1"),
    "128 players": (broken(players=128), "1 to 127"),
    "rules that leave": (broken(payoffs=leave), "SystemExit"),
    "a root that leaves": (broken(root=leave), "SystemExit"),
}


@pytest.mark.parametrize("what", LIES)
def test_faulty_rules_are_refused_with_a_message(what):
    game, words = LIES[what]
    with pytest.raises(td.errors.GameError) as caught:
        td.compile_game(game)
    assert words in str(caught.value)
    report = td.check_game(game)
    assert not report.ok and words in str(report)


def test_large_payoffs_are_accepted():
    """Large numbers are valid; sums that would become equal are refused."""
    for gain in (2**53, 10**22, 1e30, Fraction(1, 3), Fraction(2**60)):
        tree = td.compile_game(broken(payoffs=lambda s, _, gain=gain: (gain, -gain)))
        assert set(tree.payoffs[:, 0].tolist()) == {float(gain)}


KINDS = {
    "fractions": (lambda s, _: tuple(map(Fraction, Good().payoffs(_))), 0),
    "decimals": (lambda s, _: tuple(map(Fraction, map(Decimal, Good().payoffs(_)))), 0),
    "lists": (lambda s, _: list(Good().payoffs(_)), 0),
    "arrays": (lambda s, _: np.array(Good().payoffs(_), dtype=np.float32), 0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_number_is_accepted(kind):
    tree, plain = (td.compile_game(game) for game in (broken(payoffs=KINDS[kind][0]), Good()))
    assert np.array_equal(tree.payoffs, plain.payoffs)


class Counted:
    """A mutable state that is its own child, hashable, equal only to itself."""

    def __init__(self):
        self.moves = []


class InPlace(Good):
    """Rules over one object that is changed in place."""

    def root(self):
        return Counted()

    def player(self, state):
        return Good().player(tuple(state.moves))

    def actions(self, state):
        return Good().actions(tuple(state.moves))

    def child(self, state, action):
        state.moves.append(action)
        return state

    def payoffs(self, state):
        return Good().payoffs(tuple(state.moves))

    def view(self, state, player):
        return Good().view(tuple(state.moves), player)


class Shared(Good):
    """States are tuples around one list that children extend: equal hashes, different contents."""

    class State(tuple):
        """A tuple that counts its continuations and changes its payoff."""

        def __repr__(self):
            return f"{tuple(self)} {self.log}"

    def root(self):
        state = self.State()
        state.log = []
        return state

    def child(self, state, action):
        state.log.append(action)
        after = self.State((*state, action))
        after.log = state.log
        return after

    def payoffs(self, state):
        gain = len(state.log)
        return (gain, -gain)


@pytest.mark.parametrize("game", [InPlace(), Shared()], ids=["in place", "shared"])
def test_mutable_states_are_never_solved(game):
    """They once gave a certified wrong value."""
    assert not td.check_game(game).ok
    for use in (td.compile_game, td.exact_solution, lambda g: td.solve(g, "lp")):
        with pytest.raises(td.errors.GameError, match=r"cannot|can be compiled"):
            use(game)


@dataclass(frozen=True)
class Parametrised(Good):
    """A game with any parameter."""

    table: object = None


def test_unserialisable_parameters_are_refused():
    for table in ({(1, 2): 3}, {"a": {(1,): 2}}):
        with pytest.raises(td.errors.ParameterError, match="numbers"):
            td.compile_game(Parametrised(table))
    looped = []
    looped.append(looped)
    with pytest.raises(td.errors.ParameterError, match="cannot be saved"):
        td.compile_game(Parametrised(looped))
    assert td.compile_game(Parametrised((Fraction(1, 2), "x"))).parameters == {"table": ["1/2", "x"]}


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**80), 2**80), st.floats(), st.text(max_size=3), st.binary(max_size=2),
    st.complex_numbers(), st.sampled_from([Unprintable(), object(), Good, (), [], {}, {1}, range(2), iter(())]),
)  # fmt: skip
ANSWERS = st.one_of(ODD, st.lists(ODD, max_size=4).map(tuple), st.lists(st.tuples(ODD, ODD), max_size=3).map(tuple))
FUNCTIONS = ("root", "player", "actions", "chances", "child", "payoffs", "view", "name", "players")


class Short(Good):
    """The good game with at most four moves."""

    def child(self, state, action):
        if len(state) > 4:
            raise ValueError("the game is over")
        return (*state, action)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(FUNCTIONS), ANSWERS, st.integers(0, 6))
def test_random_faults_end_in_a_tree_or_a_message(name, answer, when):
    """One function sometimes returns anything at all: the result is a solvable tree or a library error."""
    calls = []

    def lie(self, *arguments):
        calls.append(name)
        return answer if len(calls) % 7 >= when else getattr(Good, name)(Good(), *arguments)

    game = type("Lying", (Short,), {name: answer if name in ("name", "players") else lie})()
    str(td.check_game(game))
    with contextlib.suppress(td.TefudaError):
        tree = td.compile_game(game)
        td.solve(tree, "cfr+", iterations=3)
        assert np.isfinite(td.nash_conv(td.Profile.uniform(tree)))


@pytest.mark.parametrize("part", ["name", "players", "root", "constant_sum"])
def test_properties_that_raise(part):
    """Any property of an object may raise."""
    game = type("Raising", (Good,), {part: property(lambda self: 1 / 0)})()
    report = td.check_game(game)
    assert part == "constant_sum" or (report.faults[0].kind == "protocol" and part in str(report))
    for use in (td.compile_game, lambda game: td.solve(game, "lp"), sampled):
        if part != "constant_sum":
            with pytest.raises(td.errors.GameError, match="lacks"):
                use(game)


def test_type_checks_read_no_properties():
    """Python 3.11 reads all members of a protocol in the order of a set, different in each process."""
    names = [name for name in (*vars(Table), *Table.__annotations__) if not name.startswith("_")]
    raising = {name: property(lambda self: 1 / 0) for name in names}
    assert not is_table(type("Raising", (), raising)())
    assert is_table(type("Raising", (), raising | {"play_task": lambda self: None})()) and not is_table(Good())


class Tired(Good):
    """A game that raises an exception once its flag is set."""

    asleep = False

    def view(self, state, player):
        if self.asleep:
            raise OSError("asleep")
        return super().view(state, player)

    def child(self, state, action):
        if self.asleep:
            raise OSError("asleep")
        return super().child(state, action)

    def features(self, state, player):
        return (1.0, float(player))


def test_rules_that_raise_when_called_again():
    """Rules that fail after compiling: in states, in views at the end, in features and views of others."""
    game = Tired()
    tree = td.compile_game(game)
    flat, learns = td.Profile.uniform(tree), td.playing.SearchAgent("learns", iterations=1)
    game.asleep = True
    uses = (
        lambda: states(tree),
        lambda: td.duplicate_match(tree, [learns, td.ProfileAgent("flat", flat)], deals=1),
        lambda: infoset_features(tree),
        lambda: public_states(tree),
    )
    for use in uses:
        with pytest.raises(td.errors.GameError, match="OSError"):
            use()


def test_a_profile_is_no_list_of_agents():
    tree = td.compile_game(Good())
    flat = td.Profile.uniform(tree)
    for agents in ([flat, flat], flat):
        with pytest.raises(td.errors.ParameterError, match=r"td\.ProfileAgent"):
            td.duplicate_match(tree, agents)
    with pytest.raises(td.errors.ParameterError, match="agents"):
        td.duplicate_match(tree, td.ProfileAgent("flat", flat))


def test_labels_that_hand_files_cannot_store(tmp_path):
    game = broken(actions=lambda s, state: (Fraction(1, 2), "bet") if len(state) == 1 else ("fold", "call"))
    tree = td.compile_game(game)
    flat = td.ProfileAgent("flat", td.Profile.uniform(tree))
    with pytest.raises(td.errors.ParameterError, match="Fraction"):
        td.playing.write_hands(tmp_path / "x", td.duplicate_match(tree, [flat, flat], deals=9, play=True, record=True))


class Errs(Exception):
    """An error whose text raises."""

    def __str__(self):
        raise RuntimeError("no words")


def fails(*_):
    raise Errs


class Endless(Good):
    """A game without an end whose states are growing numbers."""

    def root(self):
        return 0

    def player(self, state):
        return state % 2

    def actions(self, state):
        return ("next",)

    def child(self, state, action):
        return state + 1

    def view(self, state, player):
        return state


def written(game):
    td.games.write_efg(game, "never.efg")


def played(game):
    list(td.games.playthrough(game, np.random.default_rng(0)))


def sampled(game):
    td.make_solver(td.RulesForm(game), "external")


def at_a_table(game):
    seats = [td.ScriptedAgent("first", lambda player, view, actions: actions[0])] * 2
    RulesTable(game).play(seats, DealSource(1), 0, 0)


def given_away(game):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    td.exchange.to_openspiel(game)


USES = {use.__name__: use for use in (written, played, at_a_table, given_away, td.games.estimate_game, td.compile_game)}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("function", ["player", "actions", "chances", "child", "payoffs", "view"])
def test_rules_that_raise_end_in_a_library_error(use, function, tmp_path, monkeypatch):
    """Any function of the rules, with and without a tree; no file is written."""
    monkeypatch.chdir(tmp_path)
    if use == "estimate_game" and function in ("payoffs", "view"):
        return  # this use never calls the function
    with pytest.raises(td.errors.GameError):
        USES[use](broken(**{function: fails}))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("use", [use for use in USES if use != "estimate_game"])
def test_games_without_an_end_are_refused(use, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(td.errors.GameError, match=r"10,000 moves|endless"):
        USES[use](Endless())


def test_large_numbers_of_a_game_of_the_package_end_in_a_library_error():
    """Payoffs of 2^53 + 1 are not exact as floats; the game's tree is built for all deals at once."""
    with pytest.raises(td.errors.GameError, match="rounded"):
        td.compile_game(td.load_game("leduc", raises=(2**53, 2**53)))
    assert issubclass(InvalidAnswer, td.errors.GameError)  # so that none escapes as another error


LONG = "x" * 10**6


@pytest.mark.parametrize(
    "fields",
    [
        dict(actions=lambda self, state: (LONG, LONG)),
        dict(payoffs=lambda self, state: (LONG, 1)),
        dict(chances=lambda self, state: ((LONG, LONG),)),
        dict(constant_sum=LONG),
        dict(view=lambda self, state, player: (LONG,) if state[0] == "hh" else str((LONG,))),
        dict(view=lambda self, s, p: LONG, actions=lambda self, s: ("a",) if s[0] == "hh" else ("a", "b")),
        dict(view=lambda self, state, player: {}[LONG]),
        dict(name=LONG, payoffs=lambda self, state: (1,)),
    ],
)
@pytest.mark.parametrize("use", ["written", "compile_game"])
def test_messages_are_short(use, fields, tmp_path, monkeypatch):
    """Labels, views, names and messages of a million letters are cut in errors."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(td.errors.GameError) as refused:
        USES[use](broken(**fields))
    assert len(str(refused.value)) < 3_200 and len(refused.value.message) < 3_200


CHANCES = {
    "sum to a half": (("hl", 0.25), ("lh", 0.25)),
    "sum to two": (("hl", 1), ("lh", 1.0)),
    "negative": (("hl", 1.5), ("lh", -0.5)),
    "nan": (("hl", math.nan), ("lh", 0.5)),
    "infinite": (("hl", math.inf), ("lh", 0.5)),
    "none": (),
}


@pytest.mark.parametrize("what", CHANCES)
@pytest.mark.parametrize("use", [use for use in USES if use != "estimate_game"])
def test_invalid_chances_are_refused_everywhere(use, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(td.errors.GameError, match=r"probabilit|no labels"):
        USES[use](broken(chances=lambda s, _: CHANCES[what]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("drawn", [("hl", 0), ("hl", 1.5), ("hl", math.nan), ("hl", "1"), ([], 1), "hlh", None])
@pytest.mark.parametrize("use", [played, at_a_table, td.compile_game, sampled])
def test_invalid_outcomes_are_refused(use, drawn):
    with pytest.raises(td.errors.GameError, match="draw"):
        use(broken(draw=lambda s, _, uniform: drawn))


@pytest.mark.parametrize("use", [written, given_away, td.compile_game])
@pytest.mark.parametrize("payoffs", [(1, -1, 0), (1,), (math.nan, 0), (math.inf, -math.inf)], ids=str)
def test_invalid_payoffs_are_refused_everywhere(use, payoffs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(td.errors.GameError, match="payoffs"):
        use(broken(payoffs=lambda s, _: payoffs))
    assert not list(tmp_path.iterdir())
