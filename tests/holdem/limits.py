"""A game of limit hold'em that fits a tree: from a turn on, with a small deck, all hands told apart."""

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

import tefuda as tf
from tefuda._kernels import holdem_buckets as kernels
from tefuda.games.protocol import CHANCE, TERMINAL
from tefuda.holdem.buckets import BOARDS, Cells, boards_of, moved
from tefuda.holdem.cards import CLASS_OF, HANDS, card_text, cards_text, hand_number, hand_text, mask_of, read_cards
from tefuda.holdem.limit import betting_graph, limit_rules
from tefuda.holdem.rank import strength
from tefuda.holdem.rules import NOBODY
from tefuda.holdem.sampler import Abstraction, Dealt, LimitSampler
from tefuda.holdem.suits import PERMUTATIONS

BOARD = read_cards("2c 7d 8d Jc")
LEFT = read_cards("Th 9d Qs Js 2d Ad")
START = "cc/cc/"
RULES = limit_rules(cap=2)


class Seen(NamedTuple):
    hands: tuple = ()
    board: tuple = BOARD
    wagers: object = None
    done: str = START


class Turn:
    """The seven functions of it."""

    name, players, constant_sum = "limit turn", 2, 0

    def root(self):
        wagers = RULES.root()
        for _letter in START.replace("/", ""):
            wagers = RULES.call(wagers)
            wagers = RULES.next_street(wagers) if wagers.mover == NOBODY else wagers
        return Seen(wagers=wagers)

    def player(self, state):
        if not state.hands:
            return CHANCE
        if state.wagers.mover != NOBODY:
            return state.wagers.mover
        return TERMINAL if state.wagers.is_over else CHANCE

    def chances(self, state):
        if not state.hands:
            pairs = [
                (one, two) for one in combinations(LEFT, 2) for two in combinations(LEFT, 2) if not set(one) & set(two)
            ]
            return [(f"{cards_text(one)} {cards_text(two)}", 1 / len(pairs)) for one, two in pairs]
        left = [card for card in LEFT if card not in sum(state.hands, ())]
        return [(card_text(card), 1 / len(left)) for card in left]

    def actions(self, state):
        choices = RULES.choices(state.wagers)
        return ("f",) * choices.faces + ("c",) + ("r",) * (choices.low > 0)

    def child(self, state, action):
        if not state.hands:
            cards = read_cards(action)
            return state._replace(hands=(cards[:2], cards[2:]))
        if state.wagers.mover == NOBODY:
            board = (*state.board, *read_cards(action))
            return state._replace(board=board, wagers=RULES.next_street(state.wagers), done=state.done + "/")
        move = {"f": RULES.fold, "c": RULES.call, "r": lambda w: RULES.raise_to(w, RULES.choices(w).low)}
        return state._replace(wagers=move[action](state.wagers), done=state.done + action)

    def payoffs(self, state):
        return RULES.payoffs(state.wagers, [strength((*state.board, *hand)) for hand in state.hands])

    def view(self, state, player):
        hand = hand_text(hand_number(*state.hands[player])) if state.hands else ""
        return f"{hand}|{cards_text(state.board).replace(' ', '')}|{state.done}"


@cache
def tree():
    return tf.compile_game(Turn())


@cache
def lossless():
    """The same game in buckets that keep all hands apart."""
    boards, counts = tuple(boards_of(size)[0] for size in (3, 4, 5)), [1, 1, 0, 0]
    turn, river = np.zeros((16_432, 1326), dtype=np.uint16), np.zeros((134_459, 1326), dtype=np.uint8)
    for table, size, street, opened in ((turn, 4, 2, [()]), (river, 5, 3, [(card,) for card in LEFT])):
        for more in opened:
            rank = int(kernels.rank_of(np.uint64(mask_of((*BOARD, *more)))))
            number, turned = boards[size - 3].number[rank], boards[size - 3].turn[rank]
            for hand in combinations([card for card in LEFT if card not in more], 2):
                table[number, moved()[turned, hand_number(*hand)]] = counts[street]
                counts[street] += 1
    buckets = np.tile(np.arange(1000, dtype=np.uint16), (4, 1))
    buckets[:2] = 0
    flop = np.zeros((1, 1326), dtype=np.uint16)
    found = kernels.Sorted(*boards, moved(), CLASS_OF, flop, turn, river, buckets, one_texture(counts))
    return Abstraction(betting_graph(RULES, start=START), tuple(counts), found)


def sampler(**options):
    return LimitSampler(lossless(), dealt=Dealt(LEFT, BOARD), **options)


def rows_of(key):
    """The rows of the lossless game at a view."""
    cards, board, done = key.split("|")
    return lossless().rows_of(lossless().graph.node(done), read_cards(board), hand_number(*read_cards(cards)))


def rows_of_player(player):
    arrays, counts = lossless().arrays, np.array(lossless().counts)
    nodes = np.flatnonzero(arrays.player == player)
    sizes = (arrays.size * counts[arrays.street])[nodes]
    return np.concatenate(
        [np.arange(first, first + size) for first, size in zip(arrays.base[nodes], sizes, strict=True)]
    )


def profile_of(policy):
    return tf.Profile.from_function(tree(), policy.strategy)


def flat():
    """Cells in which all hands are alike."""
    tables = [
        np.zeros((size, 1326), dtype=kind) for size, kind in zip(BOARDS, ("uint16", "uint16", "uint8"), strict=True)
    ]
    points, ones = np.zeros((1, 15), dtype=np.float32), np.ones(1, dtype=np.int64)
    kinds = [np.zeros((size, 64), dtype=np.uint8) for size in BOARDS[:2]]
    shifts = np.zeros((1, 35), dtype=np.float32)
    return Cells(*tables, points, points, ones, ones, np.ones(256, dtype=np.int64), *kinds, shifts, shifts, ones, ones)


def one_texture(counts):
    """All turns and rivers are of one kind."""
    kinds = [np.zeros((size, 64), dtype=np.uint8) for size in BOARDS[:2]]
    return kernels.Textures(*kinds, np.array(counts), np.array(PERMUTATIONS))


@cache
def by_class(players=3):
    """A table at which hands are told apart before and on the flop, by the ranks of their cards alone."""
    found = flat()
    ranks = (HANDS >> 2).sum(axis=1) // 7  # 0 to 3
    found.flop[:] = ranks
    counts = (4, 4, 1, 1)
    of_class = np.zeros(1000, dtype=np.uint16)
    of_class[CLASS_OF] = ranks
    buckets = np.stack([of_class, *(np.arange(1000, dtype=np.uint16) for _ in range(3))])
    boards = tuple(boards_of(size)[0] for size in (3, 4, 5))
    tables = found.flop, found.turn, found.river
    sorted_ = kernels.Sorted(*boards, moved(), CLASS_OF, *tables, buckets, one_texture(counts))
    return Abstraction(betting_graph(limit_rules(players)), counts, sorted_)
