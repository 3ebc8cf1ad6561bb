"""Compilation of kernels by numba, and the cache of compiled code.

Importing this module imports numba, so `jit` does it when a kernel is called first. A kernel whose code is in the cache
is loaded without numba's registries of types and functions: they take as long to import as numba itself.
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
from llvmlite import ir
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.imputils import lower_getattr_generic
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps, loads
from numba.core.typing.templates import AttributeTemplate, infer_getattr

from tefuda import __version__
from tefuda._kernels import jit
from tefuda.errors import RunError
from tefuda.files import cache_folder, check_writable, read_sealed, write_sealed

#: The types of numba.
types = numba.types

_LIFETIME = 30 * 24 * 3600.0  # seconds after which code compiled by other versions is deleted

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _version() -> str:
    """Return a name for the versions that compiled code depends on: tefuda, numba, Python, the system."""
    text = repr((__version__, numba.__version__, sys.version_info[:2], sys.platform))
    return f"tefuda-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


_NOP = opmap["NOP"]
_IMPORT = re.compile(r"^from (tefuda[\w.]*kernels[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_LAZY = re.compile(r"LazyKernel\(\"([\w.]+):")


def _source(module: str) -> Path:
    """Return the file of a module, in the folder of its package, which has been imported."""
    root, *inside = module.split(".")
    file = Path(getattr(sys.modules.get(root), "__file__", None) or root)
    return file.parent.joinpath(*inside or [file.stem]).with_suffix(".py")


@functools.cache
def _sources(module: str) -> frozenset[str]:
    """Return a module of kernels and all kernel modules that it imports, at any depth."""
    if not _source(module).is_file():
        return frozenset()
    text = _source(module).read_text()
    imports = [*_IMPORT.findall(text), *((name, "") for name in _LAZY.findall(text))]
    names = {
        name for root, words in imports for name in (root, *(f"{root}.{word}" for word in re.findall(r"\w+", words)))
    }
    return frozenset({module}).union(*map(_sources, names - {module}))


def _code_parts(code: CodeType) -> tuple[Any, ...]:
    """Return the names, constants and instructions of code, without line numbers and docstrings."""
    steps = (code.co_code[i : i + 2] for i in range(0, len(code.co_code), 2))
    constants = (_code_parts(value) if isinstance(value, CodeType) else value for value in code.co_consts)
    names = (code.co_name, code.co_argcount, code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_cellvars)
    return (*names, code.co_freevars, b"".join(step for step in steps if step[0] != _NOP), *constants)


@functools.cache
def _code(module: str) -> bytes:
    """Return a digest of a source's bytecode.

    Comments and docstrings do not change it. Kernels have no `assert`.
    """
    code = compile(_source(module).read_bytes(), module, "exec", dont_inherit=True, optimize=2)
    return hashlib.sha256(marshal.dumps(_code_parts(code), 2)).digest()  # later versions differ between processes


@functools.cache
def _digest(module: str) -> str:
    """Return a digest of all sources that a module's compiled code depends on."""
    sources = sorted(_sources(module) | _sources(__name__))
    return hashlib.sha256(b"".join(name.encode() + _code(name) for name in sources)).hexdigest()


def _cache_folders() -> Iterator[Path]:
    """Yield the folders for compiled code: NUMBA_CACHE_DIR, beside the kernels, the user's cache."""
    if chosen := getattr(numba.config, "CACHE_DIR", ""):
        yield Path(chosen)
    yield Path(__file__).parent / "__pycache__"
    yield cache_folder() / "kernels"


def writable(folders: list[Path]) -> Path | None:
    """Return the first writable folder, or None; delete code of other versions that is older than a month."""
    for folder in folders:
        try:
            if not folder.exists():
                folder.mkdir(parents=True)
                for other in folder.parent.glob("tefuda-*"):
                    if time.time() - other.stat().st_mtime > _LIFETIME:
                        shutil.rmtree(other, ignore_errors=True)
            check_writable(folder / "kernel")
            return folder
        except (OSError, RunError):
            continue  # read-only, or another process created it first: the next call finds it
    return None


def _reduced(compiled: CompileResult) -> tuple[Any, ...]:
    """Return the parts of compiled code to save, without the environments that hold no constants.

    Code never reads them, and loading one imports its module: a sum over an array would import SciPy.
    """
    *parts, environments = compiled._reduce()
    return (*parts, [environment for environment in environments if environment.consts])


class Compiled(NullCache):
    """The compiled code of one kernel on disk: one file for each signature and state of the sources.

    numba's own cache ignores changes in the kernels that a kernel calls, and processes overwrite each other's index.
    """

    folders: list[Path] = [folder / _version() for folder in _cache_folders()]
    target: Path | None = writable(folders)

    def __init__(self, function: Callable[..., Any]) -> None:
        module = function.__module__
        self._name = f"{module.removeprefix('tefuda.')}.{function.__qualname__}"
        self._source = _digest(module)

    @property
    def cache_path(self) -> str | None:
        """The folder that new code is written to; None if no folder is writable."""
        return str(self.target) if self.target else None

    @classmethod
    def saved(cls) -> int:
        """Return the number of files with code of this version."""
        return 0 if cls.target is None else len(list(cls.target.glob("*.nbc")))

    def _file(self, key: tuple[Any, ...]) -> str:
        return f"{self._name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the code for a signature, or None; call `on_compiling` if it must be compiled."""
        _defer_signals(target_context.codegen())
        rtsys.initialize(target_context)
        key = (self._source, signature, target_context.codegen().magic_tuple())
        for folder in self.folders:
            try:
                saved_key, payload = loads(read_sealed(folder / self._file(key)))
                if saved_key == key:
                    return CompileResult._rebuild(target_context, *payload)
            except Exception:  # missing, damaged or outdated: compile again
                continue
        while jit.on_compiling:
            jit.on_compiling.pop()(self.target is not None)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save code atomically; after an error of the disk, the next process compiles again."""
        if self.target is None or compiled.library.has_dynamic_globals:
            return
        key = (self._source, signature, compiled.codegen.magic_tuple())
        with contextlib.suppress(RunError):
            write_sealed(self.target / self._file(key), dumps((key, _reduced(compiled))))


def uninterrupted(work: Callable[[], None]) -> None:
    """Run `work` to its end, then handle the signals that arrived meanwhile.

    LLVM calls back into Python. An exception raised there, such as KeyboardInterrupt, would be lost, and the code too.
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


def _defer_signals(codegen: Any) -> None:
    """Defer signals while machine code is generated or loaded."""
    engine = codegen._engine
    if "finalize_object" not in vars(engine):
        engine.finalize_object = functools.partial(uninterrupted, engine.finalize_object)


class _InnerLibrary(JITCodeLibrary):
    """Code that only kernels call: it gets no machine code of its own."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> _InnerLibrary:
        return self

    def set_env(self, name: str, env: object) -> None:
        pass


class _InlinedLibrary(_InnerLibrary):
    """Code that is copied into its callers and optimised only there."""

    def _optimize_final_module(self) -> None:
        pass


class _InnerCompiler(Compiler):
    """A compiler of functions that only kernels call."""

    library: type[_InnerLibrary] = _InnerLibrary

    def __init__(self, typing_context: Any, target_context: Any, _: Any, *others: Any) -> None:
        super().__init__(typing_context, target_context, None, *others)
        self.state.library = self.library(self.state.targetctx.codegen(), self.library.__name__)


class _InlinedCompiler(_InnerCompiler):
    """A compiler of functions that are copied into their callers."""

    library = _InlinedLibrary


class _SharedLibrary(_InlinedLibrary):
    """Code that stays a function in its callers, and is optimised only there."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class _SharedCompiler(_InnerCompiler):
    """A compiler of functions that their callers share."""

    library = _SharedLibrary


def outer_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return the version of a kernel that Python calls, with its code on disk."""
    dispatcher: Any = CPUDispatcher(function, targetoptions=options)
    dispatcher._cache = Compiled(function)
    return dispatcher


def inner_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return the version of a kernel that other kernels call.

    numba generates machine code and a Python wrapper for every callee, and optimises an inlined function once for each
    level of callers. This version has neither, and an inlined or shared function is optimised only in the kernel that
    is called from Python. Functions that are called (`kernel`), and inlined ones that sum over units of a network
    (`fastmath`), are optimised by themselves as well, because they run slower otherwise.
    """
    inline = options.get("forceinline")  # None: copied where LLVM expects a gain, or into callers that are copied
    compiler = _SharedCompiler if inline is False else _InnerCompiler
    if inline and "fastmath" not in options:
        compiler = _InlinedCompiler
    unwrapped = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return CPUDispatcher(function, targetoptions=unwrapped, pipeline_class=compiler)


def instruction_type(emit: Callable[..., Any]) -> Any:
    """Return the type of an instruction in kernels."""
    instruction, context = numba.extending.intrinsic(emit), cpu_target.typing_context
    context.refresh()  # reads the declaration of the instruction
    return context.resolve_value_type(instruction)


class HandleType(types.Type):
    """The type of a `jit.Handle`.

    Args:
        tuple_type: the type of its named tuple.
    """

    def __init__(self, tuple_type: Any) -> None:
        self.tuple_type = tuple_type
        digest = hashlib.sha256(repr(tuple_type).encode()).hexdigest()[:16]
        super().__init__(f"handle({tuple_type.instance_class.__name__} {digest})")

    @functools.cached_property
    def parts(self) -> dict[str, tuple[Any, int]]:
        """The type of each part, and the number of words before it."""
        tuple_type, parts, words = self.tuple_type, {}, 0
        for name, kind in zip(tuple_type.fields, tuple_type.types, strict=True):
            part = HandleType(kind) if isinstance(kind, types.BaseNamedTuple) else kind
            parts[name], words = (part, words), words + _word_count(kind)
        return parts


def _word_count(kind: Any) -> int:
    """Return the number of 64-bit words that a part of a handle takes.

    Raises:
        TypeError: a part that handles do not support.
    """
    if isinstance(kind, types.BaseNamedTuple):
        parts: Any = kind
        return sum(_word_count(part) for part in parts.types)
    if isinstance(kind, types.Array) and kind.layout == "C":
        return 1 + kind.ndim
    if kind in (types.int64, types.float64, types.boolean):
        return 1
    raise TypeError(f"a handle supports contiguous arrays, int64, float64, bool and named tuples, got {kind}.")


def handle_type(value: tuple[Any, ...]) -> HandleType:
    """Return the type of the handle of a named tuple.

    Raises:
        TypeError: a part that handles do not support.
    """
    kind = numba.typeof(value)
    _word_count(kind)
    return HandleType(kind)


numba.extending.register_model(HandleType)(numba.extending.models.OpaqueModel)


@numba.extending.unbox(HandleType)
def _unbox_handle(kind, value, c):
    """Return the pointer of a handle."""
    number = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return numba.extending.NativeValue(pointer, is_error=c.pyapi.c_api_error())


@infer_getattr
class _HandleAttributes(AttributeTemplate):
    """The types of a handle's attributes."""

    key = HandleType

    def generic_resolve(self, value, attr):  # type: ignore[override]
        return value.parts[attr][0] if attr in value.parts else None


@lower_getattr_generic(HandleType)
def _part_of_handle(context, builder, kind, value, name):
    """Read a part of a handle.

    Addresses and shapes are marked as unchanging for the optimiser. If numbers were marked too, it would compile each
    loop once for every setting.
    """
    part, first = kind.parts[name]
    unchanging = builder.module.add_metadata([])

    def word(index, llvm_type):
        place = builder.gep(value, [ir.Constant(ir.IntType(64), 8 * (first + index))])
        loaded = builder.load(builder.bitcast(place, llvm_type.as_pointer()))
        if isinstance(part, types.Array):
            loaded.set_metadata("invariant.load", unchanging)
        return loaded

    if isinstance(part, HandleType):
        return builder.gep(value, [ir.Constant(ir.IntType(64), 8 * first)])
    if part == types.boolean:
        return builder.trunc(word(0, ir.IntType(64)), ir.IntType(1))
    if not isinstance(part, types.Array):
        return word(0, context.get_value_type(part))
    return _array_of_words(context, builder, part, word)


def _array_of_words(context, builder, kind, word):
    """Return an array whose address and shape are the words of a handle."""
    from numba.np.arrayobj import populate_array  # compiling needs it, loading does not

    array = context.make_array(kind)(context, builder)
    data = context.get_data_type(kind.dtype)
    size = context.get_abi_sizeof(data)
    shape = [word(1 + axis, context.get_value_type(types.intp)) for axis in range(kind.ndim)]
    strides = [context.get_constant(types.intp, size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, word(0, data.as_pointer()), shape, strides, size, None)
    return array._getvalue()
