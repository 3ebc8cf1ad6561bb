"""An own game for abstractions: bets of two sizes and a raise."""

from itertools import permutations
from typing import Any

import tefuda as td


class Duel:
    """An own game: a card of twelve each, an ante of 1, a bet of 1 or 3, and one raise by 4."""

    name, players, constant_sum = "duel", 2, 0
    _next = {"": "k13", "1": "fcr", "3": "fcr", "k": "k2", "k2": "fc", "1r": "fc", "3r": "fc"}

    def root(self) -> Any:
        return (), ""

    def player(self, state: Any) -> int:
        if not state[0]:
            return td.CHANCE
        return len(state[1]) % 2 if state[1] in self._next else td.TERMINAL

    def actions(self, state: Any) -> tuple[str, ...]:
        return tuple(self._next[state[1]])

    def chances(self, state: Any) -> Any:
        return tuple((deal, 1 / 132) for deal in permutations(range(12), 2))

    def child(self, state: Any, action: Any) -> Any:
        return (state[0], state[1] + action) if state[0] else (action, "")

    def payoffs(self, state: Any) -> tuple[int, int]:
        (mine, theirs), done = state
        called = 1 + sum(int(letter) for letter in done if letter.isdigit()) + 4 * ("r" in done)
        if done.endswith("f"):
            lost = called - (4 if "r" in done else int(done[-2]))
            gain = lost if len(done) % 2 == 0 else -lost
        else:
            gain = called if mine > theirs else -called
        return gain, -gain

    def view(self, state: Any, player: int) -> str:
        return f"{state[0][player]} {state[1]}"
