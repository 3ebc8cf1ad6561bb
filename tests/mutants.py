"""Mutation testing: one-line faults in a copy of the source, each of which some test must find.

``python -m tests.mutants`` (``make mutants``) tries all of tests/data/mutants.toml, with names of modules only theirs.
A group of mutants names a source file, the tests that guard it, and pairs of an old and a new text; a pair may name
tests of its own as a third. Kernels run as plain Python (``plain = true``), so no mutant compiles anything. A pattern
that no longer stands in its file exactly once is refused before anything runs: say it anew.
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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tests" / "data" / "mutants.toml"
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
PACKAGES = ("src/tefuda", "reproductions/src/tefuda_reproductions")


@dataclass(frozen=True)
class Mutant:
    """Instead of `old` the source file says `new`; `tests` are pytest's arguments."""

    source: Path
    line: int
    old: str
    new: str
    tests: str
    plain: bool

    def __str__(self) -> str:
        return f"{self.source.relative_to(ROOT)}:{self.line}  {self.old!r} -> {self.new!r}"


def source_of(name: str) -> Path:
    """The source file of a name like "match.py" or "_kernels/values.py", in whatever folder it lies."""
    packages = [ROOT / package for package in PACKAGES]
    if exact := [package / name for package in packages if (package / name).exists()]:
        return exact[0]
    files = [path for package in packages for path in sorted(package.rglob("*.py"))]
    found = [path for path in files if path.as_posix().endswith(f"/{name}")]
    if len(found) != 1:
        sys.exit(f"{FILE.name}: {name!r} is {len(found)} files of the package; name its folder too.")
    return found[0]


def read_mutants(names: list[str]) -> list[Mutant]:
    """The mutants of the modules named, or all; patterns that do not stand in their file once are refused."""
    found, stale = [], []
    for group in tomllib.loads(FILE.read_text())["group"]:
        source = source_of(group["source"])
        if names and not any(name in (group["source"], source.stem) for name in names):
            continue
        text = source.read_text()
        for old, new, *tests in group["mutants"]:
            if text.count(old) != 1:
                stale.append(f"  {group['source']}: {text.count(old)} times: {old!r}")
            line = text.partition(old)[0].count("\n") + 1
            chosen = tests[0] if tests else group["tests"]
            found.append(Mutant(source, line, old, new, chosen, group.get("plain", False)))
    if stale:
        print("These patterns do not stand in their files exactly once:", *stale, sep="\n")
        sys.exit(2)
    if not found:
        sys.exit(f"no mutants of {', '.join(names)}.")
    return found


def _run_tests(copy: Path, tests: str, plain: bool, compiled: bool) -> None:
    """Run pytest over the copy in a child process; compiled: whether Python may cache modules there."""
    descriptor = os.open(copy / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.chdir(copy)
    settings = {"TEFUDA_CACHE": str(copy / "cache"), "PYTHONPATH": f"{copy}/src:{copy}/reproductions/src"}
    os.environ |= {**settings, "NUMBA_DISABLE_JIT": str(int(plain))}
    packages = ("tests", "reproductions", "tefuda", "tefuda_reproductions")
    for name in [name for name in sys.modules if name.split(".")[0] in packages]:
        del sys.modules[name]
    folders = ("src", "reproductions/src", ".")
    others = [path for path in sys.path if path and path not in [str(ROOT / folder) for folder in folders]]
    sys.path[:], sys.dont_write_bytecode = [*(str(copy / folder) for folder in folders), *others], not compiled
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


def check_tests(copy: Path, mutants: list[Mutant]) -> dict[tuple[str, bool], float]:
    """Every selection of tests must pass on the source as it is; how long each took."""
    seconds = {}
    for tests, plain in dict.fromkeys((mutant.tests, mutant.plain) for mutant in mutants):
        start = time.monotonic()
        if evaluation(copy, tests, plain, 3600, compiled=True) != 0:
            print((copy / "log").read_text()[-3000:])
            sys.exit(f"these fail without any mutant, or are none: {tests}")
        seconds[tests, plain] = time.monotonic() - start
        print(f"without mutants {seconds[tests, plain]:6.1f} s  {tests}", flush=True)
    return seconds


def try_mutant(copy: Path, mutant: Mutant, limit: float) -> str:
    """Return the result of a mutant: killed, SURVIVED, or endless (which counts as killed)."""
    place = copy / mutant.source.relative_to(ROOT)
    text, moment = place.read_text(), place.stat().st_mtime
    place.write_text(text.replace(mutant.old, mutant.new))
    os.utime(place, (moment - 10,) * 2)  # another time, so that Python compiles it; earlier, so that no kernel is stale
    try:
        code = evaluation(copy, mutant.tests, mutant.plain, limit)
    finally:
        place.write_text(text)
        os.utime(place, (moment,) * 2)
    return "endless" if code is None else "SURVIVED" if code == 0 else "killed"


def main() -> int:
    """Try the mutants; 1 if any survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help='such as "match" or "_kernels/values.py"; all unless named')
    parser.add_argument("--list", action="store_true", help="list the mutants")
    arguments = parser.parse_args()
    mutants = read_mutants(arguments.modules)
    if arguments.list:
        print(*mutants, sep="\n")
        return 0
    for name in LOADED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            ignored = shutil.ignore_patterns("*.pyc")
            shutil.copytree(source, copy / name, ignore=ignored) if source.is_dir() else shutil.copy2(source, copy)
        seconds, survivors = check_tests(copy, mutants), []
        for number, mutant in enumerate(mutants, 1):
            start = time.monotonic()
            found = try_mutant(copy, mutant, 60 + 10 * seconds[mutant.tests, mutant.plain])
            survivors += [mutant] * (found == "SURVIVED")
            print(f"[{number}/{len(mutants)}] {found:8} {time.monotonic() - start:5.1f} s  {mutant}", flush=True)
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants killed.", *survivors, sep="\n  ")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
