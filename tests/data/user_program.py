"""A program as users write it: it must pass `mypy --strict`, and every type stands here (tests/test_types.py)."""

from typing import assert_type

import numpy as np

import tefuda as tf


class Coin:
    """Call a coin that has been tossed in secret."""

    name, players, constant_sum = "coin", 1, None

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (tf.CHANCE, 0, tf.TERMINAL)[len(state)]

    def actions(self, state: str) -> tuple[str, ...]:
        return ("h", "t")

    def chances(self, state: str) -> tuple[tuple[str, float], ...]:
        return (("h", 0.5), ("t", 0.5))

    def child(self, state: str, action: str) -> str:
        return state + action

    def payoffs(self, state: str) -> tuple[float, ...]:
        return (float(state[0] == state[1]),)

    def view(self, state: str, player: int) -> str:
        return state[1:]


tree = assert_type(tf.compile_game(tf.load_game("kuhn")), tf.Tree)
solution = assert_type(tf.solve(tree, "cfr+", iterations=100), tf.Solution)
profile = assert_type(solution.profile, tf.Profile)
assert_type(tf.Profile.uniform(tree), tf.Profile)
assert_type(profile["1: K|b"]["b"], float)
assert_type(tf.nash_conv(profile), float)
assert_type(tf.values(profile), np.ndarray)
table = [tf.ProfileAgent("a", profile), tf.ProfileAgent("b", tf.Profile.uniform(tree))]
match = assert_type(tf.duplicate_match(tree, table, deals=2), tf.Match)
print(solution.nash_conv, match)
print(tf.compile_game(Coin()), tf.check_game(Coin()).ok)
