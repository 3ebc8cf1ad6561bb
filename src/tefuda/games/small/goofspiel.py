"""Goofspiel: each player bids a card for each prize (Ross 1971)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from tefuda.errors import check_choice, check_range
from tefuda.games.phrases import phrases
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation

ORDERS = ("descending", "ascending", "random")
PAYOFFS = ("win_loss", "point_difference")


@dataclass(frozen=True)
class Goofspiel:
    """Goofspiel: the highest bid of a card wins the prize; equal highest bids lose it.

    The rules are those of OpenSpiel's goofspiel. Bids are simultaneous, represented by successive hidden moves. The
    last round, with one card per player, is played automatically. A state is (revealed prizes, hands, points, own bids,
    public text, bids of this round). A view is ``"4.3| 2| 1"``: prizes, own bids, winners of the rounds (``-`` for a
    tie).

    Args:
        cards: number of cards of each player, and of prizes.
        players: number of players.
        order: order of the prizes: ``"descending"``, ``"ascending"`` or ``"random"``.
        hidden: whether bids stay hidden; only the winner of each round is announced.
        payoff: ``"win_loss"``: winners share 1, losers share -1; ``"point_difference"``: points minus the mean.
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
        prizes = _with_next_prize(self.cards, (), self.order)
        return (prizes, (cards,) * self.players, (0,) * self.players, ("",) * self.players, "", ())

    def player(self, state):
        prizes, hands, _, _, _, bids = state
        left = len(hands[0])
        if left == 1:
            return TERMINAL
        return CHANCE if len(prizes) + left == self.cards else len(bids)

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
        hands, winner = _after_bids(hands, bids)
        points = _scored(points, winner, prizes[-1])
        prizes = _with_next_prize(self.cards, prizes, self.order)
        if self.hidden:
            return (prizes, hands, points, tuple(map(_with_bid, own, bids)), f"{public} {winner}", ())
        return (prizes, hands, points, own, f"{public} {'-'.join(map(str, bids))}", ())

    def payoffs(self, state):
        prizes, hands, points, _, _, _ = state
        return _final_payoffs(hands, points, prizes[-1], self.payoff)

    def view(self, state, player):
        prizes, _, _, own, public, _ = state
        return f"{_text(prizes)}|{own[player]}|{public}" if self.hidden else f"{_text(prizes)}|{public}"

    def observe(self, view, player, language="en"):
        words, between = phrases("goofspiel", language), phrases("moves", language)
        prizes, *texts = view.split("|")
        rounds = texts[-1].split()
        if self.hidden:
            bids = texts[0].split()
            ends = [words["tie"] if winner == "-" else words["wins"].format(winner) for winner in rounds]
            ends = [words["own bid"].format(end, bid) for end, bid in zip(ends, bids, strict=True)]
        else:
            bids = [shown.split("-")[player] for shown in rounds]
            ends = [words["bids"].format(shown) for shown in rounds]
        left = [str(card) for card in range(1, self.cards + 1) if str(card) not in bids]
        ups = prizes.split(".") if prizes else []
        parts = [words["past"].format(prize, end) for prize, end in zip(ups, ends, strict=False)]
        parts += [words["now"].format(prize) for prize in ups[len(ends) :]]
        return Observation(words["cards"].format(between["between"].join(left)), between["after"].join(parts))

    def picture(self, view, player):
        prizes, *texts = view.split("|")
        rounds, prizes_up = texts[-1].split(), prizes.split(".") if prizes else []
        bids = texts[0].split() if self.hidden else [shown.split("-")[player] for shown in rounds]
        winners = [self._winner_in(shown) for shown in rounds]
        won = [tuple(p for p, w in zip(prizes_up, winners, strict=False) if w == s) for s in range(self.players)]
        left = tuple(str(card) for card in range(1, self.cards + 1) if str(card) not in bids)
        to_move = len(prizes_up) > len(rounds) and len(left) > 1
        return Picture(
            deck="numbers",
            hand=left,
            table=tuple(prizes_up[len(rounds) :]),
            hidden=tuple(len(left) * (seat != player) for seat in range(self.players)),
            piles=tuple(won),
            points=tuple(sum(map(int, pile)) for pile in won),
            events=tuple(
                PictureEvent("tie" if w is None else "win", CHANCE if w is None else w, cards=(p,))
                for p, w in zip(prizes_up, winners, strict=False)
            ),
            actions={int(card): PictureEvent("play", player, cards=(card,)) for card in left} if to_move else {},
        )

    def _winner_in(self, shown):
        """Return the winner of a round as the view shows it; None for a tie."""
        if self.hidden:
            return None if shown == "-" else int(shown)
        return _winner(tuple(map(int, shown.split("-"))))

    def features(self, state, player):
        """One-hot encoding for each round of the prize, the own bid or all bids, and the winner."""
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
            float(turn < len(values) and values[turn] == str(kind))
            for values, kinds in shown
            for turn in range(self.cards)
            for kind in kinds
        ]


# These functions have few distinct arguments. Caching them halves the time of compiling.
_CACHED = 1 << 17  # a limit for long simulations of large games


@cache
def _winner(bids: tuple[int, ...]) -> int | None:
    """Return the winner of the prize; None if several bids are the highest."""
    best = max(bids)
    return bids.index(best) if bids.count(best) == 1 else None


@lru_cache(maxsize=_CACHED)
def _after_bids(hands: tuple[tuple[int, ...], ...], bids: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Return the hands after a round, and its winner as text (``-`` for a tie)."""
    winner = _winner(bids)
    return tuple(map(_without, hands, bids)), "-" if winner is None else str(winner)


@cache
def _scored(points: tuple[int, ...], winner: str, prize: int) -> tuple[int, ...]:
    return tuple(own + prize * (str(seat) == winner) for seat, own in enumerate(points))


@cache
def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    return tuple(other for other in hand if other != card)


@lru_cache(maxsize=_CACHED)
def _with_bid(text: str, bid: int) -> str:
    return f"{text} {bid}"


@cache
def _text(prizes: tuple[int, ...]) -> str:
    return ".".join(map(str, prizes))


@cache
def _with_next_prize(cards: int, prizes: tuple[int, ...], order: str) -> tuple[int, ...]:
    """Return the prizes with the next one; of random prizes only the last is known."""
    left = [prize for prize in range(1, cards + 1) if prize not in prizes]
    if order == "random" and len(left) > 1:
        return prizes
    return (*prizes, max(left) if order == "descending" else min(left))


@lru_cache(maxsize=_CACHED)
def _final_payoffs(
    hands: tuple[tuple[int, ...], ...], points: tuple[int, ...], prize: int, payoff: str
) -> tuple[int | Fraction, ...]:
    """Return the payoffs when each player has one card left."""
    _, winner = _after_bids(hands, tuple(hand[0] for hand in hands))
    return _reward(_scored(points, winner, prize), payoff)


@cache
def _reward(points: tuple[int, ...], payoff: str) -> tuple[int | Fraction, ...]:
    if payoff == "point_difference":
        return tuple(own - Fraction(sum(points), len(points)) for own in points)
    winners = points.count(max(points))
    if winners == len(points):
        return (0,) * len(points)
    lost = Fraction(-1, len(points) - winners)
    return tuple(Fraction(1, winners) if own == max(points) else lost for own in points)
