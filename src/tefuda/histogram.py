"""The 60 states of Leduc hold'em by which source 004 models opponents: round, raises so far, own card, board."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tefuda.agents import Sight
from tefuda.errors import ParameterError, check_choice
from tefuda.games.leduc import Leduc, Rules, betting
from tefuda.opponents import frequentist, weighed
from tefuda.profile import Profile
from tefuda.tree import Tree

LETTERS = "fcr"
SHARES = ("even", "remaining", "posterior")


def require_leduc(tree: Tree, who: str) -> Leduc:
    """The rules of Leduc hold'em dealt by rank.

    Raises:
        ParameterError: another game.
    """
    if not is_leduc(tree):
        raise ParameterError(f"{who} is for Leduc hold'em dealt by rank, not {tree.name}.")
    return tree.rules


def is_leduc(tree: Tree) -> bool:
    """Whether a game is Leduc hold'em dealt by rank."""
    return isinstance(tree.rules, Leduc) and not tree.rules.distinct_suits


class Deed(NamedTuple):
    """An action: its round, the raises before it in the round, who did what, and the real history before it."""

    round: int
    raises: int
    seat: int
    letter: str
    before: str


@cache
def played(rules: Rules, history: str) -> tuple[Deed, ...]:
    """All actions of a real history."""
    found, prefix = [], ""
    for number, letters in enumerate(history.split("/")):
        for place, letter in enumerate(letters):
            before = prefix + letters[:place]
            found.append(Deed(number, letters[:place].count("r"), betting(rules, before).mover, letter, before))
        prefix += letters + "/"
    return tuple(found)


class Histogram:
    """How often an opponent did what with its card: counts `[round, raises before, board or none, rank, letter]`.

    Args:
        game: dealt by rank.
        unseen: whether calls and raises with a card that stayed hidden count for every card it may have been; folds do
            anyway (source 004, eq. 3).
        shares: in which parts: ``"even"``, as in the source; ``"remaining"``, by the cards left; ``"posterior"``, by
            those times what the histogram says of the actions of the hand.
    """

    def __init__(self, game: Leduc, unseen: bool = False, shares: str = "even") -> None:
        check_choice("shares", shares, SHARES)
        self.ranks, self.rules = list(dict.fromkeys(card[0] for card in game._deck)), game._rules
        self._suits, self._unseen, self._shares = game.suits, unseen, shares
        self.counts = np.zeros((len(game.raises), game.cap + 1, len(self.ranks) + 1, len(self.ranks), len(LETTERS)))

    def see(self, tree: Tree, sight: Sight, seat: int) -> None:
        """Count what a seat did in a hand."""
        cards, history = str(sight.view).split("|")
        infosets = [move.infoset for move in sight.moves if move.player == seat and move.infoset >= 0]
        card = str(tree.keys[infosets[0]])[0] if infosets else None
        self.add([deed for deed in played(self.rules, history) if deed.seat == seat], cards, card)

    def add(self, deeds: Sequence[Deed], known: str, card: str | None) -> None:
        """Count the actions of a hand: the watcher's card and the board, if there is one, and the card if shown."""
        places = [self.ranks.index(rank) for rank in known]
        states = [(d.round, d.raises, places[1] if d.round else len(self.ranks)) for d in deeds]
        letters = [LETTERS.index(deed.letter) for deed in deeds]
        if card is None:
            parts = self._parts(states, letters, places)
        else:
            parts = np.eye(len(self.ranks))[self.ranks.index(card)]
        for state, letter in zip(states, letters, strict=True):
            if card is not None or LETTERS[letter] == "f" or self._unseen:
                self.counts[(*state, slice(None), letter)] += parts

    def _parts(self, states: Sequence[tuple[int, int, int]], letters: Sequence[int], known: list[int]) -> np.ndarray:
        """`[ranks]` how likely a hidden card is taken to be each."""
        parts = np.full(len(self.ranks), float(self._suits))
        if self._shares != "even":
            parts -= np.bincount(known, minlength=len(parts))
        if self._shares == "posterior":
            for state, letter in zip(states, letters, strict=True):
                rows = self.counts[state] + 1.0  # one fictitious play of each action
                parts *= rows[:, letter] / rows.sum(axis=1)
        return np.asarray(parts / parts.sum())


class StateModel:
    """What an opponent does with each card, hidden ones shared evenly, refined by infosets.

    There a hidden hand is divided by how likely each card is under what was learned: counting only what was shown takes
    an opponent, with time, for one who does not fold.

    Args:
        equilibrium: of Leduc hold'em dealt by rank; played where nothing was seen.
        player: the opponent.
        smoothing: fictitious plays of what its state's histogram says, added to the counts of each infoset.
    """

    def __init__(self, equilibrium: Profile, player: int, smoothing: float = 100.0) -> None:
        self._equilibrium, self._player, self._smoothing = equilibrium, player, smoothing
        tree = equilibrium.tree
        self._states = Histogram(require_leduc(tree, "the model of states"), unseen=True)
        self._counts, self._place = np.zeros(tree.rows), _PLACES.get(tree)
        if self._place is None:
            self._place = _PLACES[tree] = state_rows(tree, self._states)
        self._mean = equilibrium.probabilities

    def see(self, sight: Sight) -> None:
        """See `opponents.OpponentModel`."""
        self._states.see(self._equilibrium.tree, sight, self._player)
        cases = weighed(self._equilibrium.tree, sight.seat, sight.moves)
        mine = [case.rows[case.owners == self._player] for case in cases]
        likely = np.array([c.chance * self._mean[rows].prod() for c, rows in zip(cases, mine, strict=True)]) + 1e-12
        for rows, part in zip(mine, likely / likely.sum(), strict=True):
            self._counts[rows] += part

    def mean(self) -> Profile:
        """See `opponents.OpponentModel`."""
        tree, weights = self._equilibrium.tree, self._states.counts.reshape(-1)[self._place]
        expected = frequentist(tree, weights, self._equilibrium)
        found = frequentist(tree, self._counts, expected, self._smoothing)
        self._mean = found.probabilities
        return found


#: What `state_rows` gave for a tree: a model is made for every opponent, anew in every seating.
_PLACES: WeakKeyDictionary[Tree, np.ndarray] = WeakKeyDictionary()


def state_rows(tree: Tree, states: Histogram) -> np.ndarray:
    """`[R]` the place in a histogram's flattened counts of each row of the tree: its state, and its letter."""
    shape, found = states.counts.shape, np.zeros(tree.rows, dtype=np.int64)
    for number, key in enumerate(tree.keys):
        cards, history = str(key).split("|")
        board = states.ranks.index(cards[1]) if len(cards) > 1 else len(states.ranks)
        state = (history.count("/"), history.split("/")[-1].count("r"), board, states.ranks.index(cards[0]))
        for place, label in enumerate(tree.labels(number)):
            found[tree.first_row[number] + place] = np.ravel_multi_index((*state, LETTERS.index(str(label))), shape)
    return found
