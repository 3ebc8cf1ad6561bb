"""Values made of smaller values, read and changed by flat names.

A dataclass declares a field that holds settings with `option_group`. An option chooses the kind of settings if there
are several. The fields inside are options too: under the prefix of their parts, and, where they are shared, under their
plain name, which sets them in every part.

>>> from tefuda.solvers.learned.neural import DREAM
>>> from tefuda.settings import with_options, options
>>> with_options(DREAM, {"epsilon": 0.1, "hidden": 32}).walks
Outcome(count=900, undrawn='share', epsilon=0.1)
>>> options(DREAM)["regrets"], options(DREAM)["baseline_rows"]
('mean', 200000)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeVar

from tefuda.errors import ParameterError, UnknownNameError, check_choice, check_range, one_of, out_of_range

Value = TypeVar("Value")

#: Types that a field accepts, by its annotation.
_TYPES: dict[Any, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "int | None": (int, type(None)),
    "float": (int, float),
    "float | None": (int, float, type(None)),
    "str": (str,),
    "tuple[str, ...]": (tuple, list),
}


@dataclass(frozen=True)
class OptionGroup:
    """A field that holds settings.

    Args:
        option: name of the option that chooses a kind; "" if there is one kind.
        kinds: classes by the values of the option; None stands for no settings.
        prefix: put before the names of the options inside.
    """

    option: str
    kinds: Mapping[Any, type | None]
    prefix: str

    def chosen(self, value: object) -> Any:
        """Return the value of the option for settings of this kind."""
        return next(choice for choice, kind in self.kinds.items() if type(value) is (kind or type(None)))


def option_group(
    default: Any, option: str = "", kinds: Mapping[Any, type | None] | None = None, prefix: str = ""
) -> Any:
    """Declare a field of a dataclass that holds settings; see `OptionGroup`."""
    return field(default=default, metadata={"part": OptionGroup(option, kinds or {"": type(default)}, prefix)})


def option(
    default: Any, low: float = 0, high: float = 10**9, *, choices: Iterable[object] = (), name: str = "",
    shared: bool = False,
) -> Any:  # fmt: skip
    """Declare a field of a dataclass that is an option.

    Args:
        default: default value.
        low: least value of a number.
        high: largest value of a number.
        choices: all values that a text may have.
        name: flat name; the default is the prefix of its parts and the name of the field.
        shared: whether the name of the field sets it, too, in every part that has it.
    """
    about = {"low": low, "high": high, "choices": tuple(choices), "name": name, "shared": shared}
    return field(default=default, metadata=about)


class Validated:
    """Base of dataclasses that check their fields against the declarations."""

    def __post_init__(self) -> None:
        for one in fields(self):  # type: ignore[arg-type]
            check(one.metadata.get("name") or one.name, getattr(self, one.name), one)


def check(name: str, value: Any, one: Field[Any]) -> None:
    """Raise ParameterError, under this name, unless a field may have this value."""
    about = one.metadata.get("part")
    if about is not None:
        if type(value) not in {kind or type(None) for kind in about.kinds.values()}:
            kinds = one_of(kind.__name__ for kind in about.kinds.values() if kind)
            raise out_of_range(name, value, f"of type {kinds}")
    elif "low" not in one.metadata:
        return
    elif one.type == "bool":
        check_choice(name, value, (False, True))
    elif one.type == "str":
        check_choice(name, value, one.metadata["choices"])
    elif one.type == "tuple[str, ...]":
        for member in value:
            check_choice(name, member, one.metadata["choices"])
    elif value is not None or "None" not in str(one.type):
        check_range(name, value, one.metadata["low"], one.metadata["high"], whole=str(one.type).startswith("int"))


def _names(one: Field[Any], prefix: str) -> list[str]:
    own = one.metadata.get("name") or prefix + one.name
    return [own, one.name] if one.metadata.get("shared") and prefix else [own]


def options(value: Any) -> dict[str, Any]:
    """Return the flat options of a value; equal shared options stand once."""
    found = list(_options(value, ""))
    alike = {
        name: {repr(one) for names, one in found if names[-1] == name} for names, _ in found for name in names[-1:]
    }
    return {names[-1] if len(alike[names[-1]]) == 1 else names[0]: one for names, one in found}


def _options(value: Any, prefix: str) -> Iterator[tuple[list[str], Any]]:
    for one in fields(value):
        about, inside = one.metadata.get("part"), getattr(value, one.name)
        if about is None:
            yield _names(one, prefix), inside
            continue
        if about.option:
            yield [about.option], about.chosen(inside)
        if inside is not None:
            yield from _options(inside, prefix + about.prefix)


class OptionField(NamedTuple):
    """A class, its field, and the (option, value) that chooses it, or None."""

    kind: type
    field: str
    needs: tuple[str, Any] | None


def option_fields(kind: Any, prefix: str = "", needs: tuple[str, Any] | None = None) -> dict[str, list[OptionField]]:
    """Return the places of all options of a class, whatever is chosen."""
    found: dict[str, list[OptionField]] = {}
    for one in fields(kind):
        about: OptionGroup | None = one.metadata.get("part")
        for name in [about.option] * bool(about.option) if about else _names(one, prefix):
            found.setdefault(name, []).append(OptionField(kind, one.name, needs))
        if about is None:
            continue
        for choice, inside in about.kinds.items():
            inner = (about.option, choice) if about.option else needs
            for name, places in option_fields(inside, prefix + about.prefix, inner).items() if inside else ():
                found.setdefault(name, []).extend(places)
    return found


def with_options(value: Value, changes: Mapping[str, Any], called: str = "") -> Value:
    """Return a value with some options changed; settings of a newly chosen kind keep the options of the old ones.

    Args:
        value: dataclass.
        changes: values by the names of options.
        called: name of the value in messages.

    Raises:
        UnknownNameError: no such option.
        ParameterError: a value of another type or out of range, or an option of a kind that is not chosen.
    """
    all_known = option_fields(type(value))
    if unknown := [name for name in changes if name not in all_known]:
        raise UnknownNameError(f"option of {called}".strip(), unknown[0], all_known.keys() - {"name"})
    change = _Change(changes, all_options(value))
    found = change.of(value, "")
    if idle := [name for name in changes if name not in change.used]:
        needs = [f"{place.needs[0]}={place.needs[1]!r}" for place in all_known[idle[0]] if place.needs]
        chosen = " or ".join(dict.fromkeys(needs))
        raise ParameterError(f"{idle[0]} belongs to {chosen}; choose that, or leave {idle[0]} out.", key=idle[0])
    return found


def all_options(value: Any) -> dict[str, Any]:
    """Return the options of a value by all their names; shared ones of the first part."""
    found = list(_options(value, ""))
    return {names[-1]: one for names, one in reversed(found)} | {names[0]: one for names, one in found}


class _Change:
    """Changes of options; `used` are the names of all options that were met."""

    def __init__(self, changes: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        self.changes, self.before, self.used = changes, before, set[str]()

    def of(self, value: Any, prefix: str, new: bool = False) -> Any:
        """Return settings with the changes; `new` ones, just chosen, keep the old options."""
        found = {}
        for one in fields(value):
            about = one.metadata.get("part")
            if about is not None:
                found[one.name] = self._part(getattr(value, one.name), about, prefix, new)
                continue
            names = _names(one, prefix)
            self.used.update(names)
            given = next((name for name in names if name in self.changes), None)
            if given is not None:
                found[one.name] = _checked(given, self.changes[given], one)
            elif new:
                kept = next((self.before[name] for name in names if name in self.before), getattr(value, one.name))
                found[one.name] = kept
        return replace(value, **found)

    def _part(self, value: Any, about: OptionGroup, prefix: str, new: bool) -> Any:
        self.used.add(about.option)
        if about.option in self.changes:
            choice = self.changes[about.option]
            if type(choice) not in {type(one) for one in about.kinds} or choice not in about.kinds:
                raise out_of_range(about.option, choice, one_of(about.kinds))
            kind = about.kinds[choice]
            if type(value) is not (kind or type(None)):
                value, new = kind and kind(), True
        return None if value is None else self.of(value, prefix + about.prefix, new)


def _checked(name: str, value: Any, one: Field[Any]) -> Any:
    """Return a value if the field may have it, and if floats can hold it."""
    allowed = _TYPES.get(one.type)
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
    fits = allowed is None or (isinstance(value, allowed) and (not isinstance(value, bool) or bool in allowed))
    if not fits or not abs(number) <= 1e300:
        raise out_of_range(name, value, f"of type {one_of(kind.__name__ for kind in allowed or (float,))}")
    check(name, value, one)
    return value
