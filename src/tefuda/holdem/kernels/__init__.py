"""Compiled loops of hold'em; the options of numba are stated in `tefuda._kernels.jit`."""
