"""Hooks before commits and CI after pushes run existing commands."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
yaml = pytest.importorskip("yaml")  # comes with Dask

TARGETS = set(re.findall(r"^([\w-]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def made(command):
    """The targets a line asks make for."""
    words = command.split()
    targets = {word for word in command.partition("#")[0].split()[1:] if "=" not in word and not word.startswith("-")}
    return targets if words[:1] == ["make"] else set()


def test_continuous_integration_makes_what_there_is():
    """Every Python from the oldest that is promised, as text: 3.10 as a number would be 3.1."""
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    pythons = flow["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert all(isinstance(one, str) for one in pythons) and f">={pythons[0]}" == PROJECT["requires-python"]
    runs = [step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step]
    asked = set().union(*map(made, runs))
    locally = set().union(*map(made, (ROOT / ".ci" / "run").read_text().splitlines()))
    assert (
        asked == {"test", "test-deep"}
        and locally == {"torch", "docs", "test", "test-deep", "test-generic"}
        and asked | locally <= TARGETS
    )


def test_no_file_has_marks_of_a_conflict():
    """CHANGELOG.md and docs/design.md once had them."""
    folders = ("docs", "src", "tests", "bench", "examples", "reproductions")
    paths = [*ROOT.glob("*.md"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    texts = [path for path in paths if path.suffix in {".md", ".py", ".pyi", ".toml", ".js", ".css", ".html"}]
    marked = [path for path in texts if re.search(r"^(<{7}|>{7}) ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert texts and not marked


def test_hooks_run_tools_of_the_environment():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    tools = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
    named = {re.split(r"\W", one.replace("-", "_"))[0] for one in PROJECT["optional-dependencies"]["dev"]}
    assert tools == {"ruff", "mypy"} <= named
    assert all(hook["language"] == "system" for hook in hooks)


def test_pinned_versions_fit_what_is_asked_for():
    """constraints.txt pins every dependency of the core and of the tests."""
    pinned = dict(re.findall(r"^([\w-]+)==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    wanted = [
        *PROJECT["dependencies"],
        *(one for name in ("dev", "plot", "cluster", "openspiel", "frame") for one in extras[name]),
    ]
    for one in wanted:
        asked = Requirement(one)
        assert ">=" in str(asked.specifier) and pinned[asked.name.replace("_", "-")] in asked.specifier, one
