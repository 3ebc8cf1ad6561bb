"""Goofspiel, the game of pure strategy: everybody bids a card for each prize (Ross 1971)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tefuda.errors import check_choice, check_range
from tefuda.games.protocol import CHANCE, TERMINAL, Observation

ORDERS = ("descending", "ascending", "random")
PAYOFFS = ("win_loss", "point_difference")


@dataclass(frozen=True)
class Goofspiel:
    """Goofspiel: bid one of your cards for each prize; the highest bid takes it, equal highest bids lose it.

    The rules are those of OpenSpiel's goofspiel. Bids are simultaneous, written as hidden moves one after the other;
    the last round, with one card left to each, plays itself. A state is (prizes turned up, hands, points,
    own bids, what was announced, bids of this round), a view ``"4.3| 2| 1"``: prizes, own bids, winners of the rounds
    (``-`` for a tie).

    Args:
        cards: cards of each player, and prizes.
        players: how many play.
        order: how the prizes come: descending, ascending, or random.
        hidden: only the winner of each round is announced, bids stay hidden; otherwise they are shown.
        payoff: ``win_loss``: winners share 1, losers -1; ``point_difference``: points less everybody's mean.
    """

    cards: int = 4
    players: int = 2
    order: str = "descending"
    hidden: bool = True
    payoff: str = "win_loss"
    name = "goofspiel"
    constant_sum = 0

    def __post_init__(self) -> None:
        check_range("cards", self.cards, 1, 13)
        check_range("players", self.players, 2, 6)
        check_choice("order", self.order, ORDERS)
        check_choice("payoff", self.payoff, PAYOFFS)

    def root(self):
        cards = tuple(range(1, self.cards + 1))
        nobody = ("",) * self.players
        return self._turn_up((), (cards,) * self.players, (0,) * self.players, nobody, "")

    def _turn_up(self, prizes, hands, points, own, public):
        """Return the state after a round, with the next prize unless chance draws it."""
        if self.order != "random" or len(hands[0]) == 1:
            prizes = _next_prizes(self.cards, prizes, self.order)
        return (prizes, hands, points, own, public, ())

    def player(self, state):
        prizes, hands, _, _, _, bids = state
        if len(hands[0]) == 1:
            return TERMINAL
        return CHANCE if len(prizes) + len(hands[0]) == self.cards else len(bids)

    def actions(self, state):
        return state[1][len(state[5])]

    def chances(self, state):
        left = [prize for prize in range(1, self.cards + 1) if prize not in state[0]]
        return tuple((prize, Fraction(1, len(left))) for prize in left)

    def child(self, state, action):
        prizes, hands, points, own, public, bids = state
        if len(prizes) + len(hands[0]) == self.cards:
            return ((*prizes, action), hands, points, own, public, ())
        bids = (*bids, action)
        if len(bids) < self.players:
            return (prizes, hands, points, own, public, bids)
        winner = _winner(bids)
        shown = ("-" if winner is None else str(winner)) if self.hidden else "-".join(map(str, bids))
        return self._turn_up(
            prizes,
            tuple([_without(hand, bid) for hand, bid in zip(hands, bids, strict=True)]),
            points if winner is None else _scored(points, winner, prizes[-1]),
            tuple([f"{text} {bid}" for text, bid in zip(own, bids, strict=True)]) if self.hidden else own,
            f"{public} {shown}",
        )

    def payoffs(self, state):
        prizes, hands, points, _, _, _ = state
        winner = _winner(tuple([hand[0] for hand in hands]))
        return _reward(points if winner is None else _scored(points, winner, prizes[-1]), self.payoff)

    def view(self, state, player):
        prizes, _, _, own, public, _ = state
        return f"{_text(prizes)}|{own[player]}|{public}" if self.hidden else f"{_text(prizes)}|{public}"

    def observe(self, view, player):
        prizes, *texts = view.split("|")
        rounds = texts[-1].split()
        if self.hidden:
            bids = texts[0].split()
            ends = ["nobody wins" if one == "-" else f"player {one} wins" for one in rounds]
            ends = [f"{end}, you bid {bid}" for end, bid in zip(ends, bids, strict=True)]
        else:
            bids = [one.split("-")[player] for one in rounds]
            ends = [f"bids {one}" for one in rounds]
        left = [str(card) for card in range(1, self.cards + 1) if str(card) not in bids]
        ups = prizes.split(".") if prizes else []
        past = [f"prize {prize}: {end}" for prize, end in zip(ups, ends, strict=False)]
        return Observation(
            f"cards {', '.join(left)}", "; ".join(past + [f"now prize {prize}" for prize in ups[len(ends) :]])
        )

    def features(self, state, player):
        """For each round the prize, the own bid or everybody's, and who won, as zeros and ones."""
        prizes, _, _, own, public, _ = state
        texts = (
            [own[player]]
            if self.hidden
            else [" ".join(part.split("-")[seat] for part in public.split()) for seat in range(self.players)]
        )
        winners = public.split() if self.hidden else []
        shown = [
            (list(map(str, prizes)), range(1, self.cards + 1)),
            *((text.split(), range(1, self.cards + 1)) for text in texts),
            (winners, ["-", *range(self.players)]),
        ]
        return [
            float(turn < len(seen) and seen[turn] == str(kind))
            for seen, kinds in shown
            for turn in range(self.cards)
            for kind in kinds
        ]


# Of what the rules ask, this depends on few things and is remembered; compiling takes half the time.


@cache
def _winner(bids: tuple[int, ...]) -> int | None:
    """Return the winner of the prize; None if the highest bid was made twice."""
    best = max(bids)
    return bids.index(best) if bids.count(best) == 1 else None


@cache
def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    return tuple(other for other in hand if other != card)


@cache
def _scored(points: tuple[int, ...], winner: int, prize: int) -> tuple[int, ...]:
    return tuple(own + prize * (seat == winner) for seat, own in enumerate(points))


@cache
def _text(prizes: tuple[int, ...]) -> str:
    return ".".join(map(str, prizes))


@cache
def _next_prizes(cards: int, prizes: tuple[int, ...], order: str) -> tuple[int, ...]:
    """Return the prizes after one more; of a random order only the last, forced one comes here."""
    left = [prize for prize in range(1, cards + 1) if prize not in prizes]
    return (*prizes, max(left) if order == "descending" else min(left))


@cache
def _reward(points: tuple[int, ...], payoff: str) -> tuple[int | Fraction, ...]:
    """Return the payoffs for points."""
    if payoff == "point_difference":
        return tuple(own - Fraction(sum(points), len(points)) for own in points)
    winners = points.count(max(points))
    if winners == len(points):
        return (0,) * len(points)
    lost = Fraction(-1, len(points) - winners)
    return tuple(Fraction(1, winners) if own == max(points) else lost for own in points)
