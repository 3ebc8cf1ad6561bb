"""Translation of actions that an abstraction lacks."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tests.conftest import refused

SIZES = {"h": 0.5, "b": 1.0, "d": 2.0, "x": 9.0}


def test_translation_preserves_calling_frequencies():
    """If sizes A and B are called with 1 / (1 + size), so is every bet between (ganzfried2013)."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        low, size, high = np.sort(rng.exponential(size=3)).tolist()
        called = sum(part / (1 + one) for one, part in td.games.translate_size(size, [low, high]).items())
        assert called == pytest.approx(1 / (1 + size), abs=1e-12)


@pytest.mark.parametrize("size, mapping, taken", [
    (1.0, "pseudo-harmonic", {0.5: 0.5, 2.0: 0.5}), (1.0, "nearest", {0.5: 1.0}), (1.25, "nearest", {0.5: 1.0}),
    (1.26, "nearest", {2.0: 1.0}), (0.1, "pseudo-harmonic", {0.5: 1.0}), (50.0, "pseudo-harmonic", {2.0: 1.0}),
    (0.1, "nearest", {0.5: 1.0}), (0.5, "pseudo-harmonic", {0.5: 1.0}), (2.0, "nearest", {2.0: 1.0}),
    (0, "pseudo-harmonic", {0.5: 1.0}),
])  # fmt: skip
def test_sizes(size, mapping, taken):
    assert td.games.translate_size(size, [2.0, 0.5], mapping) == pytest.approx(taken)


def test_histories_are_translated_move_by_move():
    """1 between .5 and 2: each with probability 1/2, twice; after the larger bet only one action is left."""

    def offered(past):
        return "pfc" + ("d" if "d" in past else "hd")

    found = td.games.translate_history("pbb", offered, SIZES.get)
    quarter = {("p", "h", "h"): 0.25, ("p", "h", "d"): 0.25, ("p", "d", "d"): 0.5}
    assert found == pytest.approx(quarter)
    assert td.games.translate_history("pbb", offered, SIZES.get, "nearest") == {("p", "h", "h"): 1.0}
    assert td.games.translate_history("", offered, SIZES.get) == {(): 1.0}


def test_refused():
    for size, sizes in ((1.0, []), (-1.0, [1.0]), (float("nan"), [1.0]), (1.0, [float("inf")])):
        with pytest.raises(td.errors.ParameterError, match="pots"):
            td.games.translate_size(size, sizes)
    with refused(td.InputError, key="mapping", value="furthest"):
        td.games.translate_size(1.0, [1.0], "furthest")
    with pytest.raises(td.errors.GameError, match="'z' is not in the abstraction"):
        td.games.translate_history("z", lambda past: "hd", SIZES.get)
    sizes = {"a": 1.0, "b": 1.0, "c": 2.0, "half": 0.5}
    for mapping in ("nearest", "pseudo-harmonic"):  # the first of two names of one size is used
        with pytest.raises(td.errors.GameError, match="size"):
            td.games.translate_history(["half"], lambda past: "abc", sizes.get, mapping)
    assert td.games.translate_history("c", lambda past: "ab" + "c" * (not past), sizes.get) == {("c",): 1.0}
    with pytest.raises(td.errors.GameError, match="'b' is not in the abstraction"):
        td.games.translate_history("b", lambda past: "pf", SIZES.get)


def test_one_bet_of_nine_cards():
    """Three of seven sizes: .146 with the nearest, .063 at random, of a game of NashConv 0."""
    names = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "bet_sizes.py"), run_name="bet_sizes")
    tree, found = names["tree"], {}
    for mapping in ("nearest", "pseudo-harmonic"):
        small = td.abstract(names["OneBet"](), actions=names["fewer_sizes"], translate=names["translation"](mapping))
        lifted = td.Profile.from_function(tree, small.lift(td.solve(small, "lp").strategy.strategy))
        found[mapping] = td.nash_conv(lifted)
        taken = td.games.translate_size(0.75, [0.5, 1.0, 4.0], mapping)
        calls = sum(part * lifted[f"1: 5|{'b' if one == 0.5 else 'd'}"]["call"] for one, part in taken.items())
        assert lifted["1: 5|c"]["call"] == pytest.approx(calls)
    assert 0.01 < found["pseudo-harmonic"] < 0.1 < found["nearest"]


@pytest.mark.parametrize("answer", [{"K|p": 0.5}, {"K|p": 1.5, "K|b": -0.5}, {"K|p": "1"}, {"K|p": float("nan")}, {}])
def test_translations_that_are_no_probabilities_are_refused(answer):
    small = td.abstract(td.load_game("kuhn"), translate=lambda view, player: answer)
    with pytest.raises(td.errors.GameError, match="sum"):
        small.lift(lambda player, view, actions: [0.5, 0.5])(0, "K|", ("p", "b"))
