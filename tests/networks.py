"""Networks that have learned nothing."""

from itertools import pairwise

import numpy as np

import tefuda as td


def drawn(course, hidden=8, seed=0, error=0.25):
    """A network of random layers."""
    rng = np.random.default_rng(seed)
    sizes = [len(course.states) + 2 * course.width, hidden, hidden, 2 * course.width]
    weights = tuple(rng.normal(size=pair) for pair in pairwise(sizes))
    biases = tuple(rng.normal(size=size) for size in sizes[1:])
    known = course.tree.name, course.tree.fingerprint, course.states, course.seats, course.units
    return td.ValueNetwork(*known, weights, biases, error)
