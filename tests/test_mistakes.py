"""Common mistakes of callers raise an error of ours that names the given value."""

import numpy as np
import pytest

import tefuda as td
from tests.conftest import compiled


class Part:
    """An agent without the named member, or with the given answer."""

    def __init__(self, *, without=(), answer=0):
        self.answer = answer
        for name, value in (("name", "part"), ("profile", None), ("observe_hand", lambda sight: None)):
            if name not in without:
                setattr(self, name, value)

    def start(self, game, seat):
        pass

    def act(self, turn):
        return self.answer


def match(agent=None, **options):
    return td.duplicate_match(compiled("kuhn"), [agent or td.RandomAgent()] * 2, **{"deals": 2, **options})


def exact():
    flat = td.Profile.uniform(compiled("kuhn"))
    return match(td.ProfileAgent("flat", flat)), flat


#: Calls, and a text in the message of their error.
MISTAKES = {
    "no deals": (lambda kuhn, flat: match(deals=0), "deals"),
    "half a deal": (lambda kuhn, flat: match(deals=1.5), "deals"),
    "no replicates": (lambda kuhn, flat: match(replicates=0), "replicates"),
    "a seed below zero": (lambda kuhn, flat: match(seed=-1), "seed"),
    "a seat is free": (lambda kuhn, flat: td.duplicate_match(kuhn, [td.RandomAgent()]), "2 players"),
    "one agent, no list": (lambda kuhn, flat: td.duplicate_match(kuhn, td.RandomAgent()), "list of agents"),
    "names for agents": (lambda kuhn, flat: td.duplicate_match(kuhn, ["uniform", "uniform"]), "uniform"),
    "a name for a game": (lambda kuhn, flat: td.duplicate_match("kuhn", [td.RandomAgent()] * 2), "load_game"),
    "an agent of another game": (
        lambda kuhn, flat: td.duplicate_match(compiled("leduc"), [td.ProfileAgent("a", flat)] * 2), "leduc",
    ),
    "an agent without a name": (lambda kuhn, flat: match(Part(without=("name",))), "lacks name"),
    "an agent without a profile": (lambda kuhn, flat: match(Part(without=("profile",))), "lacks profile"),
    "an agent that cannot see": (lambda kuhn, flat: match(Part(without=("observe_hand",))), "lacks observe_hand"),
    "an agent that answers nothing": (lambda kuhn, flat: match(Part(answer=None)), "0: p, 1: b"),
    "an agent that answers a label": (lambda kuhn, flat: match(Part(answer="b")), "0: p, 1: b"),
    "an agent that answers a share": (lambda kuhn, flat: match(Part(answer=0.5)), "0: p, 1: b"),
    "a script that is none": (lambda kuhn, flat: td.ScriptedAgent("s", "b"), "function"),
    "a strategy that is none": (lambda kuhn, flat: td.StrategyAgent("s", flat), "function"),
    "a policy that is none": (lambda kuhn, flat: td.PolicyAgent("p", None), "strategy"),
    "a tournament of one": (lambda kuhn, flat: td.cross_table(kuhn, [td.RandomAgent()]), "two agents"),
    "a tournament of three players": (
        lambda kuhn, flat: td.cross_table(compiled("kuhn", players=3), [td.RandomAgent()] * 2), "two",
    ),
    "a level above 1": (lambda kuhn, flat: match().interval(95), "level"),
    "names as one text": (lambda kuhn, flat: td.named_agents(kuhn, "uniform"), "list of names"),
    "names of nothing": (lambda kuhn, flat: td.named_agents(kuhn, None), "list of names"),
    "agents of a name": (lambda kuhn, flat: td.named_agents("kuhn", ["uniform"]), "load_game"),
    "hands of nothing": (lambda kuhn, flat: td.playing.write_hands("h.jsonl", None), "Match"),
    "hands that were not recorded": (lambda kuhn, flat: td.playing.write_hands("h.jsonl", match()), "record=True"),
    "hands of a name": (lambda kuhn, flat: td.playing.read_hands("h.jsonl", "kuhn"), "load_game"),
    "records of a name": (lambda kuhn, flat: td.playing.read_record("h.jsonl", "kuhn"), "load_game"),
    "less luck in nothing": (lambda kuhn, flat: td.playing.aivat(None, 0, flat), "Match"),
    "less luck in no hands": (lambda kuhn, flat: td.playing.aivat(exact()[0], 0, flat), "play=True"),
    "known players that are no list": (lambda kuhn, flat: td.playing.estimates(flat, 0, known=1), "list of players"),
    "a guess of words": (lambda kuhn, flat: td.playing.estimates(flat, 0, "high"), "55"),
    "player 2 of 2": (lambda kuhn, flat: td.best_response(flat, 2), "0 or 1"),
    "player 2 of 2, replaced": (lambda kuhn, flat: flat.replace(2, flat), "0 or 1"),
    "a tree for a profile": (lambda kuhn, flat: td.values(kuhn), "Profile"),
    "a profile of words": (lambda kuhn, flat: td.Profile(kuhn, ["half"] * 24), "24"),
    "a profile by name": (lambda kuhn, flat: td.Profile(kuhn, {"0: J|": (1, 0)}), "24"),
    "too few weights": (lambda kuhn, flat: td.Profile.from_weights(kuhn, [1.0]), "24"),
    "weights without end": (lambda kuhn, flat: td.Profile.from_weights(kuhn, np.full(24, np.inf)), "24"),
    "weights of words": (lambda kuhn, flat: td.Profile.from_weights(kuhn, ["a"] * 24), "24"),
    "complex weights": (lambda kuhn, flat: td.Profile.from_weights(kuhn, np.ones(24) * 1j), "24"),
    "a seed for a generator": (lambda kuhn, flat: td.Profile.random(kuhn, 0), "default_rng"),
    "trust in words": (lambda kuhn, flat: td.exploiting.data_biased_response(flat, 0, "all"), "12"),
    "trust above 1": (
        lambda kuhn, flat: td.exploiting.data_biased_response(flat, 0, np.full(12, 2.0)), "0 to 2|2 to 2",
    ),
    "one parameter": (lambda kuhn, flat: td.exploiting.frontier(flat, 0, "rnr", 0.5), "list of numbers"),
    "too few visits": (lambda kuhn, flat: td.exploiting.frontier(flat, 0, "dbr", visits=np.ones(3)), "12"),
    "an exploiter of nothing": (lambda kuhn, flat: td.AdaptiveExploiter("a", None), "Profile"),
    "an exploiter that trusts nothing": (lambda kuhn, flat: td.AdaptiveExploiter("a", flat, trust=0), "trust"),
    "an exploiter with a wide margin": (lambda kuhn, flat: td.AdaptiveExploiter("a", flat, margin=2), "margin"),
    "an exploiter without memory": (lambda kuhn, flat: td.AdaptiveExploiter("a", flat, memory=0), "memory"),
    "a safe exploiter of nothing": (lambda kuhn, flat: td.exploiting.SafeExploiter("s", None), "Profile"),
    "a safe exploiter of no hands": (lambda kuhn, flat: td.exploiting.SafeExploiter("s", flat, hands=0), "hands"),
    "a safe exploiter of a surprise": (lambda kuhn, flat: td.exploiting.SafeExploiter("s", flat, prior=-1), "prior"),
    "a virtual exploiter of a tree": (lambda kuhn, flat: td.exploiting.VirtualExploiter("v", kuhn), "Profile"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    do, words = MISTAKES[mistake]
    kuhn = compiled("kuhn")
    with pytest.raises(td.InputError, match=words):
        do(kuhn, td.Profile.uniform(kuhn))
    assert not list(tmp_path.iterdir())


def test_what_is_right_is_taken(kuhn):
    """Numbers of NumPy, whole weights, known players as a tuple, an own agent."""
    flat = td.Profile.from_weights(kuhn, np.ones(24, dtype=np.int32))
    assert (
        flat.probabilities.tolist() == [0.5] * 24 == td.Profile.from_weights(kuhn, [True] * 24).probabilities.tolist()
    )
    assert match(Part(answer=np.int64(1))).mean.tolist() == [0, 0] and match().interval(0.5).shape == (2, 2)
    assert td.playing.estimates(flat, 0, np.zeros(55, dtype=np.float32), (1,)).aivat.shape == (30,)
    assert td.exploiting.frontier(flat, 0, "rnr", np.array([1.0]))[0].exploitation == pytest.approx(0.5)
