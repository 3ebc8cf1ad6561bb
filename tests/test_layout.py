"""The shape of the package: who may import whom, what importing costs, what is public."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tefuda as tf

SOURCE = Path(tf.__file__).parent

#: Each module imports only what stands before it (docs/design.md, section 6).
LADDER = (
    "errors words views files workers _kernels game answers report check estimate koikoi games cache tree sequence "
    "profile response solution driver regret encode cfr lp exact mccfr fictitious perturbed oos search sampler nfsp "
    "methods sweep openspiel simulate deep holdem agents opponents deviation modelled exploit bounds coalition face "
    "safe histogram virtual adaptive match tournament hands variance papers plot grids display notebook cli web "
    "__main__"
).split()

#: The one door upwards: what a notebook asks a result to show is known only to those who know all results.
UPWARDS = {"views": {"notebook"}}


def module_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The modules of this package a file imports, inside functions too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tefuda":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("tefuda.")}
    return found - {"__version__"}


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.name != "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_import_ladder(path):
    own = module_of(path)
    assert own in LADDER, f"{own} has no place in the ladder of docs/design.md"
    above = {name for name in imports(path) if LADDER.index(name) > LADDER.index(own)} - UPWARDS.get(own, set())
    assert not above, f"{own} imports {above}, which stand right of it"


def test_design_page_draws_this_ladder():
    page = (SOURCE.parent.parent / "docs" / "design.md").read_text()
    text = page.split("Import ladder (")[1].split("`import tefuda`")[0].split("):")[1].replace("\n", " ")
    drawn = [name.strip(" .") for name in text.split(",")]
    solvers = LADDER.index("cfr"), LADDER.index("methods")
    expected = LADDER[: solvers[0]] + ["solvers"] + LADDER[solvers[1] : LADDER.index("__main__")]
    assert drawn == expected


def test_numba_has_one_home():
    for path in FILES:
        names = {
            (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        roots = {name.split(".")[0] for name in names}
        assert "numba" not in roots or path.name == "jit.py", path
        assert "torch" not in roots or module_of(path) == "deep", path
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
