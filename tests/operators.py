"""Six kinds of small faults, for ``python -m tests.mutants --generate MODULE``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from tests.faults import Fault, Stale, nodes_of, parse, replaced, smallest

_OTHER = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt,), ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,),
}  # fmt: skip


def compare(node: ast.AST) -> Iterator[ast.AST]:
    """Generate other comparisons."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _OTHER[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)


def constant(node: ast.AST) -> Iterator[ast.AST]:
    """Generate the opposite of a truth value, and the number after a number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)


def part(node: ast.AST) -> Iterator[ast.AST]:
    """Generate parts in place of the whole: an operand, the first argument, one of two choices."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def drop(node: ast.AST) -> Iterator[ast.AST]:
    """Generate a condition without one of its parts, and nothing in place of a statement."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            rest = [other for other in node.values if other is not value]
            yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
    elif isinstance(node, (ast.AugAssign, ast.Raise)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield ast.Pass()


def junction(node: ast.AST) -> Iterator[ast.AST]:
    """Generate `or` for `and`, and `and` for `or`."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def sign(node: ast.AST) -> Iterator[ast.AST]:
    """Generate minus for plus, and plus for minus."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OTHER:
        yield ast.BinOp(node.left, _OTHER[type(node.op)][0](), node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OTHER:
        yield ast.AugAssign(node.target, _OTHER[type(node.op)][0](), node.value)


OPERATORS: Mapping[str, Callable[[ast.AST], Iterator[ast.AST]]] = {
    "compare": compare, "constant": constant, "part for whole": part, "drop": drop, "and/or": junction, "+/-": sign,
}  # fmt: skip


def types_in(tree: ast.AST) -> set[ast.AST]:
    """Return the nodes of the types of a source, where a fault changes nothing."""
    noted = [getattr(node, field, None) for node in ast.walk(tree) for field in ("annotation", "returns")]
    return {inside for top in noted if top is not None for inside in ast.walk(top)}


def generate(text: str, source: str, tests: str, plain: bool) -> list[Fault]:
    """Return the faults that the operators make of a source, where their place has a name."""
    found: dict[Fault, None] = {}
    types = types_in(parse(text))
    for node in (node for node in nodes_of(parse(text)) if node not in types):
        for operator in OPERATORS.values():
            for new in operator(node):
                fault = Fault(source, "", ast.unparse(node), ast.unparse(new), tests, plain)
                try:
                    found[smallest(fault, text, replaced(text, [node], fault.new))] = None
                except (Stale, SyntaxError):
                    continue
    return list(found)
