"""Exceptions of tefuda.

    TefudaError
    ├── InputError          also a ValueError; the command line exits with 2
    │   ├── UnknownNameError    unknown game, method or option; suggests the nearest name
    │   ├── ParameterError      parameter out of range
    │   ├── GameError           invalid rules; carries the report of check_game
    │   ├── ProfileError        probabilities that do not form a profile of the game
    │   ├── SizeError           game too large for the free memory
    │   └── RunError            damaged, foreign or newer file
    │       └── BusyError           run or file in use by another process; carries its process id
    ├── SolverError         also a RuntimeError: the solver has no answer yet
    └── MissingExtraError   also an ImportError: an optional dependency is not installed

A message gives the value, the allowed values and a fix. The attributes of an `InputError` hold the same data.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Self

from tefuda.words import underlined

_LISTED, _LETTERS = 100, 2_000  # names in a message, and their letters


class TefudaError(Exception):
    """Base class of the exceptions of tefuda; instances can be pickled.

    >>> sorted(kind.__name__ for kind in td.TefudaError.__subclasses__())
    ['InputError', 'MissingExtraError', 'SolverError']
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*(_cut(arg) if isinstance(arg, str) else arg for arg in args))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


_LONG_MESSAGE = 3_000  # letters; labels and views of a game have any length


def _cut(text: str) -> str:
    """Return a message without its middle if it is long; the beginning has the fault, the end the cure."""
    if len(text) <= _LONG_MESSAGE:
        return text
    left, right = text[: 2 * _LONG_MESSAGE // 3], text[-(_LONG_MESSAGE // 3) :]
    return f"{left} ... ({len(text) - len(left) - len(right):,} letters left out) ... {right}"


def _restored(kind: type[TefudaError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> TefudaError:
    """Return a pickled error without calling its constructor, which would format the message again."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(fields)
    return error


class InputError(TefudaError, ValueError):
    """Invalid input.

    Args:
        message: the allowed values, the given value, and a fix.
        key: name of the invalid parameter, option, field or file line; "" if there is none.
        value: the given value.
        expected: description of the allowed values.
        text: invalid text; the message ends with it.
        position: start and end of the part of `text` to underline; default: all of it.

    >>> issubclass(td.InputError, ValueError), issubclass(td.errors.GameError, td.InputError)
    (True, True)
    """

    def __init__(
        self,
        message: object = "",
        *,
        key: str = "",
        value: object = None,
        expected: str = "",
        text: str | None = None,
        position: tuple[int, int] | None = None,
    ) -> None:
        self.message, self.key, self.value, self.expected = _cut(str(message)), key, value, expected
        self.text = text or ""
        self.position = (0, len(self.text)) if position is None else position
        super().__init__(self.message if text is None else f"{message}\n{underlined(text, *self.position)}")

    def located(self, location: object) -> Self:
        """Return this error with a location, such as a file and a line, before its message."""
        self.message, self.args = f"{location}: {self.message}", (f"{location}: {self}",)
        return self


class UnknownNameError(InputError):
    """Unknown name.

    Args:
        kind: kind of object, e.g. ``"game"``.
        name: the given name.
        known: all valid names.

    >>> td.load_game("kunh")
    Traceback (most recent call last):
        ...
    tefuda.errors.UnknownNameError: unknown game 'kunh'. Did you mean 'kuhn'? Known: ...
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        names = sorted(self.known)
        self.nearest = _nearest(str(name), names)
        hint = f" Did you mean {self.nearest!r}?" if self.nearest else ""
        super().__init__(f"unknown {kind} {quoted(name)}.{hint} Known: {_listing(names)}.", key=kind, value=name)


def _listing(names: Sequence[str]) -> str:
    """Return the names that a message has room for."""
    ends = accumulate(len(_short(name)) + 2 for name in names[:_LISTED])
    shown = [_short(name) for name, end in zip(names, ends, strict=False) if end <= _LETTERS]
    return ", ".join(shown or ["none"]) + (f", ... ({len(names):,} in all)" if len(shown) < len(names) else "")


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return the most similar known name, or ""; ``cfr_plus`` equals ``cfr+``."""
    plain = {_plain(candidate): candidate for candidate in reversed(known)}
    near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.5)
    return plain[near[0]] if near else ""


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.lower().replace("plus", "+"))


class ParameterError(InputError):
    """Parameter out of range.

    >>> td.load_game("kuhn", players=1)
    Traceback (most recent call last):
        ...
    tefuda.errors.ParameterError: players is 1; it must be a whole number from 2 to 10.
    """


class GameError(InputError):
    """Invalid rules of a game.

    Args:
        message: description of the fault.
        report: report of `check_game`, if any.

    >>> td.compile_game("rules")
    Traceback (most recent call last):
        ...
    tefuda.errors.GameError: 'rules' is the name of a game, not its rules. Write load_game('rules').
    """

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__(message if report is None else f"{message}\n{report}")
        self.report = report


class ProfileError(InputError):
    """Probabilities that do not form a profile of the game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.Profile(tree, [1.0])
    Traceback (most recent call last):
        ...
    tefuda.errors.ProfileError: a profile of kuhn needs 24 probabilities; got shape (1,).
    """


class SizeError(InputError):
    """Game too large for the free memory.

    >>> issubclass(td.errors.SizeError, td.InputError)
    True
    """


class RunError(InputError):
    """Unusable file or run folder.

    >>> td.playing.read_hands("nowhere.jsonl", td.compile_game(td.load_game("kuhn")))
    Traceback (most recent call last):
        ...
    tefuda.errors.RunError: cannot read nowhere.jsonl: No such file or directory.
    """


class BusyError(RunError):
    """Run or file in use by another process.

    Args:
        path: the run or the file.
        owner: description of the process.
        process: process id of the owner; None if unknown.

    >>> issubclass(td.errors.BusyError, td.errors.RunError)
    True
    """

    def __init__(self, path: object, owner: str, process: int | None) -> None:
        self.process = process
        message = f"{path} is in use by {owner}. Wait until that process ends, or choose another path."
        super().__init__(message, key="path", value=str(path))


class SolverError(TefudaError, RuntimeError):
    """Solver state that does not allow the request, such as an average of no iterations.

    >>> td.make_solver(td.load_game("kuhn"), "cfr").average()
    Traceback (most recent call last):
        ...
    tefuda.errors.SolverError: the average is empty after 0 iterations with delay 0; run more than 0 iterations.
    """


class MissingExtraError(TefudaError, ImportError):
    """Missing optional dependency.

    Args:
        extra: extra of this package that installs it, e.g. ``"plot"``.
        feature: the feature that needs it, e.g. ``"drawing a PNG"``.

    >>> print(td.errors.MissingExtraError("plot", "drawing"))
    drawing needs an optional dependency. Install it with: pip install 'matplotlib>=3.9'
    """

    def __init__(self, extra: str, feature: str) -> None:
        from importlib.metadata import PackageNotFoundError, requires

        try:
            lines = [line for line in requires("tefuda") or () if f"extra == '{extra}'" in line]
            packages = " ".join(f"'{line.split(';')[0].strip()}'" for line in lines) or f"'tefuda[{extra}]'"
        except PackageNotFoundError:  # not installed: run from the source folder
            packages = f"-e '.[{extra}]' in the folder of tefuda's source"
        super().__init__(f"{feature} needs an optional dependency. Install it with: pip install {packages}")


def missing_reproductions(feature: str) -> InputError:
    """Return the error of a feature that needs the package of the reproductions, which is not installed."""
    return InputError(
        f"{feature} needs the package tefuda-reproductions. Install it with: pip install ./reproductions, in a clone "
        "of tefuda's repository."
    )


def instance_hint(value: object) -> str:
    """Return a hint if a class was given in place of an instance, else ""."""
    return f" Write {value.__name__}() in place of the class {value.__name__}." if isinstance(value, type) else ""


def shortened(value: object, most: int = 80) -> str:
    """Return the type and the shortened repr of a value, for a message."""
    return f"the {type(value).__name__} {quoted(value, most)}"


def quoted(value: object, most: int = 80) -> str:
    """Return the shortened repr of a value, for a message."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = "without a repr"
    return _short(text, most)


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def as_text(value: Any, most: int = 80) -> str:
    """Return a label as shortened text, even if its ``str`` raises an exception."""
    try:
        text = str(value)
    except Exception:
        return f"<{type(value).__name__}>"
    return _short(text, most)


def error_text(error: BaseException) -> str:
    """Return the type and message of an exception."""
    return f"{type(error).__name__}: {as_text(error, 500)}"


def out_of_range(key: str, value: object, expected: str) -> ParameterError:
    """Return the error of an invalid parameter.

    >>> print(out_of_range("p", 2, "from 0 to 1"))
    p is 2; it must be from 0 to 1.
    """
    return ParameterError(f"{key} is {quoted(value)}; it must be {expected}.", key=key, value=value, expected=expected)


def illegal_label(label: object, legal: object) -> ParameterError:
    """Return the error for a label that is neither an action nor an outcome of chance here."""
    return ParameterError(f"label must be one of {quoted(legal, 400)}; got {quoted(label)}.", key="label", value=label)


def wrong_type(expected: str, value: object, fix: str = "", kind: type[InputError] = ParameterError) -> InputError:
    """Return the error of a value of a wrong type; the message ends with the fix."""
    text = f"expected {expected}; got {shortened(value)}.{instance_hint(value)} {fix}"
    return kind(text.rstrip(), value=value, expected=expected)


def unreadable(key: str, text: str, position: tuple[int, int], reason: str) -> ParameterError:
    """Return the error of a text with an unreadable part.

    >>> print(unreadable("board", "Qs Xh", (3, 5), "is no card"))
    board: 'Xh' is no card.
      Qs Xh
         ^^
    """
    part = text[slice(*position)]
    return ParameterError(f"{key}: {part!r} {reason}.", key=key, value=part, text=text, position=position)


def check_range(name: str, value: object, low: float, high: float = float("inf"), *, whole: bool = True) -> None:
    """Raise ParameterError unless `value` is a finite (whole) number from `low` to `high`."""
    kinds: tuple[type, ...] = (int,) if whole else (int, float)
    number = isinstance(value, kinds) and not isinstance(value, bool)
    if number and low <= value <= high and value != float("inf"):  # type: ignore[operator]
        return
    kind = "a whole number" if whole else "a number"
    span = f"of at least {low}" if high == float("inf") else f"from {low} to {high}"
    raise out_of_range(name, value, f"{kind} {span}")


def check_seed(seed: object) -> None:
    """Raise ParameterError unless `seed` is a whole number from 0 to 2**63 - 1."""
    check_range("seed", seed, 0, 2**63 - 1)


def check_choice(name: str, value: object, allowed: Iterable[object]) -> None:
    """Raise ParameterError unless `value` is one of `allowed`."""
    if value not in (choices := list(allowed)):
        raise out_of_range(name, value, one_of(choices))


def one_of(choices: Iterable[object]) -> str:
    """Return choices as text: ``0 or 1``; ``a, b or c``."""
    *names, last = map(str, choices)
    return f"{', '.join(names)} or {last}" if names else last
