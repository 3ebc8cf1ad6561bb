"""Positions of a profile as observers know them, and tables of public states."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.paths import path_of
from tefuda.forms.public import indistinguishable, public_states
from tefuda.playing.agents import Decision
from tefuda.playing.coach import ProfileCoach
from tests.conftest import compiled

NAMES = ["kuhn", "leduc"]


def explorer_of(name, **parameters):
    tree = compiled(name, **parameters)
    return td.Explorer(td.Profile.random(tree, np.random.default_rng(5)))


@pytest.mark.parametrize("name", NAMES)
def test_the_figures_of_an_infoset_are_those_of_the_profile(name):
    """Values equal the coach's, regrets those of the counterfactual values, probabilities sum to 1."""
    explorer = explorer_of(name)
    tree, coach, found = (
        explorer.tree,
        ProfileCoach("r", explorer.profile),
        td.evaluating.counterfactual(explorer.profile),
    )
    for infoset in range(tree.infosets):
        position = explorer.position(explorer.path_to(infoset))
        player, rows = int(tree.infoset_player[infoset]), tree.rows_of(infoset)
        assert (position.infoset, position.mover, position.observer) == (tree.name_of(infoset), player, player)
        advice = coach.advise(Decision(infoset, tree.keys[infoset], tree.labels(infoset), 0.5, player))
        assert [action.values[player] for action in position.actions] == pytest.approx(advice.values, abs=1e-12)
        assert tuple(action.share for action in position.actions) == advice.shares
        assert [action.regret for action in position.actions] == found.regrets[rows].tolist()
        assert [action.counterfactual for action in position.actions] == found.actions[rows].tolist()
        assert sum(history.probability for history in position.merged) == pytest.approx(1, abs=1e-12)
        precision, costs = coach.precision, [advice.cost(index) for index in range(len(advice.values))]
        assert [action.as_good for action in position.actions] == [
            cost <= precision or cost <= 0.005 * max(map(abs, advice.values)) for cost in costs
        ]
        table = explorer.public_table(position.public_state)
        (row,) = [row for row in table.rows if row.infoset == position.infoset]
        assert row.shares == advice.shares and row.values == pytest.approx(advice.values, abs=1e-12)
        assert list(row.as_good) == [action.as_good for action in position.actions]


@pytest.mark.parametrize("name", NAMES)
def test_without_a_seat_reach_and_values_are_those_of_the_history(name):
    explorer = explorer_of(name)
    tree, found, values = (
        explorer.tree,
        td.evaluating.reach(explorer.profile),
        td.evaluating.history_values(explorer.profile),
    )
    for node in range(len(tree.player)):
        position = explorer.position(path_of(tree, node))
        reach = position.reach
        assert position.values == pytest.approx(values[node], abs=1e-12)
        assert reach.product == pytest.approx(found.total[node], abs=1e-15)
        assert reach.own * reach.others * reach.chance == pytest.approx(reach.product, abs=1e-15)
        assert "~".join(move.label for move in position.path) == path_of(tree, node) or node == 0
        json.dumps(asdict(position), allow_nan=False)


@pytest.mark.parametrize(
    "name, parameters", [("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {}), ("goofspiel", {"cards": 3})]
)
def test_a_seat_sees_the_same_at_all_histories_that_it_cannot_distinguish(name, parameters):
    """Equal fields at all histories of a class; the classes are a partition; shares and values are means."""
    explorer = explorer_of(name, **parameters)
    tree = explorer.tree
    total, values = td.evaluating.reach(explorer.profile).total, td.evaluating.history_values(explorer.profile)
    step = max(1, len(tree.player) // 400)
    for seat in range(tree.players):
        for node in range(0, len(tree.player), step):
            group = indistinguishable(tree, node, seat)
            assert node in group
            first = explorer.position(path_of(tree, group[0]), seat)
            weights = total[group]
            assert first.reach.product == pytest.approx(weights.sum(), rel=1e-12)
            assert first.values == pytest.approx(weights @ values[group] / weights.sum(), abs=1e-12)
            shares = [action.share for action in first.actions]
            assert not shares or sum(shares) == pytest.approx(1, abs=1e-12)
            for other in group[1:]:
                assert indistinguishable(tree, other, seat) == group
                assert explorer.position(path_of(tree, other), seat) == first


def test_a_seat_does_not_learn_the_deal():
    position = explorer_of("kuhn").position("K J~p~b", 0)
    assert [move.label for move in position.path] == [None, "p", "b"]
    assert [history.path for history in position.merged] == ["K J~p~b", "K Q~p~b"]
    opponent = explorer_of("kuhn").position("K J~p", 0)
    assert opponent.infoset is None and opponent.observation.hand == "the king"
    assert all(action.regret is None and action.as_good is None for action in opponent.actions)
    shown = explorer_of("kuhn").position("K J~p~p", 0)
    assert [move.label for move in shown.path] == ["K J", "p", "p"], "cards are shown at the end"
    folded = explorer_of("kuhn").position("K J~b~p", 0)
    assert [move.label for move in folded.path] == [None, "b", "p"], "a folded hand stays hidden"


def test_outcomes_that_hidden_cards_forbid_lead_to_a_history_that_looks_the_same():
    explorer = explorer_of("leduc")
    offered = [action.label for action in explorer.position("J J~c~c", 0).actions]
    assert offered == ["Q", "K", "J"], "the player sees one jack"
    assert explorer.possible_path("J J~c~c~Q", 0) == "J J~c~c~Q"
    moved = explorer.possible_path("J J~c~c~J", 0)
    assert moved == "J Q~c~c~J" and explorer.position(moved, 0).observation.hand == "the jack"
    assert explorer.possible_path("-", 0) == "-"
    for path in ("J J~c~c~x", "J J~x~c"):
        with pytest.raises(td.errors.UnknownNameError):
            explorer.possible_path(path, 0)


def test_infosets_that_opponents_never_reach_have_no_values():
    tree = compiled("kuhn")
    explorer = td.Explorer(td.Profile.from_function(tree, lambda player, view, actions: [1.0, 0.0]))
    position = explorer.position("J Q~b")
    assert position.reach.product == 0
    assert [action.values for action in position.actions] == [None, None]
    assert [history.probability for history in position.merged] == [None, None]
    (row,) = [row for row in explorer.public_table(position.public_state).rows if row.infoset == "1: Q|b"]
    assert row.values is None and row.as_good is None
    json.dumps(asdict(position), allow_nan=False)


@pytest.mark.parametrize("name, count", [("kuhn", 4), ("leduc", 96)])
def test_tables_of_public_states_have_every_infoset_once(name, count):
    explorer = explorer_of(name)
    states = explorer.public_states()
    assert [state.number for state in states] == list(range(count))
    rows = [row for state in states for row in explorer.public_table(state.number).rows]
    assert sorted(row.infoset for row in rows) == sorted(explorer.tree.names)
    assert all(explorer.position(row.path).infoset == row.infoset for row in rows)
    for state in states:
        table = explorer.public_table(state.number)
        mine = {
            explorer.tree.name_of(number) for number in np.flatnonzero(public_states(explorer.tree) == state.number)
        }
        assert {row.infoset for row in table.rows} == mine
    with pytest.raises(td.errors.ParameterError):
        explorer.public_table(count)


def test_trees_without_rules_are_explored_without_seats():
    tree = replace(compiled("kuhn"), game=None)
    explorer = td.Explorer(td.Profile.uniform(tree))
    position = explorer.position("J Q~b")
    assert position.observation.hand == "Q|b" and position.public_state is None
    for refused in (lambda: explorer.position("J Q~b", 0), explorer.public_states):
        with pytest.raises(td.errors.GameError):
            refused()
    with pytest.raises(td.errors.ParameterError):
        explorer.position("-", 2)
