"""The numba options of every kernel, stated once.

- Compiled code is saved on disk (`Compiled`). A kernel must not call itself: a self-recursive cached function crashes
  when it is loaded again (numba 0.68); walks have their own stack.
- ``error_model="numpy"``: a division by zero gives inf or nan instead of a branch to raise, so that loops vectorise.
- ``nogil``: the caller's threads (progress display, signal handling) run while a kernel does.
- ``fastmath`` stays off: it reorders sums, and the regret tests "total > 0" would depend on rounding.
- no ``parallel``: with a busy second core a parallel gather was 6-65 times slower.

Indices that a kernel reads from arrays are uint32 and loop counters are unsigned: numba emits wrap-around code for
signed ones, which makes the gather three times as slow.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import marshal
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from opcode import opmap
from pathlib import Path
from types import CodeType
from typing import Any

import numba
import numba.extending
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps, loads

from tefuda import __version__
from tefuda.errors import RunError
from tefuda.files import cache_folder, check_place, read_sealed, write_sealed

#: For instructions of the processor that Python has no word for.
intrinsic, types = numba.extending.intrinsic, numba.types

_FORGOTTEN = 30 * 24 * 3600.0  # seconds after which compiled code of other sources is deleted

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

#: Called once, before the first kernel is compiled, with whether the result will be saved; the command line says so.
on_compiling: list[Callable[[bool], None]] = []


def _version() -> str:
    """A digest of what all compiled code depends on besides its sources: tefuda, numba, Python, the system."""
    told = repr((__version__, numba.__version__, sys.version_info[:2], sys.platform))
    return f"tefuda-{hashlib.sha256(told.encode()).hexdigest()[:16]}"


_PACKAGE, _NOP = Path(__file__).parents[1], opmap["NOP"]
_IMPORT = re.compile(r"^from (tefuda[\w.]*kernels[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


def _source(module: str) -> Path:
    """The file of a module of this package."""
    return _PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")


@functools.cache
def _sources(module: str) -> frozenset[str]:
    """A module of kernels and those it imports, at any depth: callers hold their callees' code."""
    if not _source(module).is_file():
        return frozenset()
    found = _IMPORT.findall(_source(module).read_text())
    names = {name for of, words in found for name in (of, *(f"{of}.{word}" for word in re.findall(r"\w+", words)))}
    return frozenset({module}).union(*map(_sources, names - {module}))


def _parts(code: CodeType) -> tuple[Any, ...]:
    """Return the names, constants and instructions of code, without line numbers and docstrings."""
    steps = (code.co_code[i : i + 2] for i in range(0, len(code.co_code), 2))
    inner = (_parts(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    named = (code.co_name, code.co_argcount, code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_cellvars)
    return (*named, code.co_freevars, b"".join(step for step in steps if step[0] != _NOP), *inner)


@functools.cache
def _code(module: str) -> bytes:
    """Return a digest of a source's bytecode, which no comment or docstring changes; kernels hold no `assert`."""
    code = compile(_source(module).read_bytes(), module, "exec", dont_inherit=True, optimize=2)
    return hashlib.sha256(marshal.dumps(_parts(code), 2)).digest()  # later versions differ between processes


@functools.cache
def _digest(module: str) -> str:
    """A digest of all sources that a module's compiled code comes from; nothing for code of others."""
    return hashlib.sha256(b"".join(name.encode() + _code(name) for name in sorted(_sources(module)))).hexdigest()


def _places() -> Iterator[Path]:
    """The folders of compiled code: NUMBA_CACHE_DIR, beside the kernels, the user's cache."""
    if chosen := getattr(numba.config, "CACHE_DIR", ""):
        yield Path(chosen)
    yield Path(__file__).parent / "__pycache__"
    yield cache_folder() / "kernels"


def writable(folders: list[Path]) -> Path | None:
    """Return the first of these folders that can be written; delete code of other versions that is a month old."""
    for folder in folders:
        try:
            if not folder.exists():
                folder.mkdir(parents=True)
                for other in folder.parent.glob("tefuda-*"):
                    if time.time() - other.stat().st_mtime > _FORGOTTEN:
                        shutil.rmtree(other, ignore_errors=True)
            check_place(folder / "kernel")
            return folder
        except (OSError, RunError):
            continue  # read-only, or another process was faster: the next look finds it
    return None


class Compiled(NullCache):
    """The compiled code of one kernel on disk: a file for each signature, named by it and by the sources it comes from.

    numba's own cache ignores the sources of kernels that a kernel calls, and processes overwrite its index.
    """

    folders: list[Path] = [place / _version() for place in _places()]
    target: Path | None = writable(folders)

    def __init__(self, function: Callable[..., Any]) -> None:
        module = function.__module__
        self._name = f"{module.removeprefix('tefuda.')}.{function.__qualname__}"
        self._source = _digest(module)

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to."""
        return str(self.target) if self.target else None

    def _file(self, key: tuple[Any, ...]) -> str:
        return f"{self._name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if it must be compiled, which is reported."""
        _protect(target_context.codegen())
        target_context.refresh()
        key = (self._source, signature, target_context.codegen().magic_tuple())
        for folder in self.folders:
            try:
                known, payload = loads(read_sealed(folder / self._file(key)))
                if known == key:
                    return CompileResult._rebuild(target_context, *payload)
            except Exception:  # absent, damaged, or of something that is no more: compiled again
                continue
        while on_compiling:
            on_compiling.pop()(self.target is not None)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save code, whole or not at all; a full or vanished disk costs only the next start."""
        if self.target is None or compiled.library.has_dynamic_globals:
            return
        key = (self._source, signature, compiled.codegen.magic_tuple())
        with contextlib.suppress(RunError):
            write_sealed(self.target / self._file(key), dumps((key, compiled._reduce())))


def unbroken(work: Callable[[], None]) -> None:
    """Run `work` to its end; handle signals that arrive meanwhile afterwards.

    LLVM calls back into Python; an exception raised there, such as KeyboardInterrupt, would be lost with the code.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    arrived: list[int] = []
    handlers = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, lambda caught, frame: arrived.append(caught))
        work()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in arrived:
            signal.raise_signal(number)


def _protect(codegen: Any) -> None:
    """Let no signal break off the making or loading of machine code."""
    engine = codegen._engine
    if "finalize_object" not in vars(engine):
        engine.finalize_object = functools.partial(unbroken, engine.finalize_object)


class _Inner(JITCodeLibrary):
    """Code that other kernels call: no machine code is made of it by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> _Inner:
        return self

    def set_env(self, name: str, env: object) -> None:
        pass


class _Copied(_Inner):
    """Code that is copied to where it is called, and optimised only there."""

    def _optimize_final_module(self) -> None:
        pass


class _Maker(Compiler):
    """A compiler that makes such code."""

    library: type[_Inner] = _Inner

    def __init__(self, typing_context: Any, target_context: Any, _: Any, *others: Any) -> None:
        super().__init__(typing_context, target_context, None, *others)
        self.state.library = self.library(self.state.targetctx.codegen(), self.library.__name__)


class _Copier(_Maker):
    library = _Copied


class Kernel(CPUDispatcher):
    """A compiled function, made for Python and for other kernels apart.

    numba makes machine code, and a door to Python, of every function that another calls, and optimises what is copied
    once for each level of callers. Here a function that is called has neither, and what is copied is optimised only
    where it stands; what is called (`kernel`), or sums over units (`fastmath`), is optimised by itself as well, for it
    runs slower without.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        super().__init__(function, targetoptions=options)
        self._cache = Compiled(function)
        copied = "forceinline" in options and "fastmath" not in options
        doorless = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.inner = CPUDispatcher(function, targetoptions=doorless, pipeline_class=_Copier if copied else _Maker)

    @property
    def _numba_type_(self) -> Any:
        """What kernels take it for."""
        return types.Dispatcher(self.inner)


def _compiled(function: Callable[..., Any] | None, **options: Any) -> Any:
    """A function compiled with these options and those of all kernels, or a decorator that does so."""
    if function is None:
        return functools.partial(_compiled, **options)
    if getattr(numba.config, "DISABLE_JIT", 0):  # for tests/mutants.py
        return function
    return Kernel(function, nopython=True, error_model="numpy", nogil=True, **options)


def kernel(function: Callable[..., Any] | None = None, *, refcounts: bool = True) -> Any:
    """Compile a function that Python or other kernels call.

    Without `refcounts` no array can be made inside; loops over arrays of a named tuple then run faster than `inlined`.
    """
    return _compiled(function, **({} if refcounts else {"_nrt": False}))


def inlined(function: Callable[..., Any] | None = None, *, fastmath: bool = False) -> Any:
    """Compile a function into each kernel that calls it, without counting references to arrays.

    `fastmath` lets sums be reordered, for networks in float32, whose sums should vectorise over units.
    """
    return _compiled(function, forceinline=True, _nrt=False, **({"fastmath": True} if fastmath else {}))


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the Python function of a kernel, for callers outside of kernels that must not wait for a compiler."""
    python: Callable[..., Any] = getattr(function, "py_func", function)
    return python
