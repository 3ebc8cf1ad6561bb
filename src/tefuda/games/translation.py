"""Action translation: mapping of bets outside an abstraction to its bet sizes.

Sizes are fractions of the pot. The pseudo-harmonic mapping (ganzfried2013) maps a bet x between A and B to A with
probability (B - x)(1 + A) / ((B - A)(1 + x)), else to B. If a player calls A and B just often enough that bluffs win
nothing, with 1 / (1 + A) and 1 / (1 + B), then it calls x with 1 / (1 + x): also just often enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tefuda.errors import GameError, ParameterError, check_choice, shortened
from tefuda.games.protocol import Label

MAPPINGS = ("nearest", "pseudo-harmonic")


def translate_size(size: float, sizes: Sequence[float], mapping: str = "pseudo-harmonic") -> dict[float, float]:
    """Return the sizes of an abstraction that a bet is mapped to, with probabilities.

    Args:
        size: size of the bet, as a fraction of the pot.
        sizes: sizes of the abstraction. Bets outside their range are mapped to the smallest or largest.
        mapping: one of `MAPPINGS`. ``"nearest"``: the smaller of two equally near sizes.

    Returns:
        One size or two, with probabilities that sum to 1.

    Raises:
        ParameterError: no sizes, or a size below 0.

    >>> td.games.translate_size(1.0, [0.5, 2.0]), td.games.translate_size(1.0, [0.5, 2.0], "nearest")
    ({0.5: 0.5, 2.0: 0.5}, {0.5: 1.0})
    """
    check_choice("mapping", mapping, MAPPINGS)
    if not sizes or not all(0 <= value < float("inf") for value in (size, *sizes)):
        raise ParameterError(
            f"a bet of {size!r} pots cannot be mapped to {shortened(list(sizes))}; give sizes of at least 0."
        )
    below = max((known for known in sizes if known <= size), default=None)
    above = min((known for known in sizes if known >= size), default=None)
    if below is None or above is None:
        return {min(sizes) if below is None else max(sizes): 1.0}
    if mapping == "nearest" or below == above:
        return {below if size - below <= above - size else above: 1.0}
    probability = (above - size) * (1 + below) / ((above - below) * (1 + size))
    return {below: probability, above: 1 - probability}


def translate_history(
    history: Iterable[Label],
    offered: Callable[[tuple[Label, ...]], Sequence[Label]],
    size: Callable[[Label], float | None],
    mapping: str = "pseudo-harmonic",
) -> dict[tuple[Label, ...], float]:
    """Return the histories of an abstraction that a real history is mapped to, with probabilities.

    Args:
        history: labels of the real actions; a text is a sequence of letters.
        offered: function from a history of the abstraction to its labels there.
        size: function from a label to its size, as a fraction of the pot; None for a label without size.
        mapping: see `translate_size`.

    Returns:
        Histories of the abstraction with probabilities that sum to 1.

    Raises:
        GameError: an unknown label where the abstraction has no label with a size, or two of the same size.

    >>> sizes = {"h": 0.5, "b": 1.0, "d": 2.0}
    >>> td.games.translate_history("pbc", lambda past: "pfchd", sizes.get)
    {('p', 'h', 'c'): 0.5, ('p', 'd', 'c'): 0.5}
    """
    histories: dict[tuple[Label, ...], float] = {(): 1.0}
    for label in history:
        after: dict[tuple[Label, ...], float] = {}
        for past, chance in histories.items():
            for name, probability in _translate_label(label, offered(past), size, mapping).items():
                after[(*past, name)] = chance * probability
        histories = after
    return histories


def _translate_label(
    label: Label, names: Sequence[Label], size: Callable[[Label], float | None], mapping: str
) -> dict[Label, float]:
    """Return the labels that a label is mapped to, with probabilities."""
    if label in names:
        return {label: 1.0}
    sizes = {name: known for name in names if (known := size(name)) is not None}
    own = size(label)
    if own is None or not sizes:
        raise GameError(
            f"{shortened(label)} is not in the abstraction, and none of {shortened(tuple(names))} has a size."
        )
    probabilities = translate_size(own, list(sizes.values()), mapping)
    mapped = {name: probabilities[known] for name, known in sizes.items() if known in probabilities}
    if len(mapped) > len(probabilities):
        raise GameError(
            f"{shortened(label)} is not in the abstraction, and {shortened(tuple(mapped))} have the same size; size() "
            f"must return different sizes for different labels."
        )
    return mapped
