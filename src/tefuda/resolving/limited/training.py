"""Training of value networks.

Each round solves subgames, fits the network to all samples so far (deep/fitting.py), and searches with it for ranges
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
    """Progress of a training: the round, samples solved and wanted in it, and the last round's error."""

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
    """Train a value network for depth-limited solving (extra ``deep``).

    Args:
        tree: tree of a two-player constant-sum game.
        cut: depth limit of the lookaheads that will use the network.
        training: settings.
        seed: random seed of ranges, weights and minibatches; one seed gives one network on one machine.
        checkpoint: file that is written after each round; an existing file is resumed.
        progress: called with a `TrainingProgress`.

    Returns:
        The network, with its error on validation samples.

    Raises:
        MissingExtraError: PyTorch is not installed.
        GameError: the game is not a two-player constant-sum game.
        ParameterError: an unknown cut, or a number out of range.
        RunError: the checkpoint is of another training.

    >>> tree, little = td.compile_game(td.load_game("kuhn")), td.resolving.ValueTraining(samples=100, steps=10)
    >>> td.resolving.train_values(tree, 1, little).error < 1  # doctest: +SKIP
    True
    """
    from tefuda.resolving.limited.deep.fitting import fit

    require_two_player_constant_sum(tree, "training a value network")
    check_seed(seed)
    settings, generator = training or ValueTraining(), SampleGenerator(tree, cut)
    file = Path(checkpoint) if checkpoint is not None else None
    description = {"training": asdict(settings), "cut": repr(cut), "seed": seed, "fingerprint": tree.fingerprint}
    with locked(file):
        samples, network = None, None
        if file is not None and os.path.exists(file):
            samples, network = _load_checkpoint(file, generator, description)
        for number in range(0 if samples is None else len(samples.places) // settings.samples, settings.rounds):
            rng = np.random.default_rng([seed, number])
            visited, error = (None, np.nan) if network is None else (generator.visited_ranges(network), network.error)
            notify = partial(_report, progress, TrainingProgress(number + 1, 0, settings.samples, error))
            new = generator.sample(settings.samples, visited, rng, notify)
            samples = new if samples is None else Samples(*map(np.concatenate, zip(samples, new, strict=True)))
            network = generator.make_network(*fit(samples, generator, settings, network, rng), samples)
            if file is not None:
                header = {**network.header(), "description": description}
                write_arrays(file, {**samples._asdict(), **network.arrays()}, header)
    assert network is not None
    return network


def _report(progress: Callable[[TrainingProgress], None] | None, state: TrainingProgress, solved: int) -> None:
    if progress is not None:
        progress(state._replace(solved=solved))


def _load_checkpoint(
    file: Path, generator: SampleGenerator, description: dict[str, Any]
) -> tuple[Samples, ValueNetwork]:
    """Load a checkpoint; raise RunError if it is damaged or of another training."""
    arrays, header = read_arrays(file)
    check_fields(file, header, {"description": OBJECT})
    if header["description"] != description:
        raise RunError(
            f"{file} is of another training: expected {description}, got {header['description']}. Use another file."
        )
    parts = {name: arrays.pop(name) for name in Samples._fields if name in arrays}
    check_arrays(file, parts, generator.array_specs())
    return Samples(**parts), unpack_network(file, arrays, header, generator.tree)
