"""Nested re-solving: levels, safety of the whole strategy, and improvement of a coarse blueprint."""

from dataclasses import dataclass

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.public import public_states
from tefuda.resolving.gadgets import GADGETS, MaxMargin
from tefuda.resolving.nesting import NestedResolver, ResolvingExperiment, levels_of
from tefuda.resolving.resolution import tree_solver
from tests.conftest import compiled, refused
from tests.small_games import Torn

EXACT = 1e-9


def blueprint_of(tree, iterations=10):
    return td.solve(tree, "cfr", iterations=iterations).strategy


def test_levels_count_own_public_states():
    tree = compiled("leduc")
    for player in (0, 1):
        known, state = levels_of(tree, player), public_states(tree)
        assert sorted(one for members in known.members for one in members) == sorted(
            set(state[tree.infosets_of(player)].tolist())
        )
        for level, members in enumerate(known.members):
            for one in members:
                node = int(np.flatnonzero((tree.infoset >= 0) & (state[tree.infoset] == one))[0])
                path = []
                while node >= 0:
                    if tree.player[node] == player:
                        path.append(int(state[tree.infoset[node]]))
                    node = int(tree.parent[node])
                assert known.path(one) == tuple(reversed(path)) and len(path) == level + 1
    assert [len(members) for members in levels_of(tree, 0).members] == [1, 8, 21, 18]


@pytest.mark.parametrize("name, parameters", [("kuhn", {}), ("goofspiel", {"cards": 3}), ("liars_dice", {"sides": 2})])
@pytest.mark.parametrize("gadget", ["cfr-d", "max-margin", "reach"])
def test_levels_together_are_safe(name, parameters, gadget):
    """All subgames of a level from the blueprint are safe together, and so are nested ones."""
    tree = compiled(name, **parameters)
    blueprint = td.Profile.random(tree, np.random.default_rng(2))
    before = td.nash_conv(blueprint)
    for level in range(3):
        assert td.nash_conv(td.resolve_nested(blueprint, gadget, levels=[level])) <= before + EXACT
    whole = before
    for count in range(1, 4):
        deeper = td.nash_conv(td.resolve_nested(blueprint, gadget, levels=range(count)))
        assert deeper <= whole + EXACT
        whole = deeper


def test_gifts_are_split_among_subgames_and_spent_only_once():
    """In Leduc undivided gifts would raise NashConv by 0.04, gifts counted on each level by 0.14."""
    tree = compiled("leduc")
    blueprint = blueprint_of(tree)
    before = td.nash_conv(blueprint)
    assert td.nash_conv(td.resolve_nested(blueprint, "reach", levels=[1])) <= before + EXACT
    once = td.nash_conv(td.resolve_nested(blueprint, "reach", levels=[0]))
    assert td.nash_conv(td.resolve_nested(blueprint, "reach")) <= once + EXACT


@pytest.mark.parametrize("gadget, times", [("cfr-d", 1.2), ("max-margin", 4.9), ("reach", 5.5)])
def test_resolving_improves_a_coarse_blueprint_of_leduc(gadget, times):
    tree = compiled("leduc")
    blueprint = blueprint_of(tree)
    found = td.resolve_nested(blueprint, gadget)
    assert td.nash_conv(blueprint) / td.nash_conv(found) == pytest.approx(times, abs=0.1)


def test_each_player_solves_against_the_others_blueprint():
    tree = compiled("kuhn")
    blueprint = blueprint_of(tree)
    both = td.resolve_nested(blueprint, "unsafe")
    for player in (0, 1):
        alone = td.resolve_nested(blueprint, "unsafe", players=[player])
        mine = tree.player_of_row == player
        assert np.array_equal(alone.probabilities[mine], both.probabilities[mine])
        assert np.array_equal(alone.probabilities[~mine], blueprint.probabilities[~mine])


def test_a_resolved_strategy_depends_only_on_earlier_public_states():
    """The order of solving does not matter; an agent meets public states in the order of the cards."""
    tree = compiled("leduc")
    blueprint, exactly = blueprint_of(tree), tree_solver("lp")
    whole = NestedResolver(blueprint, 1, GADGETS["reach"])
    profile = whole.solve_all(exactly)
    one = NestedResolver(blueprint, 1, GADGETS["reach"])
    for public_state in reversed(levels_of(tree, 1).members[2]):
        one.solve(public_state, exactly)
    for infoset in tree.infosets_of(1).tolist():
        if int(public_states(tree)[infoset]) in one.solved:
            assert one.strategy(infoset) == pytest.approx(whole.strategy(infoset), abs=1e-9)
        assert whole.strategy(infoset).tolist() == profile.probabilities[tree.rows_of(infoset)].tolist()
    others = tree.player_of_row == 0
    assert np.array_equal(profile.probabilities[others], blueprint.probabilities[others])


def test_each_level_continues_from_the_last_solution():
    tree = compiled("leduc")
    blueprint, resolver = blueprint_of(tree), NestedResolver(blueprint_of(tree), 1, GADGETS["reach"])
    known = levels_of(tree, 1)
    last = known.members[2][4]
    resolver.solve(last, tree_solver("lp"))
    found = td.resolve(blueprint, known.path(last)[0], "reach")
    for one in known.path(last)[1:]:
        found = td.resolve(found.profile, one, "reach", previous=found.sub)
    assert resolver.profile(known.path(last)).probabilities == pytest.approx(found.profile.probabilities, abs=1e-9)


def test_only_the_chosen_levels_are_solved():
    """Without the first level, public states of the second level start from the blueprint."""
    tree = compiled("kuhn")
    blueprint, members = blueprint_of(tree), levels_of(tree, 0).members
    resolver = NestedResolver(blueprint, 0, GADGETS["max-margin"], levels=[1])
    found = resolver.solve_all(tree_solver("lp"))
    assert set(resolver.solved) == set(members[1])
    first = public_states(tree)[tree.infoset_of_row] == members[0][0]
    assert np.array_equal(found.probabilities[first], blueprint.probabilities[first])


def test_reach_adds_all_gifts():
    """Uniform Kuhn after player 0's first action: reach has the margin of max-margin with full gifts."""
    tree = compiled("kuhn")
    again = [td.resolve(td.Profile.uniform(tree), "1: Q|p", gadget).margin for gadget in ("reach", "max-margin")]
    parts = [td.resolve(td.Profile.uniform(tree), "1: Q|p", MaxMargin(gifts=gifts)).margin for gifts in (1.0, 0)]
    assert again == pytest.approx(parts, abs=EXACT) and again[0] > again[1] + 0.01


def test_a_rough_unsafe_solution_is_rejected():
    tree = compiled("kuhn")
    blueprint = td.solve(tree, "lp").strategy
    resolver = NestedResolver(blueprint, 1, GADGETS["max-margin"])
    profile = resolver.solve_all(tree_solver("cfr", 1))  # uniform play nearly everywhere
    assert td.nash_conv(profile) <= EXACT
    assert set(resolver.solved.values()) == {None}
    unsafe = NestedResolver(blueprint, 1, GADGETS["unsafe"]).solve_all(tree_solver("cfr", 1))
    assert td.nash_conv(unsafe) > 0.1


def test_progress_and_bad_input():
    tree = compiled("kuhn")
    blueprint, reports = blueprint_of(tree), []
    td.resolve_nested(blueprint, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with refused(td.errors.ParameterError, key="level", value=-1):
        td.resolve_nested(blueprint, levels=[-1])
    with refused(td.errors.ParameterError, key="players"):
        td.resolve_nested(blueprint, players=[0, 0])
    with refused(td.errors.ParameterError, key="player", value=2):
        td.resolve_nested(blueprint, players=[2])
    with refused(td.errors.UnknownNameError, key="method", value="lpp"):
        td.resolve_nested(blueprint, method="lpp")
    torn = td.compile_game(Torn())
    with pytest.raises(td.errors.GameError, match="subgame"):
        td.resolve_nested(td.Profile.uniform(torn))


@dataclass(frozen=True)
class Forgotten:
    """Chance goes left or right in public; player 0 moves twice; player 1 forgets the side."""

    name = "forgotten"
    players = 2

    def root(self):
        return ""

    def player(self, state):
        return (td.CHANCE, 0, 0, 1, td.TERMINAL)[len(state)]

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        return (("L", 0.5), ("R", 0.5))

    def child(self, state, action):
        return state + action

    def payoffs(self, state):
        gain = 1 if state[1:].count("a") % 2 else -1
        return (gain, -gain)

    def view(self, state, player):
        return "?" if player == 1 and len(state) == 2 else state


def test_a_public_state_that_follows_several_is_refused():
    """A public state that follows several others has no well-defined solution before it."""
    tree = td.compile_game(Forgotten())
    with pytest.raises(td.errors.GameError, match="follows"):
        td.resolve_nested(td.Profile.uniform(tree))


#: Translations of betting histories with a raised bet for an abstraction without one.
MEANT = {"rr": "cr", "crr": "r", "rrc": "rc", "crrc": "crc"}


def calm(view, player, actions):
    """Remove raises of a bet."""
    return [None if action == "r" and "r" in view.split("/")[-1] else action for action in actions]


def meant(view, player):
    """Translate a raise to a bet."""
    cards, history = view.split("|")
    return f"{cards}|{'/'.join(MEANT.get(letters, letters) for letters in history.split('/'))}"


@pytest.mark.parametrize("gadget, most", [("cfr-d", 1.0), ("max-margin", 0.5), ("reach", 0.5)])
def test_actions_outside_an_abstraction_are_resolved(gadget, most):
    """The abstraction of Leduc has no raises, and 730 of 1,936 histories."""
    tree = compiled("leduc")
    small = td.abstract(td.load_game("leduc"), actions=calm, translate=meant)
    learned = td.solve(small, "lp")
    lifted = td.Profile.from_function(tree, small.lift(learned.strategy.strategy))
    assert learned.nash_conv < EXACT and len(learned.tree.player) == 730
    before = td.nash_conv(lifted)
    unseen = [
        one for one in levels_of(tree, 0).above if "rr" in tree.keys[int(np.flatnonzero(public_states(tree) == one)[0])]
    ]
    assert len(unseen) > 10 and before > 1
    found = td.nash_conv(td.resolve_nested(lifted, gadget))
    assert found <= most * before


class Coin:
    """A game without decisions."""

    name, players = "coin", 2

    def root(self):
        return ""

    def player(self, state):
        return td.TERMINAL if state else td.CHANCE

    def actions(self, state):
        return ()

    def chances(self, state):
        return (("a", 0.5), ("b", 0.5))

    def child(self, state, action):
        return action

    def payoffs(self, state):
        return (1, -1) if state == "a" else (-1, 1)

    def view(self, state, player):
        return state


def test_games_without_decisions_are_not_solved():
    tree = td.compile_game(Coin())
    assert len(td.resolve_nested(td.Profile.uniform(tree)).probabilities) == 0
    with refused(td.errors.ParameterError, key="public_state", value=0):
        td.resolve(td.Profile.uniform(tree), 0)
    with pytest.raises(td.errors.GameError, match="decision"):
        ResolvingExperiment(td.Profile.uniform(tree), tree_solver("lp"))
