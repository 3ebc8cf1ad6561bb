"""The numba options of every kernel, stated once.

- ``cache``: compiled code is kept on disk, so a new process starts in 0.3 s instead of 2 s. A kernel must not call
  itself: a self-recursive cached function crashes when it is loaded again (numba 0.68); walks keep their own stack.
- ``error_model="numpy"``: a division by zero gives inf or nan instead of a branch to raise, so that loops vectorise.
- ``nogil``: the caller's threads (progress display, signal handling) go on while a kernel runs.
- ``fastmath`` stays off: it reorders sums, and the regret tests "total > 0" would part on round-off.
- no ``parallel``: with a busy second core a parallel gather was 6-65 times slower.

Indices that a kernel reads from arrays are uint32 and loop counters are unsigned: signed ones make numba emit
wrap-around code (1.35 instead of 0.46 ns per leaf in the gather).
"""

from __future__ import annotations

from pathlib import Path

import numba


def _drop_stale() -> None:
    """Delete compiled code that is older than any kernel's source.

    numba notices a change of a kernel's own file only, not of a file whose kernels it calls.
    """
    folder = Path(__file__).parent
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        try:
            if index.stat().st_mtime < newest:
                index.unlink()
        except OSError:
            pass  # another process was faster, or the folder is not ours: numba then keeps its cache elsewhere


_drop_stale()

kernel = numba.njit(cache=True, error_model="numpy", nogil=True)
#: For kernels that call many small ones with many arrays: all become one function, and references to arrays are not
#: counted (which forbids making arrays inside). Sampling walks take 11 instead of 50 ns a history.
inlined = numba.njit(cache=True, error_model="numpy", nogil=True, forceinline=True, _nrt=False)  # type: ignore[call-overload]
#: For networks in float32, where round-off does not matter and sums over units should vectorise.
blurred = numba.njit(cache=True, error_model="numpy", nogil=True, forceinline=True, fastmath=True, _nrt=False)  # type: ignore[call-overload]
