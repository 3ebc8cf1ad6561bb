"""Games and methods of the user, from files that may import modules beside them, here and in workers.

A file is loaded once, as a module with a name that no other has. While it is loaded, and only then, modules beside it
can be imported; those of another folder step aside, so that two games may each have a ``helper.py``.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from tefuda.errors import ParameterError, RunError, UnknownNameError
from tefuda.files import read_bytes
from tefuda.workers import PREPARATION

_beside: dict[str, str] = {}  # modules that were imported from beside a game: their folders


def load_named(name: str, kind: str) -> Any:
    """Return the object that ``"FILE.py:NAME"`` or ``"module:NAME"`` names.

    Args:
        name: file or module, and a name in it.
        kind: the kind of object that is wanted, for errors: ``"game"`` or ``"method"``.

    Raises:
        UnknownNameError: the file or module has no such name.
        ParameterError: the file or module cannot be loaded.
    """
    place, _, attribute = name.rpartition(":")
    try:
        module = load_file(place) if place.endswith(".py") else importlib.import_module(place)
    except (RunError, ModuleNotFoundError) as error:
        raise ParameterError(f"{kind} {name!r}: {error}. Write FILE.py:NAME or module:NAME.") from None
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{place} cannot be loaded: {located_error(error)}.") from None
    if not hasattr(module, attribute):
        raise UnknownNameError(f"{kind} in {place}", attribute, [n for n in vars(module) if not n.startswith("_")])
    return getattr(module, attribute)


def located_error(error: BaseException) -> str:
    """Return an error of the user's code as text, with the line that raised it."""
    trace = traceback.extract_tb(error.__traceback__)[-1:] if not isinstance(error, SyntaxError) else ()
    place = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in trace)
    return f"{type(error).__name__}: {error}{place}"


def load_file(file: str | Path) -> ModuleType:
    """Load the module of a file once; workers that begin later load it first.

    Args:
        file: a path that ends in ``.py``.

    Returns:
        The module.

    Raises:
        RunError: the file cannot be read. Whatever the file itself raises.
    """
    path = Path(file).resolve()
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    text = read_bytes(path)
    if name in sys.modules and sys.modules[name].__dict__.get("__source__") == text:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__source__"] = text  # an edited file is loaded anew
    sys.modules[name] = module
    try:
        with _importing_from(str(path.parent)):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    if (load_file, str(path)) not in PREPARATION:
        PREPARATION.append((load_file, str(path)))
    return module


@contextmanager
def _importing_from(folder: str) -> Iterator[None]:
    """Import modules from `folder` inside the context, and none of another folder by the same name."""
    aside = {name: sys.modules.pop(name) for name, home in _beside.items() if home != folder and name in sys.modules}
    before = set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if _lies_in(folder, name.partition(".")[0]):
                _beside[name] = folder
        for name, module in aside.items():
            sys.modules.setdefault(name, module)


def _lies_in(folder: str, name: str) -> bool:
    """Return whether a module is a file or a package of this very folder, not of one below."""
    file = getattr(sys.modules.get(name), "__file__", None)
    home = Path(file or "/nowhere/nothing.py").resolve()
    return folder == str(home.parent.parent if home.name == "__init__.py" else home.parent)
