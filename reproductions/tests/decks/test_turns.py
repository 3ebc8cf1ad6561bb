"""Re-solved turns of a small deck and their floors; traversals and the generic tree agree."""

from functools import cache

import numpy as np
import pytest

import tefuda as td
from tefuda.holdem.kernels import arrays
from tefuda.holdem.spots.compiled import compile_spot
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.solver import HandSolver, evaluate_strategy
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.spots.subgame import insert_streets
from tefuda_reproductions.decks import turns as page
from tefuda_reproductions.decks.blueprint import SharedSolver
from tefuda_reproductions.decks.buckets import buckets, cells, small_deck
from tefuda_reproductions.decks.turns import (
    exploitability,
    floor,
    least,
    resolve_turns,
    root_exploitabilities,
    turn_roots,
)


@cache
def blueprint():
    compiled = compile_spot(small_deck(), isomorphism=False)
    solver = SharedSolver(compiled, cells(compiled, buckets(compiled, (6, 6, 6))))
    solver.advance(30)
    return solver.average()


def quiet(done, of):
    pass


def test_turns_with_chips_behind():
    roots = turn_roots(blueprint())
    assert len(roots) == 27 and roots[0].startswith("Check/Check/") and len({*roots}) == 27
    assert {root.rsplit("/", 1)[0] for root in roots} == {"Check/Check", "Bet(200)/Call", "Check/Bet(200)/Call"}


def test_floors_bound_what_turns_can_repair(monkeypatch):
    """No re-solving falls below the least, and safe turns rise nowhere."""
    monkeypatch.setattr(page, "turn_roots", lambda strategy: turn_roots(strategy)[:3])
    turns = resolve_turns(blueprint(), "max-margin", 40, quiet)
    after = exploitability(insert_streets(blueprint(), turns))
    low, bottom = least(blueprint(), 60), floor(blueprint(), 60)
    assert low < bottom < exploitability(blueprint()) and low < after <= exploitability(blueprint()) + 1e-9
    both, weights = root_exploitabilities(blueprint(), turns)
    assert both.shape == (3, 2) and (both[:, 1] <= both[:, 0] + 1e-9).all() and (weights > 0).all()
    assert weights @ both[:, 1] < 0.9 * weights @ both[:, 0]


def test_the_floors_of_an_equilibrium():
    solver = HandSolver(blueprint().compiled)
    solver.advance(150)
    equilibrium = solver.average()
    assert max(exploitability(equilibrium), floor(equilibrium, 60), least(equilibrium, 60)) < 1  # uniform play: 93


@pytest.mark.slow
def test_traversals_and_the_tree_agree():
    """The tree of all pairs of hands evaluates a blueprint as traversals do, player by player."""
    game = SpotGame(blueprint().compiled.spot)
    size = td.games.estimate_game(game)
    assert size.histories == pytest.approx(2_780_000, rel=0.02)
    tree = td.compile_game(game)
    for strategy in (blueprint(), SpotStrategy(blueprint().compiled, np.zeros(blueprint().compiled.stored))):
        profile = td.Profile.from_function(tree, strategy.strategy)
        assert td.values(profile)[0] == pytest.approx(strategy.value(0), abs=1e-9)
        best = [td.best_response(profile, player).value for player in (0, 1)]
        assert best == pytest.approx([strategy.value(player, arrays.BEST) for player in (0, 1)], abs=1e-9)
        assert td.nash_conv(profile) == pytest.approx(evaluate_strategy(strategy)[1], abs=1e-9)
