"""Compiled loops of hold'em; `tefuda._kernels.jit` states the options of numba."""
