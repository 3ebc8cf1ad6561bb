"""Restricted games: the sequence form of a game in which players have some of their sequences."""

from __future__ import annotations

import numpy as np

from tefuda.forms.programs import gathered
from tefuda.forms.sequence import SequenceForm, assemble, payoff_arrays

_TIE = 2.0**-40  # smallest difference of utilities, relative to the largest payoff


def restrict(form: SequenceForm, allowed: np.ndarray) -> tuple[SequenceForm, np.ndarray]:
    """Return the form of a restricted game, and `[S]` the numbers of its sequences in the given form.

    Where a player has no allowed action, its first action is forced (the default of Bosansky et al. 2014).

    Args:
        form: sequence form of the game.
        allowed: `[Q]` True at allowed sequences; those before a player's first move are.
    """
    place, count, infosets = np.full(form.sequences, -1), 0, 0
    span, group_span, groups, parts = [0], [0], list[tuple[int, ...]](), list[tuple[np.ndarray, ...]]()
    for player in range(form.players):
        empty = form.span[player : player + 1].astype(np.int64)
        place[empty], count = count, count + 1
        parts.append((empty, empty[:0], empty[:0]))
        for start, m, k, base in form.groups[form.group_span[player] : form.group_span[player + 1]].tolist():
            actions = np.arange(base, base + k * m).reshape(k, m)
            before, chosen = place[form.parent[start : start + m]], allowed[actions]
            chosen[0] |= ~chosen.any(axis=0)
            widths = np.where(before >= 0, chosen.sum(axis=0), 0)
            for width in np.unique(widths[widths > 0]).tolist():
                here = np.flatnonzero(widths == width)
                kept = actions.T[here][chosen.T[here]].reshape(-1, width).T.ravel()
                place[kept] = np.arange(count, count + len(kept))
                groups.append((infosets, len(here), width, count))
                parts.append((kept, before[here], form.infoset[start + here]))
                count, infosets = count + len(kept), infosets + len(here)
        span.append(count)
        group_span.append(len(groups))
    kept, parent, infoset = map(np.concatenate, zip(*parts, strict=True))
    treeplex = {"span": np.array(span), "group_span": np.array(group_span), "groups": np.array(groups).reshape(-1, 4)}
    ends, values = form.derived(_ends)
    inside = (place[ends] >= 0).all(axis=1)
    payoffs = payoff_arrays(place[ends[inside]], values[inside], treeplex["span"], None)
    arrays = assemble(treeplex | {"parent": parent}, payoffs, np.maximum(place[form.sequence], 0))
    return SequenceForm(**arrays, infoset=infoset.astype(np.int32), scale=form.scale), kept


def _ends(form: SequenceForm) -> tuple[np.ndarray, np.ndarray]:
    """Return `[E, P]` sequences of the players' leaves, and `[E, P]` values; 0 for the other players."""
    ends, values = [], []
    for player in range(form.players):
        leaves = form.leaves(player)
        ends.append(np.insert(leaves.others, player, leaves.own, axis=1))
        values.append(leaves.value[:, None] * (np.arange(form.players) == player))
    return np.concatenate(ends), np.concatenate(values)


def respond(form: SequenceForm, plans: np.ndarray) -> tuple[float, np.ndarray]:
    """Return NashConv of plans `[Q]`, and `[Q]` best responses that take the first of equal actions."""
    conv, strategies = 0.0, np.zeros(form.sequences)
    for player in range(form.players):
        own, utilities = form.own(player), gathered(form, player, plans)
        best, strategies[own] = first_response(form, player, utilities[own])
        conv += best - float(plans[own] @ utilities[own])
    return conv, strategies


def first_response(form: SequenceForm, player: int, utilities: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the value of a best response to utilities `[Q_i]`, and its strategy `[Q_i]`.

    It takes the first of equal actions. Utilities that differ by less than 2^-40 of the largest payoff are equal,
    whatever the order of their sums.
    """
    values, strategy, tie = utilities.copy(), np.zeros(len(utilities)), form.scale * _TIE
    for parents, actions in reversed(form.groups_of(player)):
        best = values[actions].max(axis=0)
        first = (values[actions] >= best - tie).argmax(axis=0)
        strategy[actions[first, np.arange(len(parents))]] = 1.0
        np.add.at(values, parents, best)
    return float(values[0]), strategy


def first_actions(form: SequenceForm) -> np.ndarray:
    """Return `[Q]` the strategies that take the first action at each infoset."""
    strategies = np.zeros(form.sequences)
    for _, actions in form.groups_of(None):
        strategies[actions[0]] = 1.0
    return strategies
