"""Compiled loops of Koi-Koi; the options of numba are stated in `tefuda._kernels.jit`."""
