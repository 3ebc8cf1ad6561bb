"""The shape of the package: allowed imports, their cost, and the public names."""

import ast
import inspect
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tefuda as td
from tests.layout import FLOORS, LIMITS, WINGS
from tests.stub import PACKAGES

SOURCE = Path(td.__file__).parent

FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

WING = {(room, wing): floor for room, floors in WINGS.items() for floor, wings in enumerate(floors) for wing in wings}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    """The dotted name of a module inside the package, "solvers.cfr"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    return name.split(".")[0]


def wing_of(name: str) -> str:
    """The folder inside a room that a module lies in; "." if it lies in the room's own."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and SOURCE.joinpath(*parts[:2]).is_dir() else "."


def in_kernels(path: Path) -> bool:
    return bool({"kernels", "_kernels"} & set(path.relative_to(SOURCE).parts))


@cache
def imports(path: Path) -> set[str]:
    """The modules of this package a file imports, inside functions too."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module and room_of(node.module) == "tefuda":
            module = node.module.removeprefix("tefuda").removeprefix(".")
            inner = {f"{module}.{alias.name}".removeprefix(".") for alias in node.names}
            found |= (inner & NAMES.keys()) | ({module} - {""} if inner - NAMES.keys() else set())
        if isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("tefuda.") for alias in node.names if alias.name.startswith("tefuda.")}
    return found - {name_of(path)}


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.name != "__init__.py")
NAMES = {name_of(path): path for path in FILES}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_rooms_import_only_rooms_above(name):
    own = room_of(name)
    assert own in FLOOR, f"{own} has no place on the floors of docs/design.md"
    for other in imports(NAMES[name]):
        inside = own == room_of(other) or {own, room_of(other)} <= set(FLOORS[0])
        assert inside or FLOOR[room_of(other)] < FLOOR[own], f"{name} imports {other}"


@pytest.mark.parametrize("room", WINGS)
def test_wings_import_only_wings_above(room):
    """Wings of one floor, such as spots and whole hands of hold'em, do not import each other."""
    folders = {path.parent.name for path in SOURCE.glob(f"{room}/*/__init__.py")}
    assert folders | {"."} == {wing for own, wing in WING if own == room}
    for name in (name for name in NAMES if room_of(name) == room):
        for other in (other for other in imports(NAMES[name]) if room_of(other) == room):
            own, its = wing_of(name), wing_of(other)
            assert own == its or WING[room, its] < WING[room, own], f"{name} imports {other}"


def test_lists_of_files_are_short():
    """Those of a folder beside its `__init__.py`."""
    folders = {path.parent for path in FILES} - {SOURCE}
    entries = {folder: [*folder.glob("*.py"), *folder.glob("*/__init__.py")] for folder in folders}
    assert not {folder.name: len(found) for folder, found in entries.items() if len(found) > LIMITS["entries"] + 1}


def test_files_form_no_circle():
    order = {name: imports(path) for name, path in NAMES.items()}
    list(TopologicalSorter(order).static_order())  # raises CycleError


def test_modules_and_functions_are_short():
    found = set()
    for path in FILES:
        if len(path.read_text().splitlines()) > LIMITS["module"]:
            found.add(name_of(path))
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= LIMITS["function"]:
                found.add(f"{name_of(path)}.{node.name}")
    assert not found


def test_rooms_say_what_they_are():
    rooms = {name_of(path): ast.get_docstring(parsed(path)) for path in SOURCE.glob("*/**/__init__.py")}
    assert {room_of(name) for name in rooms} <= set(FLOOR) and all(rooms.values())


def array_fields():
    """(class and field, the class's docstring, the comment behind) of all fields declared as arrays.

    Those of kernels are described in their docstrings.
    """
    for path in (path for path in FILES if not in_kernels(path)):
        lines = path.read_text().splitlines()
        classes = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)]
        for one in classes:
            for node in (node for node in one.body if isinstance(node, ast.AnnAssign)):
                if ast.unparse(node.annotation) in ("np.ndarray", "np.ndarray | None"):
                    comment = lines[node.end_lineno - 1].partition("  # ")[2]
                    yield f"{one.name}.{node.target.id}", ast.get_docstring(one) or "", comment


def test_arrays_say_their_shapes():
    """Shapes are written where arrays are declared, `[N, P] int8`, and docstrings repeat them."""
    found = list(array_fields())
    assert found
    assert [name for name, _, comment in found if not re.match(r"\[[^\]]+\]", comment)] == []
    for name, told, comment in found:
        again = re.search(rf"\b{name.split('.')[1]}: `(\[[^`]+\])`( u?int\d+| float\d+)?", told)
        assert again is None or comment.startswith("".join(part or "" for part in again.groups())), name


#: Decorators that compile: they are used in folders of kernels only.
DECORATORS = {f"tefuda._kernels.jit.{name}" for name in ("kernel", "inlined", "shared")}


def test_numba_has_one_home():
    for path in FILES:
        names = {
            f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(parsed(path))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        roots = {name.split(".")[0] for name in names}
        assert "numba" not in roots or path.name in {"compiling.py", "lanes.py"}, path
        assert "torch" not in roots or path.parent.name == "deep", path
        assert "pickle" not in roots or path.name == "workers.py", path  # sent to processes, never saved
        assert in_kernels(path) or not names & DECORATORS, f"{path} compiles outside of kernels"


def test_importing_tefuda_is_light():
    code = (
        "import sys, tefuda.holdem, tefuda.koikoi; sys.exit(bool({'numpy', 'numba', 'typer', 'rich'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_public_names_are_sorted_complete_and_documented(package):
    packages = package._HOMES.get("", "").split()  # on demand, but no names of `import *`
    assert package.__all__ == sorted(package.__all__) and set(dir(package)) == {*package.__all__, *packages}
    for name in package.__all__:
        thing = getattr(package, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
    with pytest.raises(AttributeError, match="nonesuch"):
        package.nonesuch  # noqa: B018
    folder = Path(package.__file__).parent
    inside = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert not inside & set(package.__all__), "a module would hide a public name"


def test_error_tree_is_drawn_as_it_is():
    from tefuda import errors

    classes = [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.TefudaError)]
    for one in classes:
        assert one.__name__ in errors.__doc__
        assert one is errors.TefudaError or issubclass(one, (ValueError, RuntimeError, ImportError))


def test_tests_import_no_tests():
    """Helpers of several tests are in a module of their own, which pytest does not collect."""
    for path in Path(__file__).parent.rglob("*.py"):
        found = [node.module for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)]
        assert not [name for name in found if name and name.split(".")[-1].startswith("test_")], path


def test_tests_stand_where_modules_do():
    """tests/ROOM/test_MODULE.py tests ROOM/MODULE.py; tests of several modules may have another name.

    Those of tests/web open the whole program in a browser.
    """
    tests = Path(__file__).parent
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path(), Path("web")}
    assert all((SOURCE / room).is_dir() for room in rooms)
