"""Parts of online outcome sampling over plain rules; test_oos.py compares the whole."""

import numpy as np
import pytest

import tefuda as td
from tefuda.playing.searching import choice_by
from tefuda.solvers.sampled import sampler
from tefuda.solvers.sampled.search import InfosetTables, OosSearch, find_infoset, trace_entry
from tests.conftest import rules
from tests.edge_games import Driver, Forgets


def test_trace_entries_of_states():
    """An entry is empty at chance nodes, the view at decisions, and the end itself at ends."""
    game = rules("kuhn")
    dealt = game.child(game.root(), ("K", "Q"))
    over = game.child(game.child(dealt, "b"), "p")
    assert trace_entry(game, game.root(), 0) is None
    assert (trace_entry(game, dealt, 0), trace_entry(game, dealt, 1)) == ("K|", "Q|")
    assert trace_entry(game, over, 0) == trace_entry(game, over, 1) == ("the end", over)


def test_memory_refuses_other_actions_of_an_infoset():
    memory = {(0, "K|"): InfosetTables([1.0, 0.0], [0.0, 2.0])}
    assert find_infoset(memory, (0, "K|"), 2) is memory[0, "K|"] and find_infoset(memory, (1, "K|"), 2) is None
    with pytest.raises(td.errors.GameError, match=r"'0: K\|' must have 2 actions as before, got 3"):
        find_infoset(memory, (0, "K|"), 3)
    search = OosSearch(rules("kuhn"), td.METHODS["oos"], choice_by(np.random.default_rng(0)), memory)
    assert search.strategy(0, "K|", ("p", "b")) == [0.0, 1.0]
    assert search.strategy(1, "K|", ("p", "b")) == [0.5, 0.5]


class Changing(type(rules("kuhn"))):
    """Kuhn poker whose rules change after a number of calls of a function."""

    def __init__(self, name, answer, calls=60):
        super().__init__()
        object.__setattr__(self, "left", {name: calls})
        object.__setattr__(self, "answer", answer)

    def asked(self, name, *arguments):
        self.left[name] = self.left.get(name, 10**9) - 1
        return self.answer if self.left[name] < 0 else getattr(super(), name)(*arguments)

    def actions(self, state):
        return self.asked("actions", state)

    def payoffs(self, state):
        return self.asked("payoffs", state)

    def chances(self, state):
        return self.asked("chances", state)

    def view(self, state, player):
        return self.asked("view", state, player)


LATE = {
    "fewer actions": ("actions", ("p",)),
    "no actions": ("actions", ()),
    "actions of another kind": ("actions", 5),
    "one payoff": ("payoffs", (1,)),
    "payoffs of text": ("payoffs", ("1", "-1")),
    "chances that sum to two": ("chances", ((("K", "Q"), 1.0), (("Q", "K"), 1.0))),
    "no chances": ("chances", ()),
    "views that cannot be hashed": ("view", []),
}


@pytest.mark.parametrize("what", LATE)
def test_rules_that_change_during_a_search_raise_errors(what):
    search = OosSearch(Changing(*LATE[what]), td.METHODS["oos"], choice_by(np.random.default_rng(0)))
    with pytest.raises(td.errors.GameError):
        search.advance(500)


def test_a_strategy_of_another_number_of_actions_is_refused():
    memory = {(0, "K|"): InfosetTables([1.0, 0.0], [0.0, 2.0])}
    search = OosSearch(rules("kuhn"), td.METHODS["oos"], choice_by(np.random.default_rng(0)), memory)
    with pytest.raises(td.errors.GameError, match="actions"):
        search.strategy(0, "K|", ("p", "b", "r"))


class Longer(type(rules("kuhn"))):
    """Kuhn poker in which a bet answered by a bet continues for ever."""

    def player(self, state):
        return super().player(state) if "bb" not in state[1] else 0

    def actions(self, state):
        return ("b",) if "bb" in state[1] else super().actions(state)

    def child(self, state, action):
        return (state[0], "bbb") if "bb" in (state[1] or "") else super().child(state, action)


@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_an_infoset_that_comes_twice_is_refused(monkeypatch, method):
    """The check before sampling finds it; so does sampling, where the check does not."""
    with pytest.raises(td.errors.GameError) as caught:
        td.make_solver(td.RulesForm(Driver()), method)
    assert "absent-mindedness" in {fault.kind for fault in caught.value.report.faults}
    monkeypatch.setattr(sampler, "require_sound", lambda *_, **__: None)
    with pytest.raises(td.errors.GameError, match="twice"):
        td.make_solver(td.RulesForm(Driver()), method).advance(20)


@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_forgotten_actions_are_sampled(method):
    solver = td.make_solver(td.RulesForm(Forgets()), method)
    solver.advance(1000)
    assert solver.average().strategy(0, "move 2", ("c", "d"))[0] > 0.9


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("method", ["external", "outcome", "oos"])
def test_rules_that_do_not_end_are_refused_while_they_are_sampled(monkeypatch, method, players):
    """The earlier check of the rules did not visit such a history."""
    monkeypatch.setattr(sampler, "require_sound", lambda *_, **__: None)
    with pytest.raises(td.errors.GameError, match=r"10,000 moves|RecursionError|twice"):
        td.make_solver(td.RulesForm(Longer(players)), method).advance(200)
