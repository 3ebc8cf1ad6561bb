"""Value networks trained by PyTorch: run by make test-deep."""

import numpy as np
import pytest

import tefuda as td
from tefuda.files import read_arrays, write_arrays
from tefuda.resolving.limited.samples import SampleGenerator
from tests.conftest import compiled, refused
from tests.spread import bar

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")

pytestmark = pytest.mark.deep

SMALL = td.resolving.ValueTraining(samples=300, rounds=2, hidden=32, layers=2, steps=600, batch=128)


def test_deep_networks_predict_the_layers_by_hand():
    from tefuda.resolving.limited.deep.fitting import _predict, _tensors, first_layers

    generator, rng = SampleGenerator(compiled("leduc"), "deal"), np.random.default_rng(0)
    found, layers = generator.sample(20, None, rng, lambda done: None), first_layers(generator, SMALL, rng)
    net = generator.make_network(*layers, found)
    ranges = torch.from_numpy(found.ranges.reshape(20, -1)).float()
    asked = _predict(_tensors(layers), torch.from_numpy(found.places), ranges)
    assert asked.detach().numpy() == pytest.approx(net.predict(found.places, found.ranges).reshape(20, -1), abs=1e-5)


@pytest.mark.learner
def test_deep_values_play_kuhn_well():
    """The bars are means and deviations of error and exploitability over eight seeds."""
    tree = compiled("kuhn")
    net = td.resolving.train_values(tree, 1, SMALL)
    found = td.depth_limited(tree, 1, net)
    assert net.error <= bar(0.0118, 0.0027) and found.exploitability <= bar(0.018, 0.008)


@pytest.mark.slow
@pytest.mark.learner
def test_deep_values_play_leduc_well():
    tree = compiled("leduc")
    net = td.resolving.train_values(tree, "deal", td.resolving.ValueTraining())
    found = td.depth_limited(tree, "deal", net)
    assert net.error < 0.02 and found.exploitability < 0.1  # 0.0111 and 0.020 chips


def test_deep_training_resumes(tmp_path):
    tree, reports, file = compiled("kuhn"), [], tmp_path / "training.npz"
    whole = td.resolving.train_values(tree, 1, SMALL, seed=3)

    def stop(one):
        reports.append(one)
        if one.round == 2 and one.solved == 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        td.resolving.train_values(tree, 1, SMALL, seed=3, checkpoint=file, progress=stop)
    assert np.isnan(reports[0].error) and reports[-1].error > 0 and reports[0].wanted == 300
    after = []
    again = td.resolving.train_values(tree, 1, SMALL, seed=3, checkpoint=file, progress=after.append)
    assert {one.round for one in after} == {2}
    assert all(np.array_equal(one, two) for one, two in zip(whole.weights, again.weights, strict=True))
    again = td.resolving.train_values(tree, 1, SMALL, seed=3, checkpoint=file)  # the run is already finished
    assert again.error == pytest.approx(whole.error, rel=1e-12)  # a sum over arrays in another memory layout
    for other in ({"seed": 4}, {"training": td.resolving.ValueTraining(samples=300)}):
        with pytest.raises(td.errors.RunError, match="training"):
            td.resolving.train_values(tree, 1, **{"training": SMALL, "seed": 3, **other}, checkpoint=file)
    arrays, header = read_arrays(file)
    write_arrays(file, {**arrays, "places": arrays["places"] + 5}, header)
    with pytest.raises(td.errors.RunError, match="places"):
        td.resolving.train_values(tree, 1, SMALL, seed=3, checkpoint=file)


def test_deep_training_refuses():
    with pytest.raises(td.errors.GameError, match="players"):
        td.resolving.train_values(compiled("kuhn", players=3), 1)
    with refused(td.errors.ParameterError, key="seed", value=-1):
        td.resolving.train_values(compiled("kuhn"), 1, seed=-1)
    with refused(td.errors.ParameterError, key="cut", value="deal"):
        td.resolving.train_values(compiled("kuhn"), "deal")
