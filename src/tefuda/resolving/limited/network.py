"""Value networks: counterfactual values below a cut, learned instead of solved.

A network maps the ranges of both players at a public state to the counterfactual values of all their augmented infosets
(Moravcik et al. 2017, "DeepStack"). It is evaluated in NumPy; training.py trains it.

Dimension letters: S known public states, A the most augmented infosets a player has in one, B evaluations at once,
H units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import ParameterError, ProfileError, RunError
from tefuda.files import SECONDS, TEXT, ArraySpec, FieldSpec, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.arrays import Arrays, derived
from tefuda.forms.tree import Tree, require_tree
from tefuda.resolving.limited.leaves import PlayerVectors
from tefuda.resolving.limited.trunk import Trunk
from tefuda.views import Displayable

_MAX_SIZE = 100_000  # of layers, augmented infosets and public states in files
_KIND = "value network"
_HEADER = {
    "kind": FieldSpec((str,), choices=(_KIND,)),
    "game": TEXT,
    "fingerprint": TEXT,
    "error": SECONDS,
    "layers": FieldSpec((int,), 2, 100),
}


@dataclass(frozen=True, eq=False)
class ValueNetwork(Arrays, Displayable):
    """A network of rectified linear layers from ranges to values.

    Inputs: the public state, one of S, and the ranges of players 0 and 1, each summing to 1; 0 where a state has no
    augmented infoset. Outputs: values of the augmented infosets of players 0 and 1, in the state's unit.

    Attributes:
        game: name of the tree.
        fingerprint: fingerprint of the tree.
        states: `[S]` int64 public states, rising.
        augmented_counts: `[S, 2]` int64 number of augmented infosets of each player there.
        units: `[S]` the state's unit in the game's unit.
        weights: `[inputs, H]`, `[H, H]`, ..., `[H, outputs]`.
        biases: `[H]`, ..., `[outputs]`.
        error: mean distance from equilibrium values on validation ranges, in the game's unit per game.

    >>> import numpy as np
    >>> states, counts, units = np.array([4]), np.array([[2, 3]]), np.ones(1)
    >>> layers = (np.zeros((7, 6)),), (np.zeros(6),)
    >>> net = td.resolving.ValueNetwork("mine", "fingerprint", states, counts, units, *layers, 0.1)
    >>> net.error
    0.1
    """

    game: str
    fingerprint: str
    states: np.ndarray  # [S] int64
    augmented_counts: np.ndarray  # [S, 2] int64
    units: np.ndarray  # [S]
    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    error: float

    def __repr__(self) -> str:
        layers = " x ".join(str(len(biases)) for biases in self.biases[:-1])
        return f"ValueNetwork({self.game}, {len(self.states)} public states, {layers} units, error {self.error:.4f})"

    def values(self, trunk: Trunk, ranges: PlayerVectors) -> PlayerVectors:
        """See `ValueFunction`; raise ProfileError for another game, ParameterError for unknown public states."""
        places = _state_indices(trunk, self)
        mask = augmented_mask(self.augmented_counts)[places]
        reach = np.zeros(mask.shape)
        for player in range(2):
            reach[:, player][mask[:, player]] = ranges[player]
        sums = reach.sum(axis=2, keepdims=True)
        normalized = np.divide(reach, sums, out=np.zeros_like(reach), where=sums > 0)
        values = self.predict(places, normalized) * (sums[:, ::-1] * self.units[places][:, None, None])
        return values[:, 0][mask[:, 0]], values[:, 1][mask[:, 1]]

    def predict(self, places: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        """Return `[B, 2, A]` values in units for indices `[B]` of `states` and ranges `[B, 2, A]`.

        Each range sums to 1.
        Each player gives up half of the sum of the values, so that they are zero-sum (DeepStack's outer network).
        """
        layer = self.weights[0][places] + self.biases[0]  # the row of the only 1 of S
        layer += ranges.reshape(len(ranges), -1) @ self.weights[0][len(self.states) :]
        for weights, biases in zip(self.weights[1:], self.biases[1:], strict=True):
            layer = np.maximum(layer, 0.0) @ weights + biases
        values = layer.reshape(ranges.shape)
        return values - (values * ranges).sum(axis=(1, 2), keepdims=True) / 2

    def save(self, path: str | Path) -> None:
        """Save the network as a checksummed ``.npz``; raise RunError if the folder is not writable."""
        write_arrays(Path(path), self.arrays(), self.header())

    def header(self) -> dict[str, Any]:
        """Return texts and numbers, as JSON values."""
        known = {"kind": _KIND, "game": self.game, "fingerprint": self.fingerprint, "error": self.error}
        return {**known, "layers": len(self.weights)}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name."""
        layers = {f"weights.{n}": weights for n, weights in enumerate(self.weights)}
        layers |= {f"biases.{n}": biases for n, biases in enumerate(self.biases)}
        return {"states": self.states, "augmented_counts": self.augmented_counts, "units": self.units, **layers}

    @classmethod
    def load(cls, path: str | Path, tree: Tree) -> ValueNetwork:
        """Load a network; raise RunError for a damaged file, ProfileError for another game."""
        require_tree(tree)
        return unpack_network(path, *read_arrays(Path(path)), tree)


def augmented_mask(counts: np.ndarray) -> np.ndarray:
    """Return `[S, 2, A]` whether each augmented infoset exists, given their numbers `[S, 2]`."""
    return np.arange(counts.max()) < counts[:, :, None]


def unpack_network(
    path: object, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any], tree: Tree
) -> ValueNetwork:
    """Return the network with these arrays and header; raise RunError or ProfileError as `load` does."""
    check_fields(path, header, _HEADER)
    _require_same(header["game"], header["fingerprint"], tree)
    expected = {
        "states": ArraySpec("int64", ("S",), 0, 2**40),
        "augmented_counts": ArraySpec("int64", ("S", 2), 1, _MAX_SIZE),
        "units": ArraySpec("float64", ("S",), 0, 1e300),
    }
    layers = range(header["layers"])
    for n in layers:
        expected[f"weights.{n}"] = ArraySpec("float64", (f"H{n}", f"H{n + 1}"), -1e300, 1e300)
        expected[f"biases.{n}"] = ArraySpec("float64", (f"H{n + 1}",), -1e300, 1e300)
    check_arrays(path, arrays, expected)
    weights, biases = (tuple(arrays[f"{kind}.{n}"] for n in layers) for kind in ("weights", "biases"))
    states, counts, units = (arrays[name] for name in ("states", "augmented_counts", "units"))
    outputs = 2 * int(counts.max(initial=0))
    fits = (len(weights[0]), len(biases[-1])) == (len(states) + outputs, outputs)
    if not fits or not len(states) or (np.diff(states) <= 0).any():
        raise RunError(f"{path} is damaged: its layers do not fit its public states. Use an intact copy.")
    known = header["game"], header["fingerprint"], states, counts, units
    return ValueNetwork(*known, weights, biases, float(header["error"]))


def _require_same(game: str, fingerprint: str, tree: Tree) -> None:
    """Raise ProfileError if a network is of another game."""
    if fingerprint != tree.fingerprint:
        raise ProfileError(f"the network is of {game}, not of this {tree.title}: other rules or parameters.")


@derived
def _state_indices(trunk: Trunk, network: ValueNetwork) -> np.ndarray:
    """Return `[S]` indices of the subgames of a trunk among the states of a network."""
    _require_same(network.game, network.fingerprint, trunk.tree)
    states = np.array([sub.public_state for sub in trunk.subgames], dtype=np.int64)
    unknown = np.setdiff1d(states, network.states)
    if len(unknown):
        raise ParameterError(
            f"the network was not trained on public state {unknown[0]}; it knows {len(network.states)}, such as "
            f"{network.states[:5].tolist()}. Train a network for this cut."
        )
    return np.searchsorted(network.states, states)
