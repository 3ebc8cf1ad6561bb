"""Heads-up betting after the flop: bet sizes as text, and the legal actions of a position.

Sizes are separated by commas or spaces:

    50%  50    a part of the pot                     10c       chips: a bet of 10, a raise by 10 (limit hold'em)
    2.5x       a raise to 2.5 times the bet faced    3e        geometric: 3 equal parts of the pot reach all-in
    a          all-in                                3e200%    the same, and at most 200 % of the pot

- Percents below 10 need their sign, because ``0.5`` may mean half of the pot.
- ``e`` without a number has as many parts as the spot has streets left; at a table of whole hands, one.
- The pot of a size is the pot after a call (`kernels.sizes`).
- Let b be the highest amount on the street and o the amount of the player to act. The smallest raise is to b + (b - o),
  and by at least 1. Smaller amounts become the smallest raise.
- Amounts above the stack become all-in. Equal amounts are merged.
- A player who faces an all-in can only fold or call.
- Sizes at a node (`NodeSizes`) are added after all of this, whatever the cap; ``=`` before them replaces the others.
- Player 0 is out of position and acts first on every street.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf, isfinite
from typing import NamedTuple

from tefuda.errors import ParameterError, check_range, shortened, unreadable
from tefuda.holdem.kernels import sizes as kernels

STREETS = ("flop", "turn", "river")
FLOP, TURN, RIVER = range(3)
#: States of a position: a player is to act, a player folded, or the betting of the street is closed.
TURN_TO_ACT, FOLDED, CLOSED = "act", "folded", "closed"
ROOT = "root"  # the empty line in texts
ANY_CARD = "*"  # a card in the lines of `NodeSizes`: the betting tree does not depend on cards
_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"
_SIZE = re.compile(
    rf"(?P<number>{_NUMBER})?(?:(?P<kind>[{''.join(kernels.KINDS)}])|e(?P<most>{_NUMBER})%)?", re.IGNORECASE
)
_CAPPED = re.compile(r"([0-9]+)c([0-9]{1,2})r", re.IGNORECASE)
_LARGEST = 1e6
_LONGEST = 200  # actions in a line of sizes at a node
_SIGN_BELOW = 10  # a smaller percent is more likely a share of the pot: 0.5, 1.5


class Size(NamedTuple):
    """Size of a bet or raise.

    Attributes:
        number: number before the letter, such as 2.5 of ``2.5x``.
        kind: letter of `kernels.sizes.KINDS`.
        most: maximum of a geometric size in percent of the pot.
    """

    number: float
    kind: str
    most: float = inf

    def __str__(self) -> str:
        most = "" if self.most == inf else f"{_plain(self.most)}%"
        return self.kind if kernels.KINDS[self.kind].number == "none" else f"{_plain(self.number)}{self.kind}{most}"

    def amount(self, highest: int, pot: int, behind: int) -> int:
        """Return the amount on the street of this size; see `kernels.sizes.amount`."""
        return kernels.amount(ord(self.kind), self.number, self.most, highest, pot, behind)


Sizes = tuple[Size, ...]


def read_sizes(text: str, name: str = "sizes", raises: bool = True, streets: int = 1) -> Sizes:
    """Read sizes from text.

    Args:
        text: sizes separated by commas or spaces, such as ``"50%,100,a"``.
        name: name of the text in errors.
        raises: True for sizes of raises, False for sizes of bets.
        streets: number of streets left, the parts of ``e``.

    Raises:
        ParameterError: a size cannot be read; the error marks its position.
    """
    if not isinstance(text, str):
        raise ParameterError(f"{name} must be a text such as '50%,100%,a'; got {text!r}.", key=name, value=text)
    sizes = list[Size]()
    for part in re.finditer(r"[^,\s]+", text):
        try:
            sizes.append(_read_size(part[0], raises, streets))
        except ValueError as problem:
            raise unreadable(name, text, part.span(), str(problem)) from None
    return tuple(sizes)


def _read_size(text: str, raises: bool, streets: int) -> Size:
    """Read a size; raise ValueError with the problem."""
    match = _SIZE.fullmatch(text)
    if capped := _CAPPED.fullmatch(text):
        raise ValueError(f"is no size; write {capped[1]}c, and cap={int(capped[2]) + 1} for the spot")
    letter = "e" if match and match["most"] else (match["kind"] or "%").lower() if match else "%"
    kind, number_text = kernels.KINDS[letter], match["number"] if match else None
    number = float(number_text or (streets if letter == "e" else 1))
    most = float((match and match["most"]) or inf)
    if match is None or kind.number == ("none" if number_text else "needed"):
        raise ValueError("is no size; write 50%, 2.5x, 10c, 2e, 3e200% or a")
    if kind.faces_bet and not raises:
        raise ValueError("multiplies a bet, but there is no bet to raise; write a part of the pot, 50%")
    if text == number_text and 0 < number < _SIGN_BELOW:
        raise ValueError(f"needs a unit; write {100 * number:g}% for {text} of the pot, {text}% for this percentage")
    if not kind.above < number <= _LARGEST or not most > 0:
        raise ValueError("is too small or too large")
    if kind.whole and number % 1:
        raise ValueError("must be a whole number")
    return Size(number, letter, most)


def _plain(number: float) -> str:
    """Return a number with all of its digits and without an exponent."""
    return f"{Decimal(repr(float(number))):f}".removesuffix(".0")


def sizes_text(sizes: Sizes) -> str:
    """Return sizes as text that `read_sizes` takes."""
    return ",".join(map(str, sizes))


@dataclass(frozen=True)
class Street:
    """Bet sizes of a street.

    Attributes:
        bets: sizes of the first bet.
        raises: sizes of raises.
        donks: sizes of donk bets: first bets by player 0 after player 1 made the last bet of the previous street;
            None: the same as bets.
        ip: sizes of player 1; None: the same as those of player 0.
    """

    bets: Sizes = ()
    raises: Sizes = ()
    donks: Sizes | None = None
    ip: Street | None = None

    def of(self, player: int) -> Street:
        """Return the sizes of a player."""
        return self if player == 0 or self.ip is None else self.ip


class NodeSizes(NamedTuple):
    """Bet sizes at one node of the betting tree.

    Attributes:
        line: actions from a position to the node, with `ANY_CARD` for each card.
        sizes: sizes of bets or raises.
        only: whether they replace all other sizes at the node.
    """

    line: tuple[str, ...]
    sizes: Sizes
    only: bool = False

    def __str__(self) -> str:
        return f"{'=' if self.only else ''}{sizes_text(self.sizes)}"

    def error(self, way: Sequence[str], why: str) -> ParameterError:
        """Return an error about the node, whose line begins after the actions `way`."""
        line = line_text((*way, *self.line))
        text = f"{line}: {self}"
        return ParameterError(f"at {line}: {why}.", key=f"at {line}", value=str(self), text=text)


def read_node_sizes(texts: Mapping[str, str], street: int) -> tuple[NodeSizes, ...]:
    """Read sizes at nodes from texts by line.

    Args:
        texts: sizes by line from the start of the spot, such as ``{"Check/Bet(25)": "40c", "Check/Check/*": "=75"}``;
            ``=`` replaces other sizes.
        street: street on which the spot starts.

    Raises:
        ParameterError: a size cannot be read; the error marks its position.
    """
    if not isinstance(texts, Mapping) or not all(isinstance(part, str) for pair in texts.items() for part in pair):
        why = f"at must map lines to sizes, such as {{'Check/Bet(25)': '40c'}}; got {shortened(texts)}."
        raise ParameterError(why, key="at", value=texts)
    nodes = list[NodeSizes]()
    for line, text in texts.items():
        path, only = read_line(line), text.strip().startswith("=")
        streets = max(1, len(STREETS) - street - path.count(ANY_CARD))
        sizes = read_sizes(text.strip().removeprefix("="), f"at {line_text(path)}", streets=streets)
        nodes.append(NodeSizes(path, sizes, only))
        if len(path) > _LONGEST:
            raise nodes[-1].error((), f"a line may have {_LONGEST} actions, got {len(path)}")
        if not sizes and not only:
            raise nodes[-1].error((), "expected a size such as 40c; = without a size leaves no bet")
    return tuple(nodes)


def read_line(text: str) -> tuple[str, ...]:
    """Return the parts of a line, its actions in the spelling of `str(Action)`; none for the root."""
    is_root = text.strip().lower() in ("", ROOT)
    return () if is_root else tuple(action_text(part).strip() for part in text.split("/"))


def line_text(line: Sequence[str]) -> str:
    """Return a line as text, see `read_line`."""
    return "/".join(line) or ROOT


def _below(nodes: tuple[NodeSizes, ...], part: str) -> tuple[NodeSizes, ...]:
    """Return the nodes after an action or a card, with lines from there on."""
    return tuple(node._replace(line=node.line[1:]) for node in nodes if node.line[:1] == (part,))


class BettingState(NamedTuple):
    """State of the betting.

    Attributes:
        street: 0 flop, 1 turn, 2 river.
        matched: chips that each player has bet from the start of the spot to the previous street.
        amounts: chips that each player has bet on this street.
        player: player to act, or the player who folded.
        bets: number of bets and raises on this street.
        aggressor: player who made the last bet of the previous street; -1 if there was none.
        state: `TURN_TO_ACT`, `FOLDED` or `CLOSED`.
        at: sizes at this node and at later ones.
    """

    street: int
    matched: int = 0
    amounts: tuple[int, int] = (0, 0)
    player: int = 0
    bets: int = 0
    aggressor: int = -1
    state: str = TURN_TO_ACT
    at: tuple[NodeSizes, ...] = ()

    @property
    def called(self) -> int:
        """Chips that each player has matched since the start of the spot."""
        return self.matched + min(self.amounts)


class Action(NamedTuple):
    """Action of a player.

    Attributes:
        name: ``Check``, ``Fold``, ``Call``, ``Bet``, ``Raise`` or ``AllIn``.
        amount: amount of the player on the street after the action.
    """

    name: str
    amount: int

    def __str__(self) -> str:
        return f"{self.name}({self.amount})" if self.name in ("Bet", "Raise", "AllIn") else self.name


_WORDS = {name.lower(): name for name in ("Check", "Fold", "Call", "Bet", "Raise", "AllIn")}
_WRITTEN = re.compile(r"(check|fold|call|bet|raise|all[ -]?in)\s*(?:to\s)?\s*\(?\s*(\d{0,12})\s*\)?", re.IGNORECASE)


def action_text(text: str) -> str:
    """Return an action in the spelling of `str(Action)`; other text is returned unchanged.

    >>> [action_text(text) for text in ("check", "bet 50", "Raise to 150", "all-in", "Ts")]
    ['Check', 'Bet(50)', 'Raise(150)', 'AllIn', 'Ts']
    """
    parsed = _WRITTEN.fullmatch(text.strip())
    if parsed is None:
        return text
    name, amount = _WORDS[re.sub("[ -]", "", parsed[1].lower())], parsed[2]
    return f"{name}({int(amount)})" if amount else name


def find_action(text: str, known: Iterable[str]) -> str | None:
    """Return the known action that a text such as ``bet 50`` or ``all-in`` means; None if there is none."""
    names, written = list(known), action_text(text)
    if written in names:
        return written
    name, _, amount = written.partition("(")
    if (name == "AllIn" and not amount) or (name in ("Bet", "Raise") and amount):
        return next((action for action in names if action.startswith(f"AllIn({amount}")), None)
    return None


@dataclass(frozen=True)
class Betting:
    """Betting of a spot: pot and stack at the start, and the bet sizes of each street.

    Args:
        pot: pot at the start, in chips.
        stack: chips that each player has behind at the start.
        streets: sizes on flop, turn, river.
        cap: maximum number of bets and raises on a street; 0: no maximum.
        add_allin: add all-in if it is at most this many times the pot.
        force_allin: turn a bet into all-in if a call leaves at most this many times the pot behind.
        merging: of two sizes x > y, as parts of the pot, drop y if (1 + x) / (1 + y) < 1 + merging; larger sizes first.
        start: position in which the spot starts, with the sizes at single nodes; default: the beginning of its street.

    Raises:
        ParameterError: a value is out of range, or a line of sizes leads to no node at which a player can bet.
    """

    pot: int
    stack: int
    streets: tuple[Street, Street, Street]
    cap: int = 0
    add_allin: float = 0.0
    force_allin: float = 0.0
    merging: float = 0.0
    start: BettingState | None = None

    def __post_init__(self) -> None:
        self._check_decimals()
        check_range("pot", self.pot, 1, 10**9)
        check_range("stack", self.stack, 0, 10**9)
        check_range("cap", self.cap, 0, 100)
        for name in ("add_allin", "force_allin", "merging"):
            check_range(name, getattr(self, name), 0, 1e6, whole=False)
        if self.start is not None and self.start.at:
            nodes = tuple(self._checked(self.root(self.start.street), self.start.at))
            object.__setattr__(self, "start", self.start._replace(at=nodes))

    def with_nodes(self, nodes: Iterable[NodeSizes]) -> Betting:
        """Return the betting with these sizes at nodes too, of those that the tree has; it needs a `start`."""
        betting, start = self, self.start
        for node in nodes:
            with suppress(ParameterError):
                assert start is not None and betting.start is not None
                betting = replace(betting, start=start._replace(at=(*betting.start.at, node)))
        return betting

    def _checked(
        self, position: BettingState, nodes: Sequence[NodeSizes], way: tuple[str, ...] = ()
    ) -> Iterator[NodeSizes]:
        """Yield the nodes after a position, with canonical lines from the start on.

        The actions `way` lead to the position. Raise ParameterError for a line without a decision.
        """
        here, later = [node for node in nodes if not node.line], dict[str, list[NodeSizes]]()
        position = position._replace(at=tuple(here))
        actions = self.choices(position)
        for number, node in enumerate(here):
            if number or (problem := self._problem(position, node)):
                raise node.error(way, "is given twice; list all of its sizes together" if number else problem)
            yield node._replace(line=way)
        is_deal = position.state == CLOSED and position.street < RIVER
        for node in nodes:
            if node.line:
                part = find_action(node.line[0], [ANY_CARD] if is_deal else actions)
                if part is None:
                    allowed = "* for any card" if is_deal else ", ".join(actions) or "none, the hand is over"
                    raise node.error(way, f"{node.line[0]!r} is not an action there; allowed: {allowed}")
                later.setdefault(part, []).append(node._replace(line=node.line[1:]))
        for part, below in later.items():
            after = self.next_street(position) if is_deal else self.after(position, actions[part])
            yield from self._checked(after, below, (*way, part))

    def _problem(self, position: BettingState, node: NodeSizes) -> str:
        """Return why a node cannot have its sizes, if so."""
        if position.state != TURN_TO_ACT:
            return "no player acts there; end the line where a player can bet"
        if max(position.amounts) >= self.stack - position.matched:
            return f"the player faces an all-in; allowed: {', '.join(self.choices(position))}"
        if not max(position.amounts) and any(kernels.KINDS[size.kind].faces_bet for size in node.sizes):
            return "a size multiplies a bet, but there is no bet to raise; write a part of the pot, 50%"
        return ""

    def _check_decimals(self) -> None:
        """Raise ParameterError for a decimal pot or stack, with the factor that makes both whole."""
        for name, value in (("pot", self.pot), ("stack", self.stack)):
            if isinstance(value, float) and isfinite(value) and value % 1:
                amounts = [Decimal(str(amount)) for amount in (self.pot, self.stack)]
                factor = 10 ** max(-int(amount.as_tuple().exponent) for amount in amounts)
                pot, stack = (f"{float(amount * factor):.0f}" for amount in amounts)
                kind = "a whole number of chips"
                cure = f"Multiply all amounts in chips by {factor}: pot {pot}, stack {stack}."
                why = f"{name} is {value}; it must be {kind}. {cure}"
                raise ParameterError(why, key=name, value=value, expected=kind)

    def root(self, street: int) -> BettingState:
        """Return the first position of the spot on this street; closed if the players have no chips left."""
        return self._close_if_all_in(self.start or BettingState(street))

    def _close_if_all_in(self, position: BettingState) -> BettingState:
        return position._replace(state=CLOSED) if position.matched >= self.stack else position

    def chips(self, position: BettingState) -> tuple[int, int]:
        """Return the pot with all bets, and the smaller of the players' stacks."""
        pot = self.pot + 2 * position.matched + sum(position.amounts)
        return pot, self.stack - position.matched - max(position.amounts)

    def choices(self, position: BettingState) -> dict[str, Action]:
        """Return the actions of the player to act by name; empty if the betting is over."""
        over = position.state in (FOLDED, CLOSED)
        return {} if over else {str(action): action for action in self.actions(position)}

    def pot_share(self, position: BettingState, action: Action) -> float:
        """Return the size of a bet or raise as a share of the pot after a call."""
        highest = max(position.amounts)
        return (action.amount - highest) / (self.pot + 2 * (position.matched + highest))

    def actions(self, position: BettingState) -> tuple[Action, ...]:
        """Return the actions of the player to act: fold, check, call, then bets in rising order, all-in last."""
        own, other = position.amounts[position.player], position.amounts[1 - position.player]
        left = self.stack - position.matched
        if own == other:
            passive: tuple[Action, ...] = (Action("Check", own),)
        else:
            passive = (Action("Fold", own), Action("Call", other))
        if other >= left:
            return passive
        name, here = "Bet" if other == 0 else "Raise", [node for node in position.at if not node.line]
        is_capped = self.cap > 0 and position.bets >= self.cap
        amounts = [] if is_capped or any(node.only for node in here) else self._street_amounts(position)
        if here:
            amounts = sorted({*amounts, *self._amounts(position, here[0].sizes)})
        return passive + tuple(Action("AllIn" if amount == left else name, amount) for amount in amounts)

    def _amounts(self, position: BettingState, sizes: Sizes) -> set[int]:
        """Return the legal amounts to bet or raise to that are nearest to the sizes."""
        highest, left = max(position.amounts), self.stack - position.matched
        pot, least = self.pot + 2 * (position.matched + highest), max(2 * highest - min(position.amounts), 1)
        return {min(max(size.amount(highest, pot, left - highest), least), left) for size in sizes}

    def _street_amounts(self, position: BettingState) -> list[int]:
        """Return the amounts to bet or raise to by the sizes of the street, in rising order."""
        highest, left = max(position.amounts), self.stack - position.matched
        pot, street = self.pot + 2 * (position.matched + highest), self.streets[position.street].of(position.player)
        is_donk = position.player == 0 and position.aggressor == 1 and street.donks is not None
        sizes = street.raises if highest else street.donks if is_donk else street.bets
        amounts = self._amounts(position, sizes or ())
        if left - highest <= self.add_allin * pot:
            amounts.add(left)
        if self.force_allin:
            amounts = {
                left if left - amount <= self.force_allin * (pot + 2 * (amount - highest)) else amount
                for amount in amounts
            }
        return self._merged(sorted(amounts), pot, highest)

    def _merged(self, amounts: list[int], pot: int, highest: int) -> list[int]:
        merged: list[int] = []
        for amount in reversed(amounts):
            if merged and (pot + merged[-1] - highest) / (pot + amount - highest) < 1 + self.merging:
                continue
            merged.append(amount)
        return merged[::-1]

    def after(self, position: BettingState, action: Action) -> BettingState:
        """Return the position after an action; `CLOSED` if both have acted and the amounts are equal."""
        player = position.player
        if position.at:
            position = position._replace(at=_below(position.at, str(action)))
        if action.name == "Fold":
            return position._replace(state=FOLDED)
        amounts = (action.amount, position.amounts[1]) if player == 0 else (position.amounts[0], action.amount)
        after = position._replace(amounts=amounts, player=1 - player)
        if action.name == "Call" or (action.name == "Check" and player == 1):
            return after._replace(state=CLOSED)
        return after if action.name == "Check" else after._replace(bets=position.bets + 1)

    def next_street(self, position: BettingState) -> BettingState:
        """Return the first position of the next street, after a closed one."""
        aggressor = position.player if position.bets else -1  # the caller acted last, so `player` made the last bet
        at = _below(position.at, ANY_CARD) if position.at else ()
        return self._close_if_all_in(BettingState(position.street + 1, position.called, aggressor=aggressor, at=at))
