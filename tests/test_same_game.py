"""Whatever takes a game and a profile refuses the profile of another game."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import tefuda as tf
from tests.conftest import compiled

#: Values for the other arguments, by name; a new name belongs here.
ARGUMENTS = {
    "counts": np.zeros(0),
    "depth": 1,
    "eps": 0.1,
    "iterations": 10,
    "knobs": (0.5,),
    "kind": "rnr",
    "match": tf.Match((), (), None, np.zeros(0), np.zeros((1, 0), dtype=np.int64)),
    "once": 0.5,
    "agent": 0,
    "p": 0.5,
    "part": 0.5,
    "player": 0,
    "public_state": 0,
    "rng": np.random.default_rng(0),
    "seen": {},
    "solving": None,
    "strength": 1.0,
    "trust": np.zeros(0),
    "times": 1,
    "values": np.zeros(0),
    "worlds": 1,
}
#: A Solution only keeps what solving gave.
EXEMPT = {"solvers.run.Solution"}


def public():
    """Every public function, and every class that is made of a game and a profile, of the library."""
    for found in pkgutil.walk_packages(tf.__path__, "tefuda."):
        short = found.name.removeprefix("tefuda.")
        if short.split(".")[0] in ("__main__", "_kernels", "apps", "papers") or ".deep" in short:
            continue
        module = importlib.import_module(found.name)
        for name, thing in vars(module).items():
            if not name.startswith("_") and getattr(thing, "__module__", "") == found.name and callable(thing):
                yield f"{short}.{name}", thing


def kinds(thing):
    """The annotations of a function's arguments, as text."""
    try:
        return {name: str(one.annotation) for name, one in inspect.signature(thing).parameters.items()}
    except (TypeError, ValueError):
        return {}


BOTH = {name: thing for name, thing in public() if {"Tree", "Profile"} <= set(kinds(thing).values())}
WITH_SEATS = {name: thing for name, thing in public() if hasattr(thing, "start") and "Profile" in kinds(thing).values()}


def call(thing, tree, profile):
    """Call with this tree and profile, and something fitting for everything else that must be given."""
    given, named = [], {}
    for name, one in inspect.signature(thing).parameters.items():
        if one.annotation in ("Tree", "Profile"):
            given.append(tree if one.annotation == "Tree" else profile)
        elif one.default is inspect.Parameter.empty and one.kind is inspect.Parameter.KEYWORD_ONLY:
            named[name] = ARGUMENTS[name]
        elif one.default is inspect.Parameter.empty:
            given.append(ARGUMENTS[name])
    return thing(*given, **named)


def test_the_search_finds_them():
    named = set(BOTH)
    assert {
        "judging.values.nash_conv",
        "judging.values.reach",
        "exploiting.responses.restricted_nash",
        "exploiting.models.HiddenDirichlet",
    } <= named
    assert {
        "playing.agents.ProfileAgent",
        "exploiting.adaptive.AdaptiveExploiter",
        "exploiting.virtual.VirtualExploiter",
    } <= set(WITH_SEATS)
    assert len(named) >= 25


@pytest.mark.parametrize("other", ["kuhn's", "another ante's", "no profile"])
@pytest.mark.parametrize("name", sorted(set(BOTH) - EXEMPT))
def test_a_profile_of_another_game_is_refused(name, other):
    """Kuhn's 24 rows on Leduc's tree were read out of bounds; another ante gave plausible figures."""
    profiles = {
        "kuhn's": tf.Profile.uniform(compiled("kuhn")),
        "another ante's": tf.Profile.uniform(compiled("leduc", ante=2)),
        "no profile": [0.5, 0.5],
    }
    words = {"kuhn's": r"of kuhn\(.*not of this leduc\(", "another ante's": "ante=2.*ante=1", "no profile": "the list"}
    with pytest.raises(tf.ProfileError, match=words[other]):
        call(BOTH[name], compiled("leduc"), profiles[other])


@pytest.mark.parametrize("name", sorted(WITH_SEATS))
def test_no_agent_sits_down_with_a_profile_of_another_game(name):
    budget = {"iterations": 10} if "iterations" in kinds(WITH_SEATS[name]) else {}
    agent = WITH_SEATS[name]("someone", tf.Profile.uniform(compiled("leduc", ante=2)), **budget)
    with pytest.raises(tf.ProfileError, match="ante=2"):
        agent.start(compiled("leduc"), 0)


@pytest.mark.parametrize("name", sorted(set(BOTH) - EXEMPT))
def test_what_is_no_tree_is_refused(name):
    with pytest.raises(tf.InputError, match="is wanted here"):
        call(BOTH[name], "leduc", tf.Profile.uniform(compiled("leduc")))


def test_the_same_game_compiled_twice_is_the_same():
    one, two = (tf.compile_game(tf.load_game("kuhn")) for _ in range(2))
    profile = tf.Profile.random(one, np.random.default_rng(0))
    assert tf.nash_conv(two, profile) == tf.nash_conv(one, profile)
    assert tf.Profile.uniform(two).replace(0, profile)["0: K|"] == profile["0: K|"]


@pytest.mark.parametrize("change", [lambda p, q: p.replace(0, q), lambda p, q: p.mixed(q, 0.5)])
def test_profiles_of_different_games_do_not_mix(change):
    with pytest.raises(tf.ProfileError, match="ante=2"):
        change(tf.Profile.uniform(compiled("leduc")), tf.Profile.uniform(compiled("leduc", ante=2)))


def test_average_regret_and_evidence_ask_too():
    tree, other = compiled("leduc"), tf.Profile.uniform(compiled("leduc", ante=2))
    with pytest.raises(tf.ProfileError, match="ante=2"):
        tf.AverageRegret(tree).add(other)


def test_less_luck_only_for_matches_of_this_game():
    kuhn, leduc = compiled("kuhn"), compiled("leduc")
    agents = [tf.ProfileAgent(name, tf.Profile.uniform(leduc)) for name in "ab"]
    match = tf.duplicate_match(leduc, agents, deals=5, play=True)
    with pytest.raises(tf.ParameterError, match="not played at this kuhn"):
        tf.with_less_luck(kuhn, match, 0, tf.Profile.uniform(kuhn))


SWAPPED = {
    "a name for a game": (lambda: tf.solve("kuhn"), "load_game"),
    "a name for a tree": (lambda: tf.sequence_form("kuhn"), "load_game"),
    "rules for a tree": (lambda: tf.Profile.uniform(tf.load_game("kuhn")), "compile_game"),
    "a game for a method": (lambda: tf.solve(compiled("kuhn"), tf.load_game("kuhn")), "a method"),
    "a profile and then the tree": (
        lambda: tf.nash_conv(tf.Profile.uniform(compiled("kuhn")), compiled("kuhn")),
        "a compiled game",
    ),
    "a profile for an agent": (lambda: tf.ProfileAgent("a", [0.5]), "a Profile is wanted"),
}


@pytest.mark.parametrize("what", SWAPPED)
def test_swapped_arguments_are_told(what):
    call, words = SWAPPED[what]
    with pytest.raises(tf.InputError, match=words):
        call()
