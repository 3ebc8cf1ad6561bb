"""The documentation site: complete contents, working links, one entry for each public name."""

import inspect
import re

import pytest
from docs.site.pages import ROOT, collect
from docs.site.reference import reference_pages
from docs.site.shared import EMBEDDED

import tefuda as td
from tefuda import holdem, koikoi, phantom
from tefuda.apps.share.making import shared_file

LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "pages"
    collect(folder)
    return folder


def anchors(page):
    """The anchors of a page's headings, as Python-Markdown makes them."""
    from markdown.extensions.toc import slugify

    heading = re.compile(r"^#+ (.*)$", re.MULTILINE)
    return {slugify(re.sub(r"[`*]", "", title), "-") for title in heading.findall(page.read_text())}


def test_links_and_pictures_lead_somewhere(site):
    pages = sorted(site.rglob("*.md"))
    assert len(pages) > 30
    for page in pages:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for target, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", prose)):
            path = (page.parent / target) if target else page
            assert path.is_file(), (page.name, target)
            if anchor and path.suffix == ".md":
                assert anchor in anchors(path), (page.name, target, anchor)


def test_shared_files_stand_in_their_pages(site):
    for name, (page, _) in EMBEDDED.items():
        text = (site / page).read_text()
        (file,) = re.findall(r'<iframe class="shared" src="([^"]+)"', text)
        assert (site / page).parent.joinpath(file).resolve() == (site / "shared" / f"{name}.html").resolve()
    assert "tefudaData" in shared_file(EMBEDDED["family"][1]())


def test_contents_name_every_page_once(site):
    named = re.findall(r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    folders = (".", "api", "learn", "learn/ja", "results", "reproductions")
    own = {path.relative_to(site).as_posix() for folder in folders for path in (site / folder).glob("*.md")}
    assert len(named) == len(set(named))
    assert own - {"CITATION.cff.md", "models.md"} == set(named)


def test_every_public_name_has_one_documented_entry():
    entries = [entry for _, text in reference_pages() for entry in re.findall(r"^::: (\S+)$", text, re.MULTILINE)]
    names = {id(getattr(package, name)): name for package in (td, holdem, koikoi, phantom) for name in package.__all__}
    found = {}
    for entry in entries:
        module, _, name = entry.rpartition(".")
        value = getattr(__import__(module, fromlist=[name]), name)
        found.setdefault(id(value), []).append(entry)
        assert inspect.getdoc(value), entry
    packages = {id(holdem), id(koikoi), id(phantom), id(td.__version__)}
    assert {names[key] for key in names.keys() - found.keys() - packages} == set()
    assert [each for each in found.values() if len(each) > 1] == []


def test_formulas_become_mathml():
    markdown = pytest.importorskip("markdown")
    text = "Costs $5 and $6.\n\nA sum $a_1 + b$ here, `$x$` not.\n\n$$\n\\frac{1}{18}\n$$\n"
    page = markdown.markdown(text, extensions=["tefuda.apps.formulas"])
    assert page.count("<math") == 2
    assert 'alttext="a_1 + b"' in page
    assert "<mfrac>" in page
    assert "<code>$x$</code>" in page
    assert "Costs $5 and $6." in page


def test_examples_become_code():
    markdown = pytest.importorskip("markdown")
    page = markdown.markdown("A sum:\n\n>>> 1 + 1\n2\n\nMore.", extensions=["docs.site.doctests", "fenced_code"])
    assert "<blockquote>" not in page
    assert "<code" in page


def test_every_picture_has_a_title_and_a_file():
    pytest.importorskip("matplotlib")
    from docs.site.figures import DOCUMENTS, ELSEWHERE, PICTURES, TITLES

    assert {*PICTURES, *ELSEWHERE} == {*TITLES}
    for folder, pictures in (("docs/learn", PICTURES), ("docs", {*ELSEWHERE, *DOCUMENTS})):
        assert {path.stem for path in (ROOT / folder).glob("*.svg")} == {*pictures}
