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


class _Line(NamedTuple):
    """The betting after a line of moves, with the state of its current round.

    Attributes:
        queue: players who still act in this round, in order.
        rounds: number of rounds begun.
        least: the smallest raise.
    """

    betting: Betting
    queue: tuple[int, ...]
    rounds: int
    least: int


def betting(stakes: Stakes, history: str) -> Betting:
    """Return the betting after `history`: f(old), c(all or check), r3: bet or raise to 3."""
    known, moves = _known_lines(stakes), []
    while (line := known.get(history)) is None:
        start = history.rindex("r") if history[-1].isdigit() else len(history) - 1  # of the last move
        moves.append(history[start:])
        history = history[:start]
    for move in reversed(moves):
        history += move
        known[history] = line = _line_after(stakes, line, move)
    return line.betting


@cache
def _known_lines(stakes: Stakes) -> dict[str, _Line]:
    """Return the lines that were asked for, by their histories."""
    start = (stakes.ante,) * stakes.players, tuple(range(stakes.players))
    return {"": _line(stakes, *start, queue=start[1], rounds=1, least=stakes.ante)}


def _line_after(stakes: Stakes, line: _Line, move: str) -> _Line:
    """Return a line with one more move, or ``/`` for the next round."""
    (_, _, paid, live), queue, rounds, least = line
    if move == "/":  # players who are all-in do not act
        queue = tuple([seat for seat in live if paid[seat] < stakes.stack])
        return _line(stakes, paid, live, queue, rounds + 1, stakes.ante)
    seat, most = queue[0], max(paid)
    queue = queue[1:]
    if move == "f":
        return _line(stakes, paid, tuple([other for other in live if other != seat]), queue, rounds, least)
    amount = int(move[1:]) if move[0] == "r" else most
    if amount > most:
        least = max(least, amount - most)
        queue = tuple([other for other in live if other > seat] + [other for other in live if other < seat])
    return _line(stakes, (*paid[:seat], amount, *paid[seat + 1 :]), live, queue, rounds, least)


def _line(
    stakes: Stakes, paid: tuple[int, ...], live: tuple[int, ...], queue: tuple[int, ...], rounds: int, least: int
) -> _Line:
    """Return a line, with the player to move and the actions."""
    if len(live) == 1 or not queue:
        mover = TERMINAL if len(live) == 1 or rounds == _ROUNDS else CHANCE
        return _Line(Betting(mover, (), paid, live), queue, rounds, least)
    actions = _actions(paid[queue[0]] < max(paid), max(paid), least, stakes.stack)
    return _Line(Betting(queue[0], actions, paid, live), queue, rounds, least)


@cache
def _actions(owes: bool, most: int, least: int, stack: int) -> tuple[str, ...]:
    """Return the actions of a player: fold, call or check, and all bets or raises."""
    sizes = [size for size in range(most + 1, stack + 1) if size >= most + least or size == stack]
    return ("f",) * owes + ("c",) + tuple(f"r{size}" for size in sizes)


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
    public_actions = True

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
