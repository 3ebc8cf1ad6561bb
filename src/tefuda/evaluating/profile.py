"""Profiles: the behaviour strategies of all players, a probability for each infoset-action pair."""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ProfileError, UnknownNameError, check_range, one_of, out_of_range, shortened, wrong_type
from tefuda.evaluating import values as exact
from tefuda.evaluating.values import Strategies, require_profile
from tefuda.files import TEXT, ArraySpec, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.programs import responded
from tefuda.forms.sequence import sequence_form
from tefuda.forms.tree import Tree, require_tree
from tefuda.games.answers import TOLERANCE, probabilities_given
from tefuda.games.protocol import Label, View
from tefuda.lazy import load_reference
from tefuda.views import VIEWERS, Displayable, data_frame, short_repr

#: Function f(player, key, actions) that returns one probability per action, or a mapping from actions to probabilities.
StrategyFunction = Callable[[int, View, tuple[Label, ...]], Sequence[float] | Mapping[Label, float]]


@dataclass(frozen=True, eq=False)
class Profile(Displayable, Strategies, Mapping[str, dict[Label, float]]):
    """Strategies of all players, as a read-only mapping from the names of infosets to their strategies.

    Infosets may also be given by (player, key) or by number. Two profiles are equal only if they are the same object.

    Args:
        tree: the game.
        probabilities: `[R]` probability of each infoset-action pair; they sum to 1 at each infoset. Copied and made
            read-only.
        completed: `[I]` bool, infosets that a solver never weighed, where a best response stands; None for none.

    Raises:
        ProfileError: the shape is wrong, or the numbers of an infoset are not probabilities.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.Profile.uniform(tree)["1: K|b"]
    {'p': 0.5, 'b': 0.5}
    >>> td.Profile.from_function(tree, lambda player, key, actions: (0.25, 0.75))["0: J|"]["b"]
    0.75
    >>> len(td.Profile.uniform(tree)), "1: K|b" in td.Profile.uniform(tree)
    (12, True)
    """

    tree: Tree
    probabilities: np.ndarray  # [R] float64
    completed: np.ndarray | None = None  # [I] bool

    def __post_init__(self) -> None:
        require_tree(self.tree)
        try:
            values = np.array(self.probabilities, dtype=np.float64)
        except (TypeError, ValueError):
            raise ProfileError(
                f"a profile of {self.tree.name} needs {self.tree.rows} probabilities; "
                f"got {shortened(self.probabilities)}."
            ) from None
        if values.shape != (self.tree.rows,):
            raise ProfileError(
                f"a profile of {self.tree.name} needs {self.tree.rows} probabilities; got shape {values.shape}."
            )
        sums = np.add.reduceat(values, self.tree.first_row[:-1]) if self.tree.infosets else np.zeros(0)
        wrong = ~(np.abs(sums - 1) <= TOLERANCE)  # nan counts as wrong
        negative = np.flatnonzero(~(values >= 0))
        if wrong.any() or negative.size:
            number = self.tree.infoset_of_row[negative[0]] if negative.size else np.flatnonzero(wrong)[0]
            rows = self.tree.rows_of(int(number))
            raise ProfileError(
                f"infoset {self.tree.name_of(number)!r} has {values[rows].tolist()}; probabilities must not be "
                f"negative and must sum to 1."
            )
        if self.completed is not None and np.shape(self.completed) != (self.tree.infosets,):
            raise ProfileError(f"completed needs {self.tree.infosets} marks; got {shortened(self.completed)}.")
        values.setflags(write=False)
        object.__setattr__(self, "probabilities", values)

    def __repr__(self) -> str:
        tree = self.tree
        return f"Profile({tree.name}, {tree.players} players, {tree.infosets:,} infosets, {tree.rows:,} probabilities)"

    def __str__(self) -> str:
        """Return the table of the infosets that are reached most often."""
        return str(load_reference(VIEWERS["text"])(self))

    @classmethod
    def uniform(cls, tree: Tree) -> Profile:
        """Return the uniform profile: all actions of an infoset have the same probability."""
        require_tree(tree)
        return cls(tree, 1 / tree.action_counts[tree.infoset_of_row])

    @classmethod
    def random(cls, tree: Tree, rng: np.random.Generator) -> Profile:
        """Draw a profile from a flat Dirichlet distribution at each infoset."""
        require_tree(tree)
        if not isinstance(rng, np.random.Generator):
            raise wrong_type("a Generator", rng, "Write numpy.random.default_rng(seed).")
        return cls.from_weights(tree, rng.exponential(size=tree.rows))

    @classmethod
    def from_weights(cls, tree: Tree, weights: np.ndarray) -> Profile:
        """Return the profile in proportion to weights `[R]` at each infoset; uniform where they sum to 0."""
        require_tree(tree)
        weights = finite_numbers("weights", weights, tree.rows)
        sums = np.add.reduceat(weights, tree.first_row[:-1])
        safe = np.where(sums > 0, sums, 1)[tree.infoset_of_row]
        uniform = (1 / tree.action_counts)[tree.infoset_of_row]
        return cls(tree, np.where(sums[tree.infoset_of_row] > 0, weights / safe, uniform))

    @classmethod
    def from_function(cls, tree: Tree, function: StrategyFunction) -> Profile:
        """Return the profile that a function defines.

        Args:
            tree: the game.
            function: function of (player, key, actions) that returns the probabilities in the order of the actions,
                or a mapping from actions to probabilities; missing actions get 0.

        Raises:
            ProfileError: the function returns unknown actions, or numbers that are not probabilities.
            ParameterError: `function` cannot be called.
        """
        require_tree(tree)
        if not callable(function):
            cure = "Write lambda player, key, actions: mapping[player, key] for a mapping by player and key."
            raise wrong_type("a function (player, key, actions) -> probabilities", function, cure)
        values = np.zeros(tree.rows)
        for number, key in enumerate(tree.keys):
            actions = tree.labels(number)
            answer = function(int(tree.infoset_player[number]), key, actions)
            values[tree.rows_of(number)] = probabilities_given(
                f"at {tree.name_of(number)!r} the function", answer, actions
            )
        return cls(tree, values)

    def rows(self, infoset: str | tuple[int, Hashable] | int) -> slice:
        """Return the slice of an infoset in `probabilities`, by name ``"1: K|c"``, (player, key) or number."""
        return self.tree.rows_of(self.tree.number(infoset))

    def __getitem__(self, infoset: str | tuple[int, Hashable] | int) -> dict[Label, float]:
        """Return the probability of each action at an infoset; see `rows`."""
        number = self.tree.number(infoset)
        return dict(zip(self.tree.labels(number), self.probabilities[self.rows(number)].tolist(), strict=True))

    def strategy(self, player: int, key: View, actions: Sequence[Label] = ()) -> list[float]:
        """Return the probabilities at an infoset, as every `Policy` does."""
        return list(self.probabilities[self.rows((player, key))].tolist())

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of all infosets; raise ParameterError if two have one name."""
        self.tree.require_distinct_names()
        return iter(self.tree.names)

    def __len__(self) -> int:
        return self.tree.infosets

    def __contains__(self, infoset: object) -> bool:
        try:
            self.tree.number(infoset)  # type: ignore[arg-type]
        except UnknownNameError:
            return False
        return True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def get(self, infoset: str | tuple[int, Hashable] | int, default: Any = None) -> Any:
        """Return the strategy at an infoset, or a default if there is no such infoset."""
        try:
            return self[infoset]
        except UnknownNameError:
            return default

    def items(self, player: int | None = None) -> ItemsView[str, dict[Label, float]]:
        """Return the names and strategies of all infosets, or of one player's infosets."""
        if player is None:
            return super().items()
        check_player(self.tree, player)
        self.tree.require_distinct_names()
        return {self.tree.name_of(number): self[number] for number in self.tree.infosets_of(player).tolist()}.items()

    def replace(self, player: int, other: Profile) -> Profile:
        """Return this profile with the strategy of `player` replaced by the one of another profile."""
        require_same_game(self.tree, other)
        check_player(self.tree, player)
        mine = self.tree.player_of_row != player
        return Profile(self.tree, np.where(mine, self.probabilities, other.probabilities))

    def mixed(self, other: Profile, part: float) -> Profile:
        """Return a mixture of two profiles at every decision.

        Args:
            other: profile of the same game.
            part: weight of the other profile, 0 to 1.
        """
        require_same_game(self.tree, other)
        check_range("part", part, 0, 1, whole=False)
        return Profile(self.tree, (1 - part) * self.probabilities + part * other.probabilities)

    nash_conv = exact.nash_conv
    exploitability = exact.exploitability
    epsilon = exact.epsilon
    game_values = exact.values  # `values` is the mapping's own: a view of the strategies

    def best_response(self, player: int) -> BestResponse:
        """Return the best response of a player to this profile; see `best_response`."""
        check_player(self.tree, player)
        form = sequence_form(self.tree)
        utility, plan = responded(form, player, exact.sequence_utilities(self).leaves)
        mine = self.tree.player_of_row == player
        chosen = Profile(self.tree, np.where(mine, plan[form.sequence], self.probabilities))
        return BestResponse(player, float(utility[form.span[player]]), chosen)

    def to_frame(self) -> Any:
        """Return a pandas data frame (extra ``frame``) with a row for each infoset-action pair."""
        of_row = self.tree.infoset_of_row.tolist()
        return data_frame(
            {
                "infoset": [self.tree.name_of(number) for number in of_row],
                "player": self.tree.player_of_row.tolist(),
                "action": [label for number in range(self.tree.infosets) for label in self.tree.labels(number)],
                "probability": self.probabilities.tolist(),
            }
        )

    def save(self, path: str | Path) -> None:
        """Save the profile as a checksummed ``.npz`` file."""
        header = {"format": 1, "game": self.tree.name, "fingerprint": self.tree.fingerprint}
        arrays = {"probabilities": self.probabilities, "completed": self.completed}
        write_arrays(Path(path), {name: array for name, array in arrays.items() if array is not None}, header)

    @classmethod
    def load(cls, path: str | Path, tree: Tree) -> Profile:
        """Load a saved profile of the same game.

        Raises:
            RunError: the file is damaged.
            ProfileError: the profile belongs to another game.
        """
        require_tree(tree)
        arrays, header = read_arrays(Path(path))
        check_fields(path, header, {"game": TEXT, "fingerprint": TEXT})
        if header["fingerprint"] != tree.fingerprint:
            raise ProfileError(
                f"{path} has a profile of {header['game']!r} with rules or parameters that differ from this "
                f"{tree.name!r}."
            )
        expected = {
            "probabilities": ArraySpec("float64", (tree.rows,), 0, 1 + TOLERANCE),
            "completed": ArraySpec("bool", (tree.infosets,)),
        }
        check_arrays(path, {"completed": np.zeros(tree.infosets, dtype=bool), **arrays}, expected)
        return cls(tree, arrays["probabilities"], arrays.get("completed"))


@dataclass(frozen=True, eq=False)
class BestResponse:
    """Best response of a player, or an approximate one.

    Attributes:
        player: player who responds.
        value: value to the player.
        profile: profile in which the player uses the response.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.best_response(td.Profile.uniform(tree), 0)
    BestResponse(player=0, value=0.5, profile=Profile(kuhn, 2 players, 12 infosets, 24 probabilities))
    """

    player: int
    value: float
    profile: Profile

    __repr__ = short_repr


def best_response(profile: Profile, player: int) -> BestResponse:
    """Return the best response of a player to a profile, and its value.

    The response is a pure strategy; among equally good actions it takes the first.

    Args:
        profile: strategies of the other players.
        player: player who responds.

    Raises:
        ParameterError: the player does not exist.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> round(td.best_response(td.Profile.uniform(tree), 0).value, 6)
    0.5
    """
    require_profile(profile)
    return profile.best_response(player)


def require_same_game(tree: Tree, profile: Profile) -> None:
    """Raise ProfileError unless `profile` belongs to the same game."""
    if profile.__class__ is Profile and profile.tree is tree:  # in 30 ns
        return
    require_tree(tree)
    require_profile(profile)
    if profile.tree.fingerprint != tree.fingerprint:
        raise ProfileError(
            f"the profile belongs to {profile.tree.title}, with rules or parameters that differ from this "
            f"{tree.title}. Solve this game, or compile the game of the profile."
        )


def check_player(tree: Tree, player: int) -> None:
    """Raise ParameterError unless `player` is a player of the game."""
    require_tree(tree)
    if not isinstance(player, (int, np.integer)) or not 0 <= player < tree.players:
        raise out_of_range("player", player, one_of(range(tree.players)))
