"""Compiled loops over arrays: the only home of numba."""
