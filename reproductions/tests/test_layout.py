"""The shape of the package: allowed imports, length, kernels."""

import ast
import importlib
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tefuda as td
import tefuda_reproductions

SOURCE = Path(tefuda_reproductions.__file__).parent
#: Each room imports only rooms above it.
FLOORS = (
    ("claims", "deviation"),
    ("experiment",),
    ("decks", "koikoi", "limit"),
    ("papers",),
    ("catalogue", "report"),
    ("command",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path.name != "__init__.py"]


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


NAMES = {name_of(path): path for path in FILES}


def imports(path):
    """The modules of this package that a file imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == SOURCE.name:
            module = node.module.removeprefix(SOURCE.name).removeprefix(".")
            inner = {f"{module}.{alias.name}".removeprefix(".") for alias in node.names}
            found |= inner & NAMES.keys() or {module}
    return found


def test_rooms_import_only_rooms_above():
    for name, path in NAMES.items():
        own = name.split(".")[0]
        for other in (other.split(".")[0] for other in imports(path)):
            assert own == other or FLOOR[other] < FLOOR[own], f"{name} imports {other}"


def test_files_form_no_circle():
    list(TopologicalSorter({name: imports(path) for name, path in NAMES.items()}).static_order())


def test_tefuda_imports_nothing_of_it():
    """It names the package as a text in two modules."""
    texts = {path: path.read_text() for path in Path(td.__file__).parent.rglob("*.py")}
    assert not [path for path, text in texts.items() if re.search(r"^\s*(from|import) tefuda_rep", text, re.MULTILINE)]
    named = {path.name for path, text in texts.items() if SOURCE.name in text}
    assert named == {"reproducing.py", "form.py"}


def test_modules_and_functions_are_short():
    for path in FILES:
        assert len(path.read_text().splitlines()) <= 500, path
        for node in ast.walk(ast.parse(path.read_text())):
            assert not isinstance(node, ast.FunctionDef) or node.end_lineno - node.lineno < 60, (path, node.name)


@pytest.mark.parametrize("name", [name for name in NAMES if "kernels" in name])
def test_kernels_assert_nothing_and_have_no_closures(name):
    """File names of compiled code depend on sources and signatures only."""
    assert not re.search(r"^\s*assert ", NAMES[name].read_text(), re.MULTILINE)
    for one in vars(importlib.import_module(f"{SOURCE.name}.{name}")).values():
        assert getattr(getattr(one, "py_func", None), "__closure__", None) is None


def test_kernels_are_named_by_their_sources():
    """An edited kernel of either package invalidates the code that calls it."""
    from tefuda._kernels import compiling

    found = compiling._sources("tefuda_reproductions.koikoi.kernels.oos")
    own = {f"tefuda_reproductions.koikoi.kernels.{name}" for name in "oos targeting mccfr keys".split()}
    assert own | {"tefuda.koikoi.kernels.match", "tefuda.koikoi.kernels.rounds"} <= found
