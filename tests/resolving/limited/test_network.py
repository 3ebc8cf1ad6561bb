"""Value networks: predictions and files."""

import numpy as np
import pytest

import tefuda as td
from tefuda.files import read_arrays, write_arrays
from tefuda.resolving.limited.leaves import LookaheadSolver
from tefuda.resolving.limited.samples import SampleGenerator
from tefuda.resolving.limited.trunk import root_lookahead, trunk_of
from tests.conftest import compiled
from tests.networks import drawn


def test_values_equal_the_layers_by_hand():
    tree = compiled("leduc")
    generator = SampleGenerator(tree, "deal")
    net, trunk, rng = drawn(generator), trunk_of(tree, "deal"), np.random.default_rng(1)
    ranges = rng.random(45), rng.random(45)
    found = net.values(trunk, ranges)
    for number in range(15):
        here = slice(3 * number, 3 * number + 3)
        own, others = ranges[0][here], ranges[1][here]
        shares = own / own.sum(), others / others.sum()
        between = np.concatenate([np.eye(15)[number], *shares])
        for weights, biases in zip(net.weights[:-1], net.biases[:-1], strict=True):
            between = np.maximum(between @ weights + biases, 0)
        out = between @ net.weights[-1] + net.biases[-1]
        out -= (out[:3] @ shares[0] + out[3:] @ shares[1]) / 2
        assert found[0][here] == pytest.approx(out[:3] * others.sum() * generator.units[number])
        assert found[1][here] == pytest.approx(out[3:] * own.sum() * generator.units[number])
    assert ranges[0] @ found[0] == pytest.approx(-(ranges[1] @ found[1]))  # zero sum


def test_a_player_without_reach_gives_zero_values():
    tree = compiled("leduc")
    found = drawn(SampleGenerator(tree, "deal")).values(trunk_of(tree, "deal"), (np.zeros(45), np.ones(45)))
    assert not found[1].any() and found[0].any() and np.isfinite(found[0]).all()


def test_public_states_may_have_different_augmented_infosets():
    tree = compiled("goofspiel", cards=3)
    generator, trunk = SampleGenerator(tree, 2), trunk_of(tree, 2)
    assert sorted(set(map(tuple, generator.augmented_counts.tolist()))) == [(1, 1), (2, 2)]
    net = drawn(generator)
    ahead = root_lookahead(trunk)
    search = LookaheadSolver(ahead, net)
    search.advance(5)
    assert [len(one) for one in search.solution().values] == [len(one) for one in trunk.ends]


def test_a_generator_knows_all_cuts_of_a_game():
    tree = compiled("liars_dice", sides=2)
    assert SampleGenerator(tree, 1).states.tolist() == list(range(1, 16))  # all public states but the first
    assert len(SampleGenerator(tree, 2).states) == 7
    assert SampleGenerator(compiled("leduc"), "deal").augmented_counts.tolist() == [[3, 3]] * 15


def test_saved_networks(tmp_path):
    tree = compiled("leduc")
    net, trunk = drawn(SampleGenerator(tree, "deal")), trunk_of(tree, "deal")
    net.save(tmp_path / "net.npz")
    again = td.resolving.ValueNetwork.load(tmp_path / "net.npz", tree)
    ranges = np.full(45, 0.1), np.full(45, 0.2)
    assert np.array_equal(net.values(trunk, ranges), again.values(trunk, ranges))
    assert again.error == 0.25 and repr(again) == "ValueNetwork(leduc, 15 public states, 8 x 8 units, error 0.2500)"


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda arrays, header: arrays.update({"weights.0": arrays["weights.0"][1:]}), "do not fit"),
        (lambda arrays, header: arrays.update({"biases.2": np.zeros(5)}), "'biases.2' is"),
        (lambda arrays, header: arrays.update({"weights.1": np.full((8, 8), np.nan)}), "numbers from nan"),
        (lambda arrays, header: arrays.update({"states": arrays["states"][::-1].copy()}), "do not fit"),
        (
            lambda arrays, header: arrays.update({"augmented_counts": np.zeros((15, 2), dtype=np.int64)}),
            "'augmented_counts' has numbers",
        ),
        (lambda arrays, header: arrays.pop("units"), "missing: \\['units'\\]"),
        (lambda arrays, header: header.update(layers=2), "unknown"),
        (lambda arrays, header: header.update(layers=10**9), "'layers' is"),
        (lambda arrays, header: header.update(kind="profile"), "'kind' is"),
        (lambda arrays, header: header.update(error=float("nan")), "'error' is"),
    ],
)
def test_forged_networks_are_refused(tmp_path, change, told):
    drawn(SampleGenerator(compiled("leduc"), "deal")).save(tmp_path / "net.npz")
    arrays, header = read_arrays(tmp_path / "net.npz")
    change(arrays, header)
    write_arrays(tmp_path / "net.npz", arrays, header)
    with pytest.raises(td.errors.RunError, match=told):
        td.resolving.ValueNetwork.load(tmp_path / "net.npz", compiled("leduc"))


def test_networks_of_something_else_are_refused(tmp_path):
    tree = compiled("leduc")
    net = drawn(SampleGenerator(tree, "deal"))
    net.save(tmp_path / "net.npz")
    with pytest.raises(td.errors.ProfileError, match="network"):
        td.resolving.ValueNetwork.load(tmp_path / "net.npz", compiled("kuhn"))
    with pytest.raises(td.errors.ProfileError, match="network"):
        td.depth_limited(compiled("kuhn"), 1, net)
    with pytest.raises(td.errors.ParameterError, match="trained"):
        td.depth_limited(tree, 1, net)
