"""Every public name has an example in its docstring, and every example runs as printed."""

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import tefuda as td

SOURCE = Path(td.__file__).parent
PUBLIC = [name for name in td.__all__ if inspect.isclass(getattr(td, name)) or inspect.isfunction(getattr(td, name))]


def with_examples() -> list[str]:
    """Modules that hold examples, without importing any."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        if ">>>" not in (text := path.read_text()):
            continue  # to parse all modules would take every worker a second
        nodes = (one for one in ast.walk(ast.parse(text)) if isinstance(one, (ast.ClassDef, ast.FunctionDef)))
        if any(">>>" in (ast.get_docstring(node) or "") for node in nodes):
            found.append(
                ".".join(("tefuda", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
            )
    return found


def test_every_public_name_has_an_example():
    assert [name for name in PUBLIC if ">>>" not in getattr(td, name).__doc__] == []


def test_examples_are_short():
    for name in PUBLIC:
        (test,) = doctest.DocTestFinder(recurse=False).find(getattr(td, name), name)
        assert 1 <= len(test.examples) <= 5, name


def test_functions_say_what_they_take_return_and_raise():
    """Docstrings have every argument, the result, and errors where a profile is taken."""
    for name in PUBLIC:
        thing = getattr(td, name)
        if inspect.isfunction(thing):
            text, signature = inspect.getdoc(thing), inspect.signature(thing)
            first = re.search(r"\b(return|yield) ", text.partition("\n")[0].lower())
            assert first or "Returns:" in text or signature.return_annotation == "None", name
            assert [one for one in signature.parameters if not re.search(rf"^    {one}: ", text, re.MULTILINE)] == [], (
                name
            )
            assert "Raises:" in text or not {"tree", "profile"} <= set(signature.parameters), name


@pytest.mark.parametrize("module", with_examples())
def test_examples_give_what_they_say(module, tmp_path, monkeypatch):
    if "openspiel" in module:
        pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)  # some write files
    runner, said = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    for test in doctest.DocTestFinder().find(importlib.import_module(module), module, extraglobs={"td": td}):
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    assert runner.tries
