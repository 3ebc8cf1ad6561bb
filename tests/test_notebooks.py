"""Notebooks made of pages: every block of Python is a cell, and a tutorial runs from top to bottom."""

import re
from pathlib import Path

import pytest

pytest.importorskip("jupytext")

from docs.site import notebooks
from docs.site.notebooks import main, notebook

DOCS = Path(__file__).parent.parent / "docs"
TUTORIALS = [DOCS / "first-steps.md", DOCS / "own-game.md", *sorted((DOCS / "learn").glob("*.md"))]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_every_block_of_python_is_a_cell(page):
    blocks = re.findall(r"^```python\n(.*?)\n?^```", page.read_text(), re.DOTALL | re.MULTILINE)
    cells = notebook(page).cells
    assert [cell.source for cell in cells if cell.cell_type == "code"] == blocks
    prose = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "<details" not in prose
    assert not re.search(r"\]\((?!\w+:)", prose)  # links and pictures that a notebook elsewhere would miss


def test_a_notebook_is_written_and_runs(tmp_path, monkeypatch, capsys):
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    import nbformat

    out = tmp_path / "first-steps.ipynb"
    monkeypatch.setattr("sys.argv", ["notebooks", str(DOCS / "first-steps.md"), str(out)])
    main()
    assert str(out) in capsys.readouterr().out
    read = nbformat.read(out, as_version=4)
    nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(part.text for cell in read.cells for part in cell.get("outputs", []) if "text" in part)
    expected = re.compile(r"^```python\n.*?^```\n\n```\n(.*?)^```", re.DOTALL | re.MULTILINE)
    assert printed == "".join(expected.findall((DOCS / "first-steps.md").read_text()))


@pytest.mark.parametrize("installed", [True, False])
def test_the_advice_can_be_followed(tmp_path, monkeypatch, capsys, installed):
    """JupyterLab is no dependency: the line that installs it is printed where it is absent."""
    monkeypatch.setattr(notebooks, "find_spec", lambda name: object() if installed else None)
    monkeypatch.setattr("sys.argv", ["notebooks", str(DOCS / "own-game.md"), str(tmp_path / "own.ipynb")])
    main()
    printed = capsys.readouterr().out
    assert ("pip install jupyterlab" in printed) != installed and "-m jupyterlab" in printed


@pytest.mark.parametrize("words", [[], ["missing.md"], [".", "a.ipynb"]])
def test_wrong_words_end_without_a_traceback(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["notebooks", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code
    assert not list(tmp_path.iterdir())
