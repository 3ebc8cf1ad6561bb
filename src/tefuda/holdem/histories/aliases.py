"""Aliases: records without names of players, tables and files, with times rounded to hours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from tefuda.holdem.histories.amounts import FINISHING, WINNINGS
from tefuda.holdem.histories.record import HandHistory, Seat

#: Function that returns the alias of a player, given the room and the name.
AliasFunction = Callable[[str, str], str]
_DIGITS = 10  # hexadecimal digits of a keyed alias


def numbered() -> AliasFunction:
    """Return a function of aliases P1, P2, ... in the order of their first use.

    >>> alias = numbered()
    >>> [alias("PokerStars", name) for name in ("Ash", "Birch", "Ash")]
    ['P1', 'P2', 'P1']
    """
    names: dict[tuple[str, str], str] = {}
    return lambda room, name: names.setdefault((room, name), f"P{len(names) + 1}")


def keyed(secret: str) -> AliasFunction:
    """Return a function of aliases that depend on the player and a secret alone: keyed hashes (BLAKE2b).

    >>> keyed("ours")("PokerStars", "Ash") == keyed("theirs")("PokerStars", "Ash")
    False
    """
    return lambda room, name: "P" + keyed_digest(secret, f"{room}\n{name}")[:_DIGITS]


def keyed_digest(secret: str, text: str) -> str:
    """Return the hash of a text under a secret, in hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), key=secret.encode(), digest_size=16).hexdigest()


def aliased(hands: Iterable[HandHistory], alias: AliasFunction) -> Iterator[HandHistory]:
    """Yield hands with aliases, without tables, files and texts; of the fields, only the results remain."""
    for hand in hands:

        def renamed(seats: Iterable[Seat], room: str = hand.room) -> tuple[Seat, ...]:
            return tuple(seat._replace(name=alias(room, seat.name)) for seat in seats)

        start = hand.start and hand.start.replace(minute=0, second=0, microsecond=0)
        results = {name: hand.fields[name] for name in (FINISHING, WINNINGS) if name in hand.fields}
        yield replace(
            hand, seats=renamed(hand.seats), absent=renamed(hand.absent), start=start, table="", fields=results,
            source="", line=0, digest="",
        )  # fmt: skip
