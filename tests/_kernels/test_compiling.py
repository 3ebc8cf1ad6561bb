"""Compiled code on disk: concurrent processes, unwritable folders and damaged files."""

import importlib
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import tefuda as td
from tefuda._kernels import compiling, jit


def add(a, b):
    return a + b


def thrice(a):
    return a + a + a


copied, called, once = jit.inlined(thrice), jit.kernel(thrice, refcounts=False), jit.shared(thrice)
reordered = jit.inlined(thrice, fastmath=True)


def ninefold(a):
    return copied(called(a)) + 0 * (reordered(a) + once(a))


def copying(a):
    return copied(copied(a))


def answers(order) -> tuple[list, bool]:
    """Return the results of a fresh kernel for integers and floats, and whether it was compiled."""
    compiled = []
    jit.on_compiling[:] = [compiled.append]
    fresh = jit.kernel(add)
    found = {kind: fresh(kind(2), kind(3)) for kind in order}
    return [found[np.int64], found[np.float64]], bool(compiled)


def in_folder(folder, order, results) -> None:
    compiling.Compiled.folders, compiling.Compiled.target = [folder], compiling.writable([folder])
    results.put(answers(order))


@pytest.mark.parametrize("round", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_eight_processes_on_an_empty_cache(tmp_path, round):
    """Eight processes compile two signatures in different orders; the cache contains one file for each."""
    context, folder = multiprocessing.get_context("fork"), tmp_path / "tefuda-new"
    kinds, results = (np.int64, np.float64), context.Queue()
    processes = [context.Process(target=in_folder, args=(folder, kinds[:: (-1) ** n], results)) for n in range(8)]
    for process in processes:
        process.start()
    assert all(results.get(timeout=300)[0] == [5, 5.0] for _ in processes)
    for process in processes:
        process.join()
    assert len(list(folder.iterdir())) == 2  # a file for each signature, and no temporary files
    late = context.Process(target=in_folder, args=(folder, kinds, results))
    late.start()
    found, compiled = results.get(timeout=300)
    late.join()
    assert found == [5, 5.0] and [type(one) for one in found] == [int, float] and not compiled


@pytest.fixture
def folders(monkeypatch):
    """Set the folders in which compiled code is searched."""

    def use(*places):
        monkeypatch.setattr(compiling.Compiled, "folders", list(places))
        monkeypatch.setattr(compiling.Compiled, "target", compiling.writable(list(places)))

    monkeypatch.setattr(jit, "on_compiling", [])
    return use


@pytest.mark.parametrize(
    "make", [jit.inlined, jit.shared, jit.kernel(refcounts=False), jit.inlined(fastmath=True), jit.kernel]
)
def test_inner_functions_have_no_machine_code_of_their_own(tmp_path, folders, make):
    """Only the outermost of three functions is saved; calling an inner one from Python compiles it once."""
    folders(tmp_path / "tefuda-1")
    outer = make(ninefold)
    assert outer(7) == 63 and [path.name.partition("-")[0] for path in (tmp_path / "tefuda-1").iterdir()] == [
        f"{__name__}.ninefold"
    ]
    fresh = jit.kernel(thrice)
    assert fresh(5) == fresh(6) - 3 == 15 and len(list((tmp_path / "tefuda-1").iterdir())) == 2


@pytest.mark.parametrize(
    "make, calls",
    [
        (jit.inlined, True),
        (jit.shared, True),
        (jit.kernel(refcounts=False), False),
        (jit.inlined(fastmath=True), False),
        (jit.kernel, False),
    ],
)
def test_inlined_functions_are_optimised_in_their_callers(make, calls):
    """Code made by `jit.inlined` still calls the functions it inlines; kernels contain optimised copies."""
    one = make(copying).inner
    one.compile("int64(int64)")
    (found,) = one.overloads.values()
    with global_compiler_lock:
        code = found.library._get_module_for_linking()  # as callers request it
    assert ("thrice" in str(code.get_function(found.fndesc.llvm_func_name))) == calls


def calling(a):
    return once(once(a) + 1) + once(a + 5)


@pytest.mark.parametrize("make", [jit.inlined, jit.shared, jit.kernel])
def test_a_shared_function_is_compiled_once_for_all_its_calls(tmp_path, folders, make):
    """The code of a kernel calls a shared function three times and has one copy of it."""
    folders(tmp_path / "tefuda-1")
    outer = make(calling).outer
    assert outer(2) == 3 * 7 + 21
    (code,) = outer.inspect_llvm().values()
    lines = [line.strip() for line in code.splitlines() if "thrice" in line]
    assert [sum(line.startswith("define") for line in lines), sum(" call " in line for line in lines)] == [1, 3]


class Numbers(NamedTuple):
    """Numbers of all kinds."""

    real: float
    whole: int
    yes: bool
    no: bool


class Parts(NamedTuple):
    """A tuple with all kinds of parts."""

    single: np.ndarray
    numbers: Numbers
    bits: np.ndarray
    last: Numbers


def sums(parts, found):
    found[0] = parts.single[1, 2, 1] + parts.single.shape[0] * 100 + parts.single[1].sum() + len(parts.bits)
    found[1] = parts.numbers.real + parts.numbers.whole + parts.last.whole
    found[2] = 8 * parts.numbers.yes + 4 * parts.numbers.no + 2 * parts.last.yes + parts.last.no
    parts.bits[1] += np.uint8(parts.last.real)


@pytest.mark.parametrize("make", [jit.inlined, jit.shared, jit.kernel(refcounts=False), jit.kernel])
def test_kernels_read_a_handle_as_they_read_its_tuple(tmp_path, folders, make):
    """Arrays, their shapes, all numbers and inner tuples are those of the tuple; elements can be written."""
    folders(tmp_path / "tefuda-1")
    single, bits = np.arange(2 * 3 * 5, dtype=np.float32).reshape(2, 3, 5), np.zeros(4, dtype=np.uint8)
    parts = Parts(single, Numbers(-0.5, -(2**62), True, False), bits, Numbers(7.25, 3, False, True))
    exact, found, kernel = np.zeros(3), np.zeros(3), make(sums)
    kernel.py_func(parts, exact)
    assert bits.tolist() == [0, 7, 0, 0] and exact.all()
    kernel(jit.handle(parts), found)
    assert found.tolist() == exact.tolist() and bits.tolist() == [0, 14, 0, 0]
    copy = pickle.loads(pickle.dumps(jit.handle(parts)))
    single[...] = bits[...] = 0  # the copy has arrays of its own
    kernel(copy, found)
    assert found.tolist() == exact.tolist() and copy.bits.tolist() == [0, 21, 0, 0] and copy.address != 0


@pytest.mark.parametrize("part", [np.zeros((4, 4))[:, 1], np.float32(1.0), (1, 2), 1j])
def test_handles_refuse_parts_that_they_cannot_point_to(part):
    with pytest.raises((TypeError, ValueError)):
        jit.kernel(sums)(jit.Handle(Parts(part, Numbers(0.0, 0, True, True), part, Numbers(0.0, 0, True, True))), part)


def test_no_folder_can_be_written(tmp_path, folders):
    """Without a writable folder, kernels are compiled in memory, and the hook is called once."""
    (tmp_path / "file").write_text("in the way")
    folders(tmp_path / "file" / "one", tmp_path / "file" / "two")
    told = []
    jit.on_compiling[:] = [told.append]
    fresh = jit.kernel(add)
    assert fresh(2, 3) == 5 and fresh(2.0, 3.0) == 5.0 and told == [False] and fresh.outer.stats.cache_path is None


def test_the_first_writable_folder_is_used_and_all_are_read(tmp_path, folders):
    (tmp_path / "file").write_text("in the way")
    folders(tmp_path / "file" / "one", tmp_path / "two")
    assert answers([np.int64, np.float64]) == ([5, 5.0], True) and compiling.Compiled.target == tmp_path / "two"
    compiling.Compiled.target = None
    assert answers([np.int64, np.float64]) == ([5, 5.0], False)


def test_damaged_code_is_compiled_again(tmp_path, folders):
    folders(tmp_path / "tefuda-1")
    answers([np.int64, np.float64])
    for file in (tmp_path / "tefuda-1").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    assert answers([np.int64, np.float64]) == ([5, 5.0], True)
    assert answers([np.int64, np.float64]) == ([5, 5.0], False)


def flipped(folder, places, results) -> None:
    """Flip one bit at each place; put the result, whether it compiled, and whether the file was replaced."""
    compiling.Compiled.folders, compiling.Compiled.target = [folder], compiling.writable([folder])
    assert jit.kernel(add)(2, 3) == 5
    (file,) = folder.iterdir()
    good, found = file.read_bytes(), []
    for place in places:
        bad = bytearray(good)
        bad[int(place * len(good))] ^= 1 << int(place * 97) % 8
        file.write_bytes(bad)
        compiled = []
        jit.on_compiling[:] = [compiled.append]
        given = jit.kernel(add)(2, 3)
        found.append((given, bool(compiled), file.read_bytes() != bad))
    results.put(found)


def test_a_flipped_bit_anywhere_is_noticed(tmp_path):
    """A flipped bit crashed the process or changed results. Now the file is replaced."""
    context = multiprocessing.get_context("fork")
    results, places = context.Queue(), [(n + 0.5) / 12 for n in range(12)]
    process = context.Process(target=flipped, args=(tmp_path / "tefuda-1", places, results))
    process.start()
    process.join(300)
    assert process.exitcode == 0 and results.get(timeout=300) == [(5, True, True)] * 12


def compiling_under_signals(folder, hook, results) -> None:
    """Compile and load while a signal arrives in a function that LLVM calls."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.registry import cpu_target

    compiling.Compiled.folders, compiling.Compiled.target = [folder], compiling.writable([folder])
    real, calls, found = getattr(JITCodeLibrary, hook), [], []

    def called(*arguments):
        calls.append(1)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return real(*arguments)

    engine = cpu_target.target_context.codegen()._engine
    hooks = {"_object_compiled_hook": JITCodeLibrary._object_compiled_hook,
             "_object_getbuffer_hook": JITCodeLibrary._object_getbuffer_hook, hook: called}  # fmt: skip
    engine.set_object_cache(*hooks.values())
    for _ in range(3):
        try:
            found.append(jit.kernel(add)(2, 3))
        except KeyboardInterrupt:
            found.append("interrupted")
    results.put(found)


@pytest.mark.parametrize("hook", ["_object_compiled_hook", "_object_getbuffer_hook"])
def test_a_signal_during_compilation_is_not_lost(tmp_path, capfd, hook):
    """A signal handler that raises during compilation must not lose the compiled code.

    Python ignores exceptions in callbacks of LLVM; the code was lost with them (`no compiled
    object yet`).
    """
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=compiling_under_signals, args=(tmp_path / "tefuda-1", hook, results))
    process.start()
    process.join(300)
    assert process.exitcode == 0 and results.get(timeout=300) == ["interrupted", 5, 5]
    assert "Exception ignored" not in capfd.readouterr().err


def test_signals_are_handled_after_uninterrupted_work():
    """Each signal is handled once, afterwards, by its handler.

    Ignored signals stay ignored, and other threads have no handlers.
    """
    arrived, before = [], {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def work():
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.raise_signal(number)
        arrived.append("done")

    try:
        signal.signal(signal.SIGTERM, lambda number, frame: arrived.append(number))
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        compiling.uninterrupted(work)
        assert arrived == ["done", signal.SIGTERM]
        thread = threading.Thread(target=compiling.uninterrupted, args=(lambda: arrived.append("thread"),))
        thread.start()
        thread.join()
        assert arrived[2:] == ["thread"] and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_code_of_other_versions_is_deleted_after_a_month(tmp_path):
    """Code that another process has just compiled from other sources is not deleted."""
    for name, age in (("tefuda-old", 40), ("tefuda-recent", 20), ("another", 400)):
        (tmp_path / name).mkdir()
        then = os.stat(tmp_path).st_mtime - age * 86400
        os.utime(tmp_path / name, (then, then))
    assert compiling.writable([tmp_path / "tefuda-new"]) == tmp_path / "tefuda-new"
    assert {path.name for path in tmp_path.iterdir()} == {"tefuda-recent", "another", "tefuda-new"}


LOADING = """
import sys, numpy as np
from tests._kernels.largest import largest

print(largest(np.arange(3.0)), "numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
try:
    largest(np.ones(0))
except ValueError:
    print("refused")
"""


def test_loaded_code_needs_no_registries(tmp_path):
    """A second process gets values and errors of saved code without numba's array functions or SciPy."""
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", LOADING], env=settings, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.split() == ["2.0", "True", "True", "refused"]
    assert second.split() == ["2.0", "False", "False", "refused"]


def test_compiled_code_is_named_by_its_sources():
    """An edited module invalidates the code of modules that import it, and no other code."""
    programs, draw, own, *others = (
        f"tefuda._kernels.{name}"
        for name in "programs draw jit traversal sequence blocks treeplex lanes compiling".split()
    )
    assert compiling._sources(programs) == {programs, own, *others} and compiling._sources(draw) == {draw, own}
    steps = compiling._sources("tefuda.holdem.kernels.steps")
    assert steps == {
        draw,
        own,
        "tefuda._kernels.bits",
        *(f"tefuda.holdem.kernels.{name}" for name in "steps rank sizes".split()),
    }
    assert compiling._digest(programs) != compiling._digest(others[0]) and compiling._digest(
        "test_kernels"
    ) == compiling._digest("nobody")


def test_comments_and_docstrings_recompile_nothing(tmp_path, monkeypatch):
    """Code of another package is named by its sources, too."""
    package = ModuleType("tefuda_other")
    package.__file__ = str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "tefuda_other", package)
    (tmp_path / "kernels").mkdir()
    base = tmp_path / "kernels" / "base.py"
    (tmp_path / "kernels" / "top.py").write_text("from tefuda_other.kernels import (\n    base,\n    other,\n)\n")
    found = []
    for text in ("N = 2\ndef f(a):\n    return a\n",
                 '"""Text."""\n\nN = 2  # why\n\n\ndef f(a):\n    """More."""\n    # why\n    return a\n',
                 "N = 3\ndef f(a):\n    return a\n", "N = 2\ndef f(a):\n    return -a\n"):  # fmt: skip
        base.write_text(text)
        for function in (compiling._sources, compiling._code, compiling._digest):
            function.cache_clear()
        found.append(compiling._digest("tefuda_other.kernels.top"))
    assert found[0] == found[1] and len(set(found)) == 3


def test_kernels_assert_nothing():
    """File names of compiled code do not depend on `assert` statements, so kernels must have none."""
    paths = Path(td.__file__).parent.rglob("*kernels/**/*.py")
    found = [path.name for path in paths if re.search(r"^\s*assert ", path.read_text(), re.MULTILINE)]
    assert found == []


def test_kernels_have_no_closures():
    """File names depend on sources and signatures only, so a closure variable would be missed."""
    package = Path(td.__file__).parent
    modules = [path.relative_to(package.parent).with_suffix("") for path in sorted(package.rglob("*kernels/**/*.py"))]
    assert len(modules) > 40
    for path in modules:
        for one in vars(importlib.import_module(".".join(path.parts).removesuffix(".__init__"))).values():
            assert getattr(getattr(one, "py_func", None), "__closure__", None) is None


@pytest.mark.slow
def test_eight_commands_at_once_twice(tmp_path):
    """Eight concurrent commands with an empty cache give one answer; a second time nothing is compiled."""
    command = [sys.executable, "-m", "tefuda", "solve", "kuhn", "--method", "cfr+", "--iterations", "10", "--json"]
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TEFUDA_CACHE": str(tmp_path)}
    for cold in (True, False):
        running = [
            subprocess.Popen([*command, "--out", f"{tmp_path}/{cold}-{n}"], env=settings, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for n in range(8)
        ]  # fmt: skip
        ended = [process.communicate() for process in running]
        assert all(process.returncode == 0 for process in running)
        assert len({text.split('"seconds"')[0] for text, _ in ended}) == 1
        assert any("compiling" in text for _, text in ended) == cold
