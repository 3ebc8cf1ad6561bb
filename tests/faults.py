"""Faults as changes of syntax trees: where they are in a source, and how they are made there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

Part = list[ast.AST]  # one expression, or statements that follow each other
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
SHORT = 100  # characters of an expression that is easily read


class Stale(Exception):
    """The old code of a fault is not in its function exactly once."""


@cache
def parse(text: str) -> ast.Module:
    """Return the tree of a source, which callers must not change."""
    return ast.parse(text)


@lru_cache(1 << 16)
def signature(node: ast.AST) -> str:
    """Return a text that is equal for equal code, wherever it is, and whether it is read or assigned."""
    return re.sub(r"(, )?ctx=\w+\(\)", "", ast.dump(node))


def signatures(value: Any) -> Any:
    """Return the signature of a field of a tree: of a node, of a list of nodes, or the value itself."""
    if isinstance(value, list):
        return [signatures(item) for item in value]
    return signature(value) if isinstance(value, ast.AST) else repr(value)


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Generate the nodes of a tree, but not those in f-strings, whose positions Python 3.11 does not know."""
    yield tree
    if not isinstance(tree, ast.JoinedStr):
        for child in ast.iter_child_nodes(tree):
            yield from nodes_of(child)


def scope(tree: ast.AST) -> Iterator[ast.AST]:
    """Generate the nodes below a definition, but not those of definitions inside."""
    for child in ast.iter_child_nodes(tree):
        yield child
        if not isinstance(child, DEFINITIONS):
            yield from scope(child)


def named(tree: ast.AST, function: str) -> list[ast.AST]:
    """Return the definitions with a dotted name, "Match.interval"; the module for no name."""
    name, _, inside = function.partition(".")
    if not name:
        return [tree]
    found = [node for node in scope(tree) if isinstance(node, DEFINITIONS) and node.name == name]
    return [definition for node in found for definition in named(node, inside)]


@cache
def places(definition: ast.AST) -> dict[str, list[Part]]:
    """Return where a definition has an expression or a statement, by its signature."""
    found: dict[str, list[Part]] = {}
    for node in nodes_of(definition):
        if isinstance(node, (ast.expr, ast.stmt)):
            found.setdefault(signature(node), []).append([node])
    return found


def occurrences(definition: ast.AST, part: Part) -> list[Part]:
    """Return where a definition has the code of a part."""
    if len(part) == 1:
        return places(definition).get(signature(part[0]), [])
    fields = (value for node in nodes_of(definition) for _, value in ast.iter_fields(node))
    bodies = [value for value in fields if isinstance(value, list)]
    windows = [body[i : i + len(part)] for body in bodies for i in range(len(body) - len(part) + 1)]
    return [window for window in windows if signatures(window) == signatures(part)]


def span(text: str, part: Part) -> tuple[int, int]:
    """Return the first byte of a part in its source, and the byte after its last."""
    lines = text.encode().splitlines(keepends=True)
    first, last = part[0], part[-1]
    start = sum(map(len, lines[: first.lineno - 1])) + first.col_offset
    return start, sum(map(len, lines[: last.end_lineno - 1])) + last.end_col_offset


def replaced(text: str, part: Part, new: str) -> str:
    """Return a source with other code in the place of a part; all else stays as it is, comments too."""
    (start, end), code = span(text, part), text.encode()
    new = f"({new})" if isinstance(part[0], ast.expr) else new.replace("\n", "\n" + " " * part[0].col_offset)
    return (code[:start] + new.encode() + code[end:]).decode()


def parts_of(*codes: str) -> list[Part]:
    """Return codes as expressions if all are, otherwise as statements."""
    try:
        return [[ast.parse(code, mode="eval").body] for code in codes]
    except SyntaxError:
        return [list(ast.parse(code).body) for code in codes]


@dataclass(frozen=True)
class Fault:
    """A change of one function that some test must find."""

    source: str  # "playing/match.py", in one of the packages
    function: str  # "Match.interval", a class, or "" for the module
    old: str  # an expression, or statements
    new: str
    tests: str = ""  # pytest's arguments
    plain: bool = False  # whether kernels run as Python in these tests

    def place(self, text: str) -> Part:
        """Return the part of a source to replace; raise Stale unless it is in the function once."""
        part, _ = parts_of(self.old, self.new)
        found = [place for tree in named(parse(text), self.function) for place in occurrences(tree, part)]
        if len(found) != 1:
            raise Stale(f"{len(found)} times: {self}")
        return found[0]

    def apply(self, text: str) -> str:
        """Return the source with the fault; raise Stale unless `old` is in the function once."""
        return replaced(text, self.place(text), self.new)

    def __str__(self) -> str:
        return f"{self.source} {self.function}  {self.old!r} -> {self.new!r}"


@dataclass(frozen=True)
class TextFault(Fault):
    """A change in several places of a function at once: of a text, as it is in the source."""

    def apply(self, text: str) -> str:
        """Return the source with the fault; raise Stale unless `old` is in the source once."""
        if text.count(self.old) != 1:
            raise Stale(f"{text.count(self.old)} times: {self}")
        return text.replace(self.old, self.new)


def differing(old: list, new: list) -> tuple[list, list, int]:
    """Return the middles in which two lists differ, and where they begin."""
    first, last, most = 0, 0, min(len(old), len(new))
    while first < most and signatures(old[first]) == signatures(new[first]):
        first += 1
    while last < most - first and signatures(old[-1 - last]) == signatures(new[-1 - last]):
        last += 1
    return old[first : len(old) - last], new[first : len(new) - last], first


def changes(old: Part, new: Part, function: str = "") -> Iterator[tuple[str, Part, Part]]:
    """Generate a definition and the parts there that differ, from the whole to the smallest."""
    yield function, old, new
    if len(old) != 1 or len(new) != 1 or type(old[0]) is not type(new[0]) or isinstance(old[0], ast.JoinedStr):
        return
    fields = zip(ast.iter_fields(old[0]), ast.iter_fields(new[0]), strict=True)
    values = [(mine, its) for (_, mine), (_, its) in fields if signatures(mine) != signatures(its)]
    if len(values) != 1:
        return
    if isinstance(old[0], DEFINITIONS):
        function = f"{function}.{old[0].name}".removeprefix(".")
    mine, its = values[0]
    if isinstance(mine, list) and isinstance([*mine, *its][0], ast.AST):
        before, after, first = differing(mine, its)
        if isinstance([*mine, *its][0], ast.stmt):
            start = max(0, first - 1)  # with a statement on either side: of two equal ones, they say which
            yield function, mine[start : first + len(before) + 1], its[start : first + len(after) + 1]
            if before:
                yield from changes(before, after or [ast.Pass()], function)
        elif len(before) == len(after) == 1:
            yield from changes(before, after, function)
    elif isinstance(mine, ast.AST) and isinstance(its, ast.AST):
        yield from changes([mine], [its], function)


def code_of(text: str, part: Part) -> str:
    """Return the code of a part in one line; as Python writes it where the source's own lines do not join."""
    if isinstance(part[0], ast.Pass):
        return "pass"
    start, end = span(text, part)
    code = " ".join(text.encode()[start:end].decode().split())
    try:
        if signatures(part) in [signatures(found) for found in parts_of(code)]:
            return code
    except SyntaxError:
        pass
    return "\n".join(map(ast.unparse, part))


def smallest(fault: Fault, text: str, changed: str) -> Fault:
    """Return the smallest fault that changes one source to another; raise Stale if several are needed.

    A name or a number alone says little, so the fault includes a short expression around it.
    """
    alone = None
    for function, old, new in reversed([*changes([parse(text)], [ast.parse(changed)])]):
        if not all(isinstance(node, (ast.expr, ast.stmt)) for node in [*old, *new]):
            continue
        found = replace(fault, function=function, old=code_of(text, old), new=code_of(changed, new))
        try:
            ast.parse(found.apply(text))
        except (Stale, SyntaxError):
            continue
        if found.old.count("\n") > 1:
            break
        if not isinstance(old[0], (ast.Name, ast.Constant)) and (alone is None or len(found.old) <= SHORT):
            return found
        alone = alone or found
    if alone is None:
        raise Stale(f"no single place: {fault}")
    return alone
