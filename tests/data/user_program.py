"""A program of a user: it must pass `mypy --strict`, and all of its types are checked."""

from typing import assert_type

import numpy as np

import tefuda as td


class Coin:
    """Call a coin that has been tossed in secret."""

    name, players, constant_sum = "coin", 1, None

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (td.CHANCE, 0, td.TERMINAL)[len(state)]

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


tree = assert_type(td.compile_game(td.load_game("kuhn")), td.Tree)
solution = assert_type(td.solve(tree, "cfr+", iterations=100), td.Solution[td.Profile])
profile = assert_type(solution.strategy, td.Profile)
sampled = assert_type(td.solve(td.RulesForm(Coin()), "external", iterations=10).strategy, td.Policy)
assert_type(td.Profile.uniform(tree), td.Profile)
assert_type(profile["1: K|b"]["b"], float)
assert_type(td.nash_conv(profile), float)
assert_type(td.values(profile), np.ndarray)
table = [td.ProfileAgent("a", profile), td.ProfileAgent("b", td.Profile.uniform(tree))]
match = assert_type(td.duplicate_match(tree, table, deals=2), td.Match)
print(solution.nash_conv, match)
print(td.compile_game(Coin()), td.check_game(Coin()).ok)
