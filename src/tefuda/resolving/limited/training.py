"""Networks that value what is below a cut, trained on subgames solved at random ranges and at those met in play.

Rounds: solve subgames, fit the network to all solved so far (deep/fitting.py), look ahead with it to see which ranges
play comes to. DeepStack trains on random ranges alone (Moravcik et al. 2017, supplementary material).

Dimension letters: S public states, A the most seats a player has in one, N samples.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import RunError, check_seed
from tefuda.files import OBJECT, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.tree import Tree
from tefuda.locks import owned
from tefuda.resolving.limited.network import ValueNetwork, unpacked
from tefuda.resolving.limited.samples import Course, Samples, ValueTraining
from tefuda.resolving.limited.trunk import Cut
from tefuda.solvers.exact.lp import require_two_player_constant_sum


class Trained(NamedTuple):
    """How far a training is: the round, samples solved and wanted in it, and the error after the last round."""

    round: int
    solved: int
    wanted: int
    error: float


def train_values(
    tree: Tree,
    cut: Cut = "deal",
    training: ValueTraining | None = None,
    *,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: Callable[[Trained], None] | None = None,
) -> ValueNetwork:
    """Train a network that values what is below a cut (extra ``deep``).

    Args:
        tree: two players, constant sum.
        cut: where it will be asked; of what is below again the same.
        training: how.
        seed: of ranges, weights and minibatches; the same seed gives the same network on the same machine.
        checkpoint: a file that is written after each round, and gone on from if it is there.
        progress: told how far the training is.

    Returns:
        The network, with its error on samples it was not trained on.

    Raises:
        MissingExtraError: PyTorch is not installed.
        GameError: more or less than two players, or not constant-sum.
        ParameterError: no such cut, or a number out of range.
        RunError: a checkpoint of another training.

    >>> tree, little = td.compile_game(td.load_game("kuhn")), td.ValueTraining(samples=100, steps=10)
    >>> td.train_values(tree, 1, little).error < 1  # doctest: +SKIP
    True
    """
    from tefuda.resolving.limited.deep.fitting import fitted

    require_two_player_constant_sum(tree, "valuing what is below a cut")
    check_seed(seed)
    way, course = training or ValueTraining(), Course(tree, cut)
    file = Path(checkpoint) if checkpoint is not None else None
    said = {"training": asdict(way), "cut": repr(cut), "seed": seed, "fingerprint": tree.fingerprint}
    with owned(file):
        samples, network = _begun(file, course, said) if file is not None and os.path.exists(file) else (None, None)
        for number in range(0 if samples is None else len(samples.places) // way.samples, way.rounds):
            rng = np.random.default_rng([seed, number])

            def tell(
                solved: int, number: int = number, error: float = np.nan if network is None else network.error
            ) -> None:
                if progress is not None:
                    progress(Trained(number + 1, solved, way.samples, error))

            found = course.solved(way.samples, course.met(network) if network is not None else None, rng, tell)
            samples = found if samples is None else samples.joined(found)
            network = course.network(*fitted(samples, course, way, network, rng), samples)
            if file is not None:
                _keep(file, samples, network, said)
    assert network is not None
    return network


def _keep(file: Path, samples: Samples, network: ValueNetwork, said: dict[str, Any]) -> None:
    """Write everything that determines how a training goes on."""
    write_arrays(file, {**samples._asdict(), **network.arrays()}, {**network.header(), "said": said})


def _begun(file: Path, course: Course, said: dict[str, Any]) -> tuple[Samples, ValueNetwork]:
    """What `_keep` wrote of this training.

    Raises:
        RunError: the file is damaged, or of another training.
    """
    arrays, header = read_arrays(file)
    check_fields(file, header, {"said": OBJECT})
    if header["said"] != said:
        raise RunError(f"{file} is of another training: {header['said']}; this is {said}. Give another file.")
    parts = {name: arrays.pop(name) for name in Samples._fields if name in arrays}
    check_arrays(file, parts, course.expected())
    return Samples(**parts), unpacked(file, arrays, header, course.tree)
