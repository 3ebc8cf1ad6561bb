"""``tefuda resolve``: tables, JSON, the picture, blueprints, and refused options."""

import pytest

import tefuda as td
from tests.apps.conftest import last_json
from tests.conftest import compiled


def test_it_reports_the_effect_of_each_gadget(tefuda, tmp_path):
    found = last_json(tefuda("resolve", "kuhn", "--blueprint", "cfr:100", "--json"))
    before = td.nash_conv(td.solve(compiled("kuhn"), "cfr", iterations=100).strategy)
    assert found["nash_conv"] == pytest.approx(before) and list(found["gadgets"]) == [
        "unsafe",
        "cfr-d",
        "max-margin",
        "reach",
    ]
    assert [gadget for gadget, one in found["gadgets"].items() if one["increases"]] == ["unsafe"]
    assert all(len(one["states"]) == 4 and len(one["levels"]) == 2 for one in found["gadgets"].values())
    text = tefuda("resolve", "kuhn", "--gadget", "reach,unsafe", "--depth", "1", "--png", tmp_path / "a.png").stdout
    assert "blueprint cfr:10: NashConv 0.137398" in " ".join(text.split()) and "only 1" in text and "2 on" not in text
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_the_blueprint_is_the_reported_strategy_of_a_run(tefuda, tmp_path):
    tefuda("solve", "kuhn", "--method", "cfr+", "--iterations", "10", "--out", "kept")
    of_run = last_json(tefuda("resolve", "kept", "--gadget", "cfr-d", "--json"))
    td.Profile.uniform(compiled("kuhn")).save(tmp_path / "uniform.npz")
    of_file = last_json(tefuda("resolve", "kuhn", "--blueprint", "uniform.npz", "--gadget", "cfr-d", "--json"))
    named = last_json(tefuda("resolve", "kuhn", "--blueprint", "uniform", "--gadget", "cfr-d", "--json"))
    assert of_run["blueprint"] == "kept" and of_run["nash_conv"] < of_file["nash_conv"]
    assert of_file["gadgets"] == named["gadgets"]
    rough = ("--method", "cfr+", "--iterations", "5")
    assert last_json(tefuda("resolve", "kept", *rough, "--gadget", "cfr-d", "--json"))["gadgets"] != of_run["gadgets"]


REFUSED = {
    "unknown gadget": (("kuhn", "--gadget", "safe"), "unknown gadget 'safe'"),
    "unknown blueprint": (("kuhn", "--blueprint", "best"), "must be uniform, METHOD:ITERATIONS"),
    "no iterations": (("kuhn", "--blueprint", "cfr:"), "METHOD:ITERATIONS such as cfr:10"),
    "no such method": (("kuhn", "--method", "lpp"), "unknown method 'lpp'"),
    "three players": (("kuhn", "--players", "3"), "two players"),
    "no run": (("kuhn", "--game", "a.py:B"), "is no run folder"),
    "depth": (("kuhn", "--depth", "-1"), "depth is -1"),
    "option": (("kuhn", "--plaiers", "2"), "--players"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_unfit_options_are_refused(tefuda, what):
    words, message = REFUSED[what]
    assert message in " ".join(tefuda("resolve", *words, code=2).stderr.split())


def test_an_agent_of_the_roster_re_solves(tefuda):
    found = last_json(tefuda("match", "kuhn", "--agents", "resolving,uniform", "--deals", "200", "--json"))
    assert found["agents"][0] == "resolving" and found["mean"][0] > 0
    assert "two players" in tefuda("match", "kuhn", "--players", "3", "--agents", "resolving,uniform,uniform",
                                       "--deals", "2", code=2).stderr  # fmt: skip
