"""The contents of wheels and source archive, and the README's commands with the wheel of tefuda alone."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import tefuda as td

ROOT = Path(__file__).parent.parent


def run(command, folder, **environment):
    """Run a command in a folder and return its output."""
    result = subprocess.run(
        [*map(str, command)], cwd=folder, env=os.environ | environment, text=True, capture_output=True, input="q\n",
        timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source archive, built as a publisher builds them."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "hatchling", "build", "-d", folder], ROOT)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def built_reproductions(tmp_path_factory):
    """The wheel of the reproductions."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT / "reproductions")
    (wheel,) = folder.glob("*.whl")
    return wheel


def required(name, found):
    """Add the distributions that a distribution requires without extras, itself included."""
    if name not in found:
        found[name] = distribution(name)
        for requirement in map(Requirement, found[name].requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                required(requirement.name, found)
    return found


def link_requirements(site):
    """Link all that tefuda requires, and nothing else, into a folder of packages."""
    found = required("tefuda", {})
    del found["tefuda"]
    for one in found.values():
        for top in {path.parts[0] for path in one.files} - {"..", "__pycache__"}:
            source = Path(one.locate_file(top))
            if source.exists() and not (site / top).exists():
                (site / top).symlink_to(source)


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The folder of an empty environment with the wheel and its requirements."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    run([sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "-q", built[0]], folder)
    (site,) = folder.glob("lib/python*/site-packages")
    link_requirements(site)
    return folder


def test_both_hold_the_same_package(built):
    """The archive has the files of the wheel, all modules and models, and no build output."""
    wheel, archive = built
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("tefuda/")}
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    source = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    chapters = {name for name in packed if name.startswith("tefuda/apps/web/docs/")}
    assert source <= packed and {f"src/{name}" for name in packed - chapters} <= names
    assert {name.removeprefix("tefuda/apps/web/") for name in chapters} <= names
    assert len(chapters) > 13
    assert any(name.endswith("koikoi.safetensors") for name in packed) and "tefuda/py.typed" in packed
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"} <= names
    assert not {name.partition("/")[0] for name in names} & {".venv", "build", "runs"}
    assert not any("__pycache__" in name for name in names)
    assert td.__version__ in wheel.name and td.__version__ in archive.name


def test_reproductions_are_a_wheel_of_their_own(built, built_reproductions):
    """It has all its modules and requires tefuda, whose wheel has none of them."""
    packed = set(zipfile.ZipFile(built_reproductions).namelist())
    folder = ROOT / "reproductions" / "src"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")} <= packed
    assert not [name for name in packed if name.startswith(("tefuda/", "tests/"))]
    assert not [name for name in zipfile.ZipFile(built[0]).namelist() if name.startswith("tefuda_reproductions")]
    (metadata,) = [name for name in packed if name.endswith("METADATA")]
    text = zipfile.ZipFile(built_reproductions).read(metadata).decode()
    assert "Requires-Dist: tefuda\n" in text and f"Version: {td.__version__}\n" in text


def test_reproductions_beside_tefuda(installed, built_reproductions, tmp_path):
    """Tefuda alone names the package to install; with its wheel on the path, an experiment runs."""
    words = [installed / "bin" / "tefuda", "reproduce", "rps-matching"]
    home = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}
    alone = subprocess.run([*map(str, words)], cwd=tmp_path, env=home, text=True, capture_output=True)
    assert alone.returncode == 2 and "tefuda-reproductions" in alone.stderr and not alone.stdout
    both = run(words, tmp_path, **home | {"PYTHONPATH": str(built_reproductions)})
    assert both.splitlines()[-1].startswith("2 claims met")


def test_commands_of_the_readme(installed, tmp_path):
    """Solve, evaluate, show and play with only the wheel and its requirements, and an empty HOME."""
    tefuda, home = installed / "bin" / "tefuda", {"HOME": str(tmp_path), "PYTHONPATH": "", "PYTHONNOUSERSITE": "1"}
    assert td.__version__ in run([tefuda, "--version"], tmp_path, **home)
    run([tefuda, "solve", "leduc", "--iterations", "1000", "--out", "runs/leduc"], tmp_path, **home)
    assert "NashConv" in run([tefuda, "evaluate", "runs/leduc"], tmp_path, **home)
    assert "1: K|c" in run([tefuda, "show", "runs/leduc", "--infoset", "K|c"], tmp_path, **home)
    assert "You are player 0" in run([tefuda, "play", "leduc", "--coach", "equilibrium"], tmp_path, **home)


def test_python_of_the_readme(installed, tmp_path):
    """The example prints the text in the README."""
    program, printed = re.search(
        r"```python\n(.*?)```\n\n```\n(.*?)```", (ROOT / "README.md").read_text(), re.S
    ).groups()
    found = run([installed / "bin" / "python", "-c", program], tmp_path, HOME=str(tmp_path), PYTHONPATH="")
    assert found == printed
    code = "import tefuda; print(tefuda.__file__)"
    path = run([installed / "bin" / "python", "-c", code], tmp_path, PYTHONPATH="")
    assert Path(path).is_relative_to(installed)
