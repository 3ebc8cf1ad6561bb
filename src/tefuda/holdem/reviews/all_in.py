"""Costs of decisions that need no spot: push or fold before the flop, and the last call of an all-in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tefuda.holdem.cards import CARDS, HANDS, hand_number
from tefuda.holdem.hands.hand import CALL, FOLD, raised_to
from tefuda.holdem.hands.rules import BOARD, NO_PLAYER, TableRules, Wagers
from tefuda.holdem.preflop.pushfold import PushFold, PushFoldNode, pushfold
from tefuda.holdem.preflop.tree import DEEPEST
from tefuda.holdem.ranges import Range
from tefuda.holdem.rank import MASKS, strengths
from tefuda.holdem.reports.statistics import Z

_SAMPLES = 20_000  # deals

_push_or_fold = lru_cache(maxsize=1000)(pushfold)


def push_or_fold(rules: TableRules, before: Wagers, token: str, hole: Sequence[int]) -> dict[str, Any] | None:
    """Return the figures of an all-in, a call of one, or a fold in push or fold; None for others.

    The figures are those of `pricing.price`, in chips. Push or fold is heads-up with at most 15 big blinds.
    """
    big, stack = rules.smallest_bet(0), min(rules.stacks)
    is_push = before.mover == 1
    faces_all_in = max(before.bets) + rules.antes[0] >= stack
    if stack > DEEPEST * big or len({*rules.antes}) > 1 or before.street or is_push == faces_all_in:
        return None
    all_in = token[0] == "r" and raised_to(rules, before, token) + rules.antes[0] >= stack
    if not (token == FOLD or (all_in if is_push else token == CALL)) or stack < big + rules.antes[0]:
        return None
    solution: PushFold = _push_or_fold(stack / big, rules.blinds[1] / big, rules.antes[0] / big)
    node = PushFoldNode(solution, "" if is_push else "AllIn")
    view, hand = node.hands(), hand_number(*hole)
    losses = {name: float(each[hand]) * big for name, each in zip(view.actions, view.losses, strict=True)}
    action = "Fold" if token == FOLD else view.actions[1]
    shares = dict(zip(view.actions, view.shares, strict=True))
    evs = {name: loss - losses["Fold"] for name, loss in losses.items()}
    return _figures(evs, action, float(shares[action][hand]), node.pot * big, 0.0)


def is_last_call(rules: TableRules, before: Wagers) -> bool:
    """Return True if a call ends the betting of the hand, with two or more opponents."""
    if not rules.choices(before).facing_bet or len(before.live) < 3:
        return False
    after = rules.call(before)
    return after.mover == NO_PLAYER and sum(after.stacks[player] > 0 for player in after.live) < 2


def last_call(
    hand: Any, before: Wagers, token: str, hole: Sequence[int], ranges: Mapping[int, Range]
) -> dict[str, Any]:
    """Return the figures of a last call or fold by sampled equities against ranges; see `push_or_fold`."""
    rules, player = hand.rules, before.mover
    board, called = hand.hand.board[: BOARD[before.street]], rules.call(before)
    rng, known = np.random.default_rng(0), [*hole, *board]
    others = [other for other in before.live if other != player]
    drawn = []
    for other in others:
        weights = ranges[other].without(known).weights
        drawn.append(HANDS[rng.choice(len(HANDS), _SAMPLES, p=weights / weights.sum())].astype(int))
    is_used = np.zeros((_SAMPLES, CARDS), dtype=int)
    for cards in (*drawn, np.tile(known, (_SAMPLES, 1))):
        np.add.at(is_used, (np.arange(_SAMPLES)[:, None], cards), 1)
    possible = is_used.max(axis=1) < 2  # no card is dealt twice
    order = np.argsort(rng.random(is_used.shape) + is_used, axis=1)[:, : BOARD[3] - len(board)]
    table = MASKS[order].sum(axis=1, dtype=np.uint64) | np.bitwise_or.reduce(MASKS[[*board]], initial=np.uint64(0))
    sets = {other: MASKS[cards].sum(axis=1, dtype=np.uint64) for other, cards in zip(others, drawn, strict=True)}
    sets[player] = np.full(_SAMPLES, MASKS[[*hole]].sum(dtype=np.uint64))
    values = {other: strengths((own | table)[possible]) for other, own in sets.items()}
    won = np.full(possible.sum(), -float(rules.choices(before).call))
    for chips, contenders in rules.pots(called):
        if player in contenders:
            best = np.max([values[each] for each in contenders], axis=0)
            winners = np.sum([values[each] == best for each in contenders], axis=0)
            won += np.where(values[player] == best, chips / winners, 0.0)
    half = Z * float(won.std(ddof=1)) / len(won) ** 0.5
    evs, action = {"Fold": 0.0, "Call": float(won.mean())}, "Fold" if token == FOLD else "Call"
    return _figures(evs, action, float("nan"), rules.pot(before), half)


def _figures(evs: dict[str, float], action: str, frequency: float, pot: float, half: float) -> dict[str, Any]:
    cost = max(evs.values()) - evs[action]
    return {
        "evs": evs, "cost": cost, "interval": [max(0.0, cost - half), cost + half] if cost else None,
        "frequency": frequency, "best": max(evs, key=lambda name: evs[name]), "pot": pot, "forced": False,
        "exploitability": 0.0,
    }  # fmt: skip
