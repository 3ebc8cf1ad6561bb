"""Nested settings with flat option names.

A dataclass declares a field of nested settings with `option_group`. If several kinds of settings are possible, an
option selects one. The nested fields are options too, named with the prefix of their group. A shared option also has
its plain name, which sets it in all groups.

>>> from tefuda.solvers.learned.neural import DREAM
>>> from tefuda.settings import with_options, options
>>> with_options(DREAM, {"epsilon": 0.1, "hidden": 32}).walks
Outcome(count=900, unsampled='share', epsilon=0.1)
>>> options(DREAM)["regrets"], options(DREAM)["baseline_rows"]
('mean', 200000)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeVar

from tefuda.errors import ParameterError, UnknownNameError, check_choice, check_range, one_of, out_of_range

Value = TypeVar("Value")

#: Allowed types of a field, by its annotation.
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
    """Field of nested settings.

    Args:
        option: name of the option that selects a kind; "" if there is only one kind.
        kinds: classes by the values of the option; None: no settings.
        prefix: prefix of the names of the nested options.
    """

    option: str
    kinds: Mapping[Any, type | None]
    prefix: str

    def choice_of(self, value: object) -> Any:
        """Return the value of the option that selects the kind of `value`."""
        return next(choice for choice, kind in self.kinds.items() if type(value) is (kind or type(None)))


def option_group(
    default: Any, option: str = "", kinds: Mapping[Any, type | None] | None = None, prefix: str = ""
) -> Any:
    """Declare a dataclass field of nested settings; see `OptionGroup`."""
    return field(default=default, metadata={"group": OptionGroup(option, kinds or {"": type(default)}, prefix)})


def option(
    default: Any, low: float = 0, high: float = 10**9, *, choices: Iterable[object] = (), name: str = "",
    shared: bool = False,
) -> Any:  # fmt: skip
    """Declare a dataclass field that is an option.

    Args:
        default: default value.
        low: minimum of a number.
        high: maximum of a number.
        choices: allowed values of a text.
        name: flat name; default: the prefixes of its groups and the name of the field.
        shared: whether the plain name of the field sets it in all groups.
    """
    metadata = {"low": low, "high": high, "choices": tuple(choices), "name": name, "shared": shared}
    return field(default=default, metadata=metadata)


class Validated:
    """Base class of dataclasses that validate their fields."""

    def __post_init__(self) -> None:
        for entry in fields(self):  # type: ignore[arg-type]
            check(entry.metadata.get("name") or entry.name, getattr(self, entry.name), entry)


def check(name: str, value: Any, entry: Field[Any]) -> None:
    """Raise ParameterError, with this name, unless a field allows the value."""
    group = entry.metadata.get("group")
    if group is not None:
        if type(value) not in {kind or type(None) for kind in group.kinds.values()}:
            kinds = one_of(kind.__name__ for kind in group.kinds.values() if kind)
            raise out_of_range(name, value, f"of type {kinds}")
    elif "low" not in entry.metadata:
        return
    elif entry.type == "bool":
        check_choice(name, value, (False, True))
    elif entry.type == "str":
        check_choice(name, value, entry.metadata["choices"])
    elif entry.type == "tuple[str, ...]":
        for member in value:
            check_choice(name, member, entry.metadata["choices"])
    elif value is not None or "None" not in str(entry.type):
        check_range(name, value, entry.metadata["low"], entry.metadata["high"], whole=str(entry.type).startswith("int"))


def _names(entry: Field[Any], prefix: str) -> list[str]:
    own = entry.metadata.get("name") or prefix + entry.name
    return [own, entry.name] if entry.metadata.get("shared") and prefix else [own]


def options(value: Any) -> dict[str, Any]:
    """Return the options of a value by flat name; shared options with equal values appear once."""
    named = list(_options(value, ""))
    values = dict[str, set[str]]()
    for names, value in named:
        values.setdefault(names[-1], set()).add(repr(value))
    return {names[-1] if len(values[names[-1]]) == 1 else names[0]: value for names, value in named}


def _option_entries(value: Any) -> list[Field[Any]]:
    """Return the fields that are options: fields that are not compared only describe a value."""
    return [entry for entry in fields(value) if entry.compare]


def _options(value: Any, prefix: str) -> Iterator[tuple[list[str], Any]]:
    for entry in _option_entries(value):
        group, inside = entry.metadata.get("group"), getattr(value, entry.name)
        if group is None:
            yield _names(entry, prefix), inside
            continue
        if group.option:
            yield [group.option], group.choice_of(inside)
        if inside is not None:
            yield from _options(inside, prefix + group.prefix)


class OptionField(NamedTuple):
    """Class, name of its field, and the (option, value) that selects it, or None."""

    kind: type
    field: str
    needs: tuple[str, Any] | None


def option_fields(kind: Any, prefix: str = "", needs: tuple[str, Any] | None = None) -> dict[str, list[OptionField]]:
    """Return the fields of all options of a class, for all selections."""
    by_name: dict[str, list[OptionField]] = {}
    for entry in _option_entries(kind):
        group: OptionGroup | None = entry.metadata.get("group")
        for name in [group.option] * bool(group.option) if group else _names(entry, prefix):
            by_name.setdefault(name, []).append(OptionField(kind, entry.name, needs))
        if group is None:
            continue
        for choice, inside in group.kinds.items():
            inner = (group.option, choice) if group.option else needs
            for name, places in option_fields(inside, prefix + group.prefix, inner).items() if inside else ():
                by_name.setdefault(name, []).extend(places)
    return by_name


def with_options(value: Value, changes: Mapping[str, Any], called: str = "") -> Value:
    """Return a copy of a value with changed options; newly selected settings inherit the old options.

    Args:
        value: dataclass.
        changes: values by option name.
        called: name of the value in messages.

    Raises:
        UnknownNameError: unknown option.
        ParameterError: a value of a wrong type or out of range, or an option of settings that are not selected.
    """
    all_known = option_fields(type(value))
    if unknown := [name for name in changes if name not in all_known]:
        raise UnknownNameError(f"option of {called}".strip(), unknown[0], all_known.keys() - {"name"})
    change = _Changes(changes, all_options(value))
    result = change.applied_to(value, "")
    if unused := [name for name in changes if name not in change.used]:
        name = unused[0]
        needs = [f"{field.needs[0]}={field.needs[1]!r}" for field in all_known[name] if field.needs]
        selection = " or ".join(dict.fromkeys(needs))
        raise ParameterError(f"{name} needs {selection}; set that, or leave {name} out.", key=name)
    return result


def all_options(value: Any) -> dict[str, Any]:
    """Return the options of a value by all their names; shared names give the first group's value."""
    named = list(_options(value, ""))
    return {names[-1]: option for names, option in reversed(named)} | {names[0]: option for names, option in named}


class _Changes:
    """Changes of options; `used` holds the names of all options of the changed value."""

    def __init__(self, changes: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        self.changes, self.before, self.used = changes, before, set[str]()

    def applied_to(self, value: Any, prefix: str, new: bool = False) -> Any:
        """Return changed settings; newly selected ones (`new`) inherit the old options."""
        values = {}
        for entry in _option_entries(value):
            group = entry.metadata.get("group")
            if group is not None:
                values[entry.name] = self._group(getattr(value, entry.name), group, prefix, new)
                continue
            names = _names(entry, prefix)
            self.used.update(names)
            given = next((name for name in names if name in self.changes), None)
            if given is not None:
                values[entry.name] = _checked(given, self.changes[given], entry)
            elif new:
                inherited = next(
                    (self.before[name] for name in names if name in self.before), getattr(value, entry.name)
                )
                values[entry.name] = inherited
        return replace(value, **values)

    def _group(self, value: Any, group: OptionGroup, prefix: str, new: bool) -> Any:
        self.used.add(group.option)
        if group.option in self.changes:
            choice = self.changes[group.option]
            if type(choice) not in {type(key) for key in group.kinds} or choice not in group.kinds:
                raise out_of_range(group.option, choice, one_of(group.kinds))
            kind = group.kinds[choice]
            if type(value) is not (kind or type(None)):
                value, new = kind and kind(), True
        return None if value is None else self.applied_to(value, prefix + group.prefix, new)


def _checked(name: str, value: Any, entry: Field[Any]) -> Any:
    """Return a value if the field allows it and floats can represent it."""
    allowed = _TYPES.get(entry.type)
    number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
    fits = allowed is None or (isinstance(value, allowed) and (not isinstance(value, bool) or bool in allowed))
    if not fits or not abs(number) <= 1e300:
        raise out_of_range(name, value, f"of type {one_of(kind.__name__ for kind in allowed or (float,))}")
    check(name, value, entry)
    return value
