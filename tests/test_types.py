"""Types for users: the stub has all public names, and a user's program has exact types."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tefuda as td
from tests import stub

SOURCE = Path(td.__file__).parent
PROGRAM = Path(__file__).parent / "data" / "user_program.py"


@pytest.mark.parametrize("package", stub.PACKAGES)
def test_the_stubs_are_what_loads(package):
    assert stub.file_of(package).read_text() == stub.stub(package), "python -m tests.stub writes it anew"
    assert (SOURCE / "py.typed").exists()


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Check programs with mypy --strict, as a user would; return its exit code and output."""
    pytest.importorskip("mypy", reason="mypy is not installed: pip install -e '.[dev]'")
    cache = tmp_path_factory.mktemp("mypy")

    def run(*paths):
        words = ("--strict", "--config-file=", "--ignore-missing-imports", "--follow-imports=silent")
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *words, "--cache-dir", cache, *paths],
            capture_output=True, text=True, env=os.environ | {"MYPYPATH": str(SOURCE.parent)}, cwd=cache,
        )  # fmt: skip
        return done.returncode, done.stdout

    return run


def test_a_users_program_has_exact_types(checked, tmp_path):
    """With the right types it passes; with a wrong one mypy reports the right type, so no type is Any."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        PROGRAM.read_text().replace(", td.Solution[td.Profile])", ", int)").replace(", td.Match)", ", str)")
    )
    code, said = checked(PROGRAM, wrong)  # one run reads the package once
    assert code == 1 and PROGRAM.name not in said and said.endswith("in 1 file (checked 2 source files)\n")
    assert said.count("assert-type") == 2 and '"Solution[Profile]", not "int"' in said


@pytest.mark.parametrize("protocol", [td.Game, td.Policy, td.Agent])
def test_protocols_name_no_arguments(protocol):
    """A class may name its arguments as it likes: type checkers compare names unless they are positional."""
    functions = [getattr(protocol, name) for name in dir(protocol) if not name.startswith("_")]
    named = [one for one in functions if inspect.isfunction(one)]
    kinds = {kind.kind for one in named for kind in list(inspect.signature(one).parameters.values())[1:]}
    assert named and kinds == {inspect.Parameter.POSITIONAL_ONLY}


def test_the_users_program_runs(capsys):
    exec(compile(PROGRAM.read_text(), PROGRAM, "exec"), {"__name__": "user"})
    assert "True" in capsys.readouterr().out
