"""Local best response at heads-up limit hold'em of all hands at once on one complete board.

Hands are in the order of their strength on the board, before those that the river alone blocks, then the turn, then
the flop: the hands possible on a street are always the first. Letters: N nodes, H hands, L those possible on the
whole board, G groups of equal strength.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tefuda._kernels.jit import inlined, kernel
from tefuda.holdem.kernels.limit import chance

BLOCKED = 32767  # a strength that nothing beats or ties
_TIE = 1e-12


class Scene(NamedTuple):
    """A board."""

    cards: np.ndarray  # [H, 2]
    live: np.ndarray  # [4] number of hands possible on each street
    ends: np.ndarray  # [G] where hands of equal strength end
    buckets: np.ndarray  # [4, H]
    others: np.ndarray  # [4] number of hands that the opponent may have against a hand


class Sheet(NamedTuple):
    """The results by node."""

    paid: np.ndarray  # [N, 2] chips in
    reach: np.ndarray  # [N, H] float32, of the opponent
    folds: np.ndarray  # [N, H] float32, its reach times the probability of a fold
    here: np.ndarray  # [N, L] bool, whether the responder's hand comes
    choice: np.ndarray  # [N, L] int8, the responder's action
    value: np.ndarray  # [N, L] chips times the opponent's reach, summed over its hands


@kernel
def beat(mine, its, wins):
    """Add 2 to `wins` `[L, H]` int16 where `mine` `[L]` is more than `its` `[H]`, 1 where equal.

    Both are int16 places; of hands that are blocked `mine` is -1 and `its` is `BLOCKED`.
    """
    for i in range(mine.shape[0]):
        for j in range(its.shape[0]):
            wins[i, j] += np.int16(mine[i] > its[j]) + np.int16(mine[i] >= its[j])


@inlined
def go_on(graph, sigma, scene, sheet, seat, node, action):
    """Fill the node that an action leads to; a fold of the opponent ends the hand."""
    street, child = graph.street[node], graph.child[node, action]
    if action == 0 and graph.player[node] != seat:
        for j in range(scene.live[street]):
            sheet.folds[node, j] = sheet.reach[node, j] * chance(graph, sigma, node, scene.buckets[street, j], 0)
    if action == 0 or child < 0:
        return
    for j in range(scene.live[graph.street[child]]):
        sheet.reach[child, j] = sheet.reach[node, j]
        if graph.player[node] != seat:
            sheet.reach[child, j] *= chance(graph, sigma, node, scene.buckets[street, j], action)
    level = max(sheet.paid[node, 0], sheet.paid[node, 1])
    for player in range(2):
        sheet.paid[child, player] = sheet.paid[node, player]
    sheet.paid[child, graph.player[node]] = level + (graph.bets[street] if action == 2 else 0.0)


@kernel
def descend(graph, sigma, scene, sheet, seat):
    """Fill `paid`, `reach` and `folds` for a responder's seat; nodes follow those that lead to them."""
    sheet.reach[0] = 1.0
    for player in range(2):
        sheet.paid[0, player] = graph.paid[player]
    for node in range(graph.player.shape[0]):
        sheet.folds[node] = 0.0
        for action in range(graph.low[node], graph.low[node] + graph.size[node]):
            go_on(graph, sigma, scene, sheet, seat, node, action)


@inlined
def meet(scene, reach, number, of_card, found):
    """found[i] = the sum of a reach over the hands that share no card with the responder's."""
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
    """found[i] = the sum of a reach over the hands that the responder's beats on the river, ties counting half."""
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
    """Return the best of fold, call and raise if both players only check and call from then on.

    met: the opponent's reach; won: the part of it that the hand beats; gone: the part that folds to a raise; kept: the
    part beaten of the rest.
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
    """Return whether any hand comes and takes the action; -1: any action."""
    i = 0
    while i < here.shape[0] and not (here[i] and (action < 0 or choice[i] == action)):
        i += 1
    return i < here.shape[0]


@inlined
def decide(graph, scene, sheet, seat, node, won, kept, met, gone, of_card):
    """Fill `choice` of the responder's node from the sums `[L]` that its hands beat."""
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
    """Fill `here` and `choice`. place: `[N]` the row of `sums` `[., L]` that hands beat before the river; the next row
    is what they beat of hands that do not fold to a raise.
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
    """found[i] = the payoff of a fold, or of the showdown after an action."""
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
        reach[j] = sheet.reach[node, j]
        if not mine:
            reach[j] *= chance(graph, sigma, node, scene.buckets[graph.street[node], j], action)
    win(scene, reach, of_card, found)
    meet(scene, reach, own, of_card, met)
    for i in range(own):
        found[i] = level * (2.0 * found[i] - met[i])


@kernel
def settle(graph, sigma, scene, sheet, seat):
    """Fill `value` from the ends back, by `choice`."""
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
