"""The boards of a spot and the hands on each, for traversals.

A *context* is a board. Contexts come street by street; the children of a context are adjacent. One context represents
all cards that permutations of suits map to each other. Permutations must preserve the board, street by street, the
ranges and the locks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, field

import numpy as np

from tefuda.holdem.cards import HANDS, mask_of
from tefuda.holdem.kernels import arrays
from tefuda.holdem.rank import SETS, strengths
from tefuda.holdem.spots.locks import are_symmetric
from tefuda.holdem.spots.spot import Spot
from tefuda.holdem.spots.tree import BettingTree
from tefuda.holdem.suits import Permutation, permute_card, permute_hands, symmetries

#: Contexts, hands, links and stops of `holdem.kernels.arrays.Form`.
Boards = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass
class Context:
    """A board of cards dealt so far, the permutations that preserve it, and each player's hands.

    ways: permutations from this board to the boards that it represents, seen from its parent.
    """

    board: tuple[int, ...]
    group: tuple[Permutation, ...]
    hands: tuple[np.ndarray, np.ndarray]
    parent: int = -1
    ways: tuple[Permutation, ...] = ((0, 1, 2, 3),)
    children: list[int] = field(default_factory=list)


def suit_group(spot: Spot, board: Sequence[int], weights: Sequence[np.ndarray]) -> tuple[Permutation, ...]:
    """Return the permutations of suits that preserve cards, weights `[1326]`, a spot's locks and deck."""
    deck = set(spot.deck)
    return tuple(
        p
        for p in symmetries(board, weights)
        if are_symmetric(spot.locks, p) and {permute_card(card, p) for card in deck} == deck
    )


def list_contexts(spot: Spot, isomorphism: bool = True) -> list[Context]:
    """Return all contexts of a spot; with `isomorphism`, isomorphic boards have one context."""
    group = suit_group(spot, spot.board, spot.weights) if isomorphism else ((0, 1, 2, 3),)
    first, second = (np.flatnonzero(weights).astype(np.int64) for weights in spot.weights)
    contexts = [Context(spot.board, group, (first, second))]
    for number, above in enumerate(contexts):  # the list grows in the loop
        if len(above.board) < 5:
            below = _below(above, number, spot.deck)
            above.children += range(len(contexts), len(contexts) + len(below))
            contexts += below
    return contexts


def _below(above: Context, number: int, deck: Sequence[int]) -> list[Context]:
    """Return the contexts of one more card, one for each class of isomorphic cards."""
    contexts, done = [], set(above.board)
    for card in deck:
        if card in done:
            continue
        ways = {
            permute_card(card, p): p for p in reversed(above.group)
        }  # the identity comes last, so it overrides the others
        done |= set(ways)
        group = tuple(p for p in above.group if permute_card(card, p) == card)
        first, second = (hands[(HANDS[hands] != card).all(axis=1)] for hands in above.hands)
        more = tuple(ways[image] for image in sorted(ways) if image != card)
        contexts.append(Context((*above.board, card), group, (first, second), number, (ways[card], *more)))
    return contexts


def compile_contexts(spot: Spot, tree: BettingTree, contexts: list[Context]) -> Boards:
    """Return the arrays of all contexts; sort hands of rivers by strength."""
    none = np.zeros((0, 2), dtype=np.int16)
    groups = [_by_strength(context) if len(context.board) == 5 else none for context in contexts]
    moves = {p: permute_hands(p) for context in contexts for p in (*context.ways, *context.group)}
    hands = [_rows(context, player, moves) for player in (0, 1) for context in contexts]
    links = [_links(context, player, contexts, moves) for player in (0, 1) for context in contexts]
    table = np.zeros((len(contexts), arrays.CONTEXT_COLUMNS), dtype=np.int64)
    table[:, arrays.WAYS] = _lengths(context.ways for context in contexts)
    table[:, arrays.CHILD] = [context.children[0] if context.children else 0 for context in contexts]
    table[:, arrays.CHILDREN] = _lengths(context.children for context in contexts)
    ends = np.cumsum(_lengths(groups))
    table[:, arrays.GROUP], table[:, arrays.GROUP + 1] = ends - _lengths(groups), ends
    table[:, arrays.SYMMETRIC] = _lengths(context.group for context in contexts) > 1
    street = _lengths(context.board for context in contexts) - len(spot.board)
    _lay_out(table, _lengths(hands).reshape(2, -1).T, _lengths(links).reshape(2, -1).T, street, tree)
    return table, np.concatenate(hands), np.concatenate(links), np.concatenate(groups)


def _lengths(parts: Iterable[Sized]) -> np.ndarray:
    return np.array([len(part) for part in parts], dtype=np.int64)


def _lay_out(table: np.ndarray, hands: np.ndarray, links: np.ndarray, street: np.ndarray, tree: BettingTree) -> None:
    """Write the counts `[C, 2]` of hands, and the starts of each context's numbers, into the table."""
    table[:, arrays.SIZE : arrays.SIZE + 2] = hands
    stored = hands * np.array([betting.actions for betting in tree.streets])[street]
    decisions = [[int((betting.kind == player).sum()) for player in (0, 1)] for betting in tree.streets]
    scaled = np.array(decisions)[street]
    for column, counts in ((arrays.START, hands), (arrays.LINK, links), (arrays.BASE, stored), (arrays.SCALE, scaled)):
        counted = counts.T.ravel()
        table[:, column : column + 2] = (np.cumsum(counted) - counted).reshape(2, -1).T


def _rows(context: Context, player: int, moves: dict[Permutation, np.ndarray]) -> np.ndarray:
    """Return `[n, 4]` the cards of each hand, its index in the opponent's list, and its representative."""
    hands = context.hands[player]
    indices = _indices(hands)
    representatives = np.min([indices[moves[p][hands]] for p in context.group], axis=0)
    opponent_indices = _indices(context.hands[1 - player])[hands]
    return np.stack([HANDS[hands, 0], HANDS[hands, 1], opponent_indices, representatives], axis=1).astype(np.int16)


def _links(context: Context, player: int, contexts: list[Context], moves: dict[Permutation, np.ndarray]) -> np.ndarray:
    """Return the indices of the context's hands in its parent, permutation by permutation."""
    if context.parent < 0:
        return np.zeros(0, dtype=np.int16)
    indices = _indices(contexts[context.parent].hands[player])
    return np.concatenate([indices[moves[p][context.hands[player]]] for p in context.ways]).astype(np.int16)


def _indices(hands: np.ndarray) -> np.ndarray:
    """Return `[1326]` the index of each hand in a list, -1 for others."""
    indices = np.full(len(HANDS), -1, dtype=np.int64)
    indices[hands] = np.arange(len(hands))
    return indices


def _by_strength(context: Context) -> np.ndarray:
    """Sort both lists of a river by strength; return `[G, 2]` the ends of groups of equal strength."""
    board = np.uint64(mask_of(context.board))
    ordered, values = [], []
    for hands in context.hands:
        value = strengths(SETS[hands] | board)
        order = np.argsort(value, kind="stable")
        ordered.append(hands[order])
        values.append(value[order])
    context.hands = (ordered[0], ordered[1])
    groups = np.union1d(*values)
    return np.stack([np.searchsorted(value, groups, side="right") for value in values], axis=1).astype(np.int16)
