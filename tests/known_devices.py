"""Correlation devices with known gaps."""

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
