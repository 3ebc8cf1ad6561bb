"""Profiles: validation, lookup by name, and files."""

import dataclasses
import io
from collections.abc import Mapping

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled, refused


def test_uniform_and_lookup(kuhn):
    uniform = td.Profile.uniform(kuhn)
    assert uniform["0: Q|pb"] == uniform[0, "Q|pb"] == {"p": 0.5, "b": 0.5}
    assert len(dict(uniform.items())) == 12 and len(dict(uniform.items(player=1))) == 6
    with refused(td.errors.UnknownNameError, key="infoset of kuhn", value="0: Q|pbb", nearest="0: Q|pb"):
        uniform["0: Q|pbb"]


def test_a_profile_is_a_mapping(kuhn):
    """A profile maps names to strategies in the tree's order; from it `[R]` probabilities can be rebuilt."""
    profile = td.Profile.random(kuhn, np.random.default_rng(2))
    assert isinstance(profile, Mapping) and len(profile) == kuhn.infosets == 12
    names = [f"{player}: {key}" for player, key in zip(kuhn.infoset_player, kuhn.keys, strict=True)]
    assert list(profile) == list(profile.keys()) == names == [name for name, _ in profile.items()]
    flat = [chance for strategy in profile.values() for chance in strategy.values()]
    assert flat == profile.probabilities.tolist() and dict(profile) == {name: profile[name] for name in names}
    mine = dict(profile.items(player=1))
    assert list(mine) == names_of(kuhn, 1) and all(mine[name] == profile[name] for name in mine)
    assert {**profile}["1: K|b"] == profile.get("1: K|b") == profile[1, "K|b"]
    with pytest.raises(td.errors.ParameterError):
        profile.items(player=2)


def names_of(tree, player):
    return [tree.name_of(number) for number in tree.infosets_of(player)]


def test_membership_and_defaults(kuhn):
    profile = td.Profile.uniform(kuhn)
    for known in ("0: J|", (0, "J|"), 0, 11):
        assert known in profile and profile.get(known, "none") == {"p": 0.5, "b": 0.5}
    for unknown in ("0: X|", (1, "J|"), 12, -1, None, [0], "J|"):
        assert unknown not in profile and profile.get(unknown, "none") == "none"
        with pytest.raises(td.errors.UnknownNameError):
            profile[unknown]


def test_profiles_are_compared_by_identity(kuhn):
    """Profiles serve as keys; arrays are not compared by accident."""
    one, two = td.Profile.uniform(kuhn), td.Profile.uniform(kuhn)
    assert one == one and one != two and len({one, two}) == 2


def test_a_name_that_two_infosets_share_is_refused(kuhn):
    """Keys 1 and "1" have the same text: only (player, key) and the infoset's number are unique."""
    keys = ("1", 1, *kuhn.keys[2:])
    assert kuhn.infoset_player[0] == 0
    owners = kuhn.infoset_player.copy()
    owners[1] = 0
    tree = dataclasses.replace(kuhn, keys=keys, infoset_player=owners, game=None)
    values = np.where(tree.infoset_of_row == 0, [0.25, 0.75] * 12, [0.5, 0.5] * 12)
    profile = td.Profile(tree, values)
    assert profile[0, "1"] == profile[0] == {"p": 0.25, "b": 0.75} and profile[0, 1] == profile[1] == {
        "p": 0.5,
        "b": 0.5,
    }
    assert profile[tree.name_of(5)] == profile[5] and len(profile) == 12
    for ask in (
        lambda: profile["0: 1"],
        lambda: "0: 1" in profile,
        lambda: list(profile),
        lambda: dict(profile.items()),
        lambda: profile.items(player=0),
        lambda: profile.get("0: 1"),
    ):
        with pytest.raises(td.errors.ParameterError, match=r"0: 1.*\(0, '1'\), \(0, 1\)"):
            ask()


def test_from_function_takes_sequences_and_mappings(kuhn):
    sure = td.Profile.from_function(kuhn, lambda player, key, actions: {"b": 1})
    same = td.Profile.from_function(kuhn, lambda player, key, actions: (0, 1))
    assert np.array_equal(sure.probabilities, same.probabilities) and sure["1: J|b"]["b"] == 1
    with pytest.raises(td.errors.ProfileError, match="tuple"):
        td.Profile.from_function(kuhn, lambda player, key, actions: (0, 1, 0))


@pytest.mark.parametrize("bad", [(0.5, 0.6), (0.5, 0.4), (-0.1, 1.1), (float("nan"), 1.0)])
def test_invalid_distributions_are_refused(kuhn, bad):
    with pytest.raises(td.errors.ProfileError, match=r"0: J\|"):
        td.Profile.from_function(kuhn, lambda p, key, actions: bad if (p, key) == (0, "J|") else (1, 0))
    with pytest.raises(td.errors.ProfileError, match="probabilities"):
        td.Profile(kuhn, np.ones(3))


def test_probabilities_are_copied_and_must_sum_to_one(kuhn):
    """The sum must be 1 to 1e-9; the caller's array is not changed."""
    given = np.full(24, 0.5)
    profile = td.Profile(kuhn, given)
    given[:2] = 1.0, 0.0
    assert profile.probabilities[0] == 0.5
    td.Profile(kuhn, given + np.repeat([1e-11, 0], 12))
    with pytest.raises(td.errors.ProfileError, match="sum"):
        td.Profile(kuhn, given + np.repeat([1e-6, 0], 12))


def test_mixed_profiles(kuhn):
    one, two = (td.Profile.from_function(kuhn, lambda p, key, actions, row=row: row) for row in ((1, 0), (0, 1)))
    assert one.mixed(two, 0.25)["0: K|"] == {"p": 0.75, "b": 0.25}
    for part in (-0.1, 1.1):
        with refused(td.errors.ParameterError, key="part"):
            one.mixed(two, part)


def test_replace_takes_one_player(kuhn):
    rng = np.random.default_rng(0)
    one, two = td.Profile.random(kuhn, rng), td.Profile.random(kuhn, rng)
    mixed = one.replace(1, two)
    assert mixed["0: K|"] == one["0: K|"] and mixed["1: K|b"] == two["1: K|b"]


def test_save_and_load(kuhn, leduc, tmp_path):
    profile = td.Profile.random(kuhn, np.random.default_rng(1))
    profile.save(tmp_path / "p.npz")
    assert np.array_equal(td.Profile.load(tmp_path / "p.npz", kuhn).probabilities, profile.probabilities)
    assert np.array_equal(np.load(tmp_path / "p.npz")["probabilities"], profile.probabilities)  # readable by NumPy
    with pytest.raises(td.errors.ProfileError, match="kuhn"):
        td.Profile.load(tmp_path / "p.npz", leduc)
    with pytest.raises(td.errors.RunError, match="read"):
        td.Profile.load(tmp_path / "nothing.npz", kuhn)


def test_weights_that_sum_to_zero_give_uniform(kuhn):
    profile = td.Profile.from_weights(kuhn, np.zeros(kuhn.rows))
    assert np.array_equal(profile.probabilities, np.full(24, 0.5))


WRONG_STRATEGIES = {
    "other names": lambda player, key, actions: {"check": 1, "bet": 0},
    "a name too many": lambda player, key, actions: {actions[0]: 0.5, actions[1]: 0.5, "fold": 0.5},
    "too little": lambda player, key, actions: {actions[0]: 0.5},
    "negative": lambda player, key, actions: [-0.5, 1.5],
    "too few": lambda player, key, actions: [1.0],
    "too many": lambda player, key, actions: [0.5, 0.5, 0.0],
    "nothing": lambda player, key, actions: None,
    "text": lambda player, key, actions: ["a", "b"],
    "nan": lambda player, key, actions: [float("nan"), 1.0],
}


@pytest.mark.parametrize("wrong", WRONG_STRATEGIES)
def test_wrong_strategies_name_the_infoset_and_its_actions(wrong):
    """Profiles, agents, and strategies lifted into a larger game raise the same error."""
    tree, function = compiled("kuhn"), WRONG_STRATEGIES[wrong]
    lifted = td.abstract(td.load_game("kuhn"), key=lambda view, player: view).lift(function)
    agents = [td.StrategyAgent("mine", function), td.RandomAgent()]
    takers = (
        lambda: td.Profile.from_function(tree, function),
        lambda: td.Profile.from_function(tree, lifted),
        lambda: td.duplicate_match(tree, agents, deals=1),
    )
    for take in takers:
        with pytest.raises(td.errors.ProfileError) as refused:
            take()
        assert "'p'" in str(refused.value)


def test_a_mapping_may_omit_or_add_actions_of_probability_zero():
    profile = td.Profile.from_function(compiled("kuhn"), lambda player, key, actions: {"p": 1, "raise": 0})
    assert set(profile.probabilities.tolist()) == {0.0, 1.0}
    with pytest.raises(td.errors.ParameterError, match="actions"):
        td.Profile.from_function(compiled("kuhn"), {"0: J|": {"p": 1}})


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_print_shows_a_bounded_table_and_repr_one_line(name):
    """At most the 12 infosets that are reached most often, each in a line."""
    profile = td.Profile.uniform(compiled(name))
    printed, text = str(profile), repr(profile)
    assert len([infoset for infoset in profile if f" {infoset} " in printed]) == min(12, len(profile))
    assert len(printed.splitlines()) <= 18 and max(map(len, printed.splitlines())) <= 100
    assert text.startswith("Profile(") and text not in printed and "\n" not in text


def test_a_profile_prints_where_the_output_has_few_characters(kuhn, monkeypatch):
    """Also with views that a terminal would obey."""
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", out)
    keys = tuple(f"\x1b[2J手{number}" for number in range(12))
    print(td.Profile.uniform(dataclasses.replace(kuhn, keys=keys, game=None)))
    out.flush()
    printed = out.buffer.getvalue()
    assert b"\x1b" not in printed and printed.count(b"0.5000") == 24
