"""Spots whose costs are known exactly, and hands that lead to them.

The intervals are the smallest and the largest cost over the optimal strategies of the opponent, by linear programs over
sequences with strengths by PokerKit.
"""

import tefuda as td
from tefuda.holdem import Holdem, TableRules, make_spot, record_of
from tefuda.holdem.hands.sizing import Menu

HALF = {"bets": "50%,a", "raises": "50%,a"}
SPOTS = {
    "R1": make_spot("Ts3h2h5c9s", 100, 100, "AA,QQ", "KK", "a", "a"),
    "R3": make_spot(
        "9c8c5dKh3c", 60, 90, "AcAh,KsQs,JdTd,7c6c,AsQd", "KcQc,QhJh,9h9d,AdKd,Tc8d", "50%,a", "a"
    ),
    "R4": make_spot(
        "Ah9h6c5d2s", 50, 110, "AdKd,AcTc,9s9d,KhQh,8h7h,QsJs", "AsQs,Ac9c,6d6h,KsTs,Jh8h", "50%,a", "a"
    ),
    "T1": make_spot("Qs9d4h2c", 80, 120, "AhAd,QcJc,JhTh", "KcQd,9s8s,AsKs", "a", "a"),
    "F1": make_spot(
        "Jh8h3c", 60, 120, "AhAd,KhQh,JcTc,9h7h,5d5c", "JdQd,AsJs,8s8d,Th9h,AcKc", "", "", flop_bet="50%,a",
        flop_raise="a",
    ),
}  # fmt: skip


def played(name, holes, line, river="8c", **fields):
    """A heads-up hand that was checked to the spot and then played along a line."""
    spot = SPOTS[name]
    blind, board = spot.betting.pot // 2, [td.holdem.cards_text([card], "") for card in spot.board]
    rules = TableRules((spot.betting.stack + blind,) * 2, (blind, blind))
    game = Holdem(rules, Menu(any_amount=True))
    state, cards = game.root(), iter([*board, river, "3d"])
    for cards_ in holes:  # two hands, card by card
        for card in (cards_[:2], cards_[2:]):
            state = game.child(state, card)
    actions = ["c", "c"] * (spot.street + 1) + line.split()
    while game.player(state) != td.TERMINAL:
        chance = game.player(state) == td.CHANCE
        state = game.child(state, next(cards) if chance else actions.pop(0))
    return record_of(game, state, ["Ash", "Birch"], **fields)
