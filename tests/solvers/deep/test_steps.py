"""Steps of games in a baseline's memory: a tree's step is its child node."""

import itertools

import numpy as np
import pytest

from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers.sampled import levels
from tests.conftest import compiled

pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import baselines
from tefuda.solvers.learned import encoders, memories

pytestmark = pytest.mark.deep


def test_steps_of_a_tree_are_its_children():
    """TreeSteps and RulesSteps give the same rows for the same traversals of Leduc."""
    simulator = TreeSimulator(compiled("leduc"))
    encoder, uniform = (
        encoders.make_encoder(simulator, False),
        lambda p, g, observations, legal: legal / legal.sum(1)[:, None],
    )
    environment, rng = levels.Environment(simulator, encoder.observe, uniform), np.random.default_rng(3)
    found = levels.sample_levels(environment, 0, 200, levels.Outcome(), rng)
    kinds = baselines.TreeSteps(simulator), baselines.RulesSteps(simulator, encoder)
    rings = [memories.RingBuffer(10**4, kind.bounds, **kind.columns) for kind in kinds]
    for level, children in itertools.pairwise(found):
        for kind, ring in zip(kinds, rings, strict=True):
            ring.add(**kind.rows(level, children))
    whole, rows = (kind.all(ring) for kind, ring in zip(kinds, rings, strict=True))
    child = rings[0].filled_rows()["child"]
    place = np.searchsorted(np.unique(child), child)
    assert whole.counts.sum() == len(child) == len(rows.unit) and whole.counts.tolist() == np.bincount(place).tolist()
    on = rows.continues > 0
    assert 0 < on.sum() < len(on)
    for name in ("history", "legal", "unit", "payoff", "continues"):
        assert np.array_equal(getattr(whole, name)[place], getattr(rows, name)), name
    for name in ("next_history", "mover", "observations", "next_legal"):
        assert np.array_equal(getattr(whole, name)[place][on], getattr(rows, name)[on]), name
