"""Tables of all kinds for tests of whole hands, and PokerKit playing the same hand."""

import random
import warnings

from tefuda.holdem.cards import card_text
from tefuda.holdem.hands.rules import Choices, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.hands.whole import Holdem

MENUS = (("50%,100%,a", ""), ("33%,2e,a", "2x,2.5x,a"), ("10c,a", "1c,50%,e"), ("0.1%,25%,400%", "3x"))


def random_rules(rng: random.Random, posts: bool = False) -> TableRules:
    """Return a limit or no-limit table of 2..10 players with any stacks and antes; posts on request."""
    players, big = rng.choice((2, 2, 3, 4, 6, 10)), rng.choice((2, 10, 100))
    small = rng.choice((big // 2, big // 2, 1, big))
    blinds = [0] * players
    blinds[0], blinds[1] = (big, small) if players == 2 else (small, big)
    if players > 3 and rng.random() < 0.15:
        blinds[2] = 2 * big  # a straddle
    deep = rng.choice((1, 4, 20, 100))
    stacks = tuple(rng.randint(1, deep * big) if rng.random() < 0.8 else deep * big for _ in range(players))
    antes = [0] * players
    if (kind := rng.random()) < 0.25:
        antes = [rng.choice((1, 3, big))] * players
    elif kind < 0.35:
        antes[blinds.index(max(blinds))] = big
    limit = (big, 2 * big) if rng.random() < 0.4 else None
    posted = tuple(big if posts and not blind and rng.random() < 0.4 else 0 for blind in blinds)
    return TableRules(stacks, tuple(blinds), tuple(antes), limit, cap=4 if limit else 0, min_bet=big, posts=posted)


def random_game(rng: random.Random) -> Holdem:
    """Return a random table with sizes of all kinds."""
    rules = random_rules(rng)
    return Holdem(rules, Menu() if rules.limit else read_menu(*rng.choice(MENUS)))


def after(game, text):
    """Return the state after labels."""
    state = game.root()
    for label in text.split():
        state = game.child(state, label)
    return state


class Beside:
    """PokerKit at the same table.

    Heads-up it needs reversed forced bets; the blinds count among capped bets; posts are negative blinds.
    """

    def __init__(self, rules: TableRules, holes: list[int]) -> None:
        import pokerkit as kit

        turn = reversed if rules.players == 2 else iter
        blinds = [blind or -post for blind, post in zip(rules.blinds, rules.posts, strict=True)]
        most = (rules.cap - 1, *[rules.cap] * 3) if rules.limit else (None,) * 4
        streets = tuple(
            kit.Street(
                False, () if street else (False, False), (0, 3, 1, 1)[street], False, kit.Opening.POSITION,
                rules.smallest_bet(street), most[street],
            )
            for street in range(4)
        )  # fmt: skip
        by_hand = {kit.Automation.HOLE_DEALING, kit.Automation.BOARD_DEALING}
        self.state = kit.State(
            tuple(one for one in kit.Automation if one not in by_hand), kit.Deck.STANDARD,
            (kit.hands.StandardHighHand,), streets,
            kit.BettingStructure.FIXED_LIMIT if rules.limit else kit.BettingStructure.NO_LIMIT,
            len(set(rules.antes)) == 1, tuple(turn(rules.antes)), tuple(turn(blinds)), 0, rules.stacks,
            rules.players,
        )  # fmt: skip
        for player in range(rules.players):
            self.state.deal_hole("".join(map(card_text, holes[2 * player : 2 * player + 2])))

    def deal(self, board: list[int]) -> None:
        """Deal the next streets from the remaining cards."""
        while number := self.state.board_dealing_count:
            self.state.deal_board("".join(map(card_text, board[:number])))
            del board[:number]

    def choices(self) -> Choices:
        """Return PokerKit's legal choices."""
        state, call = self.state, self.state.checking_or_calling_amount
        low, high = (
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        assert call is not None
        return Choices(call, low or 0, high or 0, max(state.bets) > state.bets[state.actor_index])

    def do(self, wagers: Wagers, action: str, amount: int) -> None:
        """Perform an action."""
        assert self.state.actor_index == wagers.mover
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            {
                "f": self.state.fold,
                "c": self.state.check_or_call,
                "r": lambda: self.state.complete_bet_or_raise_to(amount),
            }[action]()
