"""Correlation devices with known gaps, and games with known optima."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

import tefuda as td
from tefuda.correlating import Device

#: Payoffs of a table in which the iterates of plain CFR approach NFCCE, but not EFCE.
STALLS = (((3, 3), (5, 0), (1, 2)), ((5, 0), (2, 2), (0, 2)), ((3, 2), (1, 3), (5, 0)))


class InOut:
    """A game of one player, which wins 1 if it goes in twice (von Stengel and Forges 2008, section 2.4)."""

    name, players, constant_sum = "in or out", 1, None

    def root(self):
        return ()

    def player(self, state):
        return 0 if len(state) < 2 else td.TERMINAL

    def actions(self, state):
        return ("in", "out")

    def chances(self, state):
        raise NotImplementedError

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return (float(state == ("in", "in")),)

    def view(self, state, player):
        return " ".join(state)


def gibson() -> Device:
    """Return the device of Gibson 2013, section 2.2: NFCCE gap 0, but (C, b) tells player 0 to play B."""
    tree = td.compile_game(
        td.load_game(
            "matrix", payoffs=[[(1, 0), (0, 0)], [(0, 0), (2, 0)], [(-1, 0), (1, 0)]], labels=[list("ABC"), list("ab")]
        )
    )
    profiles = [td.Profile(tree, np.append(np.eye(3)[one], np.eye(2)[two])) for one, two in ((0, 0), (1, 1), (2, 1))]
    return Device.of(profiles, [1 / 2, 1 / 4, 1 / 4])


def in_out() -> Device:
    """Return "always out": only leaving twice gains, 1."""
    tree = td.compile_game(InOut())
    return Device.of([td.Profile.from_function(tree, lambda player, key, actions: (0, 1))])


def signalling() -> Device:
    """Return the EFCE of von Stengel and Forges 2008, section 2.3, which pays more than all equilibria.

    The good type's signal is drawn evenly, and only this one is accepted; the bad type's signal is drawn evenly too.
    """
    tree = td.compile_game(td.load_game("signalling"))
    profiles = []
    for good in "XY":
        for bad in "XY":
            chosen = {"good|": good, "bad|": bad, f"-|{good}": "accept"}
            profiles.append(
                td.Profile.from_function(
                    tree, lambda player, key, actions, chosen=chosen: {chosen.get(key, "refuse"): 1.0}
                )
            )
    return Device.of(profiles)


@dataclass(frozen=True)
class Optimum:
    """A game of two players with the largest sum of the values by concept, and values that are unique.

    Two other programs computed the numbers; those of the last game are no simple fractions.
    """

    rules: td.Game
    optima: dict[str, Fraction | float]
    values: dict[str, tuple[Fraction, ...]] = field(default_factory=dict)
    relaxed: bool = False


def _optima(*texts: str | float) -> dict[str, Fraction | float]:
    """Return optima of the three concepts."""
    found = (Fraction(text) if isinstance(text, str) else text for text in texts)
    return dict(zip(("nfcce", "efcce", "efce"), found, strict=True))


def _values(**texts: str) -> dict[str, tuple[Fraction, ...]]:
    return {concept: tuple(map(Fraction, text.split())) for concept, text in texts.items()}


def _battleship(**parameters: object) -> td.Game:
    given = {"width": 3, "height": 1, "ships": (1,), "values": (1,), "shots": 2, "loss": 2, **parameters}
    return td.load_game("battleship", **given)


def _sheriff(items: int, bribe: int, rounds: int, **payoffs: float) -> td.Game:
    return td.load_game("sheriff", items=items, bribe=bribe, rounds=rounds, **payoffs)


_CHICKEN = td.load_game("matrix", payoffs=[[(0, 0), (7, 2)], [(2, 7), (6, 6)]])
_CONITZER = td.load_game("matrix", payoffs=[[(2, 1), (4, 0)], [(1, 0), (3, 1)]])
OPTIMA = {
    "Conitzer's table": Optimum(_CONITZER, {}),
    "Kuhn": Optimum(td.load_game("kuhn"), {}),
    "chicken": Optimum(_CHICKEN, _optima("21/2", "21/2", "21/2")),
    "signalling": Optimum(td.load_game("signalling"), _optima("10", "10", "10"), relaxed=True),
    "CHSH, relaxation": Optimum(td.load_game("chsh"), _optima("2", "2", "2"), relaxed=True),
    "battleship, loss 2": Optimum(
        _battleship(), _optima("0", "-13/18", "-13/18"), _values(efcce="-1/9 -11/18", efce="-1/9 -11/18")
    ),
    "battleship, loss 4": Optimum(
        _battleship(loss=4), _optima("0", "-19/9", "-19/9"), _values(efcce="-7/9 -4/3", efce="-7/9 -4/3")
    ),
    "battleship, 3 shots": Optimum(_battleship(shots=3), _optima("-1", "-1", "-1")),
    "battleship, ship of 2": Optimum(
        _battleship(ships=(2,)), _optima("0", "-15/28", "-43/70"), _values(efcce="3/14 -3/4", efce="1/10 -5/7")
    ),
    "sheriff 3, 3, 1": Optimum(
        _sheriff(3, 3, 1), _optima("9/8", "3/4", "3/4"), _values(nfcce="3/4 3/8", efcce="3/4 0")
    ),
    "sheriff 3, 3, 2": Optimum(_sheriff(3, 3, 2), _optima("9/8", "21/20", "3/4"), _values(efcce="3/4 3/10")),
    "sheriff 5, 3, 2": Optimum(
        _sheriff(5, 3, 2), _optima("65/48", "305/258", "5/6"), _values(nfcce="5/6 25/48", efcce="5/6 15/43")
    ),
    "sheriff 2, 2, 2": Optimum(
        _sheriff(2, 2, 2), _optima("14/15", "62/71", "2/3"), _values(nfcce="2/3 4/15", efcce="2/3 44/213")
    ),
    "sheriff 10, 3, 1": Optimum(
        _sheriff(10, 3, 1, value=5, penalty=1, damages=1), _optima(14.374219251156, 8.913421510249, 7.035644475053)
    ),
}

#: By game and leader: values of both players if the leader commits to a strategy, and the leader's value with signals.
#: All computed by two other programs, but Conitzer's table (Conitzer, Sandholm 2006) and sheriff 3, 3, 2 (by one).
COMMITMENTS = {
    ("Conitzer's table", 0): (("7/2", "1/2"), "7/2"),
    ("chicken", 0): (("7", "2"), "7"),
    ("chicken", 1): (("2", "7"), "7"),
    ("Kuhn", 0): (("-1/18", "1/18"), "-1/18"),
    ("Kuhn", 1): (("-1/18", "1/18"), "1/18"),
    ("sheriff 3, 3, 1", 0): (("1", "0"), "1"),
    ("sheriff 3, 3, 1", 1): (("3/4", "15/7"), "9/4"),
    ("sheriff 3, 3, 2", 0): (("1", "0"), "1"),
    ("sheriff 3, 3, 2", 1): (("3/4", "9/4"), "9/4"),
    ("battleship, loss 2", 0): (("-5/72", "-7/9"), "1/45"),
    ("battleship, loss 2", 1): (("-1/41", "-272/451"), "-7/26"),
}
