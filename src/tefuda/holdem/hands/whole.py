"""Whole hands of Texas hold'em as a game: 2 to 10 players, limit or no-limit.

- Actions are ``"f"`` fold and ``"c"`` check or call, and in limit ``"r"`` bet or raise.
- No-limit lists sizes such as ``"50%"`` or ``"a"``. Every legal amount is accepted: ``"r300"`` raises *to* 300.
- A view such as ``"AhKd|9d7d5h|r210ffcf/c"`` has the hole cards, the board and the betting line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, check_range, illegal_label, shortened
from tefuda.games.phrases import between
from tefuda.games.picture import Picture, PictureEvent
from tefuda.games.protocol import CHANCE, TERMINAL, Observation, labels, move_text
from tefuda.holdem.cards import CARDS, card_text, cards_text, mask_of, read_cards
from tefuda.holdem.hands.hand import CALL, FOLD, HIDDEN, NEXT, RAISE, Hand, after, board_text, raised_to, replay, tokens
from tefuda.holdem.hands.inputs import inputs
from tefuda.holdem.hands.rules import BOARD, MAX_CHIPS, MAX_PLAYERS, NO_PLAYER, STREETS, Choices, TableRules, Wagers
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.phrases import phrases
from tefuda.holdem.rank import strengths

BETS = "50%,100%,a"


@dataclass(frozen=True)
class Holdem:
    """Game of whole hands of hold'em.

    Args:
        rules: rules of the table.
        menu: bet sizes that no-limit lists.
        arguments: arguments of `holdem`.
    """

    rules: TableRules
    menu: Menu
    arguments: tuple[tuple[str, Any], ...] = ()

    name = "holdem"
    constant_sum = 0
    deck = range(CARDS)
    kit = "tefuda.holdem.hands.kit:HandsKit"

    @property
    def players(self) -> int:
        """Number of players."""
        return self.rules.players

    @property
    def parameters(self) -> dict[str, Any]:
        """Arguments of `holdem` as JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.arguments}

    def __repr__(self) -> str:
        return f"holdem({', '.join(f'{name}={value!r}' for name, value in self.arguments)})"

    @cached_property
    def action_labels(self) -> tuple[str, ...] | None:
        """Labels of all actions; None if the menu lists every amount."""
        if self.rules.limit:
            return (FOLD, CALL, RAISE)
        return None if self.menu.any_amount else self.menu.labels

    def root(self) -> Hand:
        """Return the state after the blinds, before the deal."""
        return Hand((), (), self._root_wagers)

    @cached_property
    def _root_wagers(self) -> Wagers:
        return self.rules.root()

    def player(self, state: Hand) -> int:
        if len(state.holes) < 2 * self.players:
            return CHANCE
        if state.wagers.mover != NO_PLAYER:
            return state.wagers.mover
        return TERMINAL if state.wagers.is_over else CHANCE

    def choices(self, state: Hand) -> Choices:
        """Return the choices of the player to act."""
        return self.rules.choices(state.wagers)

    def amounts(self, state: Hand) -> dict[str, int]:
        """Return the amounts on the street of the listed bets and raises, by label."""
        return self.menu.amounts(self.rules, state.wagers, self.choices(state))

    def actions(self, state: Hand) -> tuple[str, ...]:
        """See `Game`: fold if the player faces a bet, check or call, bets and raises."""
        return (FOLD,) * self.choices(state).facing_bet + (CALL, *self.amounts(state))

    def chances(self, state: Hand) -> Sequence[tuple[str, float]]:
        cards = self._undealt(state)
        return [(card_text(card), 1 / len(cards)) for card in cards]

    def draw(self, state: Hand, uniform: Callable[[], float]) -> tuple[str, float]:
        cards = self._undealt(state)
        return card_text(cards[int(uniform() * len(cards))]), 1 / len(cards)

    def _undealt(self, state: Hand) -> list[int]:
        dealt = {*state.holes, *state.board}
        return [card for card in self.deck if card not in dealt]

    def child(self, state: Hand, action: str) -> Hand:
        if self.player(state) == CHANCE:
            return self._deal(state, action)
        rules, wagers = self.rules, state.wagers
        if action == FOLD:
            return state._replace(wagers=rules.fold(wagers), line=state.line + FOLD)
        if action == CALL:
            return state._replace(wagers=rules.call(wagers), line=state.line + CALL)
        amount = self.amount(state, action)
        return state._replace(
            wagers=rules.raise_to(wagers, amount), line=state.line + (RAISE if rules.limit else f"{RAISE}{amount}")
        )

    def pot_odds(self, state: Hand) -> float:
        """Return the pot odds: the equity at which a call breaks even."""
        call = self.choices(state).call
        return call / (self.rules.pot(state.wagers) + call)

    def amount(self, state: Hand, action: str) -> int:
        """Return the amount on the street of a bet or raise, given as a listed size or as ``"r300"``.

        Raises:
            ParameterError: the rules do not allow the action.
        """
        if (listed := self.amounts(state).get(action)) is not None:
            return listed
        choices, text = self.choices(state), str(action)
        if re.fullmatch(r"r\d{1,12}", text) and choices.low <= int(text[1:]) <= choices.high:
            return int(text[1:])
        raises = f"{RAISE}{choices.low} to {RAISE}{choices.high}" if choices.low else "no raise"
        possible = ", ".join((FOLD,) * choices.facing_bet + (CALL, raises))
        raise ParameterError(f"{shortened(action)} is no legal action here; choose one of {possible}.")

    def _deal(self, state: Hand, action: str) -> Hand:
        """Return the state after dealing a card: two to each player in turn, then the board."""
        try:
            (card,) = read_cards(action)
        except ValueError:
            raise illegal_label(action, labels(self, state)) from None
        if card in state.holes or card in state.board:
            raise ParameterError(f"{action} is already dealt.", key="label", value=action)
        if len(state.holes) < 2 * self.players:
            return state._replace(holes=(*state.holes, card))
        state = state._replace(board=(*state.board, card))
        if len(state.board) < BOARD[state.wagers.street + 1]:
            return state
        return state._replace(wagers=self.rules.next_street(state.wagers), line=f"{state.line}/")

    def payoffs(self, state: Hand) -> tuple[int, ...]:
        live = state.wagers.live
        if len(live) == 1:
            return self.rules.payoffs(state.wagers, ())
        sets = [mask_of((*state.hole(player), *state.board)) for player in live]
        best = dict(zip(live, strengths(np.array(sets, dtype=np.uint64)).tolist(), strict=True))
        return self.rules.payoffs(state.wagers, [best.get(player, 0) for player in range(self.players)])

    def view(self, state: Hand, player: int) -> str:
        """See `Game`: hole cards, board and betting line."""
        hole = cards_text(sorted(state.hole(player), reverse=True), "")
        return f"{hole}|{board_text(state.board)}|{state.line}"

    def shown(self, state: Hand) -> tuple[bool, ...]:
        """See `Game`: at a showdown, the players who have not folded."""
        live = state.wagers.live
        return tuple(len(live) > 1 and player in live for player in range(self.players))

    def features(self, state: Hand, player: int) -> list[float]:
        return inputs(self.rules, state, player)

    def read_view(self, view: Any, player: int) -> Hand:
        """Return the state of a view, with other players' cards `HIDDEN`.

        Raises:
            ParameterError: the text is no view of this game.
        """
        try:
            hole, board, line = str(view).split("|")
            cards, table = read_cards(hole), read_cards(board)
            read_cards(hole + board)
            wagers = self.rules.root()
            for token in tokens(line):
                wagers = after(self.rules, wagers, token)
            if len(cards) != 2 or len(table) != BOARD[wagers.street]:
                raise ParameterError("cards are missing.")
        except ValueError as error:
            raise ParameterError(f"{shortened(view)} is no view of {self.name}: {error}") from None
        holes = [HIDDEN] * (2 * self.players)
        holes[2 * player : 2 * player + 2] = cards
        return Hand(tuple(holes), table, wagers, line)

    def describe(self, state: Hand) -> str:
        holes = " ".join(cards_text(state.hole(player), "") for player in range(self.players))
        return f"{holes.strip()}|{board_text(state.board)}|{state.line}"

    def observe(self, view: Any, player: int, language: str = "en") -> Observation:
        state, words = self.read_view(view, player), phrases("table", language)
        pot, board = self.rules.pot(state.wagers), cards_text(state.board)
        table = words["pot and board"].format(pot, board) if board else words["pot"].format(pot)
        replayed = replay(self.rules, state.line)
        moves = [self.action_in_words(before, token, player, language) for before, token in replayed]
        if moves:
            table = words["moves"].format(table, between(language).join(moves))
        names = self.action_names(state, language) if state.wagers.mover != NO_PLAYER else {}
        return Observation(cards_text(state.hole(player)), table, names)

    def picture(self, view: Any, player: int) -> Picture:
        return self.picture_of(self.read_view(view, player), player)

    def picture_of(self, state: Hand, player: int) -> Picture:
        """Return the picture of a state to a player; `HIDDEN` cards are left out."""
        wagers, seats = state.wagers, range(self.players)
        folded = tuple(bool(wagers.folded >> seat & 1) for seat in seats)
        actions = self.actions(state) if wagers.mover == player else ()
        return Picture(
            deck="suits",
            hand=tuple(map(card_text, sorted({*state.hole(player)} - {HIDDEN}, reverse=True))),
            table=tuple(map(card_text, state.board)),
            hidden=tuple(2 * (seat != player and not folded[seat]) for seat in seats),
            pot=self.rules.pot(wagers),
            bets=wagers.bets,
            stacks=wagers.stacks,
            folded=folded,
            events=tuple(self._event(before, token, state.board) for before, token in replay(self.rules, state.line)),
            actions={label: self._event(wagers, self.token(state, label), ()) for label in actions},
            more={"button": self.players - 1},
        )

    def token(self, state: Hand, action: str) -> str:
        """Return an action as a token of the betting line; raise ParameterError as `amount` does."""
        if action in (FOLD, CALL):
            return action
        amount = self.amount(state, action)
        return RAISE if self.rules.limit else f"{RAISE}{amount}"

    def _event(self, before: Wagers, token: str, board: tuple[int, ...]) -> PictureEvent:
        if token == NEXT:
            first, last = BOARD[before.street], BOARD[before.street + 1]
            return PictureEvent("deal", cards=tuple(map(card_text, board[first:last])))
        mover, call = before.mover, self.rules.choices(before).call
        if token == FOLD:
            return PictureEvent("fold", mover)
        if token == CALL:
            return PictureEvent("call", mover, call) if call else PictureEvent("check", mover)
        amount = raised_to(self.rules, before, token)
        if amount == before.bets[mover] + before.stacks[mover]:
            return PictureEvent("all-in", mover, amount)
        return PictureEvent(_bet_verb(before), mover, amount)

    def action_in_words(self, before: Wagers, token: str, player: int, language: str = "en") -> str:
        """Describe an action to a player: ``"you raise to 300"``."""
        words = phrases("table", language)
        if token == NEXT:
            return words[STREETS[before.street + 1]]
        event = self._event(before, token, ())
        verb = _bet_verb(before) if event.verb == "all-in" else event.verb
        return move_text(before.mover, player, words[verb].format(event.amount), language)

    def action_names(self, state: Hand, language: str = "en") -> dict[Hashable, str]:
        """Return names of the player's actions, such as ``"call 50"`` and ``"raise to 300"``, by label."""
        choices, wagers, words = self.choices(state), state.wagers, phrases("table", language)
        own, most = wagers.bets[wagers.mover], wagers.bets[wagers.mover] + wagers.stacks[wagers.mover]
        names: dict[Hashable, str] = {FOLD: words["fold"], CALL: words["call chips"].format(choices.call)}
        if not choices.facing_bet:
            names = {CALL: words["check"]}
        for label, amount in self.amounts(state).items():
            all_in = amount == most
            name, chips = ("all-in", amount - own) if all_in else (_bet_verb(wagers), amount)
            names[label] = words[name].format(chips)
        return names


def _bet_verb(wagers: Wagers) -> str:
    return "raise" if max(wagers.bets) else "bet"


def holdem(
    players: int = 2,
    limit: bool = False,
    stack: int = 1000,
    blinds: Any = (5, 10),
    ante: int = 0,
    stacks: Any = (),
    bets: str = "",
    raises: str = "",
    cap: int = -1,
    opens: str = "",
    reraises: str = "",
) -> Holdem:
    """Return the game of whole hands of Texas hold'em.

    Args:
        players: number of players, 2 to 10.
        limit: True for limit hold'em: bets are the big blind before and on the flop, and twice as much later.
        stack: starting stack of each player, in chips.
        blinds: small and big blind.
        ante: ante of each player.
        stacks: starting stack of each seat, if they differ.
        bets: bet sizes of no-limit, default ``"50%,100%,a"``; ``"any"``: every legal amount. Slashes separate flop,
            turn and river: ``"33,75,a/50,a/100,a"``.
        raises: sizes of raises, with slashes too; empty: the same as bets.
        cap: maximum number of bets and raises on a street; the big blind counts as the first; 0: no maximum;
            -1: 4 in limit, no maximum in no-limit.
        opens: sizes of the first raise before the flop, such as ``"2x,2.5x,3x,a"``; empty: the same as raises.
        reraises: sizes of later raises before the flop; empty: the same as opens.

    Raises:
        ParameterError: the rules are invalid, or a size cannot be read.
    """
    check_range("players", players, 2, MAX_PLAYERS)
    check_range("stack", stack, 1, MAX_CHIPS)
    check_range("ante", ante, 0, MAX_CHIPS)
    check_range("cap", cap, -1, 100)
    small, big = _numbers("blinds", blinds, 2)
    stacks_ = _numbers("stacks", stacks, players) if stacks else (stack,) * players
    if limit and (bets or raises or opens or reraises):
        raise ParameterError("limit hold'em has fixed bet sizes; omit bets, raises, opens and reraises.")
    arguments = {
        "players": players, "limit": limit, "stack": stack, "blinds": (small, big), "ante": ante,
        "stacks": stacks_ if stacks else (), "bets": bets, "raises": raises, "cap": cap,
        **({"opens": opens, "reraises": reraises} if opens or reraises else {}),
    }  # fmt: skip
    posted_blinds = (big, small) if players == 2 else (small, big, *(0,) * (players - 2))
    max_raises = cap if cap >= 0 else 4 if limit else 0
    rules = TableRules(stacks_, posted_blinds, (ante,) * players, (big, 2 * big) if limit else None, big, max_raises)
    menu = Menu() if limit else read_menu(bets or BETS, raises, opens, reraises)
    return Holdem(rules, menu, tuple(arguments.items()))


def _numbers(name: str, values: Any, count: int) -> tuple[int, ...]:
    """Check a list of whole numbers.

    Raises:
        ParameterError: the value is no list of whole numbers of this length.
    """
    is_list = isinstance(values, (list, tuple)) and len(values) == count
    if not is_list or not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise ParameterError(f"{name} must be {count} whole numbers, {name}=[5,10,...]; got {shortened(values)}.")
    return tuple(values)


class RoyalHoldem(Holdem):
    """Rules of royal hold'em, without the agents and tables of whole hands, which have the full deck."""

    name = "royal_holdem"
    deck = range(CARDS - 20, CARDS)  # ten to ace
    kit = "tefuda.games.kit:Kit"


def royal_holdem(blinds: Any = (5, 10), cap: int = 4) -> RoyalHoldem:
    """Return royal hold'em: limit hold'em of two players with 20 cards, ten to ace.

    Args:
        blinds: small and big blind.
        cap: maximum number of bets and raises on a street; the big blind counts as the first.
    """
    full = holdem(limit=True, blinds=blinds, cap=cap)
    return RoyalHoldem(full.rules, full.menu, (("blinds", dict(full.arguments)["blinds"]), ("cap", cap)))
