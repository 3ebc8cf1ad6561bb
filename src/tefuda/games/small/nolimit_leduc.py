"""No-limit Leduc hold'em: Leduc's cards, bets of any size up to a stack.

See Li et al. 2020 and Moravcik et al. 2017.

The betting is that of the poker programs' competition (ACPC) and of OpenSpiel's universal_poker: bets and raises of
whole chips; a raise is at least as large as the last one, or all-in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from tefuda.errors import check_range
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.games.small.leduc import Betting, LeducFamily, moves_of

_ROUNDS = 2


class Stakes(NamedTuple):
    """Parameters of the betting."""

    players: int
    ante: int
    stack: int


@cache
def betting(stakes: Stakes, history: str) -> Betting:
    """Return the betting after `history`: f(old), c(all or check), r3: bet or raise to 3."""
    paid, live = [stakes.ante] * stakes.players, list(range(stakes.players))
    rounds, queue, least = 1, list(live), stakes.ante
    for _, move in moves_of(history):
        if move == "/":  # players who are all-in do not act
            rounds, least = rounds + 1, stakes.ante
            queue = [seat for seat in live if paid[seat] < stakes.stack]
            continue
        seat, most = queue.pop(0), max(paid)
        if move == "f":
            live.remove(seat)
            continue
        paid[seat] = int(move[1:]) if move[0] == "r" else most
        if paid[seat] > most:
            least = max(least, paid[seat] - most)
            queue = [other for other in live if other > seat] + [other for other in live if other < seat]
    state = tuple(paid), tuple(live)
    if len(live) == 1 or not queue:
        return Betting(TERMINAL if len(live) == 1 or rounds == _ROUNDS else CHANCE, (), *state)
    most = max(paid)
    sizes = [size for size in range(most + 1, stakes.stack + 1) if size >= most + least or size == stakes.stack]
    actions = ("f",) * (paid[queue[0]] < most) + ("c",) + tuple(f"r{size}" for size in sizes)
    return Betting(queue[0], actions, *state)


@dataclass(frozen=True)
class NoLimitLeduc(LeducFamily):
    """No-limit Leduc hold'em: one private card, one public card, two rounds of bets of any size.

    A state is (cards, board, history), a view ``"K|cr3"`` or, with the board, ``"KQ|cr3c/r5"``.

    Args:
        players: number of players, 2 to 6.
        ranks: number of ranks; default: one more than the players.
        suits: number of cards of each rank.
        ante: ante of each player, in chips; also the smallest bet.
        stack: chips of each player, including the ante.
        distinct_suits: whether suits are distinguished.
    """

    players: int = 2
    ranks: int = 0
    suits: int = 2
    ante: int = 1
    stack: int = 5
    distinct_suits: bool = False
    _betting = staticmethod(betting)
    name = "nolimit_leduc"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("stack", self.stack, self.ante + 1, 1000)

    @cached_property
    def _rules(self) -> Stakes:
        return Stakes(self.players, self.ante, self.stack)

    def features(self, state, player):
        """One-hot encoding: own rank, rank of the board, and history[player][round][chips][call, raise].

        The chips are the player's total after the move. Folds are not encoded.
        """
        cards, board, history = state
        sizes = self.stack - self.ante + 1
        moves = [0.0] * (self.players * _ROUNDS * sizes * 2)
        for before, move in moves_of(history):
            if move[0] in "cr":
                now = betting(self._rules, before)
                paid = max(now.paid) if move == "c" else int(move[1:])
                index = (now.mover * _ROUNDS + before.count("/")) * sizes + paid - self.ante
                moves[index * 2 + (move != "c")] = 1.0
        return [float(name == card) for card in (cards[player][0], board[:1]) for name in self._names] + moves
