"""The shape of the package: who may import whom, what importing costs, what is public."""

import ast
import inspect
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tefuda as tf
from tests.mutants import read_mutants

SOURCE = Path(tf.__file__).parent

#: Each room imports only what stands above it, and rooms of one floor do not import each other (docs/design.md,
#: section 6). What everybody uses stands on the first floor as files, not as a folder.
FLOORS = (
    ("errors", "words", "views", "locks", "files", "workers", "figure"),
    ("_kernels",),
    ("games",),
    ("forms",),
    ("judging",),
    ("solvers",),
    ("abstracting", "playing"),
    ("exploiting", "resolving"),
    ("koikoi", "holdem"),
    ("papers",),
    ("apps",),
    ("__main__",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

#: The doors upwards: how a result is shown or drawn is known only to those who know all results.
UPWARDS = {("views", "apps.notebook"), ("views", "apps.plot")}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(path: Path) -> str:
    """The dotted name of a module inside the package, "solvers.cfr"."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    return name.split(".")[0]


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
        assert inside or FLOOR[room_of(other)] < FLOOR[own] or (name, other) in UPWARDS, f"{name} imports {other}"


def test_files_form_no_circle():
    order = {name: imports(path) - {other for one, other in UPWARDS if one == name} for name, path in NAMES.items()}
    list(TopologicalSorter(order).static_order())  # raises CycleError


def test_modules_and_functions_are_short():
    found = set()
    for path in FILES:
        if len(path.read_text().splitlines()) > 500:
            found.add(name_of(path))
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60:
                found.add(f"{name_of(path)}.{node.name}")
    assert not found


def test_rooms_say_what_they_are():
    rooms = {path.parent.name: ast.get_docstring(parsed(path)) for path in SOURCE.glob("*/__init__.py")}
    assert set(rooms) <= set(FLOOR) and all(rooms.values())
    assert not set(rooms) & set(tf.__all__), "a room would hide a public function"


def test_floors_can_be_held_in_mind():
    assert len(FLOORS) <= 12


def test_design_page_draws_these_floors():
    page = (SOURCE.parent.parent / "docs" / "design.md").read_text()
    block = page.split("Floors (")[1].split("```")[1].strip().splitlines()
    assert [line.split("  ")[0].split() for line in block] == [list(floor) for floor in FLOORS]


def array_fields():
    """(class and field, the class's docstring, the comment behind) of all fields declared as arrays.

    Those of `_kernels` are told in their docstrings: comments there would be compiled anew.
    """
    for path in (path for path in FILES if path.parent.name != "_kernels"):
        lines = path.read_text().splitlines()
        classes = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)]
        for one in classes:
            for node in (node for node in one.body if isinstance(node, ast.AnnAssign)):
                if ast.unparse(node.annotation) in ("np.ndarray", "np.ndarray | None"):
                    comment = lines[node.end_lineno - 1].partition("  # ")[2]
                    yield f"{one.name}.{node.target.id}", ast.get_docstring(one) or "", comment


def test_arrays_say_their_shapes():
    """Where they are declared, `[N, P] int8`; where the docstring says it to users too, it says the same."""
    found = list(array_fields())
    assert len(found) > 60
    assert [name for name, _, comment in found if not re.match(r"\[[^\]]+\]", comment)] == []
    for name, told, comment in found:
        again = re.search(rf"\b{name.split('.')[1]}: `(\[[^`]+\])`( u?int\d+| float\d+)?", told)
        assert again is None or comment.startswith("".join(part or "" for part in again.groups())), name


def test_numba_has_one_home():
    for path in FILES:
        names = {
            (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(parsed(path))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        roots = {name.split(".")[0] for name in names}
        assert "numba" not in roots or path.name in {"jit.py", "lanes.py", "weaving.py"}, path
        assert "torch" not in roots or path.parent.name == "deep", path
        assert "pickle" not in roots, path


def test_importing_tefuda_is_light():
    code = "import sys, tefuda; sys.exit(len({'numpy', 'numba', 'typer', 'rich'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_public_names_are_sorted_complete_and_documented():
    assert tf.__all__ == sorted(tf.__all__) and set(dir(tf)) == set(tf.__all__)
    for name in tf.__all__:
        thing = getattr(tf, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
    with pytest.raises(AttributeError, match="nonesuch"):
        tf.nonesuch  # noqa: B018


def test_error_tree_is_drawn_as_it_is():
    from tefuda import errors

    classes = [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.TefudaError)]
    for one in classes:
        assert one.__name__ in errors.__doc__
        assert one is errors.TefudaError or issubclass(one, (ValueError, RuntimeError, ImportError))


def test_mutants_stand_in_the_source():
    """Each pattern of tests/data/mutants.toml, exactly once: `make mutants` refuses all of them otherwise."""
    assert len(read_mutants([])) > 200


def test_tests_import_no_tests():
    """What several need stands in a module of its own, which pytest does not collect."""
    for path in Path(__file__).parent.rglob("*.py"):
        found = [node.module for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)]
        assert not [name for name in found if name and name.split(".")[-1].startswith("test_")], path


#: Modules that are tested through others of their room: kernels by the tests of the module they serve.
THROUGH = {
    f"{room}.{name}".removeprefix(".")
    for room, names in {
        "": "__main__ figure",
        "_kernels": "koikoi_seer koikoi_steps koikoi_belief koikoi_aim koikoi_oos "
        "bits cfr fictitious findings merged koikoi koikoi_duel koikoi_keys koikoi_match koikoi_mccfr "
        "koikoi_search koikoi_table koikoi_values koikoi_network koikoi_descent "
        "matrix mccfr nfsp observed oos perturbed passes sequence training values "
        "virtual walks lanes weaving holdem_arrays holdem_buckets holdem_ends holdem_equity holdem_limit holdem_local "
        "holdem_nodes holdem_odds holdem_rank holdem_response holdem_steps holdem_walk",
        "apps.cli": "judging nodes play sampling spots",
        "apps.display": "claims consoles progress",
        "apps": "environment plot",
        "holdem": "cards compiled contexts game hand inputs lifting size sizing solving strategy tree walking",
        "koikoi": "phrases",
        "papers": "cfr_theory kuhn_chance mccfr_sampling three_player_exploitation three_players",
        "resolving": "openings equilibria leaves lookahead training",
        "solvers": "encoders policies",
        "solvers.deep": "baselines modules",
    }.items()
    for name in names.split()
}


def test_tests_stand_where_modules_do():
    """tests/ROOM/test_MODULE.py tests ROOM/MODULE.py; what tests many may have another name."""
    tests = Path(__file__).parent
    rooms = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")} - {Path()}
    assert all((SOURCE / room).is_dir() for room in rooms)
    missing = {name for name in NAMES if not (SOURCE / name.replace(".", "/")).is_dir()} - {
        ".".join((*path.relative_to(tests).parts[:-1], path.stem.removeprefix("test_")))
        for path in tests.rglob("test_*.py")
    }
    assert missing <= THROUGH, "these have no tests of their own"
    assert NAMES.keys() >= THROUGH
