"""``tefuda resolve --cut``: the loss by depth-limited solving, and refused options."""

import pytest

import tefuda as td
from tefuda.resolving.limited.samples import SampleGenerator
from tests.apps.conftest import last_json
from tests.conftest import compiled
from tests.networks import drawn


def test_exact_leaves_cost_nothing(tefuda):
    found = last_json(tefuda("resolve", "kuhn", "--cut", "1", "--out", "whole.npz", "--json"))
    assert found["nash_conv"] == pytest.approx(0, abs=1e-9) and found["values"][0] == pytest.approx(-1 / 18)
    assert (found["game"], found["cut"], found["leaves"], found["subgames"], found["lookaheads"]) == (
        "kuhn",
        1,
        "exact",
        2,
        8,
    )
    assert td.nash_conv(td.Profile.load("whole.npz", compiled("kuhn"))) == found["nash_conv"]
    text = " ".join(tefuda("resolve", "kuhn", "--cut", "1").stdout.split())
    assert "depth limit 1, leaf values exact" in text and "lookaheads solved" in text and "NashConv" in text


def test_continuation_strategies(tefuda):
    words = ("resolve", "leduc", "--cut", "deal", "--leaves", "continuations", "--blueprint", "cfr+:100", "--json")
    one, four = last_json(tefuda(*words)), last_json(tefuda(*words, "--bias", "f,c,r"))
    assert one["blueprint"] == "cfr+:100" and one["nash_conv"] > 5 * four["nash_conv"]


def test_a_network_in_a_file(tefuda):
    tree = compiled("kuhn")
    drawn(SampleGenerator(tree, 1)).save("net.npz")
    found = last_json(tefuda("resolve", "kuhn", "--cut", "1", "--leaves", "net.npz", "--iterations", "5", "--json"))
    leaves = td.resolving.ValuedLeaves(td.resolving.ValueNetwork.load("net.npz", tree), 5)
    assert found["error"] == 0.25 and found["nash_conv"] == pytest.approx(td.depth_limited(tree, 1, leaves).nash_conv)
    assert "error of the network" in tefuda("resolve", "kuhn", "--cut", "1", "--leaves", "net.npz").stdout


@pytest.mark.deep
def test_training_deep_networks(tefuda, tmp_path):
    words = (
        "--cut",
        "1",
        "--leaves",
        "net.npz",
        "--train",
        "--samples",
        "50",
        "--rounds",
        "1",
        "--steps",
        "50",
        "--json",
    )
    found = last_json(tefuda("resolve", "kuhn", *words))
    assert 0 < found["error"] < 1 and sorted(path.name for path in tmp_path.iterdir()) == ["net.npz"]


REFUSED = {
    "leaves without a cut": (("--leaves", "exact"), "--leaves needs --cut"),
    "a gadget of no blueprint": (("--cut", "1", "--gadget", "unsafe"), "--gadget has no effect with --cut"),
    "cut": (("--cut", "flop"), "cut must be 'deal'"),
    "cut too far": (("--cut", "deal"), "nothing of kuhn lies below"),
    "no file": (("--cut", "1", "--leaves", "nowhere.npz"), "must be exact, continuations, or the file of a network"),
    "continuations of exact": (("--cut", "1", "--bias", "b"), "--bias has no effect with --leaves exact"),
    "training of none": (("--cut", "1", "--leaves", "continuations", "--samples", "10"), "--samples has no effect"),
    "untrained": (("--cut", "1", "--leaves", "n.npz", "--rounds", "1"), "--rounds needs --train"),
    "no action": (
        ("--leaves", "continuations", "--bias", "x", "--cut", "1"),
        "action must be one of kuhn: b, p; got 'x'",
    ),
    "own": (("--leaves", "continuations", "--own", "2", "--cut", "1"), "own is 2"),
    "blueprint": (
        ("--cut", "1", "--leaves", "continuations", "--blueprint", "best"),
        "must be uniform, METHOD:ITERATIONS",
    ),
    "players": (("--players", "3", "--cut", "1"), "two players"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_unfit_options_are_refused(tefuda, what):
    words, message = REFUSED[what]
    assert message in " ".join(tefuda("resolve", "kuhn", *words, code=2).stderr.split())


def test_a_depth_limited_agent_of_the_roster(tefuda):
    found = last_json(tefuda("match", "kuhn", "--agents", "depth-limited,uniform", "--deals", "200", "--json"))
    assert found["agents"][0] == "depth-limited" and found["mean"][0] > 0
