"""Messages: the values that routes send, as frozen dataclasses that list their fields one by one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

from tefuda.games.phrases import LANGUAGES
from tefuda.games.protocol import Observation

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Words = Mapping[str, str]  # a text that rules write, by language


@dataclass_transform(frozen_default=True)
class Message:
    """Base class of messages: each subclass becomes a frozen dataclass.

    All fields of a message are sent, and no other dataclass can be sent, so that a field which a value of the library
    gains never leaves the server by itself.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @classmethod
    def of(cls, value: Any, /, **others: Any) -> Self:
        """Return a message from the attributes or items of a value that have the names of its fields.

        Args:
            value: a value of the library, or a mapping; a field that a mapping lacks has its default.
            others: fields with other values.
        """
        message: type[DataclassInstance] = cls  # type: ignore[assignment]
        names = [field.name for field in fields(message) if field.name not in others]
        if isinstance(value, Mapping):
            return cls(**{name: value[name] for name in names if name in value}, **others)
        return cls(**{name: getattr(value, name) for name in names}, **others)


class Seen(Message):
    """A player's information in words: its own, and the public information."""

    hand: Words
    table: Words

    @classmethod
    def in_languages(cls, observations: Sequence[Observation]) -> Seen:
        """Return an observation that is given in each language."""
        return Seen(in_languages(each.hand for each in observations), in_languages(each.table for each in observations))


def in_languages(texts: Iterable[str]) -> Words:
    """Return a text that is given in each of `LANGUAGES`, in their order."""
    return dict(zip(LANGUAGES, texts, strict=True))


def message_json(content: Any) -> Any:
    """Return messages, mappings and lists as JSON values; numbers that are not finite are None.

    >>> class Point(Message):
    ...     iteration: int
    ...     value: float
    >>> message_json({"curve": [Point(1, 0.5), Point(2, float("inf"))]})
    {'curve': [{'iteration': 1, 'value': 0.5}, {'iteration': 2, 'value': None}]}
    """
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Message):
        message: DataclassInstance = content  # type: ignore[assignment]
        return {field.name: message_json(getattr(content, field.name)) for field in fields(message)}
    if isinstance(content, Mapping):
        return {name: message_json(value) for name, value in content.items()}
    return [message_json(value) for value in content] if isinstance(content, (list, tuple)) else content
