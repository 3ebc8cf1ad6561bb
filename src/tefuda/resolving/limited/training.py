"""Training of networks that value what is below a cut.

Each round solves subgames, fits the network to all solved so far (deep/fitting.py), and searches with it for the ranges
that play reaches. DeepStack trains on random ranges alone (Moravcik et al. 2017, supplementary material).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tefuda.errors import RunError, check_seed
from tefuda.files import OBJECT, check_arrays, check_fields, read_arrays, write_arrays
from tefuda.forms.tree import Tree
from tefuda.locks import locked
from tefuda.resolving.limited.network import ValueNetwork, unpack_network
from tefuda.resolving.limited.samples import SampleGenerator, Samples, ValueTraining
from tefuda.resolving.limited.trunk import Cut
from tefuda.solvers.exact.lp import require_two_player_constant_sum


class TrainingProgress(NamedTuple):
    """Progress of a training: the round, samples solved and wanted in it, and the error after the last round."""

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
    progress: Callable[[TrainingProgress], None] | None = None,
) -> ValueNetwork:
    """Train a network that values what is below a cut (extra ``deep``).

    Args:
        tree: two players, constant sum.
        cut: cut below which it is used, and again below that.
        training: settings.
        seed: random seed of ranges, weights and minibatches; it gives the same network on the same machine.
        checkpoint: file that is written after each round, and resumed from if it exists.
        progress: called with the progress of the training.

    Returns:
        The network, with its error on samples that were not used for training.

    Raises:
        MissingExtraError: PyTorch is not installed.
        GameError: more or less than two players, or not constant-sum.
        ParameterError: no such cut, or a number out of range.
        RunError: a checkpoint of another training.

    >>> tree, little = td.compile_game(td.load_game("kuhn")), td.ValueTraining(samples=100, steps=10)
    >>> td.train_values(tree, 1, little).error < 1  # doctest: +SKIP
    True
    """
    from tefuda.resolving.limited.deep.fitting import fit

    require_two_player_constant_sum(tree, "valuing what is below a cut")
    check_seed(seed)
    way, generator = training or ValueTraining(), SampleGenerator(tree, cut)
    file = Path(checkpoint) if checkpoint is not None else None
    said = {"training": asdict(way), "cut": repr(cut), "seed": seed, "fingerprint": tree.fingerprint}
    with locked(file):
        samples, network = _begun(file, generator, said) if file is not None and os.path.exists(file) else (None, None)
        for number in range(0 if samples is None else len(samples.places) // way.samples, way.rounds):
            rng = np.random.default_rng([seed, number])
            met, error = (None, np.nan) if network is None else (generator.met(network), network.error)
            notify = partial(_tell, progress, TrainingProgress(number + 1, 0, way.samples, error))
            found = generator.solved(way.samples, met, rng, notify)
            samples = found if samples is None else Samples(*map(np.concatenate, zip(samples, found, strict=True)))
            network = generator.network(*fit(samples, generator, way, network, rng), samples)
            if file is not None:
                write_arrays(file, {**samples._asdict(), **network.arrays()}, {**network.header(), "said": said})
    assert network is not None
    return network


def _tell(progress: Callable[[TrainingProgress], None] | None, found: TrainingProgress, solved: int) -> None:
    if progress is not None:
        progress(found._replace(solved=solved))


def _begun(file: Path, generator: SampleGenerator, said: dict[str, Any]) -> tuple[Samples, ValueNetwork]:
    """Read the checkpoint of a training; raise RunError if it is damaged or of another training."""
    arrays, header = read_arrays(file)
    check_fields(file, header, {"said": OBJECT})
    if header["said"] != said:
        raise RunError(f"{file} is of another training: {header['said']}; this is {said}. Give another file.")
    parts = {name: arrays.pop(name) for name in Samples._fields if name in arrays}
    check_arrays(file, parts, generator.expected())
    return Samples(**parts), unpack_network(file, arrays, header, generator.tree)
