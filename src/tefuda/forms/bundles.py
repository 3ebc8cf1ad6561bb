"""Compilation of card games with public actions: one traversal for all deals.

The histories of all deals with the same public actions are a bundle. Between two events of chance the bundles form a
`_Region`. Its rules are asked at representative deals only, which cover every hand of every player; chance is asked at
every deal. The payoffs at an end depend on the deal by its `_Outcomes`: these are recognised at the representatives,
or evaluated at every deal. This is an inference, so it is restricted to games of this package that declare
``public_actions``; finally the tree is compared with the rules along random games.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.games.answers import Conversions, Labels, outcomes_of, payoffs_of
from tefuda.games.protocol import CHANCE, TERMINAL, WIDEST, Game

#: Payoffs of each player, as the rules give them, and the last action of each player.
_Payoffs = Sequence[Any]
_LastActions = tuple[Hashable, ...]


class NotBundled(Exception):
    """A game whose histories do not form bundles, or has too many deals."""


@dataclass
class _Outcomes:
    """The outcome of an end at each deal, as a number, and the first deal of each outcome."""

    number: list[int]  # [deals]
    firsts: list[int]

    def payoffs_from(self, deals: Sequence[int], values: list[_Payoffs]) -> dict[int, _Payoffs] | None:
        """Return payoffs by outcome from those at some deals; None if these do not agree."""
        outcomes = [self.number[deal] for deal in deals]
        payoffs = dict(zip(outcomes, values, strict=True))
        return payoffs if values == [payoffs[outcome] for outcome in outcomes] else None


@dataclass
class _Deals:
    """The outcomes of chance so far, shared by all regions below them.

    Attributes:
        hands: `[P, deals]` number of each player's view at the start of a region.
        representatives: deals that cover every hand of every player, and every outcome of known ends.
        outcomes: the known outcomes of ends, by the last action of each player. These alone show who folded, or whose
            bid was called, in the games concerned.
    """

    hands: np.ndarray  # [P, deals] int64
    representatives: list[int]
    outcomes: dict[_LastActions, list[_Outcomes]] = field(default_factory=dict)


@dataclass
class _Chance:
    """An event of chance in a region, with the region below.

    Attributes:
        opening: index of the opening. label_sets: its label set at each deal before it.
        owner: the deal before it of each deal after it. place: index of its outcome there.
        probabilities: of the outcomes. sizes: number of histories below, for each deal before it.
    """

    opening: int
    below: _Region
    label_sets: np.ndarray  # [deals before]
    owner: np.ndarray  # [deals after]
    place: np.ndarray  # [deals after]
    probabilities: np.ndarray  # [deals after]
    sizes: np.ndarray = field(default_factory=lambda: np.zeros(0))  # [deals before] histories below


class _States:
    """The states of all deals in a region, computed on demand.

    Args:
        game: the rules.
        before: states before the last event of chance; or the only state.
        drawn: index in `before` of each deal's state, and the outcome of chance.
    """

    def __init__(self, game: Game, before: list[Any], drawn: Sequence[tuple[int, Hashable]] = ()) -> None:
        self.game, self.before, self.drawn = game, before, drawn
        self.known: dict[Any, list[Any]] = {}

    def start(self, deal: int) -> Any:
        """Return the state of a deal at the start of the region."""
        if not self.drawn:
            return self.before[deal]
        owner, label = self.drawn[deal]
        return self.game.child(self.before[owner], label)

    def after(self, path: Any) -> list[Any]:
        """Return the states of all deals after actions, given as nested pairs (actions before, action)."""
        if path not in self.known:
            child = self.game.child
            if path:
                self.known[path] = [child(state, path[1]) for state in self.after(path[0])]
            else:
                self.known[path] = list(map(self.start, range(len(self))))
        return self.known[path]

    def one_after(self, path: Any, deal: int) -> Any:
        """Return the state of one deal after actions."""
        return self.game.child(self.one_after(path[0], deal), path[1]) if path else self.start(deal)

    def forget(self) -> None:
        """Release the memory of the states."""
        self.known, self.before = {}, []

    def __len__(self) -> int:
        return len(self.drawn) or 1


class _Region:
    """The bundles between two events of chance.

    Histories of a deal have local numbers in the order of a depth-first traversal; -1 is the region's start.

    Attributes:
        states: states of the deals.
        origin: `[locals]` the opening of the parent of each local history.
        node, first, before, mover, labels, infosets: of each opening: local number, first child, number of chance
            events opened before, player, label set, and first index in `ids`.
        ids: infosets of the openings, for each hand of the player.
        ends: local numbers of the ends, their outcomes, and row in `payoffs` of their first outcome.
        payoffs: rows of P numbers.
    """

    def __init__(self, states: _States, deals: _Deals) -> None:
        self.states, self.deals = states, deals
        self.origin: list[int] = []
        self.node: list[int] = []
        self.first: list[int] = []
        self.before: list[int] = []
        self.mover: list[int] = []
        self.labels: list[int] = []
        self.infosets: list[int] = []
        self.ids: list[int] = []
        self.chances: list[_Chance] = []
        self.ends: list[tuple[int, _Outcomes, int]] = []
        self.payoffs = array("d")

    def sizes(self) -> np.ndarray:
        """Return `[deals]` the number of histories below the start."""
        total = np.full(len(self.states), len(self.origin), dtype=np.int64)
        for chance in self.chances:
            chance.sizes = np.bincount(chance.owner, 1 + chance.below.sizes(), len(total)).astype(np.int64)
            total += chance.sizes
        return total


class Bundles:
    """The regions of a game, with provisional numbers of infosets and label sets.

    Args:
        game: rules with public actions.
        grown: callback for the number of histories so far; it may raise an exception.
    """

    def __init__(self, game: Game, grown: Callable[[int], None]) -> None:
        self.game, self.grown, self.histories = game, grown, 1
        self.infosets: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.keys: list[Hashable] = []
        self.infoset_player, self.infoset_labels = array("b"), array("i")
        self.label_sets: dict[Labels, int] = {}
        self.known_deals: dict[Any, _Deals] = {}
        self.checked_chances = Conversions(outcomes_of)
        self.checked_payoffs = Conversions(lambda answer: array("d", payoffs_of(answer, game.players)))
        self.root = self._region(_States(game, [game.root()]), None, (None,) * game.players)

    def _region(self, states: _States, dealt: Any, last: _LastActions) -> _Region:
        """Return the region that starts with some states; dealt: key of the outcomes of chance so far."""
        if dealt not in self.known_deals:
            self.known_deals[dealt] = self._deals(states.after(()))
        region = _Region(states, self.known_deals[dealt])
        at = list(region.deals.representatives)
        starts = [states.start(deal) for deal in at]
        movers = set(map(self.game.player, starts))
        if len(movers) > 1:
            raise NotBundled
        mover = movers.pop()
        if mover == TERMINAL:
            self._add_end(region, -1, last, (), starts, at)
        else:
            self._traverse(region, mover, last, starts, at)
        states.forget()
        return region

    def _deals(self, states: list[Any]) -> _Deals:
        """Return the hands, as seen in the views, and deals that cover them."""
        hands = np.zeros((self.game.players, len(states)), dtype=np.int64)
        for player in range(self.game.players) if len(states) > 1 else ():
            numbers: dict[Hashable, int] = {}
            hands[player] = [numbers.setdefault(self.game.view(state, player), len(numbers)) for state in states]
        missing = np.zeros((self.game.players, hands.max() + 1), dtype=bool)
        players = np.arange(len(missing))
        missing[players[:, None], hands] = True
        representatives = []
        while missing.any():
            best = int(missing[players[:, None], hands].sum(axis=0).argmax())
            representatives.append(best)
            missing[players, hands[:, best]] = False
        return _Deals(hands, representatives)

    def _traverse(self, region: _Region, mover: int, last: _LastActions, starts: list[Any], at: list[int]) -> None:
        """Visit the bundles of a region depth-first; at: deals that are followed, from their starts."""
        child, player = self.game.child, self.game.player
        position = self._positions(region.deals.hands[:, at])
        stack: list[tuple[int, int, _LastActions, Any, list[Any]]] = [(-1, mover, last, (), starts)]
        while stack:
            node, mover, last, path, states = stack.pop()
            opening, first = len(region.node), len(region.origin)
            region.node.append(node)
            region.first.append(first)
            region.before.append(len(region.chances))
            region.mover.append(mover)
            region.infosets.append(len(region.ids))
            if mover == CHANCE:
                region.labels.append(-1)
                region.chances.append(self._chance(region, opening, last, path))
                continue
            labels = self._enter_infosets(region, mover, states, position[mover])
            self.histories += len(region.states) * len(labels)
            self.grown(self.histories)
            region.origin += [opening] * len(labels)
            inner = []
            for number, label in enumerate(labels, first):
                below, way = [child(state, label) for state in states], (path, label)
                ending = (*last[:mover], label, *last[mover + 1 :])
                after = player(below[0])
                if after != player(below[-1]):
                    raise NotBundled
                if after == TERMINAL:
                    self._add_end(region, number, ending, way, below, at)
                else:
                    inner.append((number, after, ending, way, below))
            inner.reverse()
            stack += inner

    def _positions(self, hands: np.ndarray) -> list[list[int]]:
        """Return for each player and hand the position of the first representative that holds it."""
        return [np.unique(own, return_index=True)[1].tolist() for own in hands]

    def _enter_infosets(self, region: _Region, mover: int, states: list[Any], positions: list[int]) -> Labels:
        """Add the infosets of a bundle, one for each hand of the player; return the actions."""
        game, labels = self.game, tuple(self.game.actions(states[0]))
        if labels != tuple(game.actions(states[-1])):
            raise NotBundled
        number = self.label_sets.setdefault(labels, len(self.label_sets))
        region.labels.append(number)
        known, view = self.infosets[mover], game.view
        for position in positions:
            key = view(states[position], mover)
            infoset = known.get(key)
            if infoset is None:
                infoset = known[key] = len(self.keys)
                self.keys.append(key)
                self.infoset_player.append(mover)
                self.infoset_labels.append(number)
            region.ids.append(infoset)
        return labels

    def _chance(self, region: _Region, opening: int, last: _LastActions, path: Any) -> _Chance:
        """Return an event of chance, asked at every deal, with the region below."""
        states = region.states.after(path)
        draw = getattr(self.game, "draw", None)
        if draw is not None and float(draw(states[0], random.Random(0).random)[1]) * WIDEST < 1:
            raise NotBundled
        answers = [self.checked_chances(self.game.chances(state)) for state in states]
        sets = [self.label_sets.setdefault(labels, len(self.label_sets)) for labels, _ in answers]
        counts = [len(labels) for labels, _ in answers]
        if max(counts) > WIDEST:
            raise NotBundled
        self.histories += sum(counts)
        self.grown(self.histories)
        drawn = [(owner, label) for owner, (labels, _) in enumerate(answers) for label in labels]
        return _Chance(
            opening=opening,
            below=self._region(_States(self.game, states, drawn), (id(region.deals), tuple(sets)), last),
            label_sets=np.array(sets),
            owner=np.repeat(np.arange(len(states)), counts),
            place=np.concatenate([np.arange(count) for count in counts]),
            probabilities=np.array([chance for _, chances in answers for chance in chances]),
        )

    def _add_end(
        self, region: _Region, number: int, last: _LastActions, path: Any, states: list[Any], at: list[int]
    ) -> None:
        """Add an end: recognise its outcomes at the followed deals, or evaluate it at all of them."""
        game, deals = self.game, region.deals
        values = [game.payoffs(state) for state in states]
        known = deals.outcomes.setdefault(last, [])
        fits = [(one, found) for one in known if (found := one.payoffs_from(at, values)) is not None]
        if len(fits) == 1:
            outcomes, payoffs = fits[0]
            for outcome, deal in enumerate(outcomes.firsts):
                if outcome not in payoffs:
                    payoffs[outcome] = game.payoffs(region.states.one_after(path, deal))
        else:
            everywhere = region.states.after(path)
            if set(map(game.player, everywhere)) != {TERMINAL}:
                raise NotBundled
            outcomes, payoffs = _outcomes_of([game.payoffs(state) for state in everywhere])
            if outcomes in known:
                outcomes = known[known.index(outcomes)]
            else:
                known.append(outcomes)
                covered = {outcomes.number[deal] for deal in deals.representatives}
                deals.representatives += [deal for deal in outcomes.firsts if outcomes.number[deal] not in covered]
        region.ends.append((number, outcomes, len(region.payoffs) // game.players))
        for outcome in range(len(payoffs)):
            region.payoffs += self.checked_payoffs(payoffs[outcome])


def _outcomes_of(values: list[_Payoffs]) -> tuple[_Outcomes, dict[int, _Payoffs]]:
    """Return the outcomes of an end, numbered by first occurrence, and their payoffs."""
    numbers: dict[_Payoffs, int] = {}
    number = [numbers.setdefault(value, len(numbers)) for value in values]
    firsts = [number.index(outcome) for outcome in range(len(numbers))]
    return _Outcomes(number, firsts), {outcome: value for value, outcome in numbers.items()}


class BundledArrays:
    """The arrays of a tree, filled region by region; see `Tree` for their meaning.

    All numbers are those of a depth-first traversal history by history: infosets and label sets are numbered by the
    first opening of a history that has them.
    """

    def __init__(self, bundles: Bundles) -> None:
        self.bundles, size = bundles, 1 + int(bundles.root.sizes().sum())
        players = bundles.game.players
        self.player, self.infoset = np.full(size, TERMINAL, dtype=np.int8), np.full(size, -1, dtype=np.int32)
        self.parent, self.first_child = np.full(size, -1, dtype=np.int32), np.zeros(size, dtype=np.int32)
        self.chance, self.label_set = np.ones(size), np.full(size, -1, dtype=np.int32)
        self.ends: list[tuple[np.ndarray, np.ndarray]] = []
        self.infoset_opened = np.full(len(bundles.keys), size, dtype=np.int64)
        self.label_set_opened = np.full(len(bundles.label_sets), size, dtype=np.int64)
        self._fill(bundles.root, np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
        self.terminals = np.flatnonzero(self.player == TERMINAL).astype(np.int32)
        self.payoffs = np.zeros((len(self.terminals), players))
        row = np.cumsum(self.player == TERMINAL, dtype=np.int32) - 1
        for numbers, payoffs in self.ends:
            self.payoffs[row[numbers]] = payoffs

    def _fill(self, region: _Region, starts: np.ndarray, bases: np.ndarray) -> None:
        """Fill the arrays of a region; starts, bases: `[deals]` number of the start, and of its first child."""
        below = [chance.sizes for chance in region.chances]
        shifts = bases[:, None] + np.cumsum([np.zeros_like(bases), *below], axis=0).T
        before, origin = np.array(region.before, dtype=np.int64), np.array(region.origin, dtype=np.int64)
        numbers = np.empty((len(bases), len(origin) + 1), dtype=np.int64)  # last, the start: local number -1
        numbers[:, :-1] = np.arange(len(origin)) + shifts[:, before[origin]]
        numbers[:, -1] = starts
        nodes = numbers[:, region.node]
        firsts = np.array(region.first, dtype=np.int64) + shifts[:, before]
        self.parent[numbers[:, :-1]] = nodes[:, origin]
        self.first_child[nodes] = firsts
        self._fill_decisions(region, nodes, firsts)
        for chance in region.chances:
            self._fill_chance(chance, nodes[:, chance.opening], firsts[:, chance.opening])
        if region.ends:
            ends, outcomes, index = zip(*region.ends, strict=True)
            kinds = {id(one): one.number for one in outcomes}
            row_of = {kind: row for row, kind in enumerate(kinds)}
            outcome = np.array(list(kinds.values()))[[row_of[id(one)] for one in outcomes]]  # [ends, deals]
            values = np.array(region.payoffs).reshape(-1, self.bundles.game.players)[outcome.T + np.array(index)]
            self.ends.append((numbers[:, ends].ravel(), values.reshape(-1, self.bundles.game.players)))

    def _fill_decisions(self, region: _Region, nodes: np.ndarray, firsts: np.ndarray) -> None:
        movers = np.array(region.mover, dtype=np.int8)
        players = np.flatnonzero(movers >= 0)
        nodes, firsts, movers = nodes[:, players], firsts[:, players], movers[players]
        labels = np.array(region.labels, dtype=np.int32)[players]
        self.player[nodes], self.label_set[nodes] = movers, labels
        infosets = np.array(region.ids, dtype=np.int32)[
            np.array(region.infosets, dtype=np.int64)[players] + region.deals.hands[movers].T
        ]
        self.infoset[nodes] = infosets
        np.minimum.at(self.infoset_opened, infosets, firsts)
        np.minimum.at(self.label_set_opened, labels, firsts[0])

    def _fill_chance(self, chance: _Chance, nodes: np.ndarray, firsts: np.ndarray) -> None:
        self.player[nodes], self.label_set[nodes] = CHANCE, chance.label_sets
        np.minimum.at(self.label_set_opened, chance.label_sets, firsts)
        starts = firsts[chance.owner] + chance.place
        self.parent[starts], self.chance[starts] = nodes[chance.owner], chance.probabilities
        sizes = chance.below.sizes()
        earlier = np.cumsum(sizes) - sizes
        counts = np.bincount(chance.owner)
        since = earlier - earlier[np.cumsum(counts) - counts][chance.owner]
        self._fill(chance.below, starts, (firsts + counts)[chance.owner] + since)

    def fields(self) -> dict[str, Any]:
        """Return the fields of the tree that depend on the numbers of infosets and label sets."""
        infosets, sets = np.argsort(self.infoset_opened), np.argsort(self.label_set_opened)
        keys, labels = self.bundles.keys, list(self.bundles.label_sets)
        sizes = np.array([len(one) for one in labels], dtype=np.int16)[sets]
        label_set = _renumbered(self.label_set, sets)
        infoset_labels = _renumbered(np.array(self.bundles.infoset_labels), sets)[infosets]
        return {
            "player": self.player,
            "parent": self.parent,
            "first_child": self.first_child,
            "child_count": np.append(sizes, np.int16(0))[label_set],  # terminals have label set -1, the last
            "infoset": _renumbered(self.infoset, infosets),
            "chance": self.chance,
            "label_set": label_set,
            "terminals": self.terminals,
            "payoffs": self.payoffs,
            "infoset_player": np.array(self.bundles.infoset_player)[infosets],
            "infoset_labels": infoset_labels,
            "first_row": np.append(0, np.cumsum(sizes[infoset_labels])).astype(np.int32),
            "keys": tuple([keys[number] for number in infosets.tolist()]),
            "label_sets": tuple(labels[number] for number in sets),
        }


def _renumbered(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the position in `order` of each value; -1 stays."""
    places = np.full(len(order) + 1, -1, dtype=np.int32)
    places[order] = np.arange(len(order))
    return places[values]
