"""A kernel that calls a function of numba which can raise, for `test_compiling`."""

from tefuda._kernels.jit import kernel


@kernel
def largest(numbers):
    """Return the largest number."""
    return numbers.max()
