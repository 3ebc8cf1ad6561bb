"""Partitions by name, as on the command line."""

from __future__ import annotations

from typing import Any

from tefuda.abstracting.buckets import MEASURES, Buckets
from tefuda.abstracting.lossless import lossless
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.forms.partition import Partition
from tefuda.forms.tree import Tree

#: Fields of `Buckets` by the words that may follow a measure and its counts.
SAID = {"forgetful": ("recall", "imperfect"), "public": ("apart", "public states")}


def check_named(text: str) -> Buckets | None:
    """Return the buckets of ``"strength=3:9,forgetful,public"``; None for ``"lossless"``."""
    if text == "lossless":
        return None
    first, *more = text.split(",")
    measure, equals, counts = first.partition("=")
    if measure not in MEASURES:
        raise UnknownNameError("abstraction", measure, ("lossless", *(f"{name}=COUNT" for name in MEASURES)))
    if not equals or not all(count.isascii() and count.isdigit() for count in counts.split(":")):
        raise ParameterError(f"{text!r} has no counts; write {measure}=3, or {measure}=3:9 for rounds.")
    for word in more:
        if word not in SAID:
            raise UnknownNameError(f"word behind {first}", word, SAID)
    listed = tuple(int(count[:9]) for count in counts.split(":"))
    said: dict[str, Any] = dict(SAID[word] for word in more)
    return Buckets(listed, measure, **said)


def partition_named(tree: Tree, text: str) -> Partition:
    """Return the partition of a tree by its name; see `check_named`.

    >>> partition_named(td.compile_game(td.load_game("leduc", ranks=5)), "strength=2:4,forgetful")
    Partition(leduc, 780 infosets in 132 classes, imperfect recall)
    """
    named = check_named(text)
    return lossless(tree) if named is None else named.partition(tree)
