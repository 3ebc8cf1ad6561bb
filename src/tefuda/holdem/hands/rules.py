"""Betting of a whole hand: blinds, antes, any stacks, limit and no-limit, all-ins, side pots.

Players are numbered from the left of the button; the button is last. Player 0 posts the small blind and player 1 the
big blind. Player 0 acts first on each street from the flop on. Heads-up the button, player 1, posts the small blind and
acts first before the flop.

Where the rules of card rooms differ:

- A raise is at least the largest bet or raise of the street and the big blind, or all-in.
- A player who has acted on a street may raise again only if the amount to call is at least a full raise, even if it
  comes from several short all-ins (TDA 47). On request any raise lets all players raise again.
- A short blind counts at its own amount, or on request in full for the players after it.
- Uncalled chips are returned.
- Odd chips of a pot go to its first winner from the left of the button.
- Equal antes count like bets. Unequal antes (the big blind pays for all) are dead money in the main pot, and equal ones
  on request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import add
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, check_range

STREETS = ("preflop", "flop", "turn", "river")
#: Number of board cards on each street.
BOARD = (0, 3, 4, 5)
MAX_PLAYERS = 10
MAX_CHIPS = 10**9
NO_PLAYER = -1


class Wagers(NamedTuple):
    """State of the betting; sets of players are bits of a number.

    Attributes:
        street: 0 to 3.
        mover: player to act; `NO_PLAYER` if the street is over.
        stacks: chips left, by player.
        bets: chips bet on this street, by player.
        folded: players who have folded.
        waiting: players still to act on this street.
        acted: players who have acted on this street.
        step: smallest increase of a raise.
        raises: number of bets and raises on this street; the blinds count as one.
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
        return [*_members(len(self.stacks), self.folded)]

    @property
    def is_over(self) -> bool:
        """True if the betting of the whole hand is over."""
        return self.mover == NO_PLAYER and (self.street == 3 or len(self.stacks) - self.folded.bit_count() == 1)


class Choices(NamedTuple):
    """Choices of the player to act.

    Attributes:
        call: chips to call; 0 to check.
        low: smallest amount on this street to raise to; 0 if no raise is allowed.
        high: largest amount on this street to raise to; 0 if no raise is allowed.
        facing_bet: True if there is a bet to call.
    """

    call: int
    low: int
    high: int
    facing_bet: bool


@dataclass(frozen=True)
class TableRules:
    """Rules of a table.

    Args:
        stacks: starting stack of each seat, in chips.
        blinds: blind of each seat; heads-up (big, small).
        antes: ante of each seat.
        limit: bet size before and on the flop, and on turn and river; None: no-limit.
        min_bet: smallest bet in no-limit; 0: the largest blind.
        cap: maximum number of bets and raises on a street; the blinds count as the first; 0: no maximum.
        dead_antes: True: a player with less than the ante may win all antes; always True if antes are unequal.
        posts: live blind of each seat that is posted out of turn, by a player who returns to the table. It counts as a
            bet and does not change the first player to act. Dead blinds are unequal antes.
        full_blinds: True: a blind that is all-in for less must be called in full, if a player behind can call it.
        reopens: True: after any raise, all players may raise again.

    Raises:
        ParameterError: the rules are invalid.
    """

    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    antes: tuple[int, ...] = ()
    limit: tuple[int, int] | None = None
    min_bet: int = 0
    cap: int = 0
    dead_antes: bool = False
    posts: tuple[int, ...] = ()
    full_blinds: bool = False
    reopens: bool = False

    def __post_init__(self) -> None:
        players = len(self.stacks)
        check_range("players", players, 2, MAX_PLAYERS)
        object.__setattr__(self, "antes", self.antes or (0,) * players)
        object.__setattr__(self, "posts", self.posts or (0,) * players)
        for name, low in (("stacks", 1), ("blinds", 0), ("antes", 0), ("posts", 0)):
            values = getattr(self, name)
            if len(values) != players:
                raise ParameterError(f"{name} must have a value for each of {players} players; got {values!r}.")
            for value in {*values}:
                check_range(f"one of {name}", value, low, MAX_CHIPS)
        for value in self.limit or ():
            check_range("limit", value, 1, MAX_CHIPS)
        if not any(self.blinds) and not any(self.antes):
            raise ParameterError("a table needs blinds or antes; all are 0.")
        object.__setattr__(self, "dead_antes", any(self.antes) and (self.dead_antes or len(set(self.antes)) > 1))
        object.__setattr__(self, "min_bet", self.min_bet or max(self.blinds) or max(self.antes))
        check_range("the smallest bet", self.min_bet, 1, MAX_CHIPS)
        check_range("cap", self.cap, 0, 100)

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.stacks)

    @property
    def never_all_in(self) -> bool:
        """True if no player can be all-in: no antes, and every stack covers all bets that limit and cap allow."""
        maximum = self.cap * 2 * sum(self.limit or ())
        return 0 < maximum <= min(self.stacks) and not any(self.antes)

    @property
    def betting_key(self) -> tuple[Any, ...]:
        """Key of the betting, equal for tables with the same betting; stacks too deep to matter are left out."""
        chips = () if self.never_all_in else (self.stacks, self.antes, self.min_bet, self.dead_antes, self.full_blinds)
        return self.players, self.blinds, self.posts, self.limit, self.cap, self.reopens, chips

    @property
    def is_plain(self) -> bool:
        """True without posts and rules on request (`full_blinds`, `reopens`), which only this module knows."""
        return not (any(self.posts) or self.full_blinds or self.reopens)

    @property
    def first_to_act(self) -> int:
        """First player to act before the flop, the one after the largest blind."""
        return (max(range(self.players), key=lambda player: (self.blinds[player], player)) + 1) % self.players

    def smallest_bet(self, street: int) -> int:
        """Return the smallest bet of a street."""
        return self.min_bet if self.limit is None else self.limit[street >= 2]

    def root(self) -> Wagers:
        """Return the state after antes and blinds."""
        left = [stack - ante for stack, ante in zip(self.stacks, self._paid_antes, strict=True)]
        owed = map(add, self.blinds, self.posts)
        bets = tuple(map(min, owed, left))
        stacks = tuple(stack - bet for stack, bet in zip(left, bets, strict=True))
        raises = int(any(self.blinds))
        return self._open_street(
            Wagers(0, NO_PLAYER, stacks, bets, 0, 0, 0, self.smallest_bet(0), raises), self.first_to_act
        )

    @property
    def _paid_antes(self) -> list[int]:
        return list(map(min, self.antes, self.stacks))

    def _open_street(self, wagers: Wagers, first: int) -> Wagers:
        """Start a street; the players to act have chips and an opponent who could bet more than they have."""
        street, _, stacks, bets, folded, waiting, acted, step, raises = wagers
        chips = {player: stacks[player] + bets[player] for player in wagers.live}
        second, most = sorted(chips.values())[-2:]
        for player, own in chips.items():
            if stacks[player] and (second if own == most else most) > bets[player]:
                waiting |= 1 << player
        return _to_act(first - 1, street, stacks, bets, folded, waiting, acted, step, raises)

    def choices(self, wagers: Wagers) -> Choices:
        """Return the choices of the player to act."""
        player, highest = wagers.mover, self._highest(wagers)
        own, stack = wagers.bets[player], wagers.stacks[player]
        to_call, maximum = highest - own, own + stack
        no_raise = (
            (self.cap and wagers.raises >= self.cap)
            or (wagers.acted >> player & 1 and to_call < wagers.step and not self.reopens)
            or maximum <= highest
            or not _can_exceed(wagers, player, highest)
        )
        if no_raise:
            return Choices(min(to_call, stack), 0, 0, to_call > 0)
        low = min(highest + wagers.step, maximum)
        return Choices(min(to_call, stack), low, maximum if self.limit is None else low, to_call > 0)

    def _highest(self, wagers: Wagers) -> int:
        """Return the amount to call on the street; a short blind in full, as far as another player can pay."""
        highest = max(wagers.bets)
        if wagers.street or not self.full_blinds:
            return highest
        most = max(wagers.bets[other] + wagers.stacks[other] for other in wagers.live if other != wagers.mover)
        return max(highest, min(most, max(self.blinds)))

    def fold(self, wagers: Wagers) -> Wagers:
        """Return the state after a fold."""
        street, mover, stacks, bets, folded, waiting, acted, step, raises = wagers
        bit = 1 << mover
        return _to_act(mover, street, stacks, bets, folded | bit, waiting & ~bit, acted, step, raises)

    def call(self, wagers: Wagers) -> Wagers:
        """Return the state after a check or call; a player with too few chips calls all-in."""
        street, mover, stacks, bets, folded, waiting, acted, step, raises = wagers
        bet, bit = min(self._highest(wagers), bets[mover] + stacks[mover]), 1 << mover
        stacks, bets = _after_bet(wagers, bet)
        return _to_act(mover, street, stacks, bets, folded, waiting & ~bit, acted | bit, step, raises)

    def raise_to(self, wagers: Wagers, amount: int) -> Wagers:
        """Return the state after a bet or raise to an amount on this street; `choices` must allow it."""
        street, mover, _, _, folded, _, acted, step, raises = wagers
        (stacks, bets), bit = _after_bet(wagers, amount), 1 << mover
        waiting = sum(1 << other for other in wagers.live if stacks[other]) & ~bit
        step = max(step, amount - self._highest(wagers))
        return _to_act(mover, street, stacks, bets, folded, waiting, acted | bit, step, raises + 1)

    def next_street(self, wagers: Wagers) -> Wagers:
        """Return the first state of the next street."""
        street, nothing = wagers.street + 1, (0,) * self.players
        step = self.smallest_bet(street)
        return self._open_street(Wagers(street, NO_PLAYER, wagers.stacks, nothing, wagers.folded, 0, 0, step, 0), 0)

    def pot(self, wagers: Wagers) -> int:
        """Return the chips in the pot."""
        return sum(self.stacks) - sum(wagers.stacks)

    def called(self, wagers: Wagers) -> list[int]:
        """Return the chips of each player in the pot, without uncalled ones."""
        antes = self._paid_antes if self.dead_antes else [0] * self.players
        paid = zip(self.stacks, wagers.stacks, antes, strict=True)
        bets = [start - stack - ante for start, stack, ante in paid]
        most = sorted(bets)[-2]
        return [ante + min(bet, most) for ante, bet in zip(antes, bets, strict=True)]

    def uncalled(self, wagers: Wagers) -> list[int]:
        """Return the chips returned to each player, which no opponent called."""
        paid = zip(self.stacks, wagers.stacks, self.called(wagers), strict=True)
        return [start - stack - called for start, stack, called in paid]

    def payoffs(self, wagers: Wagers, *strengths: Sequence[int]) -> tuple[int, ...]:
        """Return the payoff of each player.

        Args:
            wagers: state of a finished hand.
            strengths: strength of each player's best five cards; values of players who have folded are ignored. If the
                hand was run more than once, those of each board: each gets a part of the pots, the first odd chips.
        """
        payoffs = [stack - start for start, stack in zip(self.stacks, wagers.stacks, strict=True)]
        for pot, contenders in self.pots(wagers):
            for board, values in enumerate(strengths):
                part = pot // len(strengths) + (board < pot % len(strengths))
                best = max(values[player] for player in contenders) if len(contenders) > 1 else None
                winners = [player for player in contenders if best is None or values[player] == best]
                share, odd = divmod(part, len(winners))
                for player in winners:
                    payoffs[player] += share
                payoffs[winners[0]] += odd
        return tuple(payoffs)

    def pots(self, wagers: Wagers) -> list[tuple[int, list[int]]]:
        """Return the chips and contenders of the main pot and side pots; uncalled chips are a separate pot."""
        paid = [start - stack for start, stack in zip(self.stacks, wagers.stacks, strict=True)]
        live = wagers.live
        if len(live) == 1:
            return [(sum(paid), live)]
        pots, below, dead = [], 0, 0
        if self.dead_antes:
            antes = self._paid_antes
            paid, dead = [chips - ante for chips, ante in zip(paid, antes, strict=True)], sum(antes)
        for level in sorted({paid[player] for player in live}):
            chips = dead + sum(min(chips_, level) - min(chips_, below) for chips_ in paid)
            if chips:
                pots.append((chips, [player for player in live if paid[player] >= level]))
            below, dead = level, 0
        uncalled = [
            (chips_ - below, [player]) for player, chips_ in enumerate(paid) if chips_ > below
        ]  # chips of players who folded without facing a bet
        return pots + uncalled


def _to_act(
    last: int, street: int, stacks: tuple[int, ...], bets: tuple[int, ...], folded: int, waiting: int, acted: int,
    step: int, raises: int,
) -> Wagers:  # fmt: skip
    """Return a state, with the next player to act after the last one."""
    if len(stacks) - folded.bit_count() == 1:
        waiting = 0
    later = waiting >> last + 1 << last + 1 or waiting
    mover = (later & -later).bit_length() - 1  # NO_PLAYER without bits
    return Wagers(street, mover, stacks, bets, folded, waiting, acted, step, raises)


def _after_bet(wagers: Wagers, bet: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return stacks and bets after the mover's bet on this street."""
    stacks, bets, mover = [*wagers.stacks], [*wagers.bets], wagers.mover
    stacks[mover] += bets[mover] - bet
    bets[mover] = bet
    return tuple(stacks), tuple(bets)


def _can_exceed(wagers: Wagers, player: int, amount: int) -> bool:
    """Return True if a live opponent of a player has more chips for this street than an amount."""
    others = wagers.folded | 1 << player
    for other, (stack, bet) in enumerate(zip(wagers.stacks, wagers.bets, strict=True)):
        if stack + bet > amount and not others >> other & 1:
            return True
    return False


@cache  # 2 ** 11 at most
def _members(players: int, out: int) -> tuple[int, ...]:
    """Return the players who are not in a set."""
    return tuple(player for player in range(players) if not out >> player & 1)
