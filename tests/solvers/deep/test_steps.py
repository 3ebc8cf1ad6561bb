"""Steps of games as a baseline remembers them: a tree's by the child alone."""

import itertools

import numpy as np
import pytest

from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers.sampled import waves
from tests.conftest import compiled

pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import baselines
from tefuda.solvers.learned import encoders, memories

pytestmark = pytest.mark.deep


def test_steps_of_a_tree_are_its_children():
    """What walks of Leduc did, from the numbers of children: what RulesSteps keeps of the same waves, row by row."""
    simulator = TreeSimulator(compiled("leduc"))
    encoder, uniform = encoders.encoder_of(simulator, False), lambda p, g, seen, legal: legal / legal.sum(1)[:, None]
    world, rng = waves.World(simulator, encoder.observe, uniform), np.random.default_rng(3)
    found = waves.down(world, 0, 200, waves.Outcome(), rng)
    kinds = baselines.TreeSteps(simulator), baselines.RulesSteps(simulator, encoder)
    rings = [memories.Ring(10**4, **kind.columns) for kind in kinds]
    for wave, below in itertools.pairwise(found):
        for kind, ring in zip(kinds, rings, strict=True):
            ring.add(**kind.rows(wave, below))
    whole, rows = (kind.all(ring) for kind, ring in zip(kinds, rings, strict=True))
    child = rings[0].held()["child"]
    place = np.searchsorted(np.unique(child), child)
    assert whole.times.sum() == len(child) == len(rows.unit) and whole.times.tolist() == np.bincount(place).tolist()
    on = rows.goes_on > 0
    assert 0 < on.sum() < len(on)
    for name in ("history", "legal", "unit", "payoff", "goes_on"):
        assert np.array_equal(getattr(whole, name)[place], getattr(rows, name)), name
    for name in ("after", "mover", "seen", "choices"):
        assert np.array_equal(getattr(whole, name)[place][on], getattr(rows, name)[on]), name
