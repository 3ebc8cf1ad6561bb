"""The errors that tefuda raises on purpose.

    TefudaError
    ├── InputError          also a ValueError; the command line exits with 2
    │   ├── UnknownNameError    a game, method or option that does not exist; offers the nearest
    │   ├── ParameterError      a parameter out of its range
    │   ├── GameError           rules that are not a game; carries the report of check_game
    │   ├── ProfileError        probabilities that are not a profile of this game
    │   ├── SizeError           a game too large for the memory there is
    │   └── RunError            a saved file that is damaged, foreign or newer than this version
    │       └── BusyError           a run or a file that another process is writing; carries its process id
    ├── SolverError         also a RuntimeError: a question asked before there is an answer
    └── MissingExtraError   also an ImportError: an optional dependency that is not installed

A message says what was given, what is allowed, and how to fix it; the attributes of an `InputError` hold the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from tefuda.words import underlined


class TefudaError(Exception):
    """Root of the errors raised on purpose by this package; they travel between processes.

    >>> sorted(one.__name__ for one in td.TefudaError.__subclasses__())
    ['InputError', 'MissingExtraError', 'SolverError']
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[TefudaError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> TefudaError:
    """Return the error as it was, without its constructor, which words the message."""
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(fields)
    return error


class InputError(TefudaError, ValueError):
    """An input that cannot be used.

    Args:
        message: what was expected, what was given, how to fix it.
        key: name of the parameter, option, field or file line at fault; "" if there is none.
        value: what was given for it.
        expected: what is allowed, in words.
        text: the text at fault; the message ends with it.
        position: start and end of the place to mark in `text`; all of it unless given.

    >>> issubclass(td.InputError, ValueError), issubclass(td.GameError, td.InputError)
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
        self.message, self.key, self.value, self.expected, self.text = str(message), key, value, expected, text or ""
        self.position = (0, len(self.text)) if position is None else position
        super().__init__(self.message if text is None else f"{message}\n{underlined(text, *self.position)}")

    def at(self, place: object) -> Self:
        """Return this error with a place, such as a file and its line, before its message."""
        self.message, self.args = f"{place}: {self.message}", (f"{place}: {self}",)
        return self


class UnknownNameError(InputError):
    """A name that is not in a table of names.

    Args:
        kind: what was looked for, e.g. ``"game"``.
        name: the name that was given.
        known: the names that exist.

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
        shown = ", ".join(names[:100]) + (f", ... ({len(names):,} in all)" if len(names) > 100 else "")
        super().__init__(f"unknown {kind} {name!r}.{hint} Known: {shown or 'none'}.", key=kind, value=name)


def _nearest(name: str, known: Sequence[str]) -> str:
    """Return the nearest known name, where ``cfr_plus`` is ``cfr+``; "" if none."""
    plain = {_plain(one): one for one in reversed(known)}
    near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.5)
    return plain[near[0]] if near else ""


def _plain(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.lower().replace("plus", "+"))


class ParameterError(InputError):
    """A parameter out of its range.

    >>> td.load_game("kuhn", players=1)
    Traceback (most recent call last):
        ...
    tefuda.errors.ParameterError: players is 1; it must be a whole number from 2 to 10.
    """


class GameError(InputError):
    """The rules are not a game that can be used; `report` says why, if there is one.

    >>> td.compile_game("rules")
    Traceback (most recent call last):
        ...
    tefuda.errors.GameError: 'rules' is the name of a game, not its rules. Write load_game('rules').
    """

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__(message if report is None else f"{message}\n{report}")
        self.report = report


class ProfileError(InputError):
    """Probabilities that are not a profile of this game.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> td.Profile(tree, [1.0])
    Traceback (most recent call last):
        ...
    tefuda.errors.ProfileError: a profile of kuhn has 24 rows; got shape (1,).
    """


class SizeError(InputError):
    """A game too large for the memory there is.

    >>> issubclass(td.SizeError, td.InputError)
    True
    """


class RunError(InputError):
    """A saved file or run folder that cannot be used.

    >>> td.read_hands("nowhere.jsonl", td.compile_game(td.load_game("kuhn")))
    Traceback (most recent call last):
        ...
    tefuda.errors.RunError: cannot read nowhere.jsonl: No such file or directory.
    """


class BusyError(RunError):
    """A run or a file that another process is writing.

    Args:
        place: the run or the file.
        owner: the process in words.
        process: process id of the owner; None if unknown.

    >>> issubclass(td.BusyError, td.RunError)
    True
    """

    def __init__(self, place: object, owner: str, process: int | None) -> None:
        self.process = process
        message = f"{place} is in use by {owner}. Wait until that process ends, or choose another place."
        super().__init__(message, key="place", value=str(place))


class SolverError(TefudaError, RuntimeError):
    """A solver was asked for something it does not have yet.

    >>> td.make_solver(td.load_game("kuhn"), "cfr").average()
    Traceback (most recent call last):
        ...
    tefuda.errors.SolverError: the average is empty after 0 iterations with delay 0; run more iterations than the delay.
    """


class MissingExtraError(TefudaError, ImportError):
    """An optional dependency is not installed.

    Args:
        extra: the extra of this package that brings it, e.g. ``"plot"``.
        what: what needs it, e.g. ``"drawing a PNG"``.

    >>> print(td.MissingExtraError("plot", "drawing"))
    drawing needs an optional dependency. Install it with: pip install 'matplotlib>=3.9'
    """

    def __init__(self, extra: str, what: str) -> None:
        from importlib.metadata import PackageNotFoundError, requires

        try:
            listed = [one.split(";")[0].strip() for one in requires("tefuda") or () if f"extra == '{extra}'" in one]
            packages = " ".join(f"'{one}'" for one in listed) or f"'tefuda[{extra}]'"
        except PackageNotFoundError:  # run from its source without being installed
            packages = f"-e '.[{extra}]' in the folder of tefuda's source"
        super().__init__(f"{what} needs an optional dependency. Install it with: pip install {packages}")


def instance_hint(value: object) -> str:
    """Return the end of a message for a class in place of an instance, else ""."""
    return f" Write {value.__name__}() in place of the class {value.__name__}." if isinstance(value, type) else ""


def shortened(value: object, most: int = 80) -> str:
    """Return the kind of a value and the beginning of its text, for a message."""
    return f"the {type(value).__name__} {_text(value, most)}"


def _text(value: object, most: int = 80) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = "without a repr"
    return text if len(text) <= most else text[: most - 3] + "..."


def out_of_range(key: str, value: object, expected: str) -> ParameterError:
    """Return the error of a parameter that must be something else.

    >>> print(out_of_range("p", 2, "from 0 to 1"))
    p is 2; it must be from 0 to 1.
    """
    return ParameterError(f"{key} is {_text(value)}; it must be {expected}.", key=key, value=value, expected=expected)


def wrong_type(expected: str, value: object, cure: str = "", kind: type[InputError] = ParameterError) -> InputError:
    """Return the error of a value of another type than expected; the message ends with the cure."""
    text = f"{expected} is wanted here; got {shortened(value)}.{instance_hint(value)} {cure}"
    return kind(text.rstrip(), value=value, expected=expected)


def unreadable(what: str, text: str, position: tuple[int, int], why: str) -> ParameterError:
    """The error of a part of a text that cannot be read.

    >>> print(unreadable("board", "Qs Xh", (3, 5), "is no card"))
    board: 'Xh' is no card.
      Qs Xh
         ^^
    """
    part = text[slice(*position)]
    return ParameterError(f"{what}: {part!r} {why}.", key=what, value=part, text=text, position=position)


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
    """Raise ParameterError unless random numbers can be drawn from `seed`."""
    check_range("seed", seed, 0, 2**63 - 1)


def check_choice(name: str, value: object, allowed: Iterable[object]) -> None:
    """Raise ParameterError unless `value` is one of `allowed`."""
    if value not in (choices := list(allowed)):
        raise out_of_range(name, value, one_of(choices))


def one_of(choices: Iterable[object]) -> str:
    """``0 or 1``; ``a, b or c``."""
    *names, last = map(str, choices)
    return f"{', '.join(names)} or {last}" if names else last
