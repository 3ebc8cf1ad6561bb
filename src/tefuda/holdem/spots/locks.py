"""Node locking: a fixed strategy at a node of a spot, for all hands or some.

    Check/Bet(50) = Call KK:0.25; Fold KK:0.75     KK calls one time in four; other hands are free
    root = Check                                   all hands check

A lock is a line, ``=``, and parts separated by ``;``: an action and the range that takes it, each hand with its
probability; no range means all hands. The probabilities of a locked hand add up to 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError
from tefuda.holdem.betting import CLOSED, RIVER, ROOT, Betting, action_text
from tefuda.holdem.cards import HANDS, card_text, hand_text, read_cards
from tefuda.holdem.ranges import ROUND_OFF, Range
from tefuda.holdem.suits import Permutation, inverse, permute_card, permute_hands

_CARD = re.compile(r"[2-9TJQKA][cdhs]", re.IGNORECASE)
_CLOSE = 1e-6  # sums of a hand's probabilities this close to 1 are normalised
_NONE = np.zeros(len(HANDS))


@dataclass(frozen=True, eq=False)
class Lock:
    """The fixed strategy at a node.

    Attributes:
        line: line of the node; empty for the root.
        shares: `[1326]` probabilities of each action, which add up to 1; a hand whose probabilities are all 0 is free.

    >>> str(Lock.read("check/bet 50 = Call KK:0.25; Fold KK:0.75"))
    'Check/Bet(50) = Call KK:0.25; Fold KK:0.75'
    """

    line: str
    shares: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        if not self.shares:
            raise ParameterError(f"lock at {self.line or ROOT} needs an action, such as {ROOT} = Check.")
        total = np.sum([Range(own).weights for own in self.shares.values()], axis=0)
        wrong = np.flatnonzero((total > 0) & (abs(total - 1) > _CLOSE))
        if len(wrong):
            why = f"the probabilities of {hand_text(int(wrong[0]))} add up to {total[wrong[0]]:.6g}, not to 1"
            raise self.error(f"{why}; give all its actions: {self.line or ROOT} = Call KK:0.25; Fold KK:0.75")
        total[(total == 0) | (abs(total - 1) < ROUND_OFF)] = 1.0  # so that a lock made of another's shares equals it
        shares = {action: np.asarray(own) / total for action, own in self.shares.items()}
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "line", canonical_line(self.line))

    @classmethod
    def read(cls, text: str) -> Lock:
        """Read a lock from text, see the module's docstring; raise ParameterError with the fault marked."""
        line, equals, rest = text.partition("=")
        if not equals or not line.strip() or not rest.strip():
            example = "Check/Bet(50) = Call KK:0.25; Fold KK:0.75"
            why = f"lock must be LINE = ACTION RANGE; ... such as {example}, got {text!r}."
            raise ParameterError(why, key="lock", value=text, text=text)
        shares: dict[str, np.ndarray] = {}
        for part in rest.split(";"):
            action, _, hands = part.strip().partition(" ")
            action = action_text(action)
            if not action or action in shares:
                why = "an action is missing" if not action else f"{action} is given twice"
                marked = (len(line) + 1, len(text))
                raise ParameterError(f"lock: {why}.", key="lock", value=text, text=text, position=marked)
            shares[action] = Range.read(hands.strip() or "*", f"lock, {action}").weights
        line_text = line.strip()
        return cls("" if line_text.lower() == ROOT else line_text, shares)

    @property
    def free(self) -> np.ndarray:
        """`[1326]` whether each hand is not locked."""
        return np.asarray(sum(self.shares.values()) == 0)

    def __str__(self) -> str:
        parts = [f"{action} {Range(own)}" for action, own in self.shares.items() if own.any()]
        return f"{self.line or ROOT} = {'; '.join(parts)}"

    def error(self, why: str, part: str = "", start: int = 0) -> ParameterError:
        """Return an error about the lock in which `part` of its text is marked, searched from `start` on."""
        text = str(self)
        index = text.find(part, start) if part else -1
        begin, end = (index, index + len(part)) if index >= 0 else (0, len(text))
        key = f"lock at {self.line or ROOT}"
        return ParameterError(f"{key}: {why}.", key=key, value=text[begin:end], text=text, position=(begin, end))

    def moved(self, permutation: Permutation) -> Lock:
        """Return the lock with permuted suits."""
        back = permute_hands(inverse(permutation))
        shares = {action: own[back] for action, own in self.shares.items()}
        return Lock(canonical_line(self.line, permutation), shares)

    def same(self, other: Lock) -> bool:
        """Return whether another lock fixes the same strategy."""
        actions = {*self.shares, *other.shares}
        return self.line == other.line and all(
            np.array_equal(self.shares.get(action, _NONE), other.shares.get(action, _NONE)) for action in actions
        )


Locks = tuple[Lock, ...]


def canonical_line(line: str, permutation: Permutation = (0, 1, 2, 3)) -> str:
    """Return a line in canonical spelling, with permuted suits."""
    parts = line.split("/") if line else []
    return "/".join(
        card_text(permute_card(read_cards(part)[0], permutation))
        if _CARD.fullmatch(part.strip())
        else action_text(part)
        for part in parts
    )


def read_locks(texts: Sequence[str]) -> Locks:
    """Read locks from texts and merge those of one node; raise ParameterError for hands locked twice."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"locks must be a list of texts, such as ['root = Check'], got {texts!r}.")
    locks: dict[str, Lock] = {}
    for lock in map(Lock.read, texts):
        before = locks.get(lock.line)
        if before is not None:
            twice = np.flatnonzero(~before.free & ~lock.free)
            if len(twice):
                raise lock.error(f"{hand_text(int(twice[0]))} is locked twice")
            names = dict.fromkeys((*before.shares, *lock.shares))
            shares = {name: before.shares.get(name, _NONE) + lock.shares.get(name, _NONE) for name in names}
            lock = Lock(lock.line, shares)
        locks[lock.line] = lock
    return tuple(locks.values())


def are_symmetric(locks: Locks, permutation: Permutation) -> bool:
    """Return whether a permutation of suits preserves all locks."""
    return all(any(lock.moved(permutation).same(other) for other in locks) for lock in locks)


def locks_below(locks: Locks, line: str) -> Locks:
    """Return the locks at or below a line, with lines from there on."""
    start = f"{line}/"
    return tuple(
        Lock(lock.line[len(start) :], lock.shares) for lock in locks if lock.line == line or lock.line.startswith(start)
    )


def locate_lock(lock: Lock, betting: Betting, board: Sequence[int], deck: Sequence[int]) -> tuple[int, set[int]]:
    """Return the player to act at a lock and the cards there; raise ParameterError for an invalid line."""
    position, cards, start = betting.root(len(board) - 3), {*board}, 0
    for part in lock.line.split("/") if lock.line else []:
        if position.state == CLOSED and position.street < RIVER:
            dealt = read_cards(part, f"lock at {lock.line}")
            if len(dealt) != 1 or dealt[0] in cards or dealt[0] not in deck:
                raise lock.error(f"{part!r} is not the card that starts the next street", part, start)
            cards.add(dealt[0])
            position = betting.next_street(position)
        else:
            actions = betting.choices(position)
            if part not in actions:
                allowed = ", ".join(actions) or "none, the hand is over"
                raise lock.error(f"{part!r} is not an action there; allowed: {allowed}", part, start)
            position = betting.after(position, actions[part])
        start += len(part) + 1
    actions = betting.choices(position)
    for name in lock.shares:
        if name not in actions:
            allowed = ", ".join(actions) or "none, no player acts there"
            raise lock.error(f"{name!r} is not an action there; allowed: {allowed}", name, start)
    return position.player, cards


def binds(lock: Lock, location: tuple[int, set[int]], weights: Sequence[np.ndarray]) -> bool:
    """Return whether a lock binds a possible hand, with `[1326]` weights of both players."""
    player, cards = location
    return bool((~lock.free & (weights[player] > 0) & ~np.isin(HANDS, [*cards]).any(axis=1)).any())
