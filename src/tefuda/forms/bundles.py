"""Compilation of card games with public actions: one traversal for all deals.

The histories of all deals with the same public actions are a bundle. Between two events of chance the bundles form a
`_Region`. Its rules are asked at representative deals only, which cover every hand of every player; chance is asked at
every deal. The payoffs at an end depend on the deal by its `_Outcomes`: these are recognised at representatives, or
evaluated at every deal. This is an inference, so it is restricted to games that declare ``public_actions``, and the
tree is compared with the rules (see `compile_game`).
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tefuda.games.answers import Conversions, Labels, actions_of, mover_of, outcomes_of, payoffs_of
from tefuda.games.protocol import CHANCE, TERMINAL, WIDEST, Game

#: Payoffs of each player, as the rules give them, and the last action of each player.
_Payoffs = Sequence[Any]
_LastActions = tuple[Hashable, ...]

_TOO_WIDE = f"chance has more than {WIDEST:,} outcomes"


class NotBundled(Exception):
    """A game whose histories do not form bundles, or has too many deals; the message says why."""


@dataclass
class _Outcomes:
    """The outcomes of ends at the deals, as numbers.

    Attributes:
        number: `[deals]` the outcome at each deal.
        firsts: the first deal of each outcome.
        witnesses: places of some representatives, at which another end is compared with these outcomes.
        seen: the outcomes at the witnesses.
    """

    number: list[int]
    firsts: list[int]
    witnesses: list[int]
    seen: list[int]

    def payoffs_from(self, values: list[_Payoffs]) -> dict[int, _Payoffs] | None:
        """Return payoffs by outcome from those at the witnesses; None if these do not agree."""
        payoffs = dict(zip(self.seen, values, strict=True))
        agree = len(payoffs) == len(values) or values == [payoffs[outcome] for outcome in self.seen]
        return payoffs if agree else None


@dataclass
class _Deals:
    """The outcomes of chance so far, shared by all regions below them.

    Attributes:
        hands: `[P, deals]` number of each player's view at the start of a region.
        representatives: deals that cover every hand of every player.
        holders: `[P]` lists of the place of a representative with each of the player's hands.
        outcomes: the known outcomes of ends, by the last action of each player. These alone show who folded, or whose
            bid was called, in the games concerned.
    """

    hands: np.ndarray  # [P, deals] int64
    representatives: list[int]
    holders: list[list[int]]
    outcomes: dict[_LastActions, list[_Outcomes]] = field(default_factory=dict)

    def add_outcomes(
        self, last: _LastActions, values: list[_Payoffs], step: int
    ) -> tuple[_Outcomes, dict[int, _Payoffs]]:
        """Return the outcomes of an end, and their payoffs; values: `[deals]` its payoffs."""
        numbers: dict[_Payoffs, int] = {}
        number = [numbers.setdefault(value, len(numbers)) for value in values]
        payoffs = {outcome: value for value, outcome in numbers.items()}
        known = self.outcomes[last]
        for outcomes in known:
            if outcomes.number == number:
                return outcomes, payoffs
        at = [number[deal] for deal in self.representatives]
        witnesses = sorted({*map(at.index, set(at)), *range(0, len(at), step)})
        known.append(_Outcomes(number, _first_places(number), witnesses, [at[place] for place in witnesses]))
        return known[-1], payoffs


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
        step: every so many followed deals are asked whether they agree. If it is 1, hands are read from the views of
            all deals after each event of chance; otherwise once for all public actions before it.
    """

    def __init__(self, game: Game, grown: Callable[[int], None], step: int = 1) -> None:
        self.game, self.grown, self.step, self.histories = game, grown, step, 1
        self.infosets: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.keys: list[Hashable] = []
        self.infoset_player, self.infoset_labels = list[int](), list[int]()
        self.label_sets: dict[Labels, int] = {}
        self.known_deals: dict[Any, _Deals] = {}
        self.checked_actions, self.checked_chances = Conversions(actions_of), Conversions(outcomes_of)
        self.checked_payoffs = Conversions(lambda answer: array("d", payoffs_of(answer, game.players)))
        self.root = self._region(_States(game, [game.root()]), None, (None,) * game.players)

    def _region(self, states: _States, dealt: Any, last: _LastActions) -> _Region:
        """Return the region that starts with some states; dealt: key of the outcomes of chance so far."""
        region = _Region(states, self._deals(states, dealt))
        starts = list(map(states.start, region.deals.representatives))
        mover = self._mover(starts)
        if mover == TERMINAL:
            self._add_end(region, -1, last, (), starts)
        else:
            self._traverse(region, mover, last, starts)
        states.forget()
        return region

    def _deals(self, states: _States, dealt: Any) -> _Deals:
        """Return the hands, as seen in the views, and deals that cover them."""
        known = self.known_deals.get(dealt)
        if known is not None and self.step > 1:
            return known
        hands = self._hands(states.after(()))
        if known is None or not np.array_equal(known.hands, hands):
            deals = _covering(hands)
            known = self.known_deals[dealt] = _Deals(
                hands, deals, [_first_places(own[deals].tolist()) for own in hands]
            )
        return known

    def _hands(self, states: list[Any]) -> np.ndarray:
        """Return `[P, deals]` the number of each player's view."""
        hands = np.zeros((self.game.players, len(states)), dtype=np.int64)
        for player in range(self.game.players) if len(states) > 1 else ():
            numbers: dict[Hashable, int] = {}
            hands[player] = [numbers.setdefault(self.game.view(state, player), len(numbers)) for state in states]
        return hands

    def _mover(self, states: list[Any]) -> int:
        """Return the player to move at some of the states."""
        movers = set(map(self.game.player, states[:: self.step]))
        if len(movers) > 1:
            raise NotBundled("the player to move depends on the deal")
        return mover_of(movers.pop(), self.game.players)

    def _traverse(self, region: _Region, mover: int, last: _LastActions, starts: list[Any]) -> None:
        """Visit the bundles of a region depth-first; starts: states of the representatives."""
        child, player = self.game.child, self.game.player
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
            labels = self._enter_infosets(region, mover, states)
            self.histories += len(region.states) * len(labels)
            self.grown(self.histories)
            region.origin += [opening] * len(labels)
            inner, others = [], states[1:]
            for number, label in enumerate(labels, first):
                ending = (*last[:mover], label, *last[mover + 1 :])
                below = [child(states[0], label)]
                if player(below[0]) == TERMINAL:
                    self._add_end(region, number, ending, (path, label), states)
                else:
                    below += [child(state, label) for state in others]
                    inner.append((number, self._mover(below), ending, (path, label), below))
            inner.reverse()
            stack += inner

    def _enter_infosets(self, region: _Region, mover: int, states: list[Any]) -> Labels:
        """Add the infosets of a bundle, one for each hand of the player; return the actions."""
        game = self.game
        answers = set(map(tuple, map(game.actions, states[:: self.step])))
        labels = self.checked_actions(answers.pop())
        if answers or len(labels) > WIDEST:
            raise NotBundled(f"the actions depend on the deal, or are more than {WIDEST:,}")
        number = self.label_sets.setdefault(labels, len(self.label_sets))
        region.labels.append(number)
        views = [game.view(states[place], mover) for place in region.deals.holders[mover]]
        region.ids += self._numbers(mover, views, number)
        return labels

    def _numbers(self, mover: int, views: list[Hashable], label_set: int) -> list[int]:
        """Return the infosets of views, which are added if they are new."""
        known, keys, before = self.infosets[mover], self.keys, len(self.keys)
        new = dict(zip(views, range(before, before + len(views)), strict=True))
        if len(new) == len(views) and known.keys().isdisjoint(new):  # here for speed
            known.update(new)
            keys += views
            numbers = list(new.values())
        else:
            for view in views:
                if known.setdefault(view, len(keys)) == len(keys):
                    keys.append(view)
            numbers = [known[view] for view in views]
            if any(self.infoset_labels[number] != label_set for number in numbers if number < before):
                raise NotBundled("an infoset has several sets of actions")
        self.infoset_player += [mover] * (len(keys) - before)
        self.infoset_labels += [label_set] * (len(keys) - before)
        return numbers

    def _chance(self, region: _Region, opening: int, last: _LastActions, path: Any) -> _Chance:
        """Return an event of chance, asked at every deal, with the region below."""
        states = region.states.after(path)
        draw = getattr(self.game, "draw", None)
        if draw is not None and float(draw(states[0], random.Random(0).random)[1]) * WIDEST < 1:
            raise NotBundled(_TOO_WIDE)
        answers = [self.checked_chances(self.game.chances(state)) for state in states]
        sets = [self.label_sets.setdefault(labels, len(self.label_sets)) for labels, _ in answers]
        counts = [len(labels) for labels, _ in answers]
        if max(counts) > WIDEST:
            raise NotBundled(_TOO_WIDE)
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

    def _add_end(self, region: _Region, number: int, last: _LastActions, path: Any, states: list[Any]) -> None:
        """Add an end: recognise its outcomes at some of the followed deals, or evaluate it at all deals.

        states: those of the followed deals before the last action; at the end, if there are no actions.
        """
        game, child, known = self.game, self.game.child, region.deals.outcomes.setdefault(last, [])
        fits = []
        for one in known:
            ends = [states[place] for place in one.witnesses]
            if path:
                ends = [child(state, path[1]) for state in ends]
            payoffs = one.payoffs_from(self._payoffs(ends))
            if payoffs is not None:
                fits.append((one, payoffs))
        if len(fits) == 1:
            outcomes, payoffs = fits[0]
            for outcome, deal in enumerate(outcomes.firsts):
                if outcome not in payoffs:
                    payoffs[outcome] = self._payoffs([region.states.one_after(path, deal)])[0]
        else:
            everywhere = region.states.after(path)
            if set(map(game.player, everywhere)) != {TERMINAL}:
                raise NotBundled("the end of the game depends on the deal")
            outcomes, payoffs = region.deals.add_outcomes(last, self._payoffs(everywhere), self.step)
        region.ends.append((number, outcomes, len(region.payoffs) // game.players))
        for outcome in range(len(payoffs)):
            region.payoffs += self.checked_payoffs(payoffs[outcome])

    def _payoffs(self, ends: list[Any]) -> list[_Payoffs]:
        """Return the payoffs at ends as tuples, which can be compared."""
        return [answer if answer.__class__ is tuple else tuple(answer) for answer in map(self.game.payoffs, ends)]


def _covering(hands: np.ndarray) -> list[int]:
    """Return deals that cover every hand of every player; hands: `[P, deals]`.

    Those with the most new hands are chosen first.
    """
    missing, deals = [set(own) for own in hands.tolist()], []
    held = list(zip(*hands.tolist(), strict=True))
    for new in range(len(hands), 0, -1):
        for deal, ones in enumerate(held):
            if sum(map(set.__contains__, missing, ones)) == new:
                deals.append(deal)
                for own, hand in zip(missing, ones, strict=True):
                    own.discard(hand)
                if not any(missing):
                    return deals
    raise AssertionError


def _first_places(numbers: list[int]) -> list[int]:
    """Return the first place of each of the numbers 0, 1, ... in a list that contains them all."""
    places = {number: place for place, number in zip(range(len(numbers) - 1, -1, -1), reversed(numbers), strict=True)}
    return [places[number] for number in range(len(places))]


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
        np.add(shifts.take(before[origin], axis=1), np.arange(len(origin)), out=numbers[:, :-1])
        numbers[:, -1] = starts
        nodes = numbers.take(region.node, axis=1)
        firsts = shifts.take(before, axis=1) + np.array(region.first, dtype=np.int64)
        self.parent[numbers[:, :-1]] = nodes.take(origin, axis=1)
        self.first_child[nodes] = firsts
        self._fill_decisions(region, nodes, firsts)
        for chance in region.chances:
            self._fill_chance(chance, nodes[:, chance.opening], firsts[:, chance.opening])
        if region.ends:
            ends, outcomes, index = zip(*region.ends, strict=True)
            kinds = {id(one): one.number for one in outcomes}
            row_of = {kind: row for row, kind in enumerate(kinds)}
            outcome = np.array(list(kinds.values()))[[row_of[id(one)] for one in outcomes]]  # [ends, deals]
            payoffs = np.array(region.payoffs).reshape(-1, self.bundles.game.players)
            values = payoffs.take(outcome.T + np.array(index), axis=0)
            self.ends.append((numbers.take(ends, axis=1).ravel(), values.reshape(-1, self.bundles.game.players)))

    def _fill_decisions(self, region: _Region, nodes: np.ndarray, firsts: np.ndarray) -> None:
        movers = np.array(region.mover, dtype=np.int8)
        players = np.flatnonzero(movers >= 0)
        nodes, firsts, movers = nodes[:, players], firsts[:, players], movers[players]
        labels = np.array(region.labels, dtype=np.int32)[players]
        self.player[nodes], self.label_set[nodes] = movers, labels
        places = np.array(region.infosets, dtype=np.int64)[players] + region.deals.hands[movers].T
        infosets = np.array(region.ids, dtype=np.int32).take(places)
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
        infoset_labels = _renumbered(np.array(self.bundles.infoset_labels, dtype=np.int32), sets)[infosets]
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
            "infoset_player": np.array(self.bundles.infoset_player, dtype=np.int8)[infosets],
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
