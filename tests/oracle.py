"""Slow twins, written history by history over the rules alone: no trees, no arrays, no sequence form.

A strategy is a function from (player, key) to a dict of probabilities; `behaviour` makes one of a Profile.
"""

from collections import defaultdict
from itertools import product

import numpy as np

from tefuda.forms.features import infoset_features
from tefuda.forms.tree import Tree
from tefuda.games.parameters import json_parameters
from tefuda.games.protocol import CHANCE, TERMINAL, labels


def behaviour(profile):
    """The strategy function of a Profile."""
    return lambda player, key: profile[player, key]


def edges(game, state, strategy):
    """Yield the (label, probability) of each child."""
    mover = game.player(state)
    if mover == CHANCE:
        return [(label, chance) for label, chance in game.chances(state)]
    return list(strategy(mover, game.view(state, mover)).items())


def value(game, strategy, state=None):
    """Expected payoffs below a state."""
    state = game.root() if state is None else state
    if game.player(state) == TERMINAL:
        return list(game.payoffs(state))
    total = [0] * game.players
    for label, chance in edges(game, state, strategy):
        below = value(game, strategy, game.child(state, label))
        total = [sum_ + chance * part for sum_, part in zip(total, below, strict=True)]
    return total


def histories(game, strategy):
    """Yield (state, labels, own reach of each player, chance reach) of every history."""
    stack = [(game.root(), (), (1,) * game.players, 1)]
    while stack:
        state, labels, own, chance = stack.pop()
        yield state, labels, own, chance
        mover = game.player(state)
        if mover == TERMINAL:
            continue
        for label, probability in edges(game, state, strategy):
            scaled = tuple(reach * probability if seat == mover else reach for seat, reach in enumerate(own))
            reached = chance * probability if mover == CHANCE else chance
            stack.append((game.child(state, label), (*labels, label), scaled, reached))


def counterfactual(game, strategy):
    """v_i(I) and v_i(I, a) summed history by history: dicts by (player, key) and (player, key, action)."""
    infosets, actions = defaultdict(int), defaultdict(int)
    for state, _, own, chance in histories(game, strategy):
        mover = game.player(state)
        if mover < 0:
            continue
        weight = chance
        for seat, reach in enumerate(own):
            weight *= 1 if seat == mover else reach
        key = game.view(state, mover)
        infosets[mover, key] += weight * value(game, strategy, state)[mover]
        for action in game.actions(state):
            actions[mover, key, action] += weight * value(game, strategy, game.child(state, action))[mover]
    return infosets, actions


def infosets_of(game, player):
    """The actions of every infoset of a player, by key."""
    found = {}
    for state, *_ in histories(game, lambda p, key: dict.fromkeys(_actions(game, p, key), 1)):
        if game.player(state) == player:
            found[game.view(state, player)] = tuple(game.actions(state))
    return found


def _actions(game, player, key, memo={}):  # noqa: B006 - a cache on purpose
    if (id(game), player) not in memo:
        table, stack = {}, [game.root()]
        while stack:
            state = stack.pop()
            mover = game.player(state)
            if mover >= 0:
                table[mover, game.view(state, mover)] = tuple(game.actions(state))
            stack += [game.child(state, label) for label in labels(game, state)]
        memo[id(game), player] = (table, game)  # a reference to the game keeps its id unique
    return memo[id(game), player][0][player, key]


def best_by_brute_force(game, strategy, player):
    """The best value over all pure strategies of a player."""
    own = infosets_of(game, player)
    best = -float("inf")
    for choice in product(*own.values()):
        pure = dict(zip(own, choice, strict=True))

        def mixed(mover, key, pure=pure):
            return {pure[key]: 1} if mover == player else strategy(mover, key)

        best = max(best, value(game, mixed)[player])
    return best


def match(regrets):
    """Regret matching over a dict of regrets."""
    positive = {action: max(regret, 0) for action, regret in regrets.items()}
    total = sum(positive.values())
    return {a: p / total if total > 0 else 1 / len(positive) for a, p in positive.items()}


def in_table(table):
    """The strategy function of a dict by (player, key)."""
    return lambda player, key: table[player, key]


def cfr(game, iterations, *, plus=False, simultaneous=False, opp=False):
    """CFR or CFR+ by walking histories; the average strategies as {(player, key): {action: probability}}."""
    tables = {player: infosets_of(game, player) for player in range(game.players)}
    regrets = {(p, key): dict.fromkeys(acts, 0.0) for p, own in tables.items() for key, acts in own.items()}
    sums = {name: dict.fromkeys(row, 0.0) for name, row in regrets.items()}
    current = {name: match(row) for name, row in regrets.items()}
    everybody = tuple(range(game.players))
    passes = [(everybody, everybody)] if simultaneous else [((p,), (1 - p,) if opp else (p,)) for p in everybody]
    for t in range(1, iterations + 1):
        for updated, averaged in passes:
            strategy = in_table(current)
            values, by_action = counterfactual(game, strategy)
            seen = set()
            for state, _, own, _ in histories(game, strategy):
                mover = game.player(state)
                name = (mover, game.view(state, mover)) if mover >= 0 else None
                if mover in averaged and name not in seen:
                    seen.add(name)
                    for action, chance in current[name].items():
                        sums[name][action] += (t if plus else 1) * own[mover] * chance
            for (mover, key, action), v in by_action.items():
                if mover in updated:
                    new = regrets[mover, key][action] + v - values[mover, key]
                    regrets[mover, key][action] = max(new, 0.0) if plus else new
            current |= {name: match(row) for name, row in regrets.items() if name[0] in updated}
    return {name: match(row) for name, row in sums.items()}


def dense_gradient(solver, rows, net, kind, masked=True):
    """The same in float64 with NumPy, row by row."""
    w1, b1, w2, b2 = (np.asarray(array[1], dtype=np.float64) for array in net)
    features = infoset_features(solver.tree)
    total = [np.zeros_like(array) for array in (w1, b1, w2, b2)]
    for infoset, unit, target in rows:
        x = features[infoset]
        h = np.maximum(x @ w1 + b1, 0)
        out = w2 @ h + b2
        if kind == "value":
            slope = np.zeros_like(out)
            slope[unit] = out[unit] - target
        else:
            legal = solver._run.inputs.legal[infoset].astype(bool) | (not masked)
            p = np.where(legal, np.exp(out - out[legal].max()), 0)
            slope = p / p.sum()
            slope[unit] -= 1
        back = (slope @ w2) * (h > 0)
        for part, amount in zip(total, (np.outer(x, back), back, np.outer(slope, h), slope), strict=True):
            part += amount / len(rows)
    return total


def tree_of(game):
    """The tree of a game, built with plain lists; children are numbered in depth-first order of opening."""
    player, parent, first_child, child_count, infoset, chance, label_set = [0], [-1], [0], [0], [-1], [1.0], [-1]
    ends, infosets, infoset_labels, label_sets = {}, {}, [], {}
    stack = [(0, game.root())]
    while stack:
        node, state = stack.pop()
        player[node] = mover = game.player(state)
        if mover == TERMINAL:
            ends[node] = [float(payoff) for payoff in game.payoffs(state)]
            continue
        if mover == CHANCE:
            outcomes = [(label, float(probability)) for label, probability in game.chances(state)]
        else:
            name = (mover, game.view(state, mover))
            if name not in infosets:
                infosets[name] = len(infosets)
                infoset_labels.append(tuple(game.actions(state)))
            infoset[node] = infosets[name]
            outcomes = [(label, 1.0) for label in infoset_labels[infosets[name]]]
        first_child[node], child_count[node] = len(player), len(outcomes)
        label_set[node] = label_sets.setdefault(tuple(label for label, _ in outcomes), len(label_sets))
        children = [(len(player) + place, game.child(state, label)) for place, (label, _) in enumerate(outcomes)]
        stack += reversed(children)
        for _, probability in outcomes:
            for column, value in zip(
                (player, parent, first_child, child_count, infoset, chance, label_set),
                (0, node, 0, 0, -1, probability, -1),
                strict=True,
            ):
                column.append(value)
    return Tree(
        name=game.name,
        parameters=json_parameters(game),
        players=game.players,
        player=np.array(player, np.int8),
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        child_count=np.array(child_count, np.int16),
        infoset=np.array(infoset, np.int32),
        chance=np.array(chance),
        label_set=np.array(label_set, np.int32),
        terminals=np.array(sorted(ends), np.int32),
        payoffs=np.array([ends[node] for node in sorted(ends)]).reshape(-1, game.players),
        infoset_player=np.array([mover for mover, _ in infosets], np.int8),
        infoset_labels=np.array([label_sets[labels] for labels in infoset_labels], np.int32),
        first_row=np.cumsum([0, *map(len, infoset_labels)]).astype(np.int32),
        keys=tuple(view for _, view in infosets),
        label_sets=tuple(label_sets),
        game=game,
    )
