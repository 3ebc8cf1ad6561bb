"""The set of near-equilibria, and whether one of them explains what was seen."""

import numpy as np
import pytest

import tefuda as tf
from tefuda.exploiting.face import NearEquilibria, seen_by
from tefuda.playing import agents
from tefuda.playing.deals import Dealing
from tefuda.playing.table import table_of
from tefuda.solvers.lp import plan_of, plan_profile
from tefuda.solvers.perturbed import trembling
from tests.conftest import compiled
from tests.exploiting import end_at


def hands_of(tree, profiles, seat, count):
    """How often a seat sees which hands when profiles of the seats meet."""
    table, dealing, found = table_of(tree), Dealing(count, seed=1), {}
    seats = [agents.ProfileAgent(str(place), profile) for place, profile in enumerate(profiles)]
    for deal in range(count):
        moves = table.sight(table.play(seats, dealing, deal, 0), seat).moves
        found[moves] = found.get(moves, 0) + 1
    return found


@pytest.mark.parametrize("name, seat, margin", [("kuhn", 0, 0.01), ("kuhn", 1, 0.01), ("leduc", 0, 0.05)])
def test_the_likeliest_near_equilibrium(name, seat, margin):
    """It loses no more than the margin; it explains another equilibrium as well as that explains itself; no near-
    equilibrium makes uniform play as likely as uniform play does, and equilibria keep to the bound that proves it."""
    tree, other = compiled(name), 1 - seat
    lp, uniform = tf.solve(tree, "lp").profile, tf.Profile.uniform(tree)
    table = tf.solve(tree, "dcfr", until=1e-3).profile
    near, start = NearEquilibria(tree, other, margin), plan_of(trembling(table, 1e-3), other)
    for who in (lp, uniform):
        profiles = [table, table]
        profiles[other] = who
        seen = seen_by(tree, seat, hands_of(tree, profiles, seat, 400))
        known, mine, played = (seen.counts @ np.log(seen.chances @ plan_of(one, other) + 1e-300)
                               for one in (table, lp, who))  # fmt: skip
        plan, bound = near.likeliest(seen, start, played - 0.5)
        lost = tf.best_response(tree, plan_profile(tree, other, plan), seat).value - tf.values(tree, lp)[seat]
        assert lost <= margin + 1e-6 and bound >= max(known, mine) - 0.5
        if who is uniform:
            assert bound < played - 0.5
        else:
            assert seen.counts @ np.log(seen.chances @ plan) >= played - 0.5


def test_probabilities_of_hands_are_linear_in_the_plan():
    """Summed over all that a seat may see: a hand's chance times what the watcher does is a distribution."""
    tree = compiled("kuhn")
    profile = tf.Profile.random(tree, np.random.default_rng(1))
    table, seen = table_of(tree), {}
    for end in tree.terminals.tolist():
        moves, own = end_at(tree, end).moves, 1.0
        kind = table.sight(end_at(tree, end), 0).moves
        for move in moves:
            if move.player == 0:
                own *= (
                    profile.rows(move.infoset).start >= 0
                    and profile.probabilities[
                        tree.first_row[move.infoset] + tree.labels(move.infoset).index(move.action)
                    ]
                )
        seen[kind] = own
    found = seen_by(tree, 0, dict.fromkeys(seen, 1))
    assert found.chances @ plan_of(profile, 1) @ np.array(list(seen.values())) == pytest.approx(1, abs=1e-12)
