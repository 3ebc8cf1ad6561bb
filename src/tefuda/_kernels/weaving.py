"""One large kernel of many small functions, written together before it is compiled.

What is `woven` is a piece of source: `weave` puts it where it is called, with its variables renamed and constants it is
given put in, so that what is for other kernels is left out. numba's own inlining copies everything at every level: the
walks over hands took 9 seconds each to compile, so they take 4. Half of that is what numba makes of three things, which
are written otherwise before it sees them (`_Plain`): ranges, what belongs to a named tuple, numbers in tables. A `part`
is compiled by itself, but without a door to Python, which would take longer than the rest where there are many arrays:
Python must not call it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import Compiler

from tefuda._kernels.jit import _with
from tefuda._kernels.lanes import cell

#: What the compiler looks for in vain: contexts, closures, arrays that are made, a name with two types, references.
_IDLE = {
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.ReconstructSSA,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.IRLegalization,
}


class _Brief(Compiler):
    """A compiler that does not look for it: a seventh of the time."""

    def define_pipelines(self) -> list[Any]:
        """All steps but those."""
        found: list[Any] = super().define_pipelines()
        for one in found:
            one.passes = [step for step in one.passes if step[0] not in _IDLE]
        return found


part = _with(_Brief, _nrt=False)
_whole = _with(_Brief, _nrt=False, no_cfunc_wrapper=True)


@cache
def _functions(path: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module, read once: one by one, their sources take a tenth of a second to find."""
    return {one.name: one for one in ast.parse(Path(path).read_text()).body if isinstance(one, ast.FunctionDef)}


class Woven:
    """A function that stands in kernels only: a statement there, or all that is assigned; it returns at its end."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.names = function.__globals__
        found = _functions(function.__code__.co_filename)[function.__name__]
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
    plain = _Plain(whole.parameters)
    body = _flat(map(plain.visit, body))
    definition = ast.parse(f"def {name}({', '.join(one for one in whole.parameters if one not in constants)}): pass")
    definition.body[0].body = [*plain.first.values(), *body]  # type: ignore[attr-defined]
    names = {**weaver.names, "cell": cell, "__name__": whole.names["__name__"]}
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
        elif isinstance(body[-1], ast.Return):  # nobody wants it
            del body[-1]
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


class _Plain(ast.NodeTransformer):
    """Writes in a plain way what numba makes much of. first: what belongs to arguments, as variables.

    For each array that is asked of a named tuple it loads all of them; a number in a table takes 50 instructions, half
    of them in case that a place is negative, and a range a hundred, for its iterator. A kernel of 19,000 instructions
    was left with 9,000, and ran in two thirds of the time.
    """

    def __init__(self, parameters: list[str]) -> None:
        self._parameters, self.first = parameters, dict[str, ast.stmt]()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A variable, for what belongs to an argument."""
        if not isinstance(node.value, ast.Name) or node.value.id not in self._parameters:
            self.generic_visit(node)
            return node
        name = f"{node.value.id}_{node.attr}"
        self.first[name] = _assigned(name, node)
        return ast.Name(name, ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A number read from a table of two axes, whose places are not negative."""
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
            return ast.Call(ast.Name("cell", ast.Load()), [node.value, *node.slice.elts], [])
        return node

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        """A loop that counts up, as one that asks; where it is gone on with, it has been counted already."""
        self.generic_visit(node)
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        first, last, step = _ends(node.iter.args)
        if isinstance(step, ast.UnaryOp):
            return [node]
        here, after, stop = (node.target.id + mark for mark in ("", "_next", "_stop"))
        body = [
            _assigned(here, ast.Name(after, ast.Load())),
            _assigned(after, ast.BinOp(ast.Name(here, ast.Load()), ast.Add(), step)),
            *node.body,
        ]
        test = ast.Compare(ast.Name(after, ast.Load()), [ast.Lt()], [ast.Name(stop, ast.Load())])
        return [_assigned(after, first), _assigned(stop, last), ast.While(test, body, [])]


def _ends(given: list[ast.expr]) -> list[ast.expr]:
    """Where a range starts, ends, and its step."""
    return [*([ast.Constant(0)] if len(given) == 1 else []), *given, *([ast.Constant(1)] if len(given) < 3 else [])]


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _flat(found: Iterable[Any]) -> list[ast.stmt]:
    return [one for some in found for one in (some if isinstance(some, list) else [some])]
