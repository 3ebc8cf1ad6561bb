"""The betting of a whole hand: blinds, antes, any stacks, limit and no-limit, all-ins, side pots.

Players are numbered from the left of the button, who is last: 0 posts the small blind and 1 the big one, and player 0
opens each street after the flop. Heads-up the button, player 1, posts the small blind and acts first before the flop.

Where rules differ between card rooms: a raise is at least the largest bet or raise of the street and the big blind, or
all-in. A player who has acted on a street may raise again only if there is as much to call, be it by several short
all-ins (TDA 47). A short blind counts as it is. Uncalled chips are returned. Odd chips of a pot go to the first of its
winners from the left of the button. If all pay the same ante it counts like a bet, else (the big blind pays for all) it
is dead money in the main pot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, check_range

STREETS = ("preflop", "flop", "turn", "river")
#: Cards on the board on each street.
BOARD = (0, 3, 4, 5)
MOST_PLAYERS = 9
MOST_CHIPS = 10**9
NO_PLAYER = -1


class Wagers(NamedTuple):
    """A state of the betting; sets of players are bits of a number.

    street: 0..3. mover: player to act, `NO_PLAYER` if the street is over. stacks: chips left. bets: chips on this
    street.
    folded, waiting, acted: players who have folded, are still to act, have acted on this street. step: least increase
    of a raise. raises: number of bets and raises on this street; the blinds count as one.
    """

    street: int
    mover: int
    stacks: tuple[int, ...]
    bets: tuple[int, ...]
    folded: int
    waiting: int
    acted: int
    step: int
    raises: int

    @property
    def live(self) -> list[int]:
        """Players who have not folded."""
        return [player for player in range(len(self.stacks)) if not self.folded >> player & 1]

    @property
    def is_over(self) -> bool:
        """Whether the betting of the whole hand is over."""
        return self.mover == NO_PLAYER and (len(self.live) == 1 or self.street == 3)


class Choices(NamedTuple):
    """The choices of the player to act.

    call: chips to call, 0 to check. low, high: amounts on this street to raise to, 0 if no raise is allowed. faces:
    whether there is a bet to call.
    """

    call: int
    low: int
    high: int
    facing_bet: bool


@dataclass(frozen=True)
class TableRules:
    """The rules of a table.

    Args:
        stacks: chips by seat.
        blinds: blinds by seat; heads-up (big, small).
        antes: antes by seat.
        limit: bets before and on the flop, and on turn and river; None: no-limit.
        min_bet: smallest bet without a limit; 0: the largest blind.
        cap: maximum of bets and raises on a street, the blinds being the first; 0: any number.

    Raises:
        ParameterError: a table at which no hand can be played.
    """

    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    antes: tuple[int, ...] = ()
    limit: tuple[int, int] | None = None
    min_bet: int = 0
    cap: int = 0

    def __post_init__(self) -> None:
        players = len(self.stacks)
        check_range("players", players, 2, MOST_PLAYERS)
        object.__setattr__(self, "antes", self.antes or (0,) * players)
        for name, low in (("stacks", 1), ("blinds", 0), ("antes", 0)):
            values = getattr(self, name)
            if len(values) != players:
                raise ParameterError(f"{name} are {values!r}; give one for each of {players} players.")
            for value in values:
                check_range(f"one of {name}", value, low, MOST_CHIPS)
        for value in self.limit or ():
            check_range("limit", value, 1, MOST_CHIPS)
        if not any(self.blinds) and not any(self.antes):
            raise ParameterError("nobody posts anything; give blinds or antes.")
        object.__setattr__(self, "min_bet", self.min_bet or max(self.blinds) or max(self.antes))
        check_range("the smallest bet", self.min_bet, 1, MOST_CHIPS)
        check_range("cap", self.cap, 0, 100)

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.stacks)

    @property
    def never_all_in(self) -> bool:
        """Whether no player can be all-in: limits and a cap on bets that every stack covers, and no antes."""
        most = self.cap * 2 * sum(self.limit or ())
        return 0 < most <= min(self.stacks) and not any(self.antes)

    @property
    def betting_key(self) -> tuple[Any, ...]:
        """Everything on which betting depends, equal for tables that are played alike; stacks that last are not."""
        chips = () if self.never_all_in else (self.stacks, self.antes, self.min_bet)
        return self.players, self.blinds, self.limit, self.cap, chips

    @property
    def first_to_act(self) -> int:
        """First player to act before the flop: after the largest blind."""
        return (max(range(self.players), key=lambda player: (self.blinds[player], player)) + 1) % self.players

    def smallest_bet(self, street: int) -> int:
        """Return the smallest bet of a street."""
        return self.min_bet if self.limit is None else self.limit[street >= 2]

    def root(self) -> Wagers:
        """Return the state after antes and blinds."""
        left = [stack - ante for stack, ante in zip(self.stacks, self._paid_antes, strict=True)]
        bets = tuple(min(blind, stack) for blind, stack in zip(self.blinds, left, strict=True))
        stacks = tuple(stack - bet for stack, bet in zip(left, bets, strict=True))
        raises = int(any(self.blinds))
        return self._open_street(
            Wagers(0, NO_PLAYER, stacks, bets, 0, 0, 0, self.smallest_bet(0), raises), self.first_to_act
        )

    @property
    def _paid_antes(self) -> list[int]:
        return list(map(min, self.antes, self.stacks))

    def _open_street(self, wagers: Wagers, first: int) -> Wagers:
        """Open a street for all who have chips and could have to call."""
        live, bets = wagers.live, wagers.bets
        able = {player: bets[player] + wagers.stacks[player] for player in live}
        asked = [
            player
            for player in live
            if wagers.stacks[player] and any(able[other] > bets[player] for other in live if other != player)
        ]
        return self._next_to_act(wagers._replace(waiting=_bits(asked)), (first - 1) % self.players)

    def _next_to_act(self, wagers: Wagers, last: int) -> Wagers:
        """Find the player to act after another."""
        if len(wagers.live) > 1:
            for place in range(1, self.players + 1):
                player = (last + place) % self.players
                if wagers.waiting >> player & 1:
                    return wagers._replace(mover=player)
        return wagers._replace(mover=NO_PLAYER, waiting=0)

    def choices(self, wagers: Wagers) -> Choices:
        """Return the choices of the player to act."""
        player, highest = wagers.mover, max(wagers.bets)
        own, stack = wagers.bets[player], wagers.stacks[player]
        faced, most = highest - own, own + stack
        others = (wagers.bets[other] + wagers.stacks[other] for other in wagers.live if other != player)
        closed = (
            (self.cap and wagers.raises >= self.cap)
            or (wagers.acted >> player & 1 and faced < wagers.step)
            or most <= highest
            or max(others) <= highest
        )
        if closed:
            return Choices(min(faced, stack), 0, 0, faced > 0)
        low = min(highest + wagers.step, most)
        return Choices(min(faced, stack), low, most if self.limit is None else low, faced > 0)

    def fold(self, wagers: Wagers) -> Wagers:
        """Return the state after a fold."""
        bit = 1 << wagers.mover
        return self._next_to_act(
            wagers._replace(folded=wagers.folded | bit, waiting=wagers.waiting & ~bit), wagers.mover
        )

    def call(self, wagers: Wagers) -> Wagers:
        """Return the state after a check or call, all-in with fewer chips."""
        bit, after = 1 << wagers.mover, _paid(wagers, self.choices(wagers).call)
        return self._next_to_act(after._replace(waiting=wagers.waiting & ~bit, acted=wagers.acted | bit), wagers.mover)

    def raise_to(self, wagers: Wagers, amount: int) -> Wagers:
        """Return the state after a bet or raise to an amount on this street that `choices` allow."""
        player, highest = wagers.mover, max(wagers.bets)
        after = _paid(wagers, amount - wagers.bets[player])
        others = (other for other in wagers.live if other != player and wagers.stacks[other])
        after = after._replace(
            waiting=_bits(others),
            acted=wagers.acted | 1 << player,
            step=max(wagers.step, amount - highest),
            raises=wagers.raises + 1,
        )
        return self._next_to_act(after, player)

    def next_street(self, wagers: Wagers) -> Wagers:
        """Return the first state of the next street."""
        street, nothing = wagers.street + 1, (0,) * self.players
        after = wagers._replace(street=street, bets=nothing, acted=0, step=self.smallest_bet(street), raises=0)
        return self._open_street(after, 0)

    def pot(self, wagers: Wagers) -> int:
        """Return all chips that were put in."""
        return sum(self.stacks) - sum(wagers.stacks)

    # The end.

    def payoffs(self, wagers: Wagers, strengths: Sequence[int]) -> tuple[int, ...]:
        """Return what each player wins or loses.

        Args:
            wagers: state of a hand that is over.
            strengths: strengths of the players' best five cards; any number of a player who has folded.
        """
        won = [stack - start for start, stack in zip(self.stacks, wagers.stacks, strict=True)]
        for pot, contenders in self.pots(wagers):
            best = max(strengths[player] for player in contenders) if len(contenders) > 1 else None
            winners = [player for player in contenders if best is None or strengths[player] == best]
            share, odd = divmod(pot, len(winners))
            for player in winners:
                won[player] += share
            won[winners[0]] += odd
        return tuple(won)

    def pots(self, wagers: Wagers) -> list[tuple[int, list[int]]]:
        """Return the main pot and side pots: chips, and their contenders; uncalled chips are a pot of their own."""
        paid = [start - stack for start, stack in zip(self.stacks, wagers.stacks, strict=True)]
        live = wagers.live
        if len(live) == 1:
            return [(sum(paid), live)]
        found, below, dead = [], 0, 0
        if len(set(self.antes)) > 1:
            antes = self._paid_antes
            paid, dead = [chips - ante for chips, ante in zip(paid, antes, strict=True)], sum(antes)
        for level in sorted({paid[player] for player in live}):
            chips = dead + sum(min(one, level) - min(one, below) for one in paid)
            if chips:
                found.append((chips, [player for player in live if paid[player] >= level]))
            below, dead = level, 0
        over = [(one - below, [player]) for player, one in enumerate(paid) if one > below]  # of a needless fold
        return found + over


def _paid(wagers: Wagers, chips: int) -> Wagers:
    """Return the state after the player to act has put chips in."""
    stacks, bets, player = list(wagers.stacks), list(wagers.bets), wagers.mover
    stacks[player] -= chips
    bets[player] += chips
    return wagers._replace(stacks=tuple(stacks), bets=tuple(bets))


def _bits(players: Iterable[int]) -> int:
    return sum(1 << player for player in players)
