"""Networks that have learned nothing."""

from itertools import pairwise

import numpy as np

import tefuda as td


def drawn(generator, hidden=8, seed=0, error=0.25):
    """A network of random layers."""
    rng = np.random.default_rng(seed)
    sizes = [len(generator.states) + 2 * generator.width, hidden, hidden, 2 * generator.width]
    weights = tuple(rng.normal(size=pair) for pair in pairwise(sizes))
    biases = tuple(rng.normal(size=size) for size in sizes[1:])
    tree, counts = generator.tree, generator.augmented_counts
    known = tree.name, tree.fingerprint, generator.states, counts, generator.units
    return td.resolving.ValueNetwork(*known, weights, biases, error)
