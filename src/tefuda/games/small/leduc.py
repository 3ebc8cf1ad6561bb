"""Leduc hold'em: one private card, one public card, two rounds of betting (Southey et al. 2005).

The rules of n players are those of OpenSpiel's leduc_poker. Cards are dealt by rank with their probabilities, so that
hands that differ only in suits share an infoset; ``distinct_suits=True`` distinguishes suits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import perm
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, check_range, out_of_range
from tefuda.games.parameters import as_tuple
from tefuda.games.phrases import phrases
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text
from tefuda.games.small.cards import SUIT, card_words, cards_kind, draw_cards, pot_text


class Rules(NamedTuple):
    """Parameters of the betting."""

    players: int
    ante: int
    raises: tuple[int, ...]
    cap: int


class Betting(NamedTuple):
    """Betting after a history: player to move, its actions, chips paid, players who have not folded."""

    mover: int
    actions: tuple[str, ...]
    paid: tuple[int, ...]
    live: tuple[int, ...]


@cache
def betting(rules: Rules, history: str) -> Betting:
    """Return the betting after `history`: f(old), c(all or check), r(aise); ``/`` between rounds."""
    paid, live = [rules.ante] * rules.players, list(range(rules.players))
    rounds = history.split("/")
    for number, letters in enumerate(rounds):
        queue, raised = list(live), 0
        for letter in letters:
            seat = queue.pop(0)
            if letter == "f":
                live.remove(seat)
                continue
            paid[seat] = max(paid)
            if letter == "r":
                paid[seat] += rules.raises[number]
                raised += 1
                queue = [other for other in live if other > seat] + [other for other in live if other < seat]
    if len(live) == 1 or (not queue and len(rounds) == len(rules.raises)):
        return Betting(TERMINAL, (), tuple(paid), tuple(live))
    if not queue:
        return Betting(CHANCE, (), tuple(paid), tuple(live))
    actions = ("f",) * (paid[queue[0]] < max(paid)) + ("c",) + ("r",) * (raised < rules.cap)
    return Betting(queue[0], actions, tuple(paid), tuple(live))


@cache
def shares(paid: tuple[int, ...], winners: tuple[int, ...]) -> tuple[int | Fraction, ...]:
    """Return the gain of each player when `winners` split the pot."""
    share = Fraction(sum(paid), len(winners))
    gains = [share * (seat in winners) - amount for seat, amount in enumerate(paid)]
    return tuple(int(gain) if gain.denominator == 1 else gain for gain in gains)


@cache
def best_hands(names: tuple[str, ...], cards: tuple[str, ...], board: str, live: tuple[int, ...]) -> tuple[int, ...]:
    """Return the seats in `live` with the best hand: a pair with the board, else the higher rank."""
    hands = {seat: (cards[seat][0] == board[:1], names.index(cards[seat][0])) for seat in live}
    return tuple(seat for seat in live if hands[seat] == max(hands.values()))


@cache
def deals(deck: tuple[str, ...], count: int) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
    """Return all ordered draws of `count` cards with their probabilities; equal cards are merged."""
    ways: dict[tuple[str, ...], int] = {(): 1}
    for _ in range(count):
        ways = {
            (*drawn, card): number * (deck.count(card) - drawn.count(card))
            for drawn, number in ways.items()
            for card in dict.fromkeys(deck)
            if deck.count(card) > drawn.count(card)
        }
    return tuple((drawn, Fraction(number, perm(len(deck), count))) for drawn, number in ways.items())


@cache
def remaining_deck(deck: tuple[str, ...], cards: tuple[str, ...]) -> tuple[str, ...]:
    """Return the deck without `cards`."""
    rest = list(deck)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


@cache
def boards(deck: tuple[str, ...], cards: tuple[str, ...]) -> tuple[tuple[str, Fraction], ...]:
    """Return the possible public cards given the private cards, with their probabilities."""
    return tuple((drawn[0], probability) for drawn, probability in deals(remaining_deck(deck, cards), 1))


_MOVE = re.compile(r"/|[fc]|r\d*")


def moves_of(history: str) -> Iterator[tuple[str, str]]:
    """Yield (history before, move) for all moves, and ``/`` between rounds."""
    return ((history[: match.start()], match[0]) for match in _MOVE.finditer(history))


class Bettings(dict[str, Betting]):
    """The betting after each history, computed when it is asked for first."""

    def __init__(self, betting: Callable[[Any, str], Betting], rules: Any) -> None:
        super().__init__()
        self.betting, self.rules = betting, rules

    def __missing__(self, history: str) -> Betting:
        betting = self[history] = self.betting(self.rules, history)
        return betting

    def __reduce__(self) -> tuple[Any, ...]:  # copies and other processes begin anew
        return Bettings, (self.betting, self.rules)


class LeducFamily:
    """Base class of the Leduc games: deal, public cards between the rounds, showdown and views.

    A state is (cards, board, history). `_betting` returns the betting after a history under `_rules`.
    """

    players: int
    ranks: int
    suits: int
    ante: int
    distinct_suits: bool
    _rules: Any
    _betting: Callable[[Any, str], Betting]
    constant_sum = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", self.ranks or self.players + 1)
        check_range("players", self.players, 2, 6)
        check_range("ranks", self.ranks, 1, len(SUIT))
        check_range("suits", self.suits, 1, 4)
        check_range("ante", self.ante, 1)
        if self.ranks * self.suits <= self.players:
            raise ParameterError(
                f"a deck of {self.ranks} ranks x {self.suits} suits is too small for {self.players} players and a "
                f"board; raise ranks or suits."
            )

    @cached_property
    def _after(self) -> Bettings:
        return Bettings(self._betting, self._rules)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """Names of the ranks, low to high: one letter each, the ace low."""
        return tuple(SUIT[-self.ranks :])

    @cached_property
    def _deck(self) -> tuple[str, ...]:
        """The cards: ranks alone, or ranks and suits."""
        letters = "shdc"[: self.suits] if self.distinct_suits else ("",) * self.suits
        return tuple(rank + suit for rank in self._names for suit in letters)

    def _cards_of(self, text: str) -> list[str]:
        """Return the cards of a text such as ``"KsQh"``, or ``"KQ"`` without suits."""
        width = 2 if self.distinct_suits else 1
        return [text[start : start + width] for start in range(0, len(text), width)]

    def _dealt(self, state: Any) -> tuple[str, ...]:
        """Return the private and public cards."""
        cards, board, _ = state
        return (*cards, *self._cards_of(board))

    def root(self):
        return ((), "", "")

    def player(self, state):
        return self._after[state[2]].mover if state[0] else CHANCE

    def actions(self, state):
        return self._after[state[2]].actions

    def chances(self, state):
        return boards(self._deck, self._dealt(state)) if state[0] else deals(self._deck, self.players)

    def draw(self, state, uniform):
        if not state[0]:
            return draw_cards(self._deck, self.players, uniform)
        (card,), probability = draw_cards(remaining_deck(self._deck, self._dealt(state)), 1, uniform)
        return card, probability

    def child(self, state, action):
        cards, board, history = state
        if not cards:
            return (action, "", "")
        if self._after[history].mover == CHANCE:
            return (cards, board + action, history + "/")
        return (cards, board, history + action)

    def payoffs(self, state):
        cards, board, history = state
        _, _, paid, live = self._after[history]
        return shares(paid, live if len(live) == 1 else best_hands(self._names, cards, board, live))

    def view(self, state, player):
        cards, board, history = state
        return f"{cards[player]}{board}|{history}"

    def observe(self, view, player, language="en"):
        cards, history = view.split("|")
        own, *board = self._cards_of(cards)
        turned_up = phrases("betting", language)["board"]
        moves = [
            turned_up.format(card_words(board[before.count("/")], language))
            if move == "/"
            else move_text(self._after[before].mover, player, self._verb(before, move, language), language)
            for before, move in moves_of(history)
        ]
        now = self._after[history]
        names: Mapping[Hashable, str] = {move: self._verb(history, move, language) for move in now.actions}
        return Observation(card_words(own, language), pot_text(sum(now.paid), moves, language), names)

    def picture(self, view, player):
        cards, history = view.split("|")
        own, *board = self._cards_of(cards)
        now, seats = self._after[history], range(self.players)
        before = self._paid_before(history)
        return Picture(
            deck=cards_kind(own),
            hand=(own,),
            table=tuple(board),
            hidden=tuple(int(seat != player and seat in now.live) for seat in seats),
            pot=sum(now.paid),
            bets=tuple(max(paid - before, 0) for paid in now.paid),
            stacks=tuple(self.stack - paid for paid in now.paid) if hasattr(self, "stack") else (),
            folded=tuple(seat not in now.live for seat in seats),
            events=tuple(self._event(past, move, board) for past, move in moves_of(history)),
            actions={move: self._event(history, move, board) for move in now.actions} if now.mover == player else {},
        )

    def _paid_before(self, history):
        """Return the chips of each live player at the start of the current round."""
        start = history.rfind("/")
        return max(self._after[history[:start]].paid) if start >= 0 else self.ante

    def _event(self, history, move, board):
        if move == "/":
            return PictureEvent("deal", cards=(board[history.count("/")],))
        now, verb = self._after[history], self._verb(history, move).split()[0]
        if verb in ("fold", "check"):
            return PictureEvent(verb, now.mover)
        after = self._after[history + move].paid[now.mover]
        return PictureEvent(
            verb, now.mover, after - (now.paid[now.mover] if verb == "call" else self._paid_before(history))
        )

    def _verb(self, history, move, language="en"):
        now, words = self._after[history], phrases("betting", language)
        owes = now.paid[now.mover] < max(now.paid)
        if move[0] != "r":
            return words["fold" if move == "f" else "call" if owes else "check"]
        verb = "raise" if owes else "bet"
        return words[verb] if move == "r" else words[f"{verb} size"].format(int(move[1:]) - max(now.paid))

    def shown(self, state):
        """Return the players who show their cards: those who did not fold."""
        live = self._after[state[2]].live
        return tuple(seat in live for seat in range(self.players))


class LimitFamily(LeducFamily):
    """Base class of the games with limit betting: `raises` has the size of a bet or raise in each round."""

    raises: tuple[int, ...]
    cap: int
    _betting = staticmethod(betting)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "raises", as_tuple("raises", self.raises))
        check_range("cap", self.cap, 0, 10)
        example = list(type(self).raises)
        if len(self.raises) != len(example) or any(not isinstance(size, int) or size < 1 for size in self.raises):
            wanted = f"{len(example)} whole numbers of at least 1, e.g. {example}"
            raise out_of_range("raises", self.raises, wanted)

    @cached_property
    def _rules(self) -> Rules:
        return Rules(self.players, self.ante, self.raises, self.cap)


@dataclass(frozen=True)
class Leduc(LimitFamily):
    """Leduc hold'em: one private card, one public card, two rounds of betting.

    A state is (cards, board, history), a view ``"K|cr"`` or, with the board, ``"KQ|crc/r"``.

    Args:
        players: number of players, 2 to 6.
        ranks: number of ranks; default: one more than the players.
        suits: number of cards of each rank.
        ante: ante of each player, in chips.
        raises: size of a raise in the first and in the second round.
        cap: maximum number of bets and raises in a round, of all players.
        distinct_suits: whether suits are distinguished.
    """

    players: int = 2
    ranks: int = 0
    suits: int = 2
    ante: int = 1
    raises: tuple[int, int] = (2, 4)
    cap: int = 2
    distinct_suits: bool = False
    name = "leduc"
    public_actions = True

    @property
    def dealt_by_rank(self) -> bool:
        """True if hands that differ only in suits are one hand."""
        return not self.distinct_suits

    def features(self, state, player):
        """One-hot encoding of the own rank, the board's rank, and the history.

        The history is [player][round][raises before][call, raise]. Folds are not encoded. With two players and three
        ranks these are the 30 inputs of NFSP's released code.
        """
        cards, board, history = state
        rounds, levels = len(self.raises), self.cap + 1
        moves = [0.0] * (self.players * rounds * levels * 2)
        for number, letters in enumerate(history.split("/")):
            prefix = "/".join(history.split("/")[:number]) + "/" * (number > 0)
            for index, letter in enumerate(letters):
                if letter != "f":
                    seat = betting(self._rules, prefix + letters[:index]).mover
                    level = letters[:index].count("r")
                    moves[((seat * rounds + number) * levels + level) * 2 + (letter == "r")] = 1.0
        return [float(name == card) for card in (cards[player][0], board[:1]) for name in self._names] + moves
