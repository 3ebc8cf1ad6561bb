"""One large kernel of many small functions, written together before it is compiled.

What is `woven` is a piece of source: `weave` puts it where it is called, with its variables renamed and constants it is
given put in, so that what is for other kernels is left out. numba's own inlining copies everything at every level: the
walks over hands took 9 seconds each to compile, so they take 5. A `part` is compiled by itself, but without a door to
Python, which would take longer than the rest where there are many arrays: Python must not call it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from tefuda._kernels.jit import _with

part = _with(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
_whole = _with(_nrt=False)


class Woven:
    """A function that stands in kernels only: a statement there, or all that is assigned; it returns at its end."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.names = function.__globals__
        (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(found, ast.FunctionDef)
        self.text, self.parameters = ast.unparse(found), [one.arg for one in found.args.args]
        stored = (node for node in ast.walk(found) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        self.written = {node.id for node in stored}

    def body(self, given: Mapping[str, ast.expr], mark: str) -> list[ast.stmt]:
        """Its statements, with expressions for some names and a mark behind its other variables."""
        (found,) = ast.parse(self.text).body
        assert isinstance(found, ast.FunctionDef)
        own: dict[str, ast.expr] = {name: ast.Name(name + mark) for name in {*self.written, *self.parameters}}
        _Named({**own, **given}).visit(found)
        told = isinstance(found.body[0], ast.Expr) and isinstance(found.body[0].value, ast.Constant)
        return found.body[told:]


woven: Any = Woven


def weave(name: str, whole: Woven, **constants: bool) -> Any:
    """A kernel.

    Args:
        name: what it is called.
        whole: what it does.
        constants: the arguments of it that are known.
    """
    weaver = _Weaver()
    body = weaver.piece(whole, {given: ast.Constant(value) for given, value in constants.items()}, "")
    definition = ast.parse(f"def {name}({', '.join(one for one in whole.parameters if one not in constants)}): pass")
    definition.body[0].body = body  # type: ignore[attr-defined]
    names = {**weaver.names, "__name__": whole.names["__name__"]}
    exec(compile(ast.fix_missing_locations(definition), f"<{name}>", "exec"), names)
    return _whole(names[name])


class _Weaver:
    """Source while it is put together. names: what its globals stand for."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self._count = 0

    def piece(self, piece: Woven, given: Mapping[str, ast.expr], mark: str) -> list[ast.stmt]:
        """The statements of a piece and of all that it calls."""
        self.names |= piece.names
        return self._body(piece.body(given, mark), piece.names)

    def _body(self, statements: list[ast.stmt], names: Mapping[str, Any]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            call = getattr(statement, "value", None)
            piece = names.get(call.func.id) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
            if isinstance(call, ast.Call) and isinstance(piece, Woven):
                found += self._called(statement, call, piece)
            elif isinstance(statement, ast.If) and isinstance(statement.test, ast.Constant):
                found += self._body(statement.body if statement.test.value else statement.orelse, names)
            else:
                for field in ("body", "orelse"):
                    if inner := getattr(statement, field, None):
                        setattr(statement, field, self._body(inner, names) or [ast.Pass()])
                found.append(statement)
        return found

    def _called(self, statement: ast.stmt, call: ast.Call, piece: Woven) -> list[ast.stmt]:
        """What stands in a call's place: its arguments, if they are more than names, and the statements."""
        self._count += 1
        mark, given, before = f"_{self._count}", dict[str, ast.expr](), list[ast.stmt]()
        for name, argument in zip(piece.parameters, call.args, strict=True):
            if isinstance(argument, ast.Name | ast.Constant) and name not in piece.written:
                given[name] = argument
            else:
                before.append(ast.Assign([ast.Name(name + mark, ast.Store())], argument))
        body = self.piece(piece, given, mark)
        if isinstance(statement, ast.Assign):
            assert isinstance(body[-1], ast.Return) and body[-1].value is not None
            body[-1] = ast.Assign(statement.targets, body[-1].value)
        return before + body


class _Named(ast.NodeTransformer):
    """Puts expressions in the place of names, and leaves out what constants decide."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name, with what the old one is used for; or a constant."""
        found = self._given.get(node.id, node)
        return ast.Name(found.id, node.ctx) if isinstance(found, ast.Name) else found

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """What is left of ``and`` and ``or`` once constants are known."""
        self.generic_visit(node)
        ends = isinstance(node.op, ast.Or)  # what decides alone
        left = [one for one in node.values if not isinstance(one, ast.Constant)]
        if any(one.value == ends for one in node.values if isinstance(one, ast.Constant)):
            return ast.Constant(ends)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """The one side of it, if a constant decides."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node
