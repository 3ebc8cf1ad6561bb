"""Loading of user-defined games and methods from files, here and in workers.

A file is loaded once, as a module with a unique name. While it is loaded, it can import the modules beside it. Two
games in different folders may each have a ``helper.py``.
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

_beside: dict[str, str] = {}  # folders of the modules imported from beside a game


def load_named(name: str, kind: str) -> Any:
    """Return the object named ``"FILE.py:NAME"`` or ``"module:NAME"``.

    Args:
        name: file or module, and a name in it.
        kind: kind of object, for errors: ``"game"`` or ``"method"``.

    Raises:
        UnknownNameError: the file or module has no such name.
        ParameterError: the file or module cannot be loaded.
    """
    location, _, attribute = name.rpartition(":")
    try:
        module = load_file(location) if location.endswith(".py") else importlib.import_module(location)
    except (RunError, ModuleNotFoundError) as error:
        raise ParameterError(f"{kind} {name!r}: {error}. Write FILE.py:NAME or module:NAME.") from None
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{location} cannot be loaded: {located_error(error)}.") from None
    if not hasattr(module, attribute):
        raise UnknownNameError(f"{kind} in {location}", attribute, [n for n in vars(module) if not n.startswith("_")])
    return getattr(module, attribute)


def located_error(error: BaseException) -> str:
    """Return an error of user code as text, with the file and line that raised it."""
    trace = traceback.extract_tb(error.__traceback__)[-1:] if not isinstance(error, SyntaxError) else ()
    location = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in trace)
    return f"{type(error).__name__}: {error}{location}"


def load_file(file: str | Path) -> ModuleType:
    """Load the module of a file once; workers that start later load it too.

    Args:
        file: a path that ends in ``.py``.

    Returns:
        The module.

    Raises:
        RunError: the file cannot be read. Exceptions of the file itself are not caught.
    """
    path = Path(file).resolve()
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    text = read_bytes(path)
    if name in sys.modules and sys.modules[name].__dict__.get("__source__") == text:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__source__"] = text  # to reload an edited file
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
    """Import modules from `folder` inside the context, hiding modules of other folders with the same name."""
    aside = {name: sys.modules.pop(name) for name, home in _beside.items() if home != folder and name in sys.modules}
    before = set(sys.modules)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if _is_in(folder, name.partition(".")[0]):
                _beside[name] = folder
        for name, module in aside.items():
            sys.modules.setdefault(name, module)


def _is_in(folder: str, name: str) -> bool:
    """Return True if a module is a file or a package directly in `folder`."""
    file = getattr(sys.modules.get(name), "__file__", None)
    home = Path(file or "/nowhere/nothing.py").resolve()
    return folder == str(home.parent.parent if home.name == "__init__.py" else home.parent)
