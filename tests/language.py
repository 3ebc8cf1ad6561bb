"""A lint for the language of docstrings, comments and docs; ``python -m tests.language [ROOM]`` lists what breaks it.

Docstrings begin with a noun phrase or an imperative verb, words are the field's, lines of prose are short, and the help
of the command line fits into 79 columns. Code and quotations are not read for words.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
HELP_COLUMNS = 79
FEWEST_WORDS = 4  # of a string that is read as a sentence
LONGEST = 100  # letters of a docstring's first line, and of a line of prose in docs
OPENING = re.compile(r"(what|who|whom|whose|how|whether|where|of|which|in which|by which)\b", re.IGNORECASE)
# Words of our own, with the field's word; outside code and quotations.
HOME_MADE = {
    r"told|tells? (?:who|what|whether|apart)": "reported, informed, distinguished",
    r"kept": "saved, stored, retained",
    r"gone on with|go(?:es)? on with|goes on from": "resumed",
    r"made anew|made again": "rebuilt",
    r"looks? ahead|looking ahead|look only so far": "depth-limited solving",
    r"solved? again|solves again": "re-solved",
    r"in force": "current",
    r"somebody|nobody|everybody|anybody": "player, agent, caller, user",
    r"one's own|of one's": "your, its, the player's",
    r"walkers?": "traverser",
    r"alike suits|suits alike": "isomorphic suits",
    r"seldom come": "rarely reached",
    r"held in|is held|are held|how it is held": "stored, represented",
    r"with less luck": "variance reduction (AIVAT)",
    r"what(?! (?:to see|if)\b)(?!.*\?)": "a noun",
    r"alike": "equal, the same, isomorphic, indistinguishable",
    r"go(?:es)? on|gone on|going on": "continue, resume",
    r"(?:the|a|an|its|their|his|of) worth": "value",
    r"seers?": "clairvoyant player",
    r"judge[sd]?|judging": "evaluate, evaluator",
    r"deeds?": "action",
    r"stands? for(?! itself)": "represent, replace",
    r"in so many|so many times|so many decimals": "a number",
    r"comes? about": "arise",
    r"the others'": "the opponents'",
    r"who (?:moves|plays|acts)": "the player to move, the player",
    r"stands? for itself|taken for|stand over": "plain verbs",
    r"even draws": "low-discrepancy draws",
    r"woven|lean kernel|blurred": "kernel options",
}
WORDS = {re.compile(rf"\b(?:{word})\b", re.IGNORECASE): better for word, better in HOME_MADE.items()}
QUOTED = re.compile(r"``.*?``|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”|>>> .*|https?://\S+")


@dataclass(frozen=True, order=True)
class Fault:
    """A line that breaks a rule of the guide."""

    path: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.rule}: {self.text.strip()[:110]}"


def words_in(path: Path, line: int, text: str) -> Iterator[Fault]:
    """Yield the home-made words of a line of prose."""
    prose = QUOTED.sub("", text)
    for word, better in WORDS.items():
        for match in word.finditer(prose):
            yield Fault(path, line, f"{match[0].lower()!r}, write {better}", text)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text:
                yield node.body[0].lineno, text


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string of at least four words that is no docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            node.body[0].value.value = ""  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") >= FEWEST_WORDS - 1:
            yield node.lineno, node.value


def faults_of_module(path: Path) -> Iterator[Fault]:
    """Yield the faults of a module: docstrings' first lines, words of docstrings, messages and comments."""
    source = path.read_text()
    for start, text in messages(ast.parse(source)):
        yield from words_in(path, start, text.replace("\n", " "))
    for start, text in docstrings(ast.parse(source)):
        first = text.strip().partition("\n")[0]
        if OPENING.match(first):
            yield Fault(path, start, "docstring begins with what, who, how, whether, where or of", first)
        if len(first) > LONGEST:
            yield Fault(path, start, f"docstring's first line is longer than {LONGEST}", first)
        for number, line in enumerate(text.splitlines()):
            yield from words_in(path, start + number, line)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from words_in(path, token.start[0], token.string)


def faults_of_page(path: Path) -> Iterator[Fault]:
    """Yield the faults of a page: words, and lines of prose that are too long; code and tables are left out."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        if fenced or line.startswith(("|", "![", "    ", "<")):
            continue
        if len(re.sub(r"\]\([^)]*\)", "]", line)) > LONGEST:
            yield Fault(path, number, f"line is longer than {LONGEST}", line)
        yield from words_in(path, number, line)


def faults(rooms: list[str]) -> list[Fault]:
    """List the faults of all files, or of those whose path contains one of the names."""
    folders = ("src", "tests", "bench", "examples", "docs/site", "reproductions")
    modules = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")) if path != Path(__file__)]
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += [path for folder in ("docs", "src", "reproductions") for path in sorted((ROOT / folder).rglob("*.md"))]
    found: list[Fault] = []
    for path in [*modules, *pages]:
        if rooms and not any(room in path.relative_to(ROOT).as_posix() for room in rooms):
            continue
        found += faults_of_page(path) if path.suffix == ".md" else faults_of_module(path)
    return sorted(found)


def help_pages() -> Iterator[tuple[str, Any, str]]:
    """Yield the words, the command and the help of each command, as a terminal of 80 columns shows it."""
    from typer.main import get_command

    from tefuda.apps.cli import app

    commands = [("tefuda", get_command(app), None)]
    while commands:
        name, command, parent = commands.pop(0)
        context = command.context_class(
            command, info_name=name.split()[-1], parent=parent, terminal_width=78, **command.context_settings
        )  # fmt: skip
        yield name, command, command.get_help(context)
        commands[:0] = [(f"{name} {own}", value, context) for own, value in getattr(command, "commands", {}).items()]


def faults_of_help() -> Iterator[Fault]:
    """Yield the faults of the pages of ``--help``: long or cut lines, words, commands without section or example."""
    for name, command, page in help_pages():
        path = ROOT / "src" / "tefuda" / "apps" / "cli"
        for number, line in enumerate(page.splitlines(), 1):
            if len(line) > HELP_COLUMNS:
                yield Fault(path, number, f"help of {name} is wider than {HELP_COLUMNS}", line)
            if "..." in line and not line.startswith("Usage:"):
                yield Fault(path, number, f"help of {name} is cut", line)
            yield from words_in(path, number, line)
        if "tefuda " not in (command.epilog or ""):
            yield Fault(path, 0, "command without an example", name)
        if name != "tefuda" and not command.rich_help_panel:
            yield Fault(path, 0, "command in no section", name)


def main() -> int:
    """Print the faults and their number for each rule; 1 if there are any."""
    found = faults(sys.argv[1:])
    if not sys.argv[1:] or any(room in "src/tefuda/apps/cli" for room in sys.argv[1:]):
        found += sorted(faults_of_help())
    print(*found, sep="\n")
    for rule, count in Counter(fault.rule for fault in found).most_common():
        print(f"{count:6} {rule}", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
