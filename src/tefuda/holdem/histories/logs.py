"""Logs of matches of the Annual Computer Poker Competition: a line ``STATE:`` for each hand.

Example: ``STATE:1:f:AhAs|2c7d:50|-50:Ann|Ben``.

The fields are the hand's number, the betting and the cards as in match states, the players' results and names. Comments
and the final ``SCORE:`` are skipped. The log does not give blinds and stacks; they are checked by the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from tefuda.errors import ParameterError, unreadable
from tefuda.holdem.hands.acpc import read_state
from tefuda.holdem.hands.whole import Holdem, holdem
from tefuda.holdem.histories.record import HandHistory, record_of

#: No-limit table of the competition, as arguments of `holdem`.
TABLE = {"stack": 20_000, "blinds": (50, 100)}
_LINE = re.compile(
    r"STATE:(?P<number>\d{1,15}):(?P<betting>[^:]*):(?P<cards>[^:\s]*):(?P<results>[^:]*):(?P<names>[^:]*[^:\s])\s*"
)
_START = re.compile(r"(?:(?:#.*)?\n)*STATE:")
_RESULT = re.compile(r"-?\d{1,10}(\.\d{1,10})?")
_SKIPPED = ("#", "SCORE:")


def is_log(text: str) -> bool:
    """Return True if the first line that is no comment is the state of a hand."""
    return _START.match(text) is not None


def competition_table(players: int) -> Holdem:
    """Return the no-limit table of the competition."""
    return holdem(players, **TABLE)  # type: ignore[arg-type]


def log_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log that have hands, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith(_SKIPPED):
            yield number, line


def read_line(line: str, table: Callable[[int], Holdem]) -> HandHistory:
    """Read a line of a log.

    Raises:
        ParameterError: the line cannot be read, or its results are not those of the table.
    """
    match = _LINE.fullmatch(line)
    names, results = (match["names"].split("|"), match["results"].split("|")) if match else ([], [])
    if match is None or not 1 < len(names) == len(results) or not all(map(_RESULT.fullmatch, results)):
        raise ParameterError("write STATE:number:betting:cards:results:players", value=line, text=line)
    game = table(len(names))
    if game.players != len(names):
        raise unreadable("players", line, match.span("names"), f"are not {game.players} players")
    won = [Decimal(result) for result in results]
    ends = [stack + chips for stack, chips in zip(game.rules.stacks, won, strict=True)]
    state, number = read_state(game, line, match), int(match["number"])
    record = record_of(game, state, hand=number, players=names, finishing_stacks=ends)
    paid: Sequence[int | Decimal] = record.payoffs or won
    if min(ends) < 0 or any(abs(chips - result) >= 1 for chips, result in zip(paid, won, strict=True)):
        given = f"with blinds {game.rules.blinds} and stacks {game.rules.stacks}"
        raise ParameterError(
            f"the results {given} are {'|'.join(map(str, paid))}; give the table of the match "
            "(--blinds, --stack, --ante, --limit)",
            value=match["results"], text=line, position=match.span("results"),
        )  # fmt: skip
    return record
