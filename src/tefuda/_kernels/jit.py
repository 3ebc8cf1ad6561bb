"""Kernels: functions that are compiled, and import numba, when they are first called.

- `compiling.Compiled` saves compiled code on disk. A kernel must not call itself: a recursive cached function crashes
  when it is loaded again (numba 0.68). Traversals therefore have a stack of their own.
- ``error_model="numpy"``: a division by zero gives inf or nan. Without a branch that raises, loops vectorise.
- ``nogil``: other threads of the caller (progress display, signal handling) run during a kernel.
- ``fastmath`` is off: it reorders sums, and tests of regrets like "total > 0" would depend on rounding.
- ``parallel`` is off: with a busy second core a parallel gather was 6-65 times slower.

Kernels read indices as uint32 and count loops with unsigned numbers. For signed ones numba emits code for negative
indices, which makes the gather three times as slow.
"""

from __future__ import annotations

import functools
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tefuda.lazy import load_reference

_INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"  # for tests/mutants.py

#: Functions to call once before the first kernel is compiled; their argument is True if the code will be saved.
on_compiling: list[Callable[[bool], None]] = []


def _compiling(name: str) -> Callable[..., Any]:
    """Return a function of the module `compiling`, which imports numba."""
    function: Callable[..., Any] = load_reference(f"tefuda._kernels.compiling:{name}")
    return function


class Kernel:
    """A function that is compiled when first called, in one version for Python and one for kernels.

    Args:
        function: the Python function, which is also the attribute `py_func`.
        options: options of numba.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self._options = function, options

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for Python."""
        return self.outer(*arguments)

    @functools.cached_property
    def outer(self) -> Any:
        """The version for Python, as an object of numba."""
        return _compiling("outer_dispatcher")(self.py_func, self._options)

    @functools.cached_property
    def inner(self) -> Any:
        """The version for kernels, as an object of numba."""
        return _compiling("inner_dispatcher")(self.py_func, self._options)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba gives to the function in kernels."""
        return self.inner._numba_type_


class LazyKernel:
    """A kernel of a module that imports numba, loaded when a kernel that calls it is compiled.

    Args:
        reference: ``"module:name"``.
    """

    def __init__(self, reference: str) -> None:
        self._reference = reference

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for Python."""
        return load_reference(self._reference)(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba gives to the function in kernels."""
        return load_reference(self._reference)._numba_type_


class Instruction:
    """An instruction of the processor that Python cannot express, for kernels.

    Args:
        emit: a function that `numba.extending.intrinsic` accepts.
        python: a function that does the same in Python, for kernels that are not compiled.
    """

    def __init__(self, emit: Callable[..., Any], python: Callable[..., Any] | None = None) -> None:
        self._emit, self._python = emit, python

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function."""
        if self._python is None:
            raise NotImplementedError("this instruction runs in compiled kernels only")
        return self._python(*arguments)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The type that numba gives to the instruction in kernels."""
        return _compiling("instruction_type")(self._emit)


class Handle:
    """A named tuple that kernels receive as one pointer; it has the attributes of the tuple.

    numba passes every array of a tuple as seven or more numbers through every call, which compiles slowly. A handle
    points to the addresses, shapes and numbers instead.

    Args:
        parts: a named tuple of C-contiguous arrays, float64, int64 and bool numbers, and named tuples of these.
    """

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts, self._words = parts, np.array(list(_words(parts)), np.int64)
        self.address = self._words.ctypes.data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parts, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Handle, (self.parts,)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """The type that numba gives to the handle."""
        return _compiling("handle_type")(self.parts)


def _words(parts: tuple[Any, ...]) -> Iterator[int]:
    """Yield the addresses and shapes of a named tuple's arrays, and the bits of its numbers."""
    for part in parts:
        if isinstance(part, tuple):
            yield from _words(part)
        elif isinstance(part, np.ndarray):
            yield from (part.ctypes.data, *part.shape)
        else:
            yield struct.unpack("q", struct.pack("d", part))[0] if isinstance(part, float) else int(part)


def handle(parts: Any) -> Any:
    """Return a handle of a named tuple, or the tuple itself where kernels are not compiled."""
    return parts if _INTERPRETED else Handle(parts)


def _compiled(function: Callable[..., Any] | None, **options: Any) -> Any:
    """Return a compiled function, or without a function a decorator that compiles it."""
    if function is None:
        return functools.partial(_compiled, **options)
    if _INTERPRETED:
        return function
    return Kernel(function, {"nopython": True, "error_model": "numpy", "nogil": True, **options})


def kernel(function: Callable[..., Any] | None = None, *, refcounts: bool = True) -> Any:
    """Compile a function that Python or other kernels call.

    refcounts: whether references to arrays are counted. Without it the function cannot create arrays, and loops over
    arrays of a named tuple run faster than in an `inlined` function.
    """
    return _compiled(function, **({} if refcounts else {"_nrt": False}))


def inlined(function: Callable[..., Any] | None = None, *, fastmath: bool = False) -> Any:
    """Compile a function into each kernel that calls it, without counting references to arrays.

    fastmath: whether sums may be reordered. Networks in float32 need it to vectorise sums over their units.
    """
    return _compiled(function, forceinline=True, _nrt=False, **({"fastmath": True} if fastmath else {}))


def shared(function: Callable[..., Any] | None = None, *, fastmath: bool = False) -> Any:
    """Compile a function once for all its calls in a kernel, without counting references to arrays.

    Large kernels of shared functions compile several times as fast as those of inlined ones.

    fastmath: see `inlined`.
    """
    return _compiled(function, forceinline=False, _nrt=False, **({"fastmath": True} if fastmath else {}))


def python_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function of a kernel, for callers that must not wait for the compiler."""
    python: Callable[..., Any] = getattr(function, "py_func", function)
    return python
