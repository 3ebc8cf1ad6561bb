"""Liar's poker: hidden digits, rising claims over all hands, and a last claim after a challenge."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

from tefuda.errors import check_range
from tefuda.games.phrases import between, phrases
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, move_text
from tefuda.games.small.liars_dice import rolls, ways

CHALLENGE = "challenge"


@dataclass(frozen=True)
class LiarsPoker:
    """Liar's poker: hidden digits, and claims on the number of digits of a kind in all hands.

    The rules are those of OpenSpiel's python_liars_poker. A claim ``2-1`` says that all hands have at least two ones;
    each claim is higher than the last: more digits, or the same number of a higher digit. Instead, a player may
    challenge. If all others challenge a claim, its player may raise it once more. After that, or if all challenge, the
    hands are counted: the player of the claim wins or loses 1 against each other player.

    A state is (hands, claim, its player, raised, challenges, moves, player to move), a view ``"12|1-1 challenge"``.

    Args:
        players: number of players, 2 to 6.
        hand: number of digits of each player.
        digits: number of different digits, 2 to 9.
        ordered: whether hands with the same digits in another order are different hands, as in OpenSpiel.
    """

    players: int = 2
    hand: int = 2
    digits: int = 2
    ordered: bool = False
    name = "liars_poker"
    constant_sum = 0

    def __post_init__(self) -> None:
        check_range("players", self.players, 2, 6)
        check_range("hand", self.hand, 1, 10)
        check_range("digits", self.digits, 2, 9)

    @cached_property
    def _claims(self) -> tuple[str, ...]:
        counts, digits = range(1, self.players * self.hand + 1), range(1, self.digits + 1)
        return tuple(f"{count}-{digit}" for count, digit in product(counts, digits))

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {claim: number for number, claim in enumerate(self._claims)}

    @cached_property
    def _hands(self) -> tuple[tuple[str, Fraction], ...]:
        if not self.ordered:
            return rolls(self.hand, self.digits)
        hands = product("123456789"[: self.digits], repeat=self.hand)
        return tuple(("".join(hand), Fraction(1, self.digits**self.hand)) for hand in hands)

    def root(self):
        return ((), -1, -1, False, 0, "", 0)

    def player(self, state):
        hands, _, _, raised, challenges, _, mover = state
        if not hands:
            return CHANCE
        return TERMINAL if challenges == self.players - raised else mover

    def actions(self, state):
        _, claim, owner, raised, challenges, _, mover = state
        may_claim = mover != owner or (challenges == self.players - 1 and not raised)
        return (CHALLENGE,) * (claim >= 0) + self._claims[claim + 1 :] * may_claim

    def chances(self, state):
        deals = product(self._hands, repeat=self.players)
        return tuple((tuple(hand for hand, _ in deal), prod(chance for _, chance in deal)) for deal in deals)

    def draw(self, state, uniform):
        hands = []
        for _ in range(self.players):
            hand = "".join(str(1 + int(uniform() * self.digits)) for _ in range(self.hand))
            hands.append(hand if self.ordered else "".join(sorted(hand)))
        orders = 1 if self.ordered else prod(map(ways, hands))
        return tuple(hands), Fraction(orders, self.digits ** (self.hand * self.players))

    def child(self, state, action):
        hands, claim, owner, raised, challenges, moves, mover = state
        if not hands:
            return (action, *state[1:])
        moves, following = f"{moves} {action}" if moves else action, (mover + 1) % self.players
        if action == CHALLENGE:
            return (hands, claim, owner, raised, challenges + 1, moves, following)
        return (hands, self._number_of[action], mover, mover == owner, 0, moves, following)

    def payoffs(self, state):
        hands, claim, owner = state[:3]
        count, digit = self._claims[claim].split("-")
        sign = 1 if "".join(hands).count(digit) >= int(count) else -1
        return tuple(sign * (self.players - 1 if seat == owner else -1) for seat in range(self.players))

    def view(self, state, player):
        return f"{state[0][player]}|{state[5]}"

    def observe(self, view, player, language="en"):
        words, (hand, moves) = phrases("liars_poker", language), view.split("|")
        verbs = [
            words[CHALLENGE] if move == CHALLENGE else words["claim"].format(move.replace("-", " x "))
            for move in moves.split()
        ]
        moves = [move_text(turn % self.players, player, verb, language) for turn, verb in enumerate(verbs)]
        return Observation(words["hand"].format(hand), between(language).join(moves), {CHALLENGE: words[CHALLENGE]})
