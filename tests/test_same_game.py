"""Functions of a game and a profile refuse the profile of another game; most take a profile alone."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from bench.worlds import search_profile

import tefuda as td
from tefuda.evaluating.augmented import best_response_values, entrance_reach
from tefuda.forms.subgame import subgame
from tests.conftest import compiled


def public():
    """Every public function, and every class that is made of a game and a profile, of the library."""
    for found in pkgutil.walk_packages(td.__path__, "tefuda."):
        short = found.name.removeprefix("tefuda.")
        if short.split(".")[0] in ("__main__", "_kernels", "apps") or ".deep" in short:
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


FIRST = {
    name: thing
    for name, thing in public()
    if inspect.isfunction(thing) and next(iter(kinds(thing).values()), "") in ("Profile", "Strategies")
}
WITH_SEATS = {name: thing for name, thing in public() if hasattr(thing, "start") and "Profile" in kinds(thing).values()}


def test_the_search_finds_them():
    assert {"evaluating.values.nash_conv", "playing.variance.estimates", "exploiting.responses.restricted_nash"} <= set(
        FIRST
    )
    assert {
        "playing.agents.ProfileAgent",
        "exploiting.adaptive.AdaptiveExploiter",
        "exploiting.virtual.VirtualExploiter",
    } <= set(WITH_SEATS)


PUBLIC = {name: thing for name, thing in FIRST.items() if name.split(".")[-1] in td.__all__}


@pytest.mark.parametrize(
    "other", [[0.5, 0.5], "leduc", td.load_game("kuhn"), None], ids=["list", "name", "game", "none"]
)
@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_what_is_no_profile_is_refused(name, other):
    least = [one for one in inspect.signature(PUBLIC[name]).parameters.values() if one.default is one.empty]
    values = {
        "after": other,
        "player": 0,
        "p": 0.5,
        "eps": 0.1,
        "kind": "rnr",
        "public_state": 0,
        "target": other,
        "trust": np.zeros(12),
    }
    with pytest.raises(td.errors.ProfileError):
        PUBLIC[name](other, *(values[one.name] for one in least[1:]))


def mixes():
    """Calls with a profile of one game and another object of Leduc."""
    leduc = compiled("leduc")
    uniform = td.Profile.uniform(leduc)
    agents = [td.ProfileAgent(name, uniform) for name in "ab"]
    return {
        "replace": lambda other: uniform.replace(0, other),
        "mixed": lambda other: uniform.mixed(other, 0.5),
        "off policy": lambda other: td.playing.off_policy(uniform, other, 0),
        "a belief": lambda other: search_profile(uniform, np.random.default_rng(0), worlds=1, times=1, belief=other),
        "average regret": lambda other: td.evaluating.AverageRegret(leduc).add(other),
        "a subgame": lambda other: entrance_reach(subgame(leduc, "0: JQ|rc/"), other),
        "best_response_values": lambda other: best_response_values(subgame(leduc, "0: JQ|rc/"), other, 0),
        "continuations": lambda other: td.resolving.Continuations([uniform, other]),
        "a prior": lambda other: td.exploiting.fit_opponent(
            leduc, td.duplicate_match(leduc, agents, deals=1, play=True, record=True), prior=other
        ),
    }


@pytest.mark.parametrize("other", ["kuhn's", "another ante's", "no profile"])
@pytest.mark.parametrize("name", mixes())
def test_a_profile_of_another_game_is_refused(name, other):
    """Kuhn's 24 rows on Leduc's tree were read out of bounds; another ante gave plausible figures."""
    profiles = {
        "kuhn's": td.Profile.uniform(compiled("kuhn")),
        "another ante's": td.Profile.uniform(compiled("leduc", ante=2)),
        "no profile": [0.5, 0.5],
    }
    with pytest.raises(td.errors.ProfileError):
        mixes()[name](profiles[other])


@pytest.mark.parametrize("name", sorted(WITH_SEATS))
def test_no_agent_sits_down_with_a_profile_of_another_game(name):
    budget = {"iterations": 10} if "iterations" in kinds(WITH_SEATS[name]) else {}
    agent = WITH_SEATS[name]("someone", td.Profile.uniform(compiled("leduc", ante=2)), **budget)
    with pytest.raises(td.errors.ProfileError, match="ante=2"):
        agent.start(compiled("leduc"), 0)


def test_the_same_game_compiled_twice_is_the_same():
    one, two = (td.compile_game(td.load_game("kuhn")) for _ in range(2))
    profile = td.Profile.random(one, np.random.default_rng(0))
    assert td.Profile.uniform(two).replace(0, profile)["0: K|"] == profile["0: K|"]


def test_methods_of_a_profile_are_the_functions():
    profile = td.Profile.random(compiled("leduc"), np.random.default_rng(0))
    assert profile.nash_conv() == td.nash_conv(profile) and profile.epsilon() == td.evaluating.epsilon(profile)
    assert profile.exploitability() == td.exploitability(profile)
    assert profile.game_values().tolist() == td.values(profile).tolist()
    assert profile.best_response(1).value == td.best_response(profile, 1).value


def test_less_luck_only_for_matches_of_this_game():
    kuhn, leduc = compiled("kuhn"), compiled("leduc")
    agents = [td.ProfileAgent(name, td.Profile.uniform(leduc)) for name in "ab"]
    match = td.duplicate_match(leduc, agents, deals=5, play=True)
    with pytest.raises(td.errors.ParameterError, match="another game"):
        td.playing.aivat(match, 0, td.Profile.uniform(kuhn))


SWAPPED = {
    "a name for a game": (lambda: td.solve("kuhn"), "load_game"),
    "a name for a tree": (lambda: td.forms.sequence_form("kuhn"), "load_game"),
    "rules for a tree": (lambda: td.Profile.uniform(td.load_game("kuhn")), "compile_game"),
    "a game for a method": (lambda: td.solve(compiled("kuhn"), td.load_game("kuhn")), "a method"),
    "a tree for a profile": (lambda: td.nash_conv(compiled("kuhn")), "expected a Profile"),
    "a profile for an agent": (lambda: td.ProfileAgent("a", [0.5]), "expected a Profile"),
}


@pytest.mark.parametrize("what", SWAPPED)
def test_swapped_arguments_are_told(what):
    call, words = SWAPPED[what]
    with pytest.raises(td.InputError, match=words):
        call()
