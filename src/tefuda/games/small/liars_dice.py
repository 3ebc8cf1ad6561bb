"""Liar's dice: hidden dice, rising bids, and a challenge that ends the game."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod

from tefuda.errors import check_range, out_of_range
from tefuda.games.phrases import phrases
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text

LIAR = "liar"


@cache
def rolls(dice: int, sides: int) -> tuple[tuple[str, Fraction], ...]:
    """Return the rolls of one player, dice sorted, with their probabilities."""
    sorted_rolls = ("".join(map(_face, roll)) for roll in combinations_with_replacement(range(1, sides + 1), dice))
    return tuple((roll, Fraction(ways(roll), sides**dice)) for roll in sorted_rolls)


@cache
def ways(roll: str) -> int:
    """Return the number of orders of a roll."""
    return factorial(len(roll)) // prod(map(factorial, Counter(roll).values()))


def _face(number: int) -> str:
    return "0123456789abcdef"[number]


@lru_cache(maxsize=1 << 16)
def is_true(hands: tuple[str, ...], bid: int, sides: int) -> bool:
    """Return whether a bid, given by its number, holds among all dice; the highest face is wild."""
    wanted, face = divmod(bid, sides)
    shown = "".join(hands)
    count = shown.count(_face(face + 1)) + (shown.count(_face(sides)) if face + 1 < sides else 0)
    return count > wanted


@cache
def _after_call(players: int, caller: int, bid_is_true: bool) -> tuple[int, ...]:
    """Return the payoffs after a call: the caller or the last bidder pays 1 to the other."""
    bidder = (caller - 1) % players
    winner, loser = (bidder, caller) if bid_is_true else (caller, bidder)
    return tuple((seat == winner) - (seat == loser) for seat in range(players))


@dataclass(frozen=True)
class LiarsDice:
    """Liar's dice: hidden rolls, and bids on the number of dice with a face.

    The rules are those of OpenSpiel's liars_dice. A bid ``2-4`` claims at least two fours among all dice. The highest
    face is wild and counts as every face. Each bid must be higher than the last: more dice, or the same number of a
    higher face. Instead of bidding, a player may call the last bidder a liar; the player who is wrong loses 1 to the
    other. A state is (rolls, number of the last bid, history), a view ``"3|1-2 1-5"``.

    Args:
        players: number of players, 2 to 6.
        dice: number of dice of each player, or a tuple with one number for each, such as (2, 1).
        sides: number of faces of a die.
    """

    players: int = 2
    dice: int | tuple[int, ...] = 1
    sides: int = 6
    name = "liars_dice"
    constant_sum = 0
    public_actions = True

    def __post_init__(self) -> None:
        check_range("players", self.players, 2, 6)
        numbers = tuple(self.dice) if isinstance(self.dice, (tuple, list)) else (self.dice,) * self.players
        if len(numbers) != self.players or not all(type(one) is int and 1 <= one <= 5 for one in numbers):
            raise out_of_range("dice", self.dice, "a whole number from 1 to 5, or one for each player, e.g. [2, 1]")
        object.__setattr__(self, "dice", numbers if len(set(numbers)) > 1 else numbers[0])
        check_range("sides", self.sides, 2, 15)

    @cached_property
    def _dice(self) -> tuple[int, ...]:
        """The number of dice of each player."""
        return (self.dice,) * self.players if isinstance(self.dice, int) else self.dice

    @cached_property
    def _bids(self) -> tuple[str, ...]:
        counts = range(1, sum(self._dice) + 1)
        return tuple(f"{count}-{_face(face)}" for count in counts for face in range(1, self.sides + 1))

    @cached_property
    def _open(self) -> tuple[tuple[str, ...], ...]:
        """The actions after each bid; last, those before any bid (index -1)."""
        return (*((*self._bids[number + 1 :], LIAR) for number in range(len(self._bids))), self._bids)

    @cached_property
    def _number_of(self) -> dict[str, int]:
        """The number of each bid; that of the last bid stays after a call."""
        return {bid: number for number, bid in enumerate(self._bids)}

    def root(self):
        return ((), -1, "")

    def player(self, state):
        hands, _, history = state
        if not hands:
            return CHANCE
        return TERMINAL if history.endswith(LIAR) else history.count("-") % self.players

    def actions(self, state):
        return self._open[state[1]]

    def chances(self, state):
        each = [rolls(dice, self.sides) for dice in self._dice]
        return tuple(
            (tuple(roll for roll, _ in hands), prod((chance for _, chance in hands), start=Fraction(1)))
            for hands in product(*each)
        )

    def draw(self, state, uniform):
        hands = []
        for dice in self._dice:
            faces = sorted(1 + int(uniform() * self.sides) for _ in range(dice))
            hands.append("".join(map(_face, faces)))
        return tuple(hands), prod(ways(hand) for hand in hands) * Fraction(1, self.sides ** sum(self._dice))

    def child(self, state, action):
        hands, last, history = state
        if not hands:
            return (action, -1, "")
        text = f"{history} {action}" if history else action
        return (hands, self._number_of.get(action, last), text)

    def payoffs(self, state):
        hands, last, history = state
        caller = history.count("-") % self.players
        return _after_call(self.players, caller, is_true(hands, last, self.sides))

    def view(self, state, player):
        return f"{state[0][player]}|{state[2]}"

    def observe(self, view, player, language="en"):
        hand, history = view.split("|")
        words, between = phrases("liars_dice", language), phrases("moves", language)
        parts = [words["dice"].format(sum(self._dice), _face(self.sides))]
        for turn, move in enumerate(history.split()):
            verb = words["call liar"] if move == LIAR else words["bid"].format(move.replace("-", " x "))
            parts.append(move_text(turn % self.players, player, verb, language))
        own = words["hand" if len(hand) > 1 else "die"].format(between["between"].join(hand))
        return Observation(own, between["after"].join(parts))

    def picture(self, view, player):
        hand, history = view.split("|")
        moves = history.split()
        last = self._bids.index(moves[-1]) if moves and moves[-1] != LIAR else -1
        to_move = LIAR not in moves and len(moves) % self.players == player
        return Picture(
            deck="dice",
            hand=tuple(hand),
            hidden=tuple(dice * (seat != player) for seat, dice in enumerate(self._dice)),
            events=tuple(_event(move, turn % self.players) for turn, move in enumerate(moves)),
            actions={move: _event(move, player) for move in self._open[last]} if to_move else {},
            more={"wild": _face(self.sides), "dice": sum(self._dice)},
        )

    def features(self, state, player):
        """Encoding: thresholds of the own dice of each face, then the bids so far, as zeros and ones."""
        hands, _, history = state
        own = [hands[player].count(_face(face)) for face in range(1, self.sides + 1)]
        dice = [float(count > have) for count in own for have in range(max(self._dice))]
        return dice + [float(bid in history.split(" ")) for bid in self._bids]


def _event(move: str, seat: int) -> PictureEvent:
    """Return a move as an event; the card of a bid is its face."""
    if move == LIAR:
        return PictureEvent("challenge", seat)
    count, face = move.split("-")
    return PictureEvent("bid", seat, int(count), (face,))
