"""Sheriff: a smuggler bribes a sheriff (Farina, Ling, Fang, Sandholm 2019)."""

from __future__ import annotations

from dataclasses import dataclass

from tefuda.errors import check_range
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import TERMINAL, Observation, move_text
from tefuda.games.small.dealt import Moves

INSPECT, PASS = "inspect", "pass"


@dataclass(frozen=True)
class Sheriff(Moves):
    """Sheriff: a smuggler loads goods and offers bribes; a sheriff inspects or lets pass.

    The rules are those of OpenSpiel's sheriff. Player 0 loads items, unseen. In each round it names a bribe, and
    player 1 answers; only the last round counts. If the cargo passes, player 0 wins `value` for each item, and pays
    the bribe. After an inspection it pays `penalty` for each item, or receives `damages` if there are none.

    A state is the tuple of moves, a view ``"2|1 pass 3 inspect"``: player 0's items, then the bribes and answers.

    Args:
        items: largest number of items.
        bribe: largest bribe.
        rounds: number of rounds.
        value: value of an item that passes.
        penalty: penalty for an item that is found.
        damages: payment by the sheriff if nothing is found.
    """

    items: int = 3
    bribe: int = 3
    rounds: int = 1
    value: float = 1
    penalty: float = 2
    damages: float = 3
    name = "sheriff"
    players = 2

    def __post_init__(self) -> None:
        check_range("items", self.items, 0, 1_000)
        check_range("bribe", self.bribe, 0, 1_000)
        check_range("rounds", self.rounds, 1, 1_000)
        for name in ("value", "penalty", "damages"):
            check_range(name, getattr(self, name), 0, whole=False)

    def player(self, state):
        if len(state) == 1 + 2 * self.rounds:
            return TERMINAL
        return (len(state) - 1) % 2 if state else 0

    def actions(self, state):
        if len(state) % 2 == 0 and state:
            return (PASS, INSPECT)
        return tuple(map(str, range((self.bribe if state else self.items) + 1)))

    def payoffs(self, state):
        items, bribe = int(state[0]), int(state[-2])
        if state[-1] == PASS:
            return (items * self.value - bribe, bribe)
        gain = -items * self.penalty if items else self.damages
        return (gain, -gain)

    def view(self, state, player):
        return f"{state[0] if state and player == 0 else ''}|{' '.join(state[1:])}"

    def observe(self, view, player, language="en"):
        words = phrases("sheriff", language)
        items, _, public = view.partition("|")
        names = {label: words[label] for label in (PASS, INSPECT)}
        moves = [
            move_text(turn % 2, player, names.get(move) or words["bribe"].format(move), language)
            for turn, move in enumerate(public.split())
        ]
        hand = words["sheriff"] if player else words["items"].format(items) if items else words["no items"]
        return Observation(hand, between(language).join(moves), names if player else {})
