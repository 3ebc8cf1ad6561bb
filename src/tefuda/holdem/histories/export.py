"""Export of hands to files of other programs: PHH, Open Hand History, PokerStars text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tefuda.errors import ParameterError
from tefuda.files import write_bytes
from tefuda.holdem.histories import open_hand_history, phh_text
from tefuda.holdem.histories.aliases import aliased, numbered
from tefuda.holdem.histories.record import HandHistory
from tefuda.holdem.histories.rooms import pokerstars

#: Writers of a hand by the ending of the file.
WRITERS: dict[str, Callable[[HandHistory], str]] = {
    ".txt": pokerstars.write, ".ohh": open_hand_history.write, ".phh": phh_text.hand_text,
    ".phhs": phh_text.hand_text,
}  # fmt: skip


class Exported(NamedTuple):
    """Result of an export: the number of hands written, and of those left out by reason."""

    written: int
    left_out: Mapping[str, int]


def writer(ending: str) -> Callable[[HandHistory], str]:
    """Return the writer of the format of an ending.

    Raises:
        ParameterError: no format has this ending.
    """
    if ending not in WRITERS:
        raise ParameterError(f"an export must end in {', '.join(WRITERS)}; got {ending!r}.", key="export", value=ending)
    return WRITERS[ending]


def exported(hand: HandHistory, kind: str, names: bool = False) -> str:
    """Return a hand as text; see `HandHistory.export`."""
    (chosen,) = [hand] if names else aliased([hand], numbered())
    return writer(f".{kind}")(chosen)


def export_hands(path: str | Path, hands: Iterable[HandHistory], names: bool = False) -> Exported:
    """Write hands to a file; its ending is the format.

    Args:
        path: file with the ending ``.txt``, ``.ohh``, ``.phhs``, or ``.phh`` for one hand.
        hands: records.
        names: keep names, tables and exact times; default: aliases P1, P2, ...

    Raises:
        ParameterError: the ending is unknown, or no hand can be written.
        RunError: the file cannot be written.
    """
    file = Path(path)
    write = writer(file.suffix)
    chosen = hands if names else aliased(hands, numbered())
    if file.suffix.startswith(".phh"):
        records = list(chosen)
        phh_text.write_phh(file, records)
        return Exported(len(records), {})
    texts, left_out = list[bytes](), Counter[str]()
    for place, hand in enumerate(chosen, 1):
        try:
            numbered_hand = hand if re.search(r"\d", hand.number) else replace(hand, number=str(place))
            texts.append(write(numbered_hand).encode("utf-8", "replace"))
        except ParameterError as error:
            left_out[error.message] += 1
    if left_out and not texts:
        reasons = "; ".join(left_out)
        raise ParameterError(f"no hand can be written to {file}: {reasons}. Write a .phhs file.", key="export")
    write_bytes(file, b"".join(texts))
    return Exported(len(texts), left_out)
