"""Gifts of the opponent on the way to a subgame, against sums by hand, and their split."""

import numpy as np
import pytest

import tefuda as td
from tefuda.evaluating import augmented
from tefuda.forms.subgame import subgame, subgames
from tefuda.resolving.gadgets import OpponentResponse, ResolvingProblem
from tests.conftest import compiled

CASES = [("kuhn", {}), ("leduc", {}), ("goofspiel", {"cards": 3}), ("liars_dice", {"sides": 3})]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name, parameters", CASES, ids=str)
def test_a_problem_has_the_values_of_the_evaluators(name, parameters, player):
    tree = compiled(name, **parameters)
    profile = td.Profile.random(tree, np.random.default_rng(player))
    response = OpponentResponse(profile, player)
    for sub in subgames(tree)[::7]:
        problem = ResolvingProblem(response, sub)
        assert problem.best_response_values == pytest.approx(
            augmented.best_response_values(sub, profile, 1 - player), abs=1e-15
        )
        reached = sub.summed(1 - player, augmented.entrance_reach(sub, profile).counterfactual(1 - player))
        assert problem.augmented_reach == pytest.approx(reached, abs=1e-15)


def test_a_gift_is_the_loss_of_a_worse_action():
    """In Kuhn poker player 1 always folds to a bet, so with a jack betting wins 1."""
    tree = compiled("kuhn")
    folds = {"p": 1.0, "b": 0.0}
    profile = td.Profile.from_function(
        tree, lambda player, key, actions: folds if key.endswith("|b") else {"p": 0.5, "b": 0.5}
    )
    sub = subgame(tree, "1: K|p")  # player 0 passed
    problem = ResolvingProblem(OpponentResponse(profile, 1), sub)
    # Betting has value 1. After a pass the jack loses 1 if checked and folds otherwise; the queen (better to call a bet
    # than to fold) wins or loses; the king wins 1 if checked, 2 if bet. Each card has probability 1/3.
    # to fold) wins or loses; the king wins 1 if checked, 2 if bet. Each card comes with probability 1/3.
    passed = {"0: J|p": -1.0, "0: Q|p": 0.0, "0: K|p": 1.5}
    wanted = [max(0.0, 1.0 - passed[name]) / 3 for name in sub.augmented_names(0)]
    assert problem.gifts == pytest.approx(wanted, abs=1e-12)
    assert ResolvingProblem(OpponentResponse(profile, 1), sub, previous=subgame(tree, 0)).gifts == pytest.approx(wanted)
    assert ResolvingProblem(OpponentResponse(profile, 1), sub, previous=sub).gifts.tolist() == [0, 0, 0]  # spent


def test_gifts_of_all_earlier_actions_are_added():
    """Slow reference: each opponent action above a root adds its gift times the infoset's share."""
    tree = compiled("leduc")
    response = OpponentResponse(td.Profile.random(tree, np.random.default_rng(7)), 1)
    several = 0
    for sub in subgames(tree)[40::9]:
        problem = ResolvingProblem(response, sub)
        for number, found in enumerate(problem.gifts.tolist()):
            node, parts = int(sub.roots[sub.augmented_infosets[0] == number][0]), []
            while (parent := int(tree.parent[node])) >= 0:
                if tree.player[parent] == 0:
                    infoset = int(tree.infoset[parent])
                    gift = response.gifts[int(tree.first_row[infoset]) + node - int(tree.first_child[parent])]
                    total = response.reach[tree.histories_of(infoset)].sum()
                    parts.append(gift * problem.reach[sub.augmented_infosets[0] == number].sum() / total)
                node = parent
            several += sum(part > 1e-6 for part in parts) > 1
            assert found == pytest.approx(sum(parts), abs=1e-12)
    assert several >= 3


@pytest.mark.parametrize("name, parameters", CASES[1:], ids=str)
def test_subgames_of_a_level_share_earlier_gifts(name, parameters):
    """An action's gift is split among the augmented infosets below; later actions may add theirs."""
    tree = compiled(name, **parameters)
    response = OpponentResponse(td.Profile.random(tree, np.random.default_rng(5)), 0)
    tops = [sub for sub in subgames(tree) if sub.mover == 0]
    first = {one for sub in tops for other in tops if other is not sub for one in _inside(sub, other)}
    cut = [sub for sub in tops if sub.public_state not in first]  # of player 0: no public state of it above
    second = [sub for sub in tops if sub.public_state in first][:40]
    assert cut and second
    for level in (cut, _outermost(second)):
        gifts = sum(ResolvingProblem(response, sub).gifts.sum() for sub in level)
        rows = {row for sub in level for row in _rows_before(sub, response.opponent)}
        assert gifts <= sum(response.gifts[row] for row in rows) + 1e-12


def _inside(sub, other):
    """Return True if the other public state is below this one."""
    return [other.public_state] if set(other.roots.tolist()) <= set(sub.nodes.tolist()) else []


def _outermost(subs):
    return [sub for sub in subs if not any(_inside(other, sub) for other in subs if other is not sub)]


def _rows_before(sub, player):
    tree, found = sub.tree, set()
    for node in sub.roots.tolist():
        while (parent := int(tree.parent[node])) >= 0:
            if tree.player[parent] == player:
                found.add(int(tree.first_row[tree.infoset[parent]]) + node - int(tree.first_child[parent]))
            node = parent
    return found
