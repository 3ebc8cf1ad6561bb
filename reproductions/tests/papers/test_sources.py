"""docs/references.md lists every source that code and docs cite, under the same keys."""

import re
import unicodedata
from pathlib import Path

from tefuda_reproductions.papers.sources import SOURCES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "references.md").read_text()
#: Code is written without accents.
ROWS = unicodedata.normalize("NFKD", PAGE).encode("ascii", "ignore").decode().splitlines()
PAGES = [
    *(path for folder in ("src", "reproductions/src") for path in (ROOT / folder).rglob("*.py")),
    *(path for folder in ("docs", "reproductions/docs") for path in (ROOT / folder).glob("*.md")),
]
KEYS = dict(re.findall(r"^\| `([a-z0-9.]+)` \|(.*)$", PAGE, re.MULTILINE))


def test_sources_of_experiments_are_listed():
    assert set(SOURCES) <= set(KEYS)
    for key, source in SOURCES.items():
        assert not source.number or KEYS[key].split("|")[0].strip() == source.number


def test_citations_in_code_and_docs_are_listed():
    """For "Name 2015", "Name et al. 2015" and "Name, Other 2015" a row has the last name and the year."""
    texts = [
        page.read_text() for page in (*PAGES, ROOT / "README.md") if page.name not in ("claims.md", "references.md")
    ]
    cited = {pair for text in texts for pair in re.findall(r"\b([A-Z][a-z]+)(?: et al\.)? ((?:19|20)\d\d)\b", text)}
    assert len(cited) > 30
    assert not {(name, year) for name, year in cited if not any(year in row and name in row for row in ROWS)}


def test_no_source_goes_by_a_number():
    assert not [page for page in PAGES if re.search(r"\b(source|seed) 00\d\b", page.read_text(), re.IGNORECASE)]
