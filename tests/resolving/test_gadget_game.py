"""Gadget games equal the games that compiled rules give, history by history."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.subgame import subgame, subgames
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.resolving.gadget_game import GadgetGame
from tefuda.resolving.gadgets import (
    GADGETS,
    CFRDGadget,
    ChanceNode,
    DecisionNode,
    EndNode,
    MaxMargin,
    OpponentResponse,
    ResolvingProblem,
    RootCopy,
)
from tests.conftest import compiled

CASES = [("kuhn", {}), ("goofspiel", {"cards": 3}), ("liars_dice", {"sides": 2}), ("rps", {})]


class Behind:
    """Slow reference: the gadget's nodes, then the game's own rules, as a game."""

    players = 2

    def __init__(self, sub, opponent, top):
        self.sub, self.opponent, self.top, self.rules = sub, opponent, top, sub.tree.game
        self.name = "behind"

    def root(self):
        return self._entered(self.top, ())

    def _entered(self, node, path):
        state = self.sub.tree.state(int(self.sub.roots[node.number])) if isinstance(node, RootCopy) else None
        return (path, node, state)

    def player(self, state):
        _, node, inner = state
        if isinstance(node, RootCopy):
            return self.rules.player(inner)
        return {ChanceNode: CHANCE, EndNode: TERMINAL}.get(type(node), self.opponent)

    def actions(self, state):
        return self.rules.actions(state[2]) if isinstance(state[1], RootCopy) else state[1].labels

    def chances(self, state):
        if isinstance(state[1], RootCopy):
            return self.rules.chances(state[2])
        return tuple(enumerate(state[1].chances))

    def child(self, state, action):
        path, node, inner = state
        if isinstance(node, RootCopy):
            return (path, node, self.rules.child(inner, action))
        number = node.labels.index(action) if isinstance(node, DecisionNode) else action
        return self._entered(node.children[number], (*path, number))

    def payoffs(self, state):
        _, node, inner = state
        if isinstance(node, EndNode):
            paid = node.payoff
        else:
            paid = node.scale * float(self.rules.payoffs(inner)[self.opponent]) - node.shift
        return (paid, -paid) if self.opponent == 0 else (-paid, paid)

    def view(self, state, player):
        path, node, inner = state
        return self.rules.view(inner, player) if isinstance(node, RootCopy) else getattr(node, "key", ("chance", path))


@pytest.mark.parametrize("gadget", GADGETS.values(), ids=lambda gadget: gadget.name)
@pytest.mark.parametrize("name, parameters", CASES, ids=str)
def test_copies_equal_the_compiled_gadget_rules(name, parameters, gadget):
    tree = compiled(name, **parameters)
    profile = td.Profile.random(tree, np.random.default_rng(1))
    for sub in subgames(tree)[:12]:
        for player in (0, 1):
            top = gadget.top(ResolvingProblem(OpponentResponse(profile, player), sub))
            copy = GadgetGame(sub, 1 - player, top)
            twin = td.compile_game(Behind(sub, 1 - player, top))
            assert _nested(copy.tree, 0) == _nested(twin, 0)
            assert [tree.keys[number] for number in copy.infosets] == list(copy.tree.keys)[-len(copy.infosets) :]
            below = [(child, node) for node in range(len(twin.player)) for child in copy.tree.children(node)]
            assert all(copy.tree.parent[child] == node for child, node in below) and copy.tree.parent[0] == -1
            assert np.array_equal(np.sort(copy.tree.terminals), copy.tree.terminals)
            assert {name: getattr(copy.tree, name).dtype for name in _ARRAYS} == {
                name: getattr(tree, name).dtype for name in _ARRAYS
            }


_ARRAYS = [one for one, value in vars(compiled("kuhn")).items() if isinstance(value, np.ndarray)]


def _nested(tree, node):
    """Return the subtree of a history, nested: player, key, actions, chances and payoffs."""
    mover = int(tree.player[node])
    if mover == TERMINAL:
        return tuple(round(amount, 12) for amount in tree.payoffs_at(node))
    key = tree.keys[tree.infoset[node]] if mover >= 0 else None
    children = [(round(float(tree.chance[child]), 12), _nested(tree, child)) for child in tree.children(node)]
    return mover, key, tree.labels_at(node), children


def test_roots_that_are_never_reached_are_excluded():
    """Player 0 of Kuhn poker never bets with a queen, so responses to a bet never meet one."""
    tree = compiled("kuhn")
    profile = td.Profile.from_function(
        tree, lambda player, key, actions: (1.0, 0.0) if key == "Q|" and player == 0 else (0.5, 0.5)
    )
    sub = subgame(tree, "1: K|b")
    problem = ResolvingProblem(OpponentResponse(profile, 1), sub)
    assert len(GADGETS["unsafe"].top(problem).children) == 4
    assert len(GADGETS["cfr-d"].top(problem).children) == 6  # the opponent may still reach it with the queen
    opponent = ResolvingProblem(
        OpponentResponse(profile, 0), sub
    )  # player 0's plan is solved: it never reaches it with a queen
    assert len(GADGETS["cfr-d"].top(opponent).children) == 4
    copy = GadgetGame(sub, 1, GADGETS["cfr-d"].top(opponent))
    assert tree.number("0: Q|pb") not in copy.infosets and len(copy.infosets) == 3


def test_strategies_of_the_copy_replace_the_players_own():
    tree = compiled("kuhn")
    sub = subgame(tree, "1: K|p")
    profile = td.Profile.uniform(tree)
    copy = GadgetGame(sub, 0, GADGETS["cfr-d"].top(ResolvingProblem(OpponentResponse(profile, 1), sub)))
    found = td.Profile.random(copy.tree, np.random.default_rng(0))
    new = copy.insert(profile, found, 1)
    for number in range(tree.infosets):
        key = int(tree.infoset_player[number]), tree.keys[number]
        here = number in sub.infosets and key[0] == 1
        assert new[number] == (found[key] if here else profile[number])


#: Frequencies of each card's bets and passes.
OFTEN = {"J": 0.25, "Q": 0.5, "K": 1.0}


def believed(passes, bets):
    """Return the belief of unsafe re-solving in each deal after player 0's pass and player 1's bet."""

    def strategy(player, key, actions):
        chance = {"": passes, "p": bets}.get(key[2:], lambda card: 0.5)(key[0])
        return (chance, 1 - chance) if player == 0 else (1 - chance, chance)

    tree = compiled("kuhn")
    sub = subgame(tree, "0: K|pb")
    top = GADGETS["unsafe"].top(ResolvingProblem(OpponentResponse(td.Profile.from_function(tree, strategy), 0), sub))
    roots = [int(sub.roots[root.number]) for root in top.children]
    return dict(zip([tree.history(root)[0] for root in roots], top.chances, strict=True))


@pytest.mark.parametrize(
    "passes, bets, weight",
    [
        (OFTEN.get, OFTEN.get, lambda deal: OFTEN[deal[0]] * OFTEN[deal[1]]),
        (OFTEN.get, lambda card: 0.0, lambda deal: OFTEN[deal[0]]),
        (lambda card: 0.0, OFTEN.get, lambda deal: OFTEN[deal[1]]),
        (lambda card: 0.0, lambda card: 0.0, lambda deal: 1.0),
    ],
    ids=["both come", "the other never bets", "the player never passes", "neither"],
)
def test_beliefs_of_unsafe_solving(passes, bets, weight):
    """Beliefs use the reach of all players; the zero reach of an absent player is ignored."""
    deals = compiled("kuhn").labels_at(0)
    expected = {deal: weight(deal) / sum(map(weight, deals)) for deal in deals}
    assert believed(passes, bets) == pytest.approx(expected)


@pytest.mark.parametrize("gifts", [0.5, 1.0])
def test_gadgets_pay_back_gifts(gifts):
    """Alternative payoffs are the opponent's values against the blueprint plus a share of its gifts."""
    tree = compiled("leduc")
    response = OpponentResponse(td.Profile.random(tree, np.random.default_rng(7)), 1)
    problem = ResolvingProblem(response, subgame(tree, "0: KQ|crc/"))
    limits = problem.best_response_values + gifts * problem.gifts
    assert (problem.gifts > 1e-6).any()
    choices = CFRDGadget(gifts=gifts).top(problem).children
    assert [node.children[0].payoff for node in choices] == pytest.approx(
        (limits / problem.augmented_reach)[problem.augmented_infosets]
    )
    for node, limit in zip(MaxMargin(gifts=gifts).top(problem).children, limits, strict=True):
        assert [root.shift for root in node.children] == pytest.approx(
            [limit / problem.augmented_reach.max()] * len(node.children)
        )
