"""Compilation of card games with public actions: one traversal for all deals.

The histories of all deals with the same public actions are a bundle. Between two events of chance the bundles form a
`DealtRegion`. Its rules are asked at followed deals only, which cover every hand of every player; chance is asked at
every deal. The payoffs at an end depend on the deal by its `Outcomes`: these are recognised at followed deals, or
evaluated at every deal. This is an inference, so it is restricted to games that declare ``public_actions``, and the
tree is compared with the rules (see `compile_game`).
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from tefuda.errors import GameError, shortened
from tefuda.forms.bundles.deals import Deals, LastActions, Outcomes, Payoffs
from tefuda.games.answers import Conversions, Labels, actions_of, mover_of, outcomes_of, payoffs_of
from tefuda.games.protocol import CHANCE, TERMINAL, WIDEST, Game

REPORT_EVERY = 1 << 14  # histories from one report of progress to the next
_Path = tuple[Hashable, ...]  # actions since the start of a region

_PUBLIC = "it may depend on earlier actions alone, not on cards, public cards included"
_OWN = "player {} has the same cards and has seen the same actions there"
_TOO_WIDE = f"chance has more than {WIDEST:,} outcomes"


class NotBundled(GameError):
    """A game whose histories do not form bundles, or has too many deals; the message says why."""


@dataclass
class DealtChance:
    """An event of chance in a region, with the region below.

    Attributes:
        opening: index of the opening. label_sets: its label set at each deal before it.
        owner: the deal before it of each deal after it. place: index of its outcome there.
        probabilities: of the outcomes. sizes: number of histories below, for each deal before it.
    """

    opening: int
    below: DealtRegion
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
        self.known: dict[int, tuple[_Path, list[Any]]] = {}  # by number of actions

    def start(self, deal: int) -> Any:
        """Return the state of a deal at the start of the region."""
        if not self.drawn:
            return self.before[deal]
        owner, label = self.drawn[deal]
        return self.game.child(self.before[owner], label)

    def after(self, path: _Path) -> list[Any]:
        """Return the states of all deals after actions.

        They are remembered until those after as many other actions are asked for.
        """
        known, states = self.known.get(len(path), (None, []))
        if known != path:
            child = self.game.child
            if path:
                states = [child(state, path[-1]) for state in self.after(path[:-1])]
            else:
                states = list(map(self.start, range(len(self))))
            self.known[len(path)] = path, states
        return states

    def some_after(self, path: _Path, deals: list[int]) -> list[Any]:
        """Return the states of some deals after actions."""
        if len(deals) * (1 + len(path)) > len(self) or self.known.get(len(path), (None,))[0] == path:
            states = self.after(path)
            return [states[deal] for deal in deals]
        return [reduce(self.game.child, path, self.start(deal)) for deal in deals]

    def forget(self) -> None:
        self.known, self.before = {}, []

    def __len__(self) -> int:
        return len(self.drawn) or 1


class DealtRegion:
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

    def __init__(self, states: _States, deals: Deals) -> None:
        self.states, self.deals = states, deals
        self.origin: list[int] = []
        self.node: list[int] = []
        self.first: list[int] = []
        self.before: list[int] = []
        self.mover: list[int] = []
        self.labels: list[int] = []
        self.infosets: list[int] = []
        self.ids: list[int] = []
        self.chances: list[DealtChance] = []
        self.ends: list[tuple[int, Outcomes, int]] = []
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
        progress: callback for the number of histories so far; it may raise an exception.
        step: every so many followed deals are asked whether they agree. If it is 1, the rules are not trusted: hands
            are read from the views of all deals after each event of chance, not once for all public actions before it;
            more deals are followed; and views and ends are compared at all of them.
    """

    def __init__(self, game: Game, progress: Callable[[int], None] | None = None, step: int = 1) -> None:
        self.game, self.progress, self.step = game, progress, step
        self.histories, self.report_at = 1, REPORT_EVERY
        self.infosets: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.keys: list[Hashable] = []
        self.infoset_player, self.infoset_labels = list[int](), list[int]()
        self.label_sets: dict[Labels, int] = {}
        self.known_deals: dict[Any, Deals] = {}
        self.checked_actions, self.checked_chances = Conversions(actions_of), Conversions(outcomes_of)
        self.checked_payoffs = Conversions(lambda answer: array("d", payoffs_of(answer, game.players)))
        self.root = self._region(_States(game, [game.root()]), None, (None,) * game.players)

    def _grow(self, histories: int) -> None:
        """Add a number of histories; report progress once in `REPORT_EVERY`."""
        self.histories += histories
        if self.histories >= self.report_at and self.progress is not None:
            self.report_at = self.histories + REPORT_EVERY
            self.progress(self.histories)

    def _region(self, states: _States, dealt: Any, last: LastActions) -> DealtRegion:
        """Return the region that starts with some states; dealt: key of the outcomes of chance so far."""
        region = DealtRegion(states, self._deals(states, dealt))
        starts = states.some_after((), region.deals.followed)
        mover = self._mover(starts)
        if mover == TERMINAL:
            self._add_end(region, -1, last, (), starts, starts)
        else:
            self._traverse(region, mover, last, starts)
        states.forget()
        return region

    def _deals(self, states: _States, dealt: Any) -> Deals:
        """Return the hands, as seen in the views, and deals that cover them."""
        known = self.known_deals.get(dealt)
        if known is not None and self.step > 1:
            return known
        hands = self._hands(states.after(()))
        if known is None or not np.array_equal(known.hands, hands):
            known = self.known_deals[dealt] = Deals(hands, self.step)
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
        movers = list(map(self.game.player, states[:: self.step]))
        _require_equal("player", states[:: self.step], movers, _PUBLIC)
        return mover_of(movers[0], self.game.players)

    def _traverse(self, region: DealtRegion, mover: int, last: LastActions, starts: list[Any]) -> None:
        """Visit the bundles of a region depth-first; starts: states of the representatives."""
        child, player, trusted = self.game.child, self.game.player, self.step > 1
        stack: list[tuple[int, int, LastActions, _Path, list[Any]]] = [(-1, mover, last, (), starts)]
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
            self._grow(len(region.states) * len(labels))
            region.origin += [opening] * len(labels)
            inner, others = [], states[1:]
            for number, label in enumerate(labels, first):
                ending = (*last[:mover], label, *last[mover + 1 :])
                after, below = (*path, label), [child(states[0], label)]
                if trusted and player(below[0]) == TERMINAL:
                    self._add_end(region, number, ending, after, states)
                    continue
                below += [child(state, label) for state in others]
                if (next_mover := self._mover(below)) == TERMINAL:
                    self._add_end(region, number, ending, after, states, below)
                else:
                    inner.append((number, next_mover, ending, after, below))
            inner.reverse()
            stack += inner

    def _enter_infosets(self, region: DealtRegion, mover: int, states: list[Any]) -> Labels:
        """Add the infosets of a bundle, one for each hand of the player; return the actions."""
        answers = list(map(tuple, map(self.game.actions, states[:: self.step])))
        _require_equal("actions", states[:: self.step], answers, _PUBLIC)
        labels = self.checked_actions(answers[0])
        if len(labels) > WIDEST:
            raise NotBundled(f"the actions are more than {WIDEST:,}")
        number = self.label_sets.setdefault(labels, len(self.label_sets))
        region.labels.append(number)
        region.ids += self._numbers(mover, self._views(region.deals, mover, states), number)
        return labels

    def _views(self, deals: Deals, mover: int, states: list[Any]) -> list[Hashable]:
        """Return the view of each of a player's hands."""
        holders, view = deals.holders[mover], self.game.view
        if self.step > 1:
            return [view(states[place], mover) for place in holders]
        views = [view(state, mover) for state in states]
        equals = deals.equals[mover]
        if views != [views[place] for place in equals]:
            place = next(place for place, equal in enumerate(equals) if views[place] != views[equal])
            pair = (equals[place], place)
            _require_equal("view", [states[one] for one in pair], [views[one] for one in pair], _OWN.format(mover))
        return [views[place] for place in holders]

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

    def _chance(self, region: DealtRegion, opening: int, last: LastActions, path: _Path) -> DealtChance:
        """Return an event of chance, asked at every deal, with the region below."""
        states = region.states.after(path)
        if self.step == 1:
            self._mover(states)
        draw = getattr(self.game, "draw", None)
        if draw is not None and float(draw(states[0], random.Random(0).random)[1]) * WIDEST < 1:
            raise NotBundled(_TOO_WIDE)
        answers = [self.checked_chances(self.game.chances(state)) for state in states]
        sets = [self.label_sets.setdefault(labels, len(self.label_sets)) for labels, _ in answers]
        counts = [len(labels) for labels, _ in answers]
        if max(counts) > WIDEST:
            raise NotBundled(_TOO_WIDE)
        self._grow(sum(counts))
        drawn = [(owner, label) for owner, (labels, _) in enumerate(answers) for label in labels]
        return DealtChance(
            opening=opening,
            below=self._region(_States(self.game, states, drawn), (id(region.deals), tuple(sets)), last),
            label_sets=np.array(sets),
            owner=np.repeat(np.arange(len(states)), counts),
            place=np.concatenate([np.arange(count) for count in counts]),
            probabilities=np.array([chance for _, chances in answers for chance in chances]),
        )

    def _add_end(
        self,
        region: DealtRegion,
        number: int,
        last: LastActions,
        path: _Path,
        states: list[Any],
        ends: Sequence[Any] = (),
    ) -> None:
        """Add an end: recognise its outcomes at some of the followed deals, or evaluate it at all deals.

        states, ends: those of the followed deals before and after the last action; ends are found if they are missing.
        """
        known = region.deals.outcomes.setdefault(last, [])
        found = self._recognised(known, path, states, ends)
        if found is None or (found[0].others and not self._agree(region, path, *found)):
            everywhere = region.states.after(path)
            self._require_ends(everywhere)
            found = region.deals.add_outcomes(last, self._payoffs(everywhere))
        outcomes, payoffs = found
        region.ends.append((number, outcomes, len(region.payoffs) // self.game.players))
        for outcome in range(len(payoffs)):
            region.payoffs += self.checked_payoffs(payoffs[outcome])

    def _recognised(
        self, known: list[Outcomes], path: _Path, states: list[Any], ends: Sequence[Any]
    ) -> tuple[Outcomes, dict[int, Payoffs]] | None:
        """Return the outcomes of an end, and their payoffs, if exactly one of the known outcomes fits."""
        child, fits = self.game.child, []
        values = self._payoffs(ends) if known and ends else ()
        for one in known:
            if values:
                payoffs = one.payoffs_from([values[place] for place in one.witnesses])
            else:
                payoffs = one.payoffs_from(self._payoffs([child(states[place], path[-1]) for place in one.witnesses]))
            if payoffs is not None:
                fits.append((one, payoffs))
        if len(fits) == 1:
            return fits[0]
        return None

    def _agree(self, region: DealtRegion, path: _Path, outcomes: Outcomes, payoffs: dict[int, Payoffs]) -> bool:
        """Return whether further deals have the payoffs of their outcomes; add those of other outcomes."""
        ends = region.states.some_after(path, outcomes.others)
        self._require_ends(ends)
        pairs = zip(outcomes.others, self._payoffs(ends), strict=True)
        return all(payoffs.setdefault(outcomes.number[deal], value) == value for deal, value in pairs)

    def _require_ends(self, states: list[Any]) -> None:
        """Raise NotBundled, with a state, unless the game has ended at all states."""
        for state, mover in zip(states, map(self.game.player, states), strict=True):
            if mover != TERMINAL:
                raise NotBundled(
                    f"player() returns {shortened(mover)} at {shortened(state)}, although the game ends there at other "
                    f"deals; {_PUBLIC}"
                )

    def _payoffs(self, ends: Sequence[Any]) -> list[Payoffs]:
        """Return the payoffs at ends as tuples, which can be compared."""
        return [answer if answer.__class__ is tuple else tuple(answer) for answer in map(self.game.payoffs, ends)]


def _require_equal(function: str, states: list[Any], answers: list[Any], rule: str) -> None:
    """Raise NotBundled, with two states, if answers of a function differ between deals."""
    first = answers[0]
    if answers.count(first) < len(answers):
        other = next(place for place, answer in enumerate(answers) if answer != first)
        raise NotBundled(
            f"{function}() returns {shortened(first)} at {shortened(states[0])} and {shortened(answers[other])} at "
            f"{shortened(states[other])}; {rule}"
        )
