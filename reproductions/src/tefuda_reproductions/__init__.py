"""Reproductions of published experiments, and the machinery that only they use."""

__version__ = "0.2.0"
