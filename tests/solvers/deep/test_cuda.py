"""Learning on a graphics card: training, saving and resuming. Skipped where there is no card."""

import numpy as np
import pytest

import tefuda as td

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")

from tefuda.solvers.deep.modules import device  # noqa: E402

pytestmark = pytest.mark.deep

AVERAGE, BASELINE = {"average_steps": 50}, {"baseline_steps": 20}
SMALL = {"traversals": 50, "steps": 20}
CHANGES = {
    "deep-cfr": SMALL | AVERAGE, "double-neural": SMALL | AVERAGE, "vr-deep-pdcfr+": SMALL | AVERAGE | BASELINE,
    "escher": SMALL | BASELINE, "ppo": {"games": 100}, "mmd": {"games": 100},
}  # fmt: skip


def test_the_device_is_the_available_one():
    assert device().type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no graphics card with CUDA")
@pytest.mark.parametrize("name", CHANGES)
def test_methods_learn_and_resume_there(name, kuhn):
    """A restored solver plays the same; sums on a card may differ in the last digits."""
    method = td.find_method(name, CHANGES[name])
    solver, other = (td.make_solver(kuhn, method, seed=0) for _ in range(2))
    solver.advance(2)
    other.restore(solver.state())
    assert np.allclose(other.current().probabilities, solver.current().probabilities, atol=1e-5)
    other.advance(1)
    assert 0 < td.nash_conv(other.average()) < td.nash_conv(td.Profile.uniform(kuhn))
