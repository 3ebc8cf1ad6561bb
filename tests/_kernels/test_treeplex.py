"""The regret update in vectors beside NumPy, on groups of every size."""

from dataclasses import replace

import numpy as np
import pytest

import tefuda as td
from tefuda._kernels.lanes import WIDTH
from tefuda._kernels.programs import CLIP, LAMBDA, MEMORY, NEGATIVE, POSITIVE, TREMBLE
from tefuda.forms.programs import Workspace, program
from tefuda.forms.sequence import SequenceForm, assemble, merge_leaves
from tefuda.solvers.exact.cfr import CFRMethod
from tests.conftest import compiled

METHODS = [name for name, method in td.METHODS.items() if type(method) is CFRMethod]
GAMES = [
    ("kuhn", {}),
    ("liars_dice", {"sides": 5}),
    ("leduc", {"distinct_suits": True}),
    ("goofspiel", {}),
    *(("sampled", {"seed": seed, "players": 1 + seed % 5}) for seed in range(6)),
]


def plain_match(form, player, rule, u, regret, expected, g):
    """The update of the step MATCH, group by group in NumPy."""
    first = int(form.span[player])
    for parents, actions in reversed(form.groups_of(player)):
        q = actions + first
        mean, tremble = (g[q] * u[q]).sum(axis=0), rule[TREMBLE]
        r = u[q] - (mean - tremble * u[q].mean(axis=0)) / (1 - tremble)  # of the strategy without trembles
        new = (regret[q] + r) * np.where(regret[q] + r > 0, rule[POSITIVE], rule[NEGATIVE])
        regret[q] = np.maximum(new, 0) if rule[CLIP] else new
        expected[q] = expected[q] * (1 - rule[MEMORY]) + rule[MEMORY] * r if rule[LAMBDA] else expected[q]
        gain = np.maximum(regret[q] + rule[LAMBDA] * expected[q], 0)
        total = gain.sum(axis=0)
        matched = np.where(total > 0, gain / np.where(total > 0, total, 1), 1 / len(q))
        g[q] = (1 - tremble) * matched + tremble / len(q)
        np.add.at(u, parents + first, mean)


def random_state(rng, form):
    """Regrets, predictions and strategies; a third of the infosets has no positive regret."""
    regret, expected = rng.standard_normal((2, form.sequences))
    g = rng.random(form.sequences)
    for player in range(form.players):
        for parents, actions in form.groups_of(player):
            q = actions + int(form.span[player])
            negative = rng.random(len(parents)) < 1 / 3
            regret[q] -= 1e3 * negative
            expected[q] -= 1e3 * negative
            g[q] /= g[q].sum(axis=0)
    return regret, expected, g


def assert_updates_are_equal(form, method):
    """Compare five updates; other players' entries must not change."""
    rng, work = np.random.default_rng(0), Workspace(form, "regret expected g u v")
    theirs, ours = random_state(rng, form), tuple(work[name] for name in ("regret", "expected", "g"))
    for own, other in zip(ours, theirs, strict=True):
        own[:] = other
    for rule in method.schedule(1, 5):
        for player in range(form.players):
            u = rng.standard_normal(form.sequences)
            work["u"][:] = u
            work.run(program(work.layout.match(player)), rule[None])
            plain_match(form, player, rule, u, *theirs)
            for one, other in zip((work["u"], *ours), (u, *theirs), strict=True):
                assert np.allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("game", range(len(GAMES)))
@pytest.mark.parametrize("method", METHODS)
def test_updates_equal_numpy(game, method):
    name, parameters = GAMES[game]
    assert_updates_are_equal(td.forms.sequence_form(compiled(name, **parameters)), td.METHODS[method])


def test_updates_with_trembles():
    method = replace(td.METHODS["pdcfr+"], floor=0.125)
    assert_updates_are_equal(td.forms.sequence_form(compiled("kuhn_raise")), method)


@pytest.mark.parametrize("m", [1, 2, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH, 50])
def test_groups_of_every_size(m):
    """One infoset leads to m infosets with five actions, and these to m with one action."""
    span = np.array([0, 2 + 6 * m])
    treeplex = {
        "span": span,
        "group_span": np.array([0, 3]),
        "groups": np.array([[0, 1, 1, 1], [1, m, 5, 2], [1 + m, m, 1, 2 + 5 * m]]),
        "parent": np.concatenate([[0], np.full(m, 1), 2 + 5 * np.arange(m)[::-1]]),
    }
    payoffs = merge_leaves(np.zeros((1, 1), dtype=np.int64), np.ones((1, 1)), span)
    rows = np.arange(1, span[1])
    form = SequenceForm(**assemble(treeplex, payoffs, rows), infoset=np.arange(1 + 2 * m), scale=1.0)
    for method in METHODS:
        assert_updates_are_equal(form, td.METHODS[method])
