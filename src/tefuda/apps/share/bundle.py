"""The page's ES modules as one script.

A module becomes a function that runs once and returns its exports. Modules must write imports and exports on one line,
in the forms below; `bundled` refuses all others, and the tests check every module of the page. Modules that are
imported by a call must be entries of the bundle.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from tefuda.errors import ParameterError

_IMPORT = re.compile(r'import (?:\{ ([\w, ]+) \} from |\* as (\w+) from |)"(\.[\w./-]+)";')
_LIST = re.compile(r"export \{ ([\w, ]+) \};")
_DEFINITION = re.compile(r"export ((?:async )?function\*? |const |class )(\w+)(.*)", re.DOTALL)
_OTHER = re.compile(r"\s*(import|export)\b")
_IMPOSSIBLE = re.compile(r"\bimport\.meta\b|^await\b", re.MULTILINE)
_START = """\
const modules = {};
const loadModule = async (folder, name) => modules[new URL(name, `http://inside/${folder}/`).pathname.slice(1)];\
"""


def bundled(read: Callable[[str], str], entries: list[str]) -> str:
    """Return one script that runs modules and all modules they import, in order.

    Args:
        read: function that returns the source of a module by its path, such as ``"js/dom.js"``.
        entries: paths of the modules to run. Each is a property of the script's constant ``modules``.

    Raises:
        ParameterError: a module has an import or export of another form, or the imports form a circle.
    """
    done, script = list[str](), [_START]

    def add(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ParameterError(f"modules import each other: {' -> '.join((*above, path))}.", key=path)
        if path not in done:
            source = read(path)
            for target in _imports(path, source):
                add(target, (*above, path))
            done.append(path)
            script.append(_function(path, source))

    for entry in entries:
        add(entry, ())
    return "\n".join(script)


def _imports(path: str, source: str) -> list[str]:
    """Return the paths of the modules that a module imports."""
    return [_target(path, match[3]) for line in source.split("\n") if (match := _IMPORT.fullmatch(line))]


def _target(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _function(path: str, source: str) -> str:
    """Return the statement that runs a module and stores its exports."""
    if match := _IMPOSSIBLE.search(source):
        raise ParameterError(f"{path} must not use {match[0]!r}: it is part of a shared file.", key=path)
    lines, exports = list[str](), list[str]()
    for number, line in enumerate(source.split("\n"), 1):
        if match := _IMPORT.fullmatch(line):
            lines.append(_declaration(path, match))
        elif match := _LIST.fullmatch(line):
            exports += [_pair(name, reverse=True) for name in match[1].split(",")]
        elif match := _DEFINITION.fullmatch(line):
            exports.append(match[2])
            lines.append("".join(match.groups()).replace("import(", f'loadModule("{posixpath.dirname(path)}", '))
        elif _OTHER.match(line):
            raise ParameterError(
                f"{path}:{number}: an import or export must be one line of a known form, got {line.strip()[:80]!r}.",
                key=path,
            )
        else:
            lines.append(line.replace("import(", f'loadModule("{posixpath.dirname(path)}", '))
    body = "\n".join(lines)
    return f'modules["{path}"] = (() => {{\n{body}\nreturn {{ {", ".join(exports)} }};\n}})();'


def _declaration(path: str, match: re.Match[str]) -> str:
    """Return the declaration of the imported names."""
    module = f'modules["{_target(path, match[3])}"]'
    if match[1]:
        return f"const {{ {', '.join(_pair(name) for name in match[1].split(','))} }} = {module};"
    return f"const {match[2]} = {module};" if match[2] else ""


def _pair(name: str, reverse: bool = False) -> str:
    """Return an entry of an object: ``a`` for ``a``, ``a: b`` for ``a as b``."""
    inner, _, outer = name.strip().partition(" as ")
    pair = (outer, inner) if reverse else (inner, outer)
    return ": ".join(pair) if outer else inner
