"""Mutation testing: faults in a copy of the source, each of which some test must find.

``python -m tests.mutants`` (``make mutants``) tries all of tests/data/mutants.toml, with names of modules only theirs.
A group of faults names a source file, the tests that guard it, and rows: a function, an expression or statements that
the function has once, the code in their place, and perhaps tests of its own. ``texts`` change several places at once:
a text that the file has once, and another. Kernels run as plain Python (``plain = true``), so no fault compiles
anything. A fault whose old code is not there once is stale: it is listed, and counts as one that survived.

``--list`` applies all and runs none. ``--generate`` tries faults that six operators make in each module, by its own
tests, and lists the survivors: some of these are equivalent to the source.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import shlex
import shutil
import sys
import tempfile
import time
import tomllib
from functools import cache
from pathlib import Path

from tests.faults import Fault, Stale, TextFault
from tests.operators import generate

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tests" / "data" / "mutants.toml"
PACKAGES = ("src/tefuda", "reproductions/src/tefuda_reproductions")
SOURCES = tuple(str(Path(package).parent) for package in PACKAGES)  # folders that a path for imports names
LOADED = (
    "numba",
    "pytest",
    "scipy.sparse",
    "scipy.stats",
    "highspy",
    "rich.console",
    "typer.testing",
)  # not by each child
COPIED = ("src", "tests", "reproductions", "pyproject.toml")


@cache
def source_of(name: str) -> Path:
    """Return the source file with a name like "match.py" or "_kernels/values.py", of either package."""
    packages = [ROOT / package for package in PACKAGES]
    for exact in (package / name for package in packages if (package / name).exists()):
        return exact
    found = [
        path for package in packages for path in sorted(package.rglob("*.py")) if path.as_posix().endswith(f"/{name}")
    ]
    if len(found) != 1:
        sys.exit(f"{name!r} is {len(found)} files of the packages; name its folder too.")
    return found[0]


def read_faults(names: list[str]) -> list[Fault]:
    """Return the faults of the modules named, or all."""
    found: list[Fault] = []
    for group in tomllib.loads(FILE.read_text())["group"]:
        source, plain = group["source"], group.get("plain", False)
        if names and not any(name in (source, source_of(source).stem) for name in names):
            continue
        for function, old, new, *tests in group.get("faults", []):
            found.append(Fault(source, function, old, new, *tests or [group["tests"]], plain))
        for old, new, *tests in group.get("texts", []):
            found.append(TextFault(source, "", old, new, *tests or [group["tests"]], plain))
    if not found:
        sys.exit(f"no faults of {', '.join(names)}.")
    return found


def generated(name: str) -> list[Fault]:
    """Return the faults that the operators make of a module, for the tests of its own."""
    path = source_of(name if name.endswith(".py") else f"{name}.py")
    package = next(ROOT / package for package in PACKAGES if path.is_relative_to(ROOT / package))
    place = path.relative_to(package)
    tests = package.parent.parent / "tests" / place.parent / f"test_{place.name}"
    if not tests.exists():
        sys.exit(f"{place} has no tests of its own: {tests.relative_to(ROOT)} is no file.")
    plain = bool({"kernels", "_kernels"} & {*place.parts})
    return generate(path.read_text(), place.as_posix(), str(tests.relative_to(ROOT)), plain)


def stale(faults: list[Fault]) -> list[Fault]:
    """Print and return the faults whose old code is not in its place once."""
    found = []
    for fault in faults:
        try:
            fault.apply(source_of(fault.source).read_text())
        except Stale as error:
            print(f"stale, {error}")
            found.append(fault)
    return found


def _run_tests(copy: Path, tests: str, plain: bool, compiled: bool) -> None:
    """Run pytest over the copy in a child process; compiled: whether Python may cache modules there."""
    descriptor = os.open(copy / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.chdir(copy)
    sources = [str(copy / source) for source in SOURCES]
    settings = {"TEFUDA_CACHE": str(copy / "cache"), "PYTHONPATH": os.pathsep.join(sources)}
    os.environ |= {**settings, "NUMBA_DISABLE_JIT": str(int(plain))}
    packages = {"tests", "reproductions", *(Path(package).name for package in PACKAGES)}
    for name in [name for name in sys.modules if name.split(".")[0] in packages]:
        del sys.modules[name]
    others = [
        path for path in sys.path if path and path not in {str(ROOT), *(str(ROOT / source) for source in SOURCES)}
    ]
    sys.path[:], sys.dont_write_bytecode = [*sources, str(copy), *others], not compiled
    import pytest

    warnings = ["-W", "ignore::RuntimeWarning"] if plain else []  # whole numbers that overflow on purpose
    code = pytest.main([*shlex.split(tests), "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *warnings])
    os._exit(int(code))


def evaluation(copy: Path, tests: str, plain: bool, limit: float, compiled: bool = False) -> int | None:
    """Pytest's exit code; None if the tests took longer than `limit` seconds."""
    shutil.rmtree(copy / "cache", ignore_errors=True)
    process = multiprocessing.get_context("fork").Process(target=_run_tests, args=(copy, tests, plain, compiled))
    process.start()
    process.join(limit)
    if process.exitcode is None:
        process.kill()
        process.join()
        return None
    return process.exitcode


def check_tests(copy: Path, faults: list[Fault]) -> dict[tuple[str, bool], float]:
    """Every selection of tests must pass on the source as it is; how long each took."""
    seconds = {}
    for tests, plain in dict.fromkeys((fault.tests, fault.plain) for fault in faults):
        start = time.monotonic()
        if evaluation(copy, tests, plain, 3600, compiled=True) != 0:
            print((copy / "log").read_text()[-3000:])
            sys.exit(f"these fail without any fault, or are none: {tests}")
        seconds[tests, plain] = time.monotonic() - start
        print(f"without faults {seconds[tests, plain]:6.1f} s  {tests}", flush=True)
    return seconds


def try_fault(copy: Path, fault: Fault, limit: float) -> str:
    """Return the result of a fault: killed, SURVIVED, or endless (which counts as killed)."""
    place = copy / source_of(fault.source).relative_to(ROOT)
    text, moment = place.read_text(), place.stat().st_mtime
    place.write_text(fault.apply(text))
    os.utime(place, (moment - 10,) * 2)  # another time, so that Python compiles it; earlier, so that no kernel is stale
    try:
        code = evaluation(copy, fault.tests, fault.plain, limit)
    finally:
        place.write_text(text)
        os.utime(place, (moment,) * 2)
    return "endless" if code is None else "SURVIVED" if code == 0 else "killed"


def survivors(faults: list[Fault]) -> list[Fault]:
    """Try the faults in a copy of the sources; return those that no test finds."""
    for name in LOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy, found = Path(folder), []
        for source in (ROOT / name for name in COPIED if (ROOT / name).exists()):
            ignored = shutil.ignore_patterns("*.pyc")
            shutil.copytree(source, copy / source.name, ignore=ignored) if source.is_dir() else shutil.copy2(
                source, copy
            )
        seconds = check_tests(copy, faults)
        for number, fault in enumerate(faults, 1):
            start = time.monotonic()
            result = try_fault(copy, fault, 60 + 10 * seconds[fault.tests, fault.plain])
            found += [fault] * (result == "SURVIVED")
            print(f"[{number}/{len(faults)}] {result:8} {time.monotonic() - start:5.1f} s  {fault}", flush=True)
    return found


def main() -> int:
    """Try the faults; return 1 if any survived or is stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help='such as "match" or "_kernels/values.py"; all unless named')
    parser.add_argument("--list", action="store_true", help="list the faults, and the stale ones")
    parser.add_argument("--generate", action="store_true", help="try faults made by operators; always returns 0")
    arguments = parser.parse_args()
    names = arguments.modules
    faults = [fault for name in names for fault in generated(name)] if arguments.generate else read_faults(names)
    left = stale(faults)
    if arguments.list:
        print(*faults, f"{len(faults) - len(left)} of {len(faults)} faults apply.", sep="\n")
        return int(bool(left))
    left += survivors([fault for fault in faults if fault not in left])
    print(f"{len(faults) - len(left)} of {len(faults)} faults killed.", *left, sep="\n  ")
    return int(bool(left) and not arguments.generate)


if __name__ == "__main__":
    sys.exit(main())
