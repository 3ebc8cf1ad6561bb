"""A network that says what seats are worth: what is below a cut, learned instead of solved.

For each public state it was trained on, from the ranges of both players to the counterfactual values of all their seats
(Moravcik et al. 2017, "DeepStack"). It is asked in NumPy; training.py makes it.

Dimension letters: S public states known, A the most seats a player has in one, B ranges asked for at once, H units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, ProfileError, RunError
from tefuda.files import SECONDS, TEXT, Array, Field, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.arrays import Arrays
from tefuda.forms.tree import Tree, require_tree
from tefuda.resolving.limited.iteration import Seats
from tefuda.resolving.limited.trunk import Trunk
from tefuda.views import Viewed

_MOST = 100_000  # units of a layer, seats, public states: more than anybody trains, few enough to be counted


@dataclass(frozen=True, eq=False)
class ValueNetwork(Arrays, Viewed):
    """Layers of rectifiers between ranges and values.

    Inputs: which public state, one of S; the range of player 0, of player 1, each summing to 1, 0 where a state has no
    seat. Outputs: values of the seats of player 0, of player 1, in the state's unit.

    game: its name. fingerprint: of its tree.
    states: `[S]` int64 the public states, rising.
    seats: `[S, 2]` int64 how many seats each player has there.
    units: `[S]` how much of the game's unit is one of the state's.
    weights: `[inputs, H]`, `[H, H]`, ..., `[H, outputs]`. biases: `[H]`, ..., `[outputs]`.
    error: the mean distance from equilibrium values on ranges it was not trained on, in the game's unit per game.

    >>> import numpy as np
    >>> states, seats, units = np.array([4]), np.array([[2, 3]]), np.ones(1)
    >>> net = td.ValueNetwork("mine", "fingerprint", states, seats, units, (np.zeros((7, 6)),), (np.zeros(6),), 0.1)
    >>> net.error
    0.1
    """

    game: str
    fingerprint: str
    states: np.ndarray  # [S] int64
    seats: np.ndarray  # [S, 2] int64
    units: np.ndarray  # [S]
    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    error: float

    def __repr__(self) -> str:
        layers = " x ".join(str(len(one)) for one in self.biases[:-1])
        return f"ValueNetwork({self.game}, {len(self.states)} public states, {layers} units, error {self.error:.4f})"

    @property
    def width(self) -> int:
        """A, the most seats a player has in a public state."""
        return int(self.seats.max())

    def values(self, trunk: Trunk, ranges: Seats) -> Seats:
        """See `ValueFunction`.

        Raises:
            ProfileError: the network is of another game.
            ParameterError: it does not know a public state at the cut.
        """
        places, at = trunk.derived(_layout, self)
        reach = np.zeros((2, len(places), self.width))
        for player in range(2):
            reach[player][at[player]] = ranges[player]
        sums = reach.sum(axis=2)
        shares = np.divide(reach, sums[:, :, None], out=np.zeros_like(reach), where=sums[:, :, None] > 0)
        found = self.predict(places, shares) * (sums[::-1] * self.units[places])[:, :, None]
        return found[0][at[0]], found[1][at[1]]

    def predict(self, places: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        """`[2, B, A]` values in units, from `[B]` places in `states` and `[2, B, A]` ranges that sum to 1.

        What both win together is made 0: each seat gives up half of it (DeepStack's outer network).
        """
        between = self.weights[0][places] + self.biases[0]  # the row of the only 1 of S
        inputs = np.concatenate([ranges[0], ranges[1]], axis=1)
        between += inputs @ self.weights[0][len(self.states) :]
        for weights, biases in zip(self.weights[1:], self.biases[1:], strict=True):
            between = np.maximum(between, 0.0) @ weights + biases
        found = np.stack([between[:, : self.width], between[:, self.width :]])
        return found - (found * ranges).sum(axis=(0, 2))[None, :, None] / 2

    def save(self, path: str | Path) -> None:
        """Write the network as a checksummed ``.npz``.

        Raises:
            RunError: the folder cannot be written.
        """
        write_arrays(Path(path), self.arrays(), self.header())

    def header(self) -> dict[str, Any]:
        """Texts and numbers, as JSON values."""
        said = {"format": 1, "kind": _KIND, "game": self.game, "fingerprint": self.fingerprint, "error": self.error}
        return {**said, "layers": len(self.weights)}

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything else, by name."""
        layers = {f"weights.{n}": one for n, one in enumerate(self.weights)}
        layers |= {f"biases.{n}": one for n, one in enumerate(self.biases)}
        return {"states": self.states, "seats": self.seats, "units": self.units, **layers}

    @classmethod
    def load(cls, path: str | Path, tree: Tree) -> ValueNetwork:
        """Read a saved network of this very game.

        Raises:
            RunError: the file is damaged or holds something else.
            ProfileError: it is of another game.
        """
        require_tree(tree)
        return unpacked(path, *read_arrays(Path(path)), tree)


_KIND = "value network"
_HEADER = {
    "kind": Field((str,), choices=(_KIND,)),
    "game": TEXT,
    "fingerprint": TEXT,
    "error": SECONDS,
    "layers": Field((int,), 2, 100),
}


def _expected(count: int) -> dict[str, Array]:
    """What the arrays of a network of so many layers must be."""
    found = {
        "states": Array("int64", ("S",), 0, 2**40),
        "seats": Array("int64", ("S", 2), 1, _MOST),
        "units": Array("float64", ("S",), 0, 1e300),
    }
    for n in range(count):
        found[f"weights.{n}"] = Array("float64", (f"H{n}", f"H{n + 1}"), -1e300, 1e300)
        found[f"biases.{n}"] = Array("float64", (f"H{n + 1}",), -1e300, 1e300)
    return found


def unpacked(path: object, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any], tree: Tree) -> ValueNetwork:
    """The network that `arrays` and `header` of one gave.

    Raises:
        RunError: they are not those of a network.
        ProfileError: it is of another game.
    """
    check_fields(path, header, _HEADER)
    require_same_fingerprint(header["game"], header["fingerprint"], tree)
    layers = range(header["layers"])
    check_arrays(path, arrays, _expected(len(layers)))
    weights, biases = (tuple(arrays[f"{kind}.{n}"] for n in layers) for kind in ("weights", "biases"))
    found = ValueNetwork(
        header["game"], header["fingerprint"], arrays["states"], arrays["seats"], arrays["units"], weights, biases,
        float(header["error"]),
    )  # fmt: skip
    fits = (len(found.weights[0]), len(found.biases[-1])) == (len(found.states) + 2 * found.width, 2 * found.width)
    if not fits or not len(found.states) or (np.diff(found.states) <= 0).any():
        raise RunError(
            f"{path} is not what tefuda writes: its layers do not fit its public states. Use an intact copy."
        )
    return found


def require_same_fingerprint(game: str, fingerprint: str, tree: Tree) -> None:
    """Raise ProfileError unless what was made for a game is for this one."""
    if fingerprint != tree.fingerprint:
        raise ProfileError(f"the network is of {game}, not of this {tree.title}: other rules or parameters.")


def _layout(trunk: Trunk, network: ValueNetwork) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """`[S]` where a network knows the subgames of a trunk, and for each player which of `[S, A]` are seats."""
    require_same_fingerprint(network.game, network.fingerprint, trunk.tree)
    states = np.array([one.public_state for one in trunk.subgames], dtype=np.int64)
    unknown = np.setdiff1d(states, network.states)
    if len(unknown):
        raise ParameterError(
            f"the network was not trained on public state {unknown[0]}; it knows {len(network.states)}, such as "
            f"{network.states[:5].tolist()}. Train one for this cut."
        )
    places = np.searchsorted(network.states, states)
    at = [np.arange(network.width) < network.seats[places, player][:, None] for player in range(2)]
    return places, (at[0], at[1])
