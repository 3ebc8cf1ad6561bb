"""Partitions by name, as the command line accepts them."""

from __future__ import annotations

from typing import Any

from tefuda.abstracting.bucketing import MEASURES, Buckets
from tefuda.abstracting.lossless import lossless
from tefuda.errors import ParameterError, UnknownNameError
from tefuda.forms.partitions import Partition
from tefuda.forms.tree import Tree

#: Words that may follow a measure and its counts, with the field of `Buckets` and its value; also `warm-up=COUNT` and
#: `feature=NAME`.
OPTIONS = {"forgetful": ("recall", "imperfect"), "public": ("apart", "public states")}


def check_named(text: str) -> Buckets | None:
    """Return the buckets of ``"strength=3:9,forgetful,public"``; None for ``"lossless"``."""
    if text == "lossless":
        return None
    first, *more = text.split(",")
    measure, equals, counts = first.partition("=")
    if measure not in MEASURES:
        raise UnknownNameError("abstraction", measure, ("lossless", *(f"{name}=COUNT" for name in MEASURES)))
    if not equals or not all(count.isascii() and count.isdigit() for count in counts.split(":")):
        raise ParameterError(f"{text!r} needs counts of buckets; write {measure}=3, or {measure}=3:9 for two rounds.")
    options: dict[str, Any] = {}
    for word in more:
        name, equals, value = word.partition("=")
        if equals and name == "feature":
            options[name] = value
        elif equals and name == "warm-up" and value.isascii() and value.isdigit():
            options["warm_up"] = int(value[:9])
        elif word in OPTIONS:
            options.update([OPTIONS[word]])
        else:
            raise UnknownNameError(f"option after {first}", word, (*OPTIONS, "warm-up=COUNT", "feature=NAME"))
    counts_ = tuple(int(count[:9]) for count in counts.split(":"))
    return Buckets(counts_, measure, **options)


def partition_named(tree: Tree, text: str) -> Partition:
    """Return the partition of a tree with a name such as ``"strength=3:9,forgetful"``; see `check_named`.

    >>> partition_named(td.compile_game(td.load_game("leduc", ranks=5)), "strength=2:4,forgetful")
    Partition(leduc, 780 infosets in 132 classes, imperfect recall)
    """
    named = check_named(text)
    return lossless(tree) if named is None else named.partition(tree)
