"""Training data of value networks: solved subgames and settings."""

import numpy as np
import pytest

import tefuda as td
from tefuda.resolving.limited.leaves import ExactValues
from tefuda.resolving.limited.samples import SampleGenerator, random_range
from tests.conftest import compiled, refused
from tests.networks import drawn


def test_samples_are_equilibria():
    tree = compiled("leduc")
    generator, counts = SampleGenerator(tree, "deal"), []
    found = generator.sample(100, None, np.random.default_rng(0), counts.append)
    assert counts == [50, 100] and found.held_out.sum() == 10
    assert found.ranges.sum(axis=2) == pytest.approx(1) and found.ranges.min() >= 0
    assert (found.ranges * found.values).sum(axis=(1, 2)) == pytest.approx(0, abs=1e-9)
    assert 0.2 < np.abs(found.values).max() <= 4  # in units of the largest leaf
    for place, (own, others), (own_values, _) in zip(*found, strict=True):
        ranges = np.zeros((2, 15, 3))
        ranges[0, place], ranges[1, place] = own, others
        exact = ExactValues().values(generator.trunk, (ranges[0].ravel(), ranges[1].ravel()))
        assert own @ own_values * generator.units[place] == pytest.approx(
            own @ exact[0][3 * place : 3 * place + 3], abs=1e-9
        )
        break


def test_half_of_the_samples_are_near_visited_ranges():
    generator = SampleGenerator(compiled("leduc"), "deal")
    met = [np.tile([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], (4, 1, 1)) for _ in range(15)]
    found = generator.sample(60, met, np.random.default_rng(0), lambda done: None)
    assert found.ranges[1::2, 0, 0].min() >= 0.7 and found.ranges[1::2, 1, 2].min() >= 0.7
    assert found.ranges[::2, 0, 0].min() < 0.3


def test_visited_ranges_are_those_of_a_search():
    generator = SampleGenerator(compiled("leduc"), "deal")
    met = generator.visited_ranges(drawn(generator))
    assert [one.shape[1:] for one in met] == [(2, 3)] * 15 and max(len(one) for one in met) == 200
    assert all(np.allclose(one.sum(axis=2), 1) for one in met if len(one))


def test_the_error_is_that_of_validation_samples():
    generator = SampleGenerator(compiled("leduc"), "deal")
    found, net = generator.sample(30, None, np.random.default_rng(0), lambda done: None), drawn(generator)
    wrong = (
        np.abs(net.predict(found.places, found.ranges) - found.values) * generator.units[found.places][:, None, None]
    )
    evaluated = generator.make_network(net.weights, net.biases, found)
    assert evaluated.error == pytest.approx(wrong[::10].mean())


@pytest.mark.parametrize("size", [1, 3, 50])
def test_random_ranges(size):
    rng = np.random.default_rng(0)
    found = np.array([random_range(rng, size) for _ in range(200)])
    assert found.sum(axis=1) == pytest.approx(1) and found.min() >= 0
    if size == 3:
        assert (found.max(axis=1) > 0.99).mean() > 0.05 and (found.max(axis=1) < 0.5).mean() > 0.1


@pytest.mark.parametrize(
    "wrong",
    [{"samples": 5}, {"rounds": 0}, {"hidden": 1.5}, {"layers": 0}, {"steps": 0}, {"batch": 0}, {"rate": np.nan}],
)
def test_settings_out_of_range(wrong):
    with refused(td.errors.ParameterError, key=next(iter(wrong))):
        td.resolving.ValueTraining(**wrong)
