"""What to take an action for that an abstraction left out: the nearest size that is left, or one of two at random.

Sizes are parts of the pot. With the pseudo-harmonic mapping (ganzfried2013) a bet x between A and B is taken for A with
probability (B - x)(1 + A) / ((B - A)(1 + x)): whoever calls A and B just often enough that bluffing wins nothing, with
1 / (1 + A) and 1 / (1 + B), then calls x with 1 / (1 + x), just often enough too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from tefuda.errors import GameError, ParameterError, check_choice, shortened

MAPPINGS = ("nearest", "pseudo-harmonic")


def translate_size(size: float, sizes: Sequence[float], mapping: str = "pseudo-harmonic") -> dict[float, float]:
    """Return the known sizes that stand for a size, with probabilities.

    Args:
        size: of what was done, in parts of the pot.
        sizes: those that are known; what is smaller or larger than all is taken for the last.
        mapping: one of `MAPPINGS`. ``"nearest"``: of two as near the smaller.

    Returns:
        One size or two, with probabilities that sum to 1.

    Raises:
        ParameterError: no sizes, or a size that is no number of at least 0.

    >>> td.translate_size(1.0, [0.5, 2.0]), td.translate_size(1.0, [0.5, 2.0], "nearest")
    ({0.5: 0.5, 2.0: 0.5}, {0.5: 1.0})
    """
    check_choice("mapping", mapping, MAPPINGS)
    if not sizes or not all(0 <= one < float("inf") for one in (size, *sizes)):
        raise ParameterError(f"a bet of {size!r} pots cannot be one of {shortened(list(sizes))}; sizes are 0 or more.")
    below = max((one for one in sizes if one <= size), default=None)
    above = min((one for one in sizes if one >= size), default=None)
    if below is None or above is None:
        return {min(sizes) if below is None else max(sizes): 1.0}
    if mapping == "nearest" or below == above:
        return {below if size - below <= above - size else above: 1.0}
    part = (above - size) * (1 + below) / ((above - below) * (1 + size))
    return {below: part, above: 1 - part}


def translate_history(
    history: Iterable[Hashable],
    offered: Callable[[tuple[Hashable, ...]], Sequence[Hashable]],
    size: Callable[[Hashable], float | None],
    mapping: str = "pseudo-harmonic",
) -> dict[tuple[Hashable, ...], float]:
    """Return the histories of an abstraction that stand for a real one, with probabilities.

    Args:
        history: the labels of what was done, as a view shows it; text is its letters.
        offered: the labels the abstraction has after a history of its own.
        size: of a label, in parts of the pot; None for one without a size.
        mapping: see `translate_size`.

    Returns:
        Histories of the abstraction with probabilities that sum to 1.

    Raises:
        GameError: a label the abstraction lacks, where it has none with a size, or two of one size.

    >>> sizes = {"h": 0.5, "b": 1.0, "d": 2.0}
    >>> td.translate_history("pbc", lambda past: "pfchd", sizes.get)
    {('p', 'h', 'c'): 0.5, ('p', 'd', 'c'): 0.5}
    """
    found: dict[tuple[Hashable, ...], float] = {(): 1.0}
    for label in history:
        after: dict[tuple[Hashable, ...], float] = {}
        for past, chance in found.items():
            for name, part in _taken(label, offered(past), size, mapping).items():
                after[(*past, name)] = chance * part
        found = after
    return found


def _taken(
    label: Hashable, names: Sequence[Hashable], size: Callable[[Hashable], float | None], mapping: str
) -> dict[Hashable, float]:
    """Return the names that stand for a label, with probabilities."""
    if label in names:
        return {label: 1.0}
    known = {name: one for name in names if (one := size(name)) is not None}
    own = size(label)
    if own is None or not known:
        raise GameError(f"{shortened(label)} was left out, and none of {shortened(tuple(names))} is of its kind.")
    parts = translate_size(own, list(known.values()), mapping)
    found = {name: parts[one] for name, one in known.items() if one in parts}
    if len(found) > len(parts):
        raise GameError(
            f"{shortened(label)} was left out, and {shortened(tuple(found))} have one size; size() must tell apart "
            f"the names that a label may stand for."
        )
    return found
