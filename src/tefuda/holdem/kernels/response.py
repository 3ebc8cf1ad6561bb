"""Local best response at heads-up limit hold'em of all hands at once on one complete board.

Hands stand in the order of their strength on the board; after those that the river alone blocks, then the turn, then
the flop: those that a street leaves are always the first. Letters: N nodes, H hands, L those that the whole board
leaves, G groups of equal strength.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.rank import evaluate

BLOCKED = 32767  # a strength that nothing beats or ties
_TIE = 1e-12


class Scene(NamedTuple):
    """A board. cards: `[H, 2]` of each hand. live: `[4]` how many hands each street leaves. ends: `[G]` where hands of
    equal strength end. buckets: `[4, H]`. others: `[4]` how many hands the other may have against one's own.
    """

    cards: np.ndarray
    live: np.ndarray
    ends: np.ndarray
    buckets: np.ndarray
    others: np.ndarray


class Sheet(NamedTuple):
    """What is worked out, by node. paid: `[N, 2]` chips in. reach: `[N, H]` float32 how likely the other comes with
    each hand, folds: then folds. here: `[N, L]` bool whether one's own hand comes. choice: `[N, L]` int8 what it does.
    value: `[N, L]` chips, times the other's reach, summed over its hands.
    """

    paid: np.ndarray
    reach: np.ndarray
    folds: np.ndarray
    here: np.ndarray
    choice: np.ndarray
    value: np.ndarray


@kernel
def strengths(board, sets, found):
    """found[h] = the strength of each hand on a complete board; -1 for those that it blocks."""
    for h in range(sets.shape[0]):
        found[h] = -1 if sets[h] & board else evaluate(board | sets[h])


@kernel
def beat(mine, its, wins):
    """Add 2 to `wins` `[L, H]` int16 where `mine` `[L]` is more than `its` `[H]`, 1 where equal.

    Both are int16 places; of hands that are blocked `mine` is -1 and `its` is `BLOCKED`.
    """
    for i in range(mine.shape[0]):
        for j in range(its.shape[0]):
            wins[i, j] += np.int16(mine[i] > its[j]) + np.int16(mine[i] >= its[j])


@inlined
def probability(graph, sigma, scene, node, action, hand):
    """With which probability the other does an action with a hand."""
    size = graph.size[node]
    bucket = scene.buckets[graph.street[node], hand]
    return sigma[graph.base[node] + bucket * size + action - graph.low[node]]


@inlined
def go_on(graph, sigma, scene, sheet, seat, node, action):
    """Fill what is known where an action leads; folds of the other end the hand, of one's own need nothing."""
    street, child = graph.street[node], graph.child[node, action]
    if action == 0 and graph.player[node] != seat:
        for j in range(scene.live[street]):
            sheet.folds[node, j] = sheet.reach[node, j] * probability(graph, sigma, scene, node, 0, j)
    if action == 0 or child < 0:
        return
    for j in range(scene.live[graph.street[child]]):
        chance = np.float32(1.0) if graph.player[node] == seat else probability(graph, sigma, scene, node, action, j)
        sheet.reach[child, j] = sheet.reach[node, j] * chance
    level = max(sheet.paid[node, 0], sheet.paid[node, 1])
    for player in range(2):
        sheet.paid[child, player] = sheet.paid[node, player]
    sheet.paid[child, graph.player[node]] = level + (graph.bets[street] if action == 2 else 0.0)


@kernel
def descend(graph, sigma, scene, sheet, seat):
    """Fill `paid`, `reach` and `folds` for who answers from a seat; nodes come after those that lead there."""
    sheet.reach[0] = 1.0
    for player in range(2):
        sheet.paid[0, player] = graph.paid[player]
    for node in range(graph.player.shape[0]):
        sheet.folds[node] = 0.0
        for action in range(graph.low[node], graph.low[node] + graph.size[node]):
            go_on(graph, sigma, scene, sheet, seat, node, action)


@inlined
def meet(scene, reach, number, of_card, found):
    """found[i] = the sum of a reach over the hands that share no card with one's own."""
    of_card[:] = 0.0
    total = 0.0
    for j in range(number):
        total += reach[j]
        of_card[scene.cards[j, 0]] += reach[j]
        of_card[scene.cards[j, 1]] += reach[j]
    for i in range(found.shape[0]):
        found[i] = total - of_card[scene.cards[i, 0]] - of_card[scene.cards[i, 1]] + reach[i]


@inlined
def win(scene, reach, of_card, found):
    """found[i] = the sum of a reach over the hands that one's own beats on the river, ties counting half."""
    of_card[:] = 0.0
    total, start = 0.0, 0
    for group in range(scene.ends.shape[0]):
        stop = scene.ends[group]
        for i in range(start, stop):
            found[i] = total - of_card[scene.cards[i, 0]] - of_card[scene.cards[i, 1]] + reach[i]
        for i in range(start, stop):
            total += reach[i]
            of_card[scene.cards[i, 0]] += reach[i]
            of_card[scene.cards[i, 1]] += reach[i]
        for i in range(start, stop):
            found[i] += total - of_card[scene.cards[i, 0]] - of_card[scene.cards[i, 1]]
            found[i] *= 0.5
        start = stop


@inlined
def best(met, won, gone, kept, raises, may_fold, pot, asked, add):
    """Fold, call or raise, as if both only checked and called from then on.

    met: how likely the other is there; won: of that what one's hand beats; gone: what a raise makes fold; kept: what it
    beats of the rest.
    """
    if met <= 0.0:
        return 1
    call = (won * pot - (met - won) * asked) / met
    most, action = call, 1
    if may_fold and call < 0.0:
        most, action = 0.0, 0
    if raises:
        worth = (gone * pot + kept * (pot + add) - (met - gone - kept) * (asked + add)) / met
        if worth > most + _TIE * (pot + add):
            action = 2
    return action


@inlined
def anybody(here, choice, action):
    """Whether any hand comes, and does the action; -1: any action."""
    i = 0
    while i < here.shape[0] and not (here[i] and (action < 0 or choice[i] == action)):
        i += 1
    return i < here.shape[0]


@inlined
def decide(graph, scene, sheet, seat, node, won, kept, met, gone, of_card):
    """Fill `choice` of one's own node from the sums `[L]` of what one's hands beat."""
    live = scene.live[graph.street[node]]
    raises = graph.low[node] + graph.size[node] == 3
    meet(scene, sheet.reach[node], live, of_card, met)
    if raises:
        meet(scene, sheet.folds[graph.child[node, 2]], live, of_card, gone)
    pot = sheet.paid[node, 0] + sheet.paid[node, 1]
    asked, add = sheet.paid[node, 1 - seat] - sheet.paid[node, seat], graph.bets[graph.street[node]]
    for i in range(met.shape[0]):
        sheet.choice[node, i] = best(
            met[i], won[i], gone[i], kept[i], raises, graph.low[node] == 0, pot, asked, add
        )  # fmt: skip


@kernel
def answer(graph, scene, sheet, seat, place, sums):
    """Fill `here` and `choice`. place: `[N]` the row of `sums` `[., L]` with what hands beat before the river, the next
    with what they beat of those that do not fold to a raise.
    """
    own, of_card = scene.live[3], np.empty(52)
    met, gone, won, kept = np.empty(own), np.empty(own), np.empty(own), np.empty(own)
    stay = np.empty(own, dtype=np.float32)
    sheet.here[:] = False
    sheet.here[0] = True
    for node in range(graph.player.shape[0]):
        if not anybody(sheet.here[node], sheet.choice[node], -1):
            continue
        mine = graph.player[node] == seat
        if mine:
            if graph.street[node] < 3:
                won[:], kept[:] = sums[place[node]], sums[place[node] + 1]
            else:
                win(scene, sheet.reach[node], of_card, won)
                if graph.low[node] + graph.size[node] == 3:
                    for j in range(own):
                        stay[j] = sheet.reach[node, j] - sheet.folds[graph.child[node, 2], j]
                    win(scene, stay, of_card, kept)
            decide(graph, scene, sheet, seat, node, won, kept, met, gone, of_card)
        for action in range(1, 3):
            child = graph.child[node, action]
            for i in range(own if child >= 0 else 0):
                sheet.here[child, i] = sheet.here[node, i] and (not mine or sheet.choice[node, i] == action)


@inlined
def ends(graph, sigma, scene, sheet, seat, node, action, reach, met, of_card, found):
    """found[i] = what a fold, or the showdown after an action, brings."""
    mine, own = graph.player[node] == seat, found.shape[0]
    live = scene.live[graph.street[node]]
    if action == 0:
        meet(scene, sheet.reach[node] if mine else sheet.folds[node], live, of_card, found)
        pays = -sheet.paid[node, seat] if mine else sheet.paid[node, 1 - seat]
        for i in range(own):
            found[i] *= pays
        return
    level = max(sheet.paid[node, 0], sheet.paid[node, 1])
    for j in range(own):
        chance = np.float32(1.0) if mine else probability(graph, sigma, scene, node, action, j)
        reach[j] = sheet.reach[node, j] * chance
    win(scene, reach, of_card, found)
    meet(scene, reach, own, of_card, met)
    for i in range(own):
        found[i] = level * (2.0 * found[i] - met[i])


@kernel
def settle(graph, sigma, scene, sheet, seat):
    """Fill `value` from the ends back, as `choice` plays; the mean over boards is what is won."""
    own, of_card = scene.live[3], np.empty(52)
    found, met, reach = np.empty(own), np.empty(own), np.empty(own, dtype=np.float32)
    for node in range(graph.player.shape[0] - 1, -1, -1):
        if not anybody(sheet.here[node], sheet.choice[node], -1):
            continue
        mine = graph.player[node] == seat
        sheet.value[node] = 0.0
        for action in range(graph.low[node], graph.low[node] + graph.size[node]):
            if mine and not anybody(sheet.here[node], sheet.choice[node], action):
                continue
            child = graph.child[node, action]
            if action > 0 and child >= 0:
                part = scene.others[graph.street[node]] / scene.others[graph.street[child]]
                for i in range(own):
                    found[i] = part * sheet.value[child, i]
            else:
                ends(graph, sigma, scene, sheet, seat, node, action, reach, met, of_card, found)
            for i in range(own):
                if not mine or sheet.choice[node, i] == action:
                    sheet.value[node, i] += found[i]
