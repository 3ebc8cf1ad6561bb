"""The boards of a spot, and the hands on each, as traversals read them.

A *context* is a board. Contexts come street by street; those below one stand side by side, one for all cards that
permutations of suits make the same. Permutations must leave the board, street by street, ranges and locks as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, field

import numpy as np

from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.kernels import arrays
from tefuda.holdem.rank import MASKS, strengths
from tefuda.holdem.spots.locks import are_symmetric
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.tree import BettingTree
from tefuda.holdem.suits import Permutation, permute_card, permute_hands, symmetries

#: Contexts, hands, links and stops of `holdem.kernels.arrays.Form`.
Boards = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass
class Context:
    """A board of cards dealt so far, the permutations that leave it as it is, and each player's hands.

    ways: the permutations that make it of the cards it stands for, seen from its parent.
    """

    board: tuple[int, ...]
    group: tuple[Permutation, ...]
    hands: tuple[np.ndarray, np.ndarray]
    parent: int = -1
    ways: tuple[Permutation, ...] = ((0, 1, 2, 3),)
    children: list[int] = field(default_factory=list)


def suit_group(spot: Spot, board: Sequence[int], weights: Sequence[np.ndarray]) -> tuple[Permutation, ...]:
    """Return the permutations of suits that leave cards, weights `[1326]`, and a spot's locks and deck as they are."""
    deck = set(spot.deck)
    return tuple(
        p
        for p in symmetries(board, weights)
        if are_symmetric(spot.locks, p) and {permute_card(card, p) for card in deck} == deck
    )


def list_contexts(spot: Spot, isomorphism: bool = True) -> list[Context]:
    """Return all contexts of a spot; with `isomorphism` one for all that differ by names of suits only."""
    group = suit_group(spot, spot.board, spot.weights) if isomorphism else ((0, 1, 2, 3),)
    first, second = (np.flatnonzero(weights).astype(np.int64) for weights in spot.weights)
    found = [Context(spot.board, group, (first, second))]
    for number, above in enumerate(found):  # grows
        if len(above.board) < 5:
            below = _below(above, number, spot.deck)
            above.children += range(len(found), len(found) + len(below))
            found += below
    return found


def _below(above: Context, number: int, deck: Sequence[int]) -> list[Context]:
    """Return the contexts of one more card, those that are alike once."""
    found, done = [], set(above.board)
    for card in deck:
        if card in done:
            continue
        ways = {permute_card(card, p): p for p in reversed(above.group)}  # the identity last, so that it stays
        done |= set(ways)
        group = tuple(p for p in above.group if permute_card(card, p) == card)
        first, second = (hands[(HANDS[hands] != card).all(axis=1)] for hands in above.hands)
        others = tuple(ways[other] for other in sorted(ways) if other != card)
        found.append(Context((*above.board, card), group, (first, second), number, (ways[card], *others)))
    return found


def compile_contexts(spot: Spot, tree: BettingTree, contexts: list[Context]) -> Boards:
    """Return the arrays of all contexts; sort hands of rivers by strength."""
    groups = [_by_strength(one) if len(one.board) == 5 else np.zeros((0, 2), dtype=np.int16) for one in contexts]
    moves = {p: permute_hands(p) for one in contexts for p in (*one.ways, *one.group)}
    hands = [_rows(one, player, moves) for player in (0, 1) for one in contexts]
    links = [_links(one, player, contexts, moves) for player in (0, 1) for one in contexts]
    table = np.zeros((len(contexts), arrays.CONTEXT_COLUMNS), dtype=np.int64)
    table[:, arrays.WAYS] = _lengths(one.ways for one in contexts)
    table[:, arrays.CHILD] = [one.children[0] if one.children else 0 for one in contexts]
    table[:, arrays.CHILDREN] = _lengths(one.children for one in contexts)
    ends = np.cumsum(_lengths(groups))
    table[:, arrays.GROUP], table[:, arrays.GROUP + 1] = ends - _lengths(groups), ends
    table[:, arrays.SYMMETRIC] = _lengths(one.group for one in contexts) > 1
    street = _lengths(one.board for one in contexts) - len(spot.board)
    _lay_out(table, _lengths(hands).reshape(2, -1).T, _lengths(links).reshape(2, -1).T, street, tree)
    return table, np.concatenate(hands), np.concatenate(links), np.concatenate(groups)


def _lengths(parts: Iterable[Sized]) -> np.ndarray:
    return np.array([len(part) for part in parts], dtype=np.int64)


def _lay_out(table: np.ndarray, hands: np.ndarray, links: np.ndarray, street: np.ndarray, tree: BettingTree) -> None:
    """Write the counts `[C, 2]` of hands into the table, and where each context's numbers start, player by player."""
    table[:, arrays.SIZE : arrays.SIZE + 2] = hands
    stored = hands * np.array([one.actions for one in tree.streets])[street]
    scaled = np.array([[int((one.kind == player).sum()) for player in (0, 1)] for one in tree.streets])[street]
    for column, counts in ((arrays.START, hands), (arrays.LINK, links), (arrays.BASE, stored), (arrays.SCALE, scaled)):
        counted = counts.T.ravel()
        table[:, column : column + 2] = (np.cumsum(counted) - counted).reshape(2, -1).T


def _rows(context: Context, player: int, moves: dict[Permutation, np.ndarray]) -> np.ndarray:
    """Return `[n, 4]` for each hand its cards, its place in the other's list, and the first of the hands like it."""
    hands = context.hands[player]
    places = _places(hands)
    twins = np.min([places[moves[p][hands]] for p in context.group], axis=0)
    same = _places(context.hands[1 - player])[hands]
    return np.stack([HANDS[hands, 0], HANDS[hands, 1], same, twins], axis=1).astype(np.int16)


def _links(context: Context, player: int, contexts: list[Context], moves: dict[Permutation, np.ndarray]) -> np.ndarray:
    """Return, way after way, the places of the context's hands in its parent."""
    if context.parent < 0:
        return np.zeros(0, dtype=np.int16)
    places = _places(contexts[context.parent].hands[player])
    return np.concatenate([places[moves[p][context.hands[player]]] for p in context.ways]).astype(np.int16)


def _places(hands: np.ndarray) -> np.ndarray:
    """Return `[1326]` the place of each hand in a list, -1 for others."""
    places = np.full(len(HANDS), -1, dtype=np.int64)
    places[hands] = np.arange(len(hands))
    return places


def _by_strength(context: Context) -> np.ndarray:
    """Put both lists of a river in order of strength; return `[G, 2]` where groups of equal strength end in them."""
    board = np.uint64(mask_of(context.board))
    ordered, values = [], []
    for hands in context.hands:
        value = strengths(MASKS[HANDS[hands, 0]] | MASKS[HANDS[hands, 1]] | board)
        order = np.argsort(value, kind="stable")
        ordered.append(hands[order])
        values.append(value[order])
    context.hands = (ordered[0], ordered[1])
    groups = np.union1d(*values)
    return np.stack([np.searchsorted(value, groups, side="right") for value in values], axis=1).astype(np.int16)
