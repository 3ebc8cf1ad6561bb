"""Variations: the beginning of a hand again, with everything that a player has not seen dealt anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tefuda.errors import GameError, ParameterError
from tefuda.games.kit import kit_of
from tefuda.games.plays import pick
from tefuda.games.protocol import CHANCE, Game, has_method
from tefuda.solvers.protocol import Policy

_ATTEMPTS = 10_000  # with the strategies of the opponents, and again without them


def redeal(
    rules: Game,
    labels: Sequence[Hashable],
    seat: int,
    uniform: Callable[[], float],
    policies: Sequence[Policy | None] = (),
) -> list[Hashable]:
    """Return labels of equal views of a player, with unseen outcomes and actions drawn anew.

    Outcomes that the player's picture shows stay. A deal is drawn until it fits all views of the player; each action of
    an opponent is then accepted with its probability.

    Args:
        rules: the rules.
        labels: labels from the root to a decision of the player.
        seat: the player.
        uniform: function that returns random numbers in [0, 1).
        policies: strategies by seat; None if unknown.

    Raises:
        GameError: no deal was found.

    >>> import numpy as np
    >>> kuhn, deals = td.load_game("kuhn"), np.random.default_rng(1)
    >>> {redeal(kuhn, [("Q", "K")], 0, deals.random)[0] for _ in range(9)} == {("Q", "J"), ("Q", "K")}
    True
    """
    dealer = _Dealer(rules, labels, seat, uniform)
    for known in (policies, ()):
        for _ in range(_ATTEMPTS):
            if (found := dealer.attempt(known)) is not None:
                return found
    raise GameError(f"{rules.name}: found no other deal that fits the views of player {seat}.")


def last_turn(rules: Game, labels: Sequence[Hashable], seat: int) -> int | None:
    """Return the number of labels before a player's last turn of several actions; None without one."""
    state, start, last = rules.root(), None, CHANCE
    for number, label in enumerate(labels):
        player = rules.player(state)
        if player == seat and last != seat:
            start = number
        last = last if player == CHANCE else player
        state = rules.child(state, label)
    return start


def place_of_move(rules: Game, labels: Sequence[Hashable], seat: int, move: int) -> int:
    """Return the number of labels before a move of a player, which counts the moves of all players."""
    state, moves = rules.root(), 0
    for number, label in enumerate(labels):
        player = rules.player(state)
        if player == seat and moves == move:
            return number
        moves += player != CHANCE
        state = rules.child(state, label)
    raise ParameterError(f"you had no decision at move {move}.", key="move", value=move)


class _Dealer:
    """Draws the beginning of a hand; see `redeal`."""

    def __init__(self, rules: Game, labels: Sequence[Hashable], seat: int, uniform: Callable[[], float]) -> None:
        self.rules, self.labels, self.seat, self.uniform = rules, labels, seat, uniform
        state = rules.root()
        self.views = [self._view(state)]
        for label in labels:
            state = rules.child(state, label)
            self.views.append(self._view(state))
        picture = kit_of(rules).picture(self.views[-1], seat)
        piles = (picture.hand, picture.table, *picture.piles, *(event.cards for event in picture.events))
        self.seen = {picture.more.get("shown"), *(card for pile in piles for card in pile)}
        self._deals_at_once = len(labels) > 0 and self.views[1] is not None and has_method(rules, "draw")

    def _view(self, state: Any) -> Hashable | None:
        """Return the player's view; None at chance."""
        return None if self.rules.player(state) == CHANCE else self.rules.view(state, self.seat)

    def attempt(self, policies: Sequence[Policy | None]) -> list[Hashable] | None:
        """Return labels; None if a view differs, or an opponent would have acted in another way."""
        drawn, state = list[Hashable](), self.rules.root()
        for number, given in enumerate(self.labels):
            mover, label = self.rules.player(state), given
            if mover == CHANCE:
                label = self._outcome(state, number)
            elif mover != self.seat:
                policy = policies[mover] if policies else None
                label = self._action(state, mover, number, policy)
            if label is None:
                return None
            state = self.rules.child(state, label)
            if self._view(state) != self.views[number + 1]:
                return None
            drawn.append(label)
        return drawn

    def _outcome(self, state: Any, number: int) -> Hashable:
        """Return the given outcome if the player has seen it, else one that it has not seen; None without one."""
        if number == 0 and self._deals_at_once:
            return self.rules.draw(state, self.uniform)[0]  # type: ignore[attr-defined]
        given = self.labels[number]
        pairs = [
            (label, float(chance))
            for label, chance in self.rules.chances(state)
            if (label == given if given in self.seen else label not in self.seen)
        ]
        if len(pairs) == 1:
            return pairs[0][0]
        total = sum(chance for _, chance in pairs)
        return pairs[pick([chance / total for _, chance in pairs], self.uniform())][0] if total > 0 else None

    def _action(self, state: Any, mover: int, number: int, policy: Policy | None) -> Hashable | None:
        """Return the given action, or another one if the player has not seen it; None if it is not accepted."""
        actions, given = tuple(self.rules.actions(state)), self.labels[number]
        shares: Sequence[float] = [1 / len(actions)] * len(actions)
        if policy is not None:
            shares = policy.strategy(mover, self.rules.view(state, mover), actions)
        if self.views[number] == self.views[number + 1]:
            return actions[pick(shares, self.uniform())]
        if given not in actions:
            return None
        return given if policy is None or self.uniform() < shares[actions.index(given)] else None
