"""Every block of Python in the README and the docs runs and prints the text below it."""

import contextlib
import importlib
import io
import re
import runpy
import shlex
from pathlib import Path

import pytest
import typer
from bench.pairs import read_results

from tefuda.apps.cli import app
from tefuda.apps.cli.shared.reading import read_options
from tefuda.games.catalogue import parameters_of
from tefuda.holdem.spots.spot import KEYS
from tefuda.solvers.runs.methods import find_method
from tefuda_reproductions.catalogue import PAPERS

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "reproductions/README.md")),
    *(path for folder in ("docs", "reproductions/docs") for path in sorted((ROOT / folder).rglob("*.md"))),
]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```)?", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run_and_print_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    for code, expected in BLOCK.findall(page.read_text()):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page.name, "exec"), names)
        assert not expected or printed.getvalue() == expected


def test_readme_shows_library_code_within_thirty_lines():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert lines.index("import tefuda as td") < 30


def test_readme_quotes_rows_of_the_benchmarks():
    """Both tables are written by one run of bench.tabular."""
    readme, benchmarks = (path.read_text() for path in (ROOT / "README.md", ROOT / "docs" / "benchmarks.md"))
    rows = re.search(r"<!-- bench short -->\n(.*?)\n<!--", readme, re.DOTALL)[1].splitlines()
    assert len(rows) > 4
    assert [row for row in rows if row not in benchmarks.splitlines()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_errata_name_tests_that_exist():
    found = re.findall(
        r"`((?:reproductions/)?tests/[^`:]*)(?:::(\w+))?`", (ROOT / "reproductions/docs/errata.md").read_text()
    )
    named = [(ROOT / file, name) for file, name in found if file.endswith(".py")]
    assert len(named) > 8
    for file, name in named:
        assert f"def {name}" in file.read_text(), (file.name, name)


def commands_of(page):
    """Commands in blocks of sh, and those with options in the text."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    lines = [line for kind, block in blocks if kind == "sh" for line in block.splitlines()]
    quoted = [" ".join(text.split()) for text in re.findall(r"`(tefuda [^`|]* --[^`]*)`", page.read_text())]
    return [line for line in lines + quoted if line.startswith("tefuda ")]


def parsed(words):
    """The innermost context of a command, and its path; nothing runs."""
    command, path = typer.main.get_command(app), []
    context = command.make_context("tefuda", list(words))
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)
        path.append(name)
    return context, path


def known_options(context, path):
    """Return the options of a command's game, method or experiment."""
    told = context.params
    if path == ["reproduce"]:
        return set(PAPERS[told["paper"]].options)
    game = told.get("game") or told.get("target") or "koikoi"
    if game == "spot" or path in (["resolve"], ["holdem", "batch"], ["holdem", "sizes"]):
        return {*KEYS, "spot", "bets", "raises", "rake", "limit", "precision"}
    method = find_method(told.get("method") or "cfr+") if path == ["solve"] else None
    fields = set(method.parameters()) if method else set()
    return (
        fields | {*parameters_of(game)} | ({"buckets", "textures", "deals", "tremble"} if game == "holdem" else set())
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_parse_with_options_that_there_are(page):
    for line in commands_of(page):
        words = shlex.split(line, comments=True)[1:]
        if words != ["--help"] and "GAME" not in words:
            context, path = parsed(words)
            assert not context.args or set(read_options(context.args)) <= known_options(context, path), line


def test_pages_name_many_commands():
    assert sum(len(commands_of(page)) for page in PAGES) > 50


def leaves(command):
    return (
        [leaf for one in command.commands.values() for leaf in leaves(one)]
        if hasattr(command, "commands")
        else [command]
    )


def test_every_command_takes_json():
    """As the README says."""
    assert [
        one.name for one in leaves(typer.main.get_command(app)) if "--json" not in str([p.opts for p in one.params])
    ] == []


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(example, capsys):
    runpy.run_path(str(example), run_name="__main__")
    assert re.search(r"NashConv.* \d|wins \d.* points a round|\[0\.\d", capsys.readouterr().out)


def loaded_benchmark(name):
    """They are run by hand: a name that they import and the source lost would be seen late."""
    try:
        return importlib.import_module(f"bench.{name}")
    except ModuleNotFoundError as error:  # of programs that are compared
        if str(error.name).startswith("tefuda"):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "bench").glob("[a-z]*.py")))
def test_tables_of_benchmarks_are_those_of_the_saved_figures(name):
    sections = getattr(loaded_benchmark(name), "sections", None)
    if sections is not None:
        for (page, marker), text in sections(read_results(name)).items():
            assert f"<!-- {marker} -->\n{text}\n<!-- /{marker} -->" in (ROOT / page).read_text()
