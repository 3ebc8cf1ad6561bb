"""Games of limit and no-limit hold'em that fit a tree: from a turn or river on, with a small deck."""

from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

import tefuda as td
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.holdem.buckets.clusters import BOARDS, Cells, canonical_boards, permuted_hands
from tefuda.holdem.buckets.graph import betting_graph, limit_rules
from tefuda.holdem.buckets.line import betting_actions
from tefuda.holdem.buckets.sampler import Abstraction, BucketSampler, Deal
from tefuda.holdem.cards import CLASS_OF, HANDS, card_text, cards_text, hand_number, hand_text, mask_of, read_cards
from tefuda.holdem.hands.hand import after
from tefuda.holdem.hands.rules import NO_PLAYER
from tefuda.holdem.hands.sizing import Menu, read_menu
from tefuda.holdem.kernels import buckets as kernels
from tefuda.holdem.rank import strength
from tefuda.holdem.suits import PERMUTATIONS

BOARD = read_cards("2c 7d 8d Jc")
LEFT = read_cards("Th 9d Qs Js 2d Ad")
START = "cc/cc/"


class Seen(NamedTuple):
    board: tuple
    wagers: object
    line: str
    hands: tuple = ()


class Limit:
    """A game with a known board and deck, in which all earlier rounds were checked or called."""

    name, constant_sum = "limit hold'em", 0

    def __init__(self, board, left, start, rules, menu=Menu()):  # noqa: B008 (frozen)
        self.board, self.left, self.start, self.rules, self.menu = board, left, start, rules, menu
        self.players = rules.players

    def root(self):
        wagers = self.rules.root()
        for _letter in self.start.replace("/", ""):
            wagers = self.rules.call(wagers)
            wagers = self.rules.next_street(wagers) if wagers.mover == NO_PLAYER else wagers
        return Seen(self.board, wagers, self.start)

    def player(self, state):
        if not state.hands:
            return CHANCE
        if state.wagers.mover != NO_PLAYER:
            return state.wagers.mover
        return TERMINAL if state.wagers.is_over else CHANCE

    def chances(self, state):
        if not state.hands:
            each = product(combinations(self.left, 2), repeat=self.players)
            deals = [sum(hands, ()) for hands in each if len({*sum(hands, ())}) == 2 * self.players]
            return [(cards_text(deal), 1 / len(deals)) for deal in deals]
        left = [card for card in self.left if card not in sum(state.hands, ())]
        return [(card_text(card), 1 / len(left)) for card in left]

    def actions(self, state):
        return tuple(betting_actions(self.rules, state.wagers, self.menu).values())

    def child(self, state, action):
        if not state.hands:
            cards = read_cards(action)
            return state._replace(hands=tuple(cards[first : first + 2] for first in range(0, len(cards), 2)))
        if state.wagers.mover == NO_PLAYER:
            board = (*state.board, *read_cards(action))
            return state._replace(board=board, wagers=self.rules.next_street(state.wagers), line=state.line + "/")
        return state._replace(wagers=after(self.rules, state.wagers, action), line=state.line + action)

    def payoffs(self, state):
        return self.rules.payoffs(state.wagers, [strength((*state.board, *hand)) for hand in state.hands])

    def view(self, state, player):
        hand = hand_text(hand_number(*state.hands[player])) if state.hands else ""
        return f"{hand}|{cards_text(state.board).replace(' ', '')}|{state.line}"


TURN = Limit(BOARD, LEFT, START, limit_rules(cap=2))
#: No-limit with a pot of 20 and 50 chips behind.
NO_LIMIT = Limit(BOARD, LEFT, START, td.load_game("holdem", stack=60).rules, read_menu("50%,a", "a"))
#: Three players with one possible bet on the river.
RIVER = Limit((*BOARD, *read_cards("3h")), LEFT, "ccc/ccc/ccc/", limit_rules(3, cap=1))


@cache
def tree(game=TURN):
    return td.compile_game(game)


@cache
def lossless(game=TURN):
    """Return the same game with a bucket for each hand."""
    boards, counts = tuple(canonical_boards(size)[0] for size in (3, 4, 5)), [1, 1, 0, 0]
    turn, river = np.zeros((16_432, 1326), dtype=np.uint16), np.zeros((134_459, 1326), dtype=np.uint8)
    to_come = [()] if len(game.board) == 5 else [(card,) for card in game.left]
    for table, size, street, opened in ((turn, 4, 2, [()]), (river, 5, 3, to_come)):
        for more in opened:
            rank = int(kernels.rank_of(np.uint64(mask_of((*game.board[:size], *more)))))
            number, turned = boards[size - 3].number[rank], boards[size - 3].turn[rank]
            for hand in combinations([card for card in game.left if card not in more], 2):
                table[number, permuted_hands()[turned, hand_number(*hand)]] = counts[street]
                counts[street] += 1
    buckets = np.tile(np.arange(1000, dtype=np.uint16), (4, 1))
    buckets[:2] = 0
    flop = np.zeros((1, 1326), dtype=np.uint16)
    found = kernels.BucketTables(*boards, permuted_hands(), CLASS_OF, flop, turn, river, buckets, one_texture(counts))
    return Abstraction(betting_graph(game.rules, "sequence", game.start, game.menu), tuple(counts), found)


def sampler(game=TURN, **options):
    return BucketSampler(lossless(game), deal=Deal(game.left, game.board), **options)


def rows_of(key, game=TURN):
    """Return the rows of the lossless game at a view."""
    (cards, board, done), found = key.split("|"), lossless(game)
    return found.rows_of(found.graph.node(done), read_cards(board), hand_number(*read_cards(cards)))


def rows_of_player(player):
    arrays, counts = lossless().arrays, np.array(lossless().counts)
    nodes = np.flatnonzero(arrays.player == player)
    sizes = (arrays.size * counts[arrays.street])[nodes]
    return np.concatenate(
        [np.arange(first, first + size) for first, size in zip(arrays.base[nodes], sizes, strict=True)]
    )


def profile_of(policy, game=TURN):
    return td.Profile.from_function(tree(game), policy.strategy)


def flat():
    """Return cells that merge all hands."""
    tables = [
        np.zeros((size, 1326), dtype=kind) for size, kind in zip(BOARDS, ("uint16", "uint16", "uint8"), strict=True)
    ]
    points, ones = np.zeros((1, 15), dtype=np.float32), np.ones(1, dtype=np.int64)
    kinds = [np.zeros((size, 64), dtype=np.uint8) for size in BOARDS[:2]]
    shifts = np.zeros((1, 35), dtype=np.float32)
    return Cells(*tables, points, points, ones, ones, np.ones(256, dtype=np.int64), *kinds, shifts, shifts, ones, ones)


def one_texture(counts):
    """Return one texture for all turns and rivers."""
    kinds = [np.zeros((size, 64), dtype=np.uint8) for size in BOARDS[:2]]
    return kernels.Textures(*kinds, np.array(counts), np.array(PERMUTATIONS))


def kinds():
    """Return three kinds of turns and of rivers, by the board before and the card."""
    return [((np.arange(size)[:, None] + 2 * np.arange(64)) % 3).astype(np.uint8) for size in BOARDS[:2]]


@cache
def by_texture():
    """Return a heads-up table whose buckets depend only on the kinds of turn and river."""
    found, boards = flat(), tuple(canonical_boards(size)[0] for size in (3, 4, 5))
    textures = kernels.Textures(*kinds(), np.ones(4, dtype=np.int64), np.array(PERMUTATIONS))
    buckets = np.zeros((4, 1000), dtype=np.uint16)
    tables = found.flop, found.turn, found.river
    sorted_ = kernels.BucketTables(*boards, permuted_hands(), CLASS_OF, *tables, buckets, textures)
    return Abstraction(betting_graph(limit_rules(cap=2)), (1, 1, 3, 3), sorted_)


@cache
def by_class(players=3):
    """Return a table whose buckets depend only on ranks before and on the flop."""
    found = flat()
    ranks = (HANDS >> 2).sum(axis=1) // 7  # 0 to 3
    found.flop[:] = ranks
    counts = (4, 4, 1, 1)
    of_class = np.zeros(1000, dtype=np.uint16)
    of_class[CLASS_OF] = ranks
    buckets = np.stack([of_class, *(np.arange(1000, dtype=np.uint16) for _ in range(3))])
    boards = tuple(canonical_boards(size)[0] for size in (3, 4, 5))
    tables = found.flop, found.turn, found.river
    sorted_ = kernels.BucketTables(*boards, permuted_hands(), CLASS_OF, *tables, buckets, one_texture(counts))
    return Abstraction(betting_graph(limit_rules(players)), counts, sorted_)
