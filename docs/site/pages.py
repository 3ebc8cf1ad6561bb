"""Collect the pages of the site: Markdown of docs/ and the repository, programs, the API reference."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from docs.site.reference import reference_pages
from docs.site.shared import embedded

ROOT = Path(__file__).parents[2]
MOVED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "reproductions/README.md": "reproductions/index.md",
    "src/tefuda/models/README.md": "models.md",
}
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
PICTURES = (".png", ".svg", ".webp")


def page_of(source: str) -> str:
    """Return the page that a file of the repository becomes, as a path in the site."""
    if source in MOVED:
        return MOVED[source]
    if source.startswith(("docs/", "reproductions/docs/")):
        return source.replace("docs/", "", 1)
    if source.endswith(".py"):
        return source.removesuffix(".py") + ".md"
    return posixpath.join("pictures", source.replace("/", "-")) if source.endswith(PICTURES) else source + ".md"


def sources() -> Iterator[str]:
    """List the Markdown files that are pages, as paths in the repository."""
    yield from MOVED
    for folder in ("docs", "reproductions/docs"):
        for path in sorted((ROOT / folder).rglob("*.md")):
            yield path.relative_to(ROOT).as_posix()


def relinked(source: str, text: str, linked: set[str]) -> str:
    """Return a page's text with links that lead to pages of the site; adds the files it links to."""
    here = posixpath.dirname(page_of(source))

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[2]))
        linked.add(target)
        return match[1] + posixpath.relpath(page_of(target), here or ".") + match[3]

    return LINK.sub(link, text)


def write(path: Path, text: str) -> None:
    """Write a page and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def copy_linked(source: str, folder: Path) -> None:
    """Copy a picture, or show another file of the repository as a page of code."""
    if source.endswith(PICTURES):
        target = folder / page_of(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, target)
        return
    kind = {".py": "python", ".cff": "yaml"}.get(Path(source).suffix, "")
    write(folder / page_of(source), f"# {Path(source).name}\n\n```{kind}\n{(ROOT / source).read_text()}```\n")


def collect(folder: Path) -> None:
    """Write all pages of the site into a folder, in place of earlier ones.

    Raises:
        FileNotFoundError: a page links to a file that does not exist.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages, linked = list(sources()), set[str]()
    for source in pages:
        page = page_of(source)
        write(folder / page, embedded(page, relinked(source, (ROOT / source).read_text(), linked)))
    for source in sorted(linked - set(pages)):
        copy_linked(source, folder)
    for page, text in reference_pages():
        write(folder / page, text)
    shutil.copyfile(Path(__file__).with_name("style.css"), folder / "style.css")
