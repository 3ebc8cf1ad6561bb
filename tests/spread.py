"""Bars for learners from a measured spread: they hold for any seed and on any processor."""

import math


def bar(mean, sigma, seeds=1):
    """The mean of so many runs lies above it once in 30,000: four standard errors above the measured mean."""
    return mean + 4 * sigma / math.sqrt(seeds)
