"""A simulator of any rules, for games that are too large to compile."""

from __future__ import annotations

import json
import warnings
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import GameError, ParameterError, RunError, SizeError, check_range, shortened
from tefuda.files import FieldSpec, as_tuples, check_fields, parse_json, survives_json
from tefuda.forms.builder import BuildProgress
from tefuda.forms.features import encode_view, feature_numbers, nearest_units
from tefuda.forms.form import Saved
from tefuda.forms.simulate import TreeSimulator, ViewSimulator, deal_decisions, require_steppable
from tefuda.forms.tree import Tree
from tefuda.games.answers import (
    actions_of,
    attribute_of,
    calling_rules,
    endless_game,
    mover_of,
    name_of,
    payoffs_at,
    view_of,
)
from tefuda.games.check import require_sound
from tefuda.games.kit import kit_of
from tefuda.games.plays import draw_outcome, play
from tefuda.games.protocol import CHANCE, LONGEST, Game, State, labels, own_function
from tefuda.games.report import RECALL, Link, history_of

_CHECKED_HISTORIES = 200  # histories of a game that are checked first
_SAMPLED_GAMES = 300  # random games to collect labels
_SOURCES = ("tree", "rules", "views", "own")


def simulate_rules(game: Game, *, encoded: bool = False) -> ViewSimulator:
    """Return the game's own simulator if it has one, see `Kit.simulator`, else a `RulesSimulator`.

    encoded: network inputs must follow from views alone.
    """
    own = kit_of(game).simulator()
    if not isinstance(own, ViewSimulator | None):
        raise GameError(f"{name_of(game)}: simulator must return a ViewSimulator or None, got {shortened(own)}.")
    return RulesSimulator(game, encoded=encoded) if own is None or (encoded and not own.sees_views) else own


def build_simulator(
    game: Game | Tree, saved: Saved, building: BuildProgress | None = None
) -> TreeSimulator | ViewSimulator:
    """Return the simulator of a game; see `Form.build`.

    Without a source, it simulates the tree, or the rules by their views if the tree is too large.

    Raises:
        RunError: an unknown source.
    """
    check_fields("the saved simulator", saved.fields, {"source": FieldSpec((str,), choices=_SOURCES, needed=False)})
    source = saved.fields.get("source", "")
    if source in ("", TreeSimulator.source):
        try:
            return TreeSimulator(Tree.build(game, Saved(), building))
        except SizeError as error:
            if source or isinstance(game, Tree):
                raise
            warnings.warn(f"{error} Using the rules instead.", RuntimeWarning, stacklevel=2)
            return simulate_rules(game, encoded=True)
    if isinstance(game, Tree):
        raise ParameterError("the run simulates the rules of its game; give the rules, not a tree.")
    return simulate_rules(game) if source == "own" else RulesSimulator(game, encoded=source == "views")


class PlayedGame(NamedTuple):
    """A game in play: state, player to move, and history."""

    state: State
    mover: int
    link: Link = None
    length: int = 0


class ActionUnits(NamedTuple):
    """The units of a set of actions: which units are legal, and the index of each unit's action."""

    legal: np.ndarray  # [U] bool
    action: np.ndarray  # [U] int64


class RulesSimulator(ViewSimulator):
    """A simulator of rules with the seven functions.

    Units are action labels: the rules' ``action_labels`` if declared, else labels found in random games plus
    spare units for new labels. Network inputs are the rules' ``features(state, player)`` if present, else
    encoded views (`features.encode_view`). Two views with equal inputs are very unlikely; only trees are
    checked for them.

    Args:
        game: the rules.
        labels: all action labels, in the order of the units; see above.
        width: number of inputs of an encoded view, ignored if the rules have features.
        encoded: encode views even if the rules have features.

    Raises:
        GameError: the rules are not a game.
        ParameterError: repeated labels, or a width out of range.

    >>> import numpy as np
    >>> simulator = td.forms.RulesSimulator(td.load_game("kuhn"))
    >>> games = simulator.deal(3, np.random.default_rng(0))
    >>> simulator.player(games).tolist(), simulator.legal(games)[0, :2].tolist()
    ([0, 0, 0], [True, True])
    """

    def __init__(
        self, game: Game, labels: Iterable[Hashable] | None = None, *, width: int = 256, encoded: bool = False
    ) -> None:
        check_range("width", width, 8, 1 << 20)
        require_sound(game, _CHECKED_HISTORIES, _CHECKED_HISTORIES // 10, accepted=RECALL[:1])
        self.game, self.players, self.width = game, game.players, width
        self.source = "views" if encoded else "rules"
        self._own = None if encoded else own_function(game, "features")
        self.sees_views = self._own is None
        declared = attribute_of(game, "action_labels") if labels is None else labels
        known = _declared(declared) if declared is not None else self._sampled_labels()
        self._unit: dict[Hashable, int] = {label: unit for unit, label in enumerate(known)}
        self._given = known
        self.units = len(known) + (0 if declared is not None else max(8, len(known) // 2))
        self._units: dict[tuple[Hashable, ...], ActionUnits] = {}
        first: PlayedGame = deal_decisions(self, 1, np.random.default_rng(0))[0]
        with calling_rules(game):
            self.features = width if self._own is None else len(self._inputs(first.state, first.mover))

    def _sampled_labels(self) -> tuple[Hashable, ...]:
        """Return the action labels of some random games, in the order of first use."""
        met: dict[Hashable, None] = {}
        rng = np.random.default_rng(0)
        with calling_rules(self.game):
            for _ in range(_SAMPLED_GAMES):
                for step in play(self.game, rng)[0]:
                    if step.player != CHANCE:
                        met |= dict.fromkeys(actions_of(self.game.actions(step.state)))
        if not met:
            raise GameError(f"{self.title} has no decisions, so there is nothing to learn.")
        return tuple(met)

    def deal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        with calling_rules(self.game):
            root = self.game.root()
            return self._after_chance([self._at(root, None, 0) for _ in range(count)], rng)

    def player(self, games: np.ndarray) -> np.ndarray:
        return np.array([game.mover for game in games], dtype=np.int64)

    def legal(self, games: np.ndarray) -> np.ndarray:
        legal = np.zeros((len(games), self.units), dtype=bool)
        with calling_rules(self.game):
            for row, game in zip(legal, games, strict=True):
                if game.mover >= 0:
                    row[:] = self._units_at(game.state).legal
        return legal

    def observe(self, games: np.ndarray) -> np.ndarray:
        inputs = np.zeros((len(games), self.features), dtype=np.float32)
        with calling_rules(self.game):
            for row, game in zip(inputs, games, strict=True):
                if game.mover >= 0:
                    self._fill(row, game.state, game.mover)
        return inputs

    def observe_all(self, games: np.ndarray) -> np.ndarray:
        inputs = np.zeros((len(games), self.players, self.features), dtype=np.float32)
        with calling_rules(self.game):
            for row, game in zip(inputs, games, strict=True):
                for player in range(self.players):
                    self._fill(row[player], game.state, player)
        return inputs.reshape(len(games), -1)

    def step(self, games: np.ndarray, units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        require_steppable(self, games, units)
        rules, after = self.game, []
        with calling_rules(rules):
            for game, unit in zip(games, units.tolist(), strict=True):
                label = actions_of(rules.actions(game.state))[self._units_at(game.state).action[unit]]
                after.append(self._after(game, label))
            return self._after_chance(after, rng)

    def payoffs(self, games: np.ndarray) -> np.ndarray:
        with calling_rules(self.game):
            rows = [payoffs_at(self.game, game.state) for game in games]
        return np.array(rows, dtype=np.float64).reshape(-1, self.players)

    def _at(self, state: State, link: Link, length: int) -> PlayedGame:
        if length > LONGEST:
            raise endless_game(self.game)
        return PlayedGame(state, mover_of(self.game.player(state), self.players), link, length)

    def _after(self, game: PlayedGame, label: Hashable) -> PlayedGame:
        return self._at(self.game.child(game.state, label), (game.link, label), game.length + 1)

    def _after_chance(self, games: list[PlayedGame], rng: np.random.Generator) -> np.ndarray:
        """Return the games after chance moves; games draw in turn, as in `TreeSimulator`."""
        while moving := [place for place, game in enumerate(games) if game.mover == CHANCE]:
            for place in moving:
                label = draw_outcome(self.game, games[place].state, rng.random)[0]
                games[place] = self._after(games[place], label)
        return _column(games)

    def _units_at(self, state: State) -> ActionUnits:
        """Return the units of a state's actions, cached for each set of actions."""
        actions = tuple(self.game.actions(state))
        action_units = self._units.get(actions)
        if action_units is None:
            units = np.array([self.unit_of(label) for label in actions_of(actions)])
            legal = np.zeros(self.units, dtype=bool)
            legal[units] = True
            action_units = self._units[actions] = ActionUnits(legal, nearest_units(units, self.units))
        return action_units

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels of the used units, in order."""
        return tuple(self._unit)

    def unit_of(self, label: Hashable) -> int:
        """Return the unit of an action label; a new label gets a spare unit.

        Raises:
            GameError: no spare unit is left.
        """
        if label not in self._unit:
            if len(self._unit) == self.units:
                raise GameError(
                    f"{self.name}: no unit is left for the action {shortened(label)}: all {self.units} are "
                    "used. Declare every label as action_labels in the rules, or pass labels=."
                )
            self._unit[label] = len(self._unit)
        return self._unit[label]

    def _inputs(self, state: State, player: int) -> tuple[float, ...]:
        return feature_numbers(self.name, self._own(state, player))  # type: ignore[misc]

    def _fill(self, row: np.ndarray, state: State, player: int) -> None:
        if self._own is None:
            self.encode(view_of(self.game.view(state, player)), row)
            return
        features = self._inputs(state, player)
        if len(features) != len(row):
            raise GameError(f"{self.name}: features() gives {len(features)} numbers, then {len(row)}; fix its length.")
        row[:] = features

    def encode(self, view: Hashable, row: np.ndarray) -> None:
        encode_view(view, row)

    def save_games(self, games: np.ndarray) -> np.ndarray:
        """Return games as bytes with labels and histories.

        Raises:
            ParameterError: labels that JSON cannot represent.
        """
        histories = [history_of(game.link) for game in games]
        for label in (*self._unit, *(label for history in histories for label in history)):
            if not survives_json(label):
                raise ParameterError(
                    f"labels must be texts, numbers or tuples of them to be saved; got {shortened(label)}."
                )
        text = json.dumps({"labels": list(self._unit), "histories": histories})
        return np.frombuffer(text.encode(), dtype=np.uint8)

    def load_games(self, saved: np.ndarray, count: int) -> np.ndarray:
        try:
            content = as_tuples(parse_json(np.asarray(saved, dtype=np.uint8).tobytes()))
            known, histories = content["labels"], content["histories"]
            fits = known[: len(self._given)] == self._given and len(self._given) <= len(set(known)) == len(known)
            if not fits or len(known) > self.units or len(histories) != count:
                raise ValueError("other labels, or another number of games")
            games = [self._replayed(history) for history in histories]
        except (GameError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise RunError(f"the state is damaged: its games cannot be replayed: {shortened(error)}.") from None
        self._unit, self._units = {label: unit for unit, label in enumerate(known)}, {}
        return _column(games)

    def _replayed(self, history: Sequence[Hashable]) -> PlayedGame:
        """Return the game with this history, at a decision."""
        rules = self.game
        with calling_rules(rules):
            game = self._at(rules.root(), None, 0)
            for label in history:
                if label not in labels(rules, game.state):
                    raise ValueError(f"{label!r} is illegal")
                game = self._after(game, label)
        if game.mover < 0:
            raise ValueError("a table is not at a decision")
        return game


def _declared(labels: Any) -> tuple[Hashable, ...]:
    """Return declared labels; raise ParameterError unless they are distinct."""
    with suppress(Exception):  # of the labels' own code too
        known = tuple(labels)
        if known and len(set(known)) == len(known):
            return known
    raise ParameterError(f"labels must be distinct and not empty; got {shortened(labels)}.")


def _column(games: list[PlayedGame]) -> np.ndarray:
    """Return games as an array of objects `[G]`."""
    column = np.empty(len(games), dtype=object)
    for place, game in enumerate(games):
        column[place] = game
    return column
