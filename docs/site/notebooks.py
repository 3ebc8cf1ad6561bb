"""Make a notebook of a page: ``python -m docs.site.notebooks docs/first-steps.md [OUT]``.

Blocks of Python become cells to run; commands of the shell stay text.
Printed blocks are left out, because the notebook prints them itself.
Pictures are embedded, links to other pages become plain text, and answers to exercises are shown.
"""

from __future__ import annotations

import base64
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docs.site.pages import ROOT

KINDS = {".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp"}
PRINTED = re.compile(r"^(```python\n.*?^```\n)\n```\n.*?^```\n", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"^```sh$", re.MULTILINE)  # jupytext would make cells of them, which run
ANSWER = re.compile(r"<details[^>]*><summary>(.*?)</summary>")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)#:\s]+)\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)[^)\s]+\)")
OPEN, INSTALL = (f"{shlex.quote(sys.executable)} -m {words}" for words in ("jupyterlab", "pip install jupyterlab"))
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def embedded(page: Path, text: str) -> str:
    """Return the text with the page's pictures as part of it."""

    def picture(match: re.Match[str]) -> str:
        path = page.parent / match[2]
        content = base64.b64encode(path.read_bytes()).decode()
        return f'<img alt="{match[1]}" src="data:{KINDS[path.suffix]};base64,{content}">'

    return PICTURE.sub(picture, text)


def notebook(page: Path) -> Any:
    """Return a page as a notebook of nbformat.

    Raises:
        ModuleNotFoundError: jupytext is not installed (extra ``dev``).
    """
    import jupytext

    text = SHELL.sub("```console", PRINTED.sub(r"\1", page.read_text()))
    text = ANSWER.sub(r"**\1**", text).replace("</details>\n", "")
    result = jupytext.reads(embedded(page, LINK.sub(r"\1", text)), fmt="md")
    result.metadata = {"kernelspec": KERNEL}
    return result


def main() -> None:
    """Write the notebook of the page named first into the file named second, or into build/notebooks."""
    try:
        import jupytext
    except ImportError:
        sys.exit("notebooks need jupytext: pip install -e '.[dev]'")
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python -m docs.site.notebooks PAGE [OUT]")
    page = Path(sys.argv[1])
    if not page.is_file():
        sys.exit(f"{page} is no page; give a file such as docs/first-steps.md")
    default = ROOT / "build" / "notebooks" / f"{page.stem}.ipynb"
    out = Path(sys.argv[2]) if len(sys.argv) == 3 else default
    out.parent.mkdir(parents=True, exist_ok=True)
    jupytext.write(notebook(page), out)
    print(f"{out} written; open it with: {OPEN} {out}")
    if find_spec("jupyterlab") is None:
        print(f"JupyterLab is not installed; install it first: {INSTALL}")


if __name__ == "__main__":
    main()
