"""Kuhn poker: one card each, one bet (Kuhn 1950; for more players Abou Risk and Szafron 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from tefuda.errors import check_range
from tefuda.games.phrases import phrases
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text
from tefuda.games.small.cards import card_words, cards_kind, draw_cards, pot_text, rank_names


@dataclass(frozen=True)
class Kuhn:
    """Kuhn poker: one card each, one bet.

    Ante 1, bet 1; `p` is check or fold, `b` is bet or call. A state is (cards, history), a view ``"K|pb"``.

    Args:
        players: number of players, 2 to 10.
        cards: number of cards in the deck; default: one more than the players.
    """

    players: int = 2
    cards: int = 0
    name = "kuhn"
    constant_sum = 0
    public_actions = True

    def __post_init__(self) -> None:
        check_range("players", self.players, 2, 10)
        if self.cards == 0:
            object.__setattr__(self, "cards", self.players + 1)
        check_range("cards", self.cards, self.players, 60)

    def root(self):
        return ((), "")

    def player(self, state):
        cards, history = state
        if not cards:
            return CHANCE
        opened = history.find("b")
        length = self.players if opened < 0 else opened + self.players
        return TERMINAL if len(history) == length else len(history) % self.players

    def actions(self, state):
        return ("p", "b")

    def chances(self, state):
        deals = list(permutations(rank_names(self.cards), self.players))
        return tuple((deal, Fraction(1, len(deals))) for deal in deals)

    def draw(self, state, uniform):
        return draw_cards(rank_names(self.cards), self.players, uniform)

    def child(self, state, action):
        cards, history = state
        return (cards, history + action) if cards else (action, "")

    def payoffs(self, state):
        cards, history = state
        put_in, strength = self._put_in(history), rank_names(self.cards).index
        contenders = [seat for seat in range(self.players) if put_in[seat] == max(put_in)]
        winner = max(contenders, key=lambda seat: strength(cards[seat]))
        return tuple(sum(put_in) * (seat == winner) - put_in[seat] for seat in range(self.players))

    def _put_in(self, history):
        """Return the chips of each player in the pot."""
        put_in = [1] * self.players
        for turn, action in enumerate(history):
            put_in[turn % self.players] += action == "b"
        return put_in

    def shown(self, state):
        """Return the players who show their cards: those who did not fold."""
        put_in = self._put_in(state[1])
        return tuple(amount == max(put_in) for amount in put_in)

    def view(self, state, player):
        cards, history = state
        return f"{cards[player]}|{history}"

    def observe(self, view, player, language="en"):
        card, history = view.split("|")
        words, moves, opened = phrases("betting", language), [], False
        names = {"p": (words["check"], words["fold"]), "b": (words["bet"], words["call"])}
        for turn, letter in enumerate(history):
            moves.append(move_text(turn % self.players, player, names[letter][opened], language))
            opened |= letter == "b"
        table = pot_text(sum(self._put_in(history)), moves, language)
        return Observation(card_words(card, language), table, {letter: pair[opened] for letter, pair in names.items()})

    def picture(self, view, player):
        card, history = view.split("|")
        put_in, mover = self._put_in(history), self.player(((card,), history))
        events = tuple(_event(history[:turn], turn % self.players, letter) for turn, letter in enumerate(history))
        folded = tuple(any(event == ("fold", seat, None, ()) for event in events) for seat in range(self.players))
        return Picture(
            deck=cards_kind(card),
            hand=(card,),
            hidden=tuple(int(seat != player and not folded[seat]) for seat in range(self.players)),
            pot=sum(put_in),
            bets=tuple(amount - 1 for amount in put_in),
            folded=folded,
            events=events,
            actions={letter: _event(history, player, letter) for letter in "pb" if mover == player},
        )

    def features(self, state, player):
        """One-hot encoding of the card and of each move so far."""
        cards, history = state
        moves = [
            float(turn < len(history) and history[turn] == action)
            for turn in range(2 * self.players - 1)
            for action in "pb"
        ]
        return [float(rank == cards[player]) for rank in rank_names(self.cards)] + moves


def _event(history: str, seat: int, letter: str) -> PictureEvent:
    opened = "b" in history
    if letter == "b":
        return PictureEvent("call" if opened else "bet", seat, 1)
    return PictureEvent("fold" if opened else "check", seat)
