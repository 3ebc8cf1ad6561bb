"""Spots of hold'em on the command line: reading and reporting."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from typing import Any

from typer import Context

from tefuda.apps.cli.shared.common import option_pairs, report
from tefuda.apps.cli.shared.reading import Undeclared, assignments
from tefuda.errors import ParameterError, out_of_range
from tefuda.words import count, escaped, fixed, percent

_SIZES = "50,a"  # default sizes of bets and raises
_OPTIONS = ("spot", "bets", "raises", "rake", "limit")  # besides the keys of a spot file
_BOARD_KEYS = ("board", "oop", "ip")  # keys of errors that may depend on the board


def spot_of(context: Context, board: str = "") -> tuple[Any, Undeclared]:
    """Return the spot of the undeclared options and of those of --set, and the others.

    The options are --spot FILE, --bets, --raises, --rake, --limit, and the keys of spot files; they replace those of
    the file. board: the board, in place of --board.
    """
    from tefuda.holdem.spots.spot import KEYS, SpotFile, enter, make_spot

    texts, others, own = dict[str, str](), dict[str, str](), dict[str, Any]()
    for name, text in [*option_pairs(context.args), *assignments(context.params.get("change"))]:
        if name in KEYS:
            enter(own, name, text)
        else:
            (texts if name in _OPTIONS else others)[name] = text
    if board:
        if "board" in own:
            raise ParameterError("--board has no effect with --boards; leave it out.")
        own["board"] = board
    if "rake" in texts:
        enter(own, "rake_rate", texts["rake"])
    file = SpotFile.read(texts["spot"]) if "spot" in texts else None
    known = {} if file is None else file.values
    values = _sizes(texts, known) | own | {"locks": [*known.get("locks", ()), *own.get("locks", ())]}
    values["at"] = {**known.get("at", {}), **own.get("at", {})}
    _require(values, own, file)
    with nullcontext() if file is None else file.locating(values):
        return make_spot(**values), Undeclared({}, others, (*_OPTIONS, *KEYS))


def _require(values: dict[str, Any], own: dict[str, Any], file: Any) -> None:
    """Raise ParameterError if a value is missing."""
    from tefuda.holdem.spots.spot import REQUIRED

    if missing := [name for name in REQUIRED if name not in values]:
        cure = "a file: --spot FILE" if file is None else f"a line {missing[0]}= in {file.path}"
        raise ParameterError(f"--{missing[0]} is missing; give it, or {cure}.", key=missing[0])
    if "rake_cap" in own and not values.get("rake_rate"):
        raise ParameterError("--rake-cap needs a rake: give --rake 0.05 too, or leave it out.")


def _sizes(texts: dict[str, str], known: Any) -> dict[str, Any]:
    """Return the values of a file, or none, with the sizes of the options in place of its own."""
    values = dict(known)
    for name, key in (("bets", "bet"), ("raises", "raise")):
        if name in texts:
            values = {other: text for other, text in values.items() if not other.endswith(f"_{key}")}
        values[name] = texts.get(name, "" if known else _SIZES)
    return values | (_limit(texts) if "limit" in texts else {})


def _limit(texts: dict[str, str]) -> dict[str, Any]:
    """Return the bet sizes of limit hold'em with blinds ``5/10``: 10 on the flop, 20 later."""
    text, sizes = texts["limit"], [name for name in ("bets", "raises") if name in texts]
    blinds = re.fullmatch(r"\s*\d{1,7}\s*/\s*(\d{1,7})\s*", text)
    if blinds is None or not 0 < (big := int(blinds[1])) <= 10**6:
        raise out_of_range("limit", text, "both blinds, such as 5/10")
    if sizes:
        raise ParameterError(f"--{sizes[0]} has no effect with --limit, which has one size per street; leave it out.")
    chips = {"flop": big, "turn": 2 * big, "river": 2 * big}
    return {"cap": 4} | {
        f"{player}{street}_{kind}": f"{size}c"
        for street, size in chips.items()
        for kind in ("bet", "raise")
        for player in ("", "oop_", "ip_")
    }


def read_with_boards(boards: str, context: Context) -> tuple[Any, list[Any], Undeclared]:
    """Return the spot on the first possible board of ``--boards``, the boards, and the options of no spot.

    ``flops`` are all flops up to isomorphism of suits; see `batch.read_boards`.
    """
    from tefuda.holdem.cards import cards_text
    from tefuda.holdem.spots.batch import read_boards

    error: ParameterError | None = None
    for board in read_boards(boards):
        try:
            spot, others = spot_of(context, cards_text(board.cards))
            return spot, read_boards(boards, spot), others
        except ParameterError as refused:
            error = error or refused
            if refused.key not in _BOARD_KEYS:
                raise
    raise error or ParameterError("--boards names no board.")


def show_tree(job: Any, as_json: bool) -> None:
    """Print the betting tree and the size of the spot of a job."""
    from tefuda.holdem.spots.size import size_of
    from tefuda.holdem.spots.tree import build_tree

    spot, precision = job.game.spot, job.method.precision
    size, lines = size_of(spot), list(build_tree(spot.betting, spot.street).lines())
    content = {
        "boards": size.boards, "all_boards": size.all_boards, "decisions": size.decisions, "hands": list(size.hands),
        "bytes": size.bytes(precision), "seconds_per_iteration": size.seconds, "tree": lines,
    }  # fmt: skip
    report(as_json, content, [*lines, _size_text(size, precision)])


def show_size(job: Any) -> None:
    """Print the size of the spot of a job, before memory is allocated."""
    from tefuda.holdem.spots.size import size_of

    print(escaped(_size_text(size_of(job.game.spot), job.method.precision)), file=sys.stderr)


def _size_text(size: Any, precision: str) -> str:
    return (
        f"{count(size.decisions, 'decision nodes')} on {count(size.boards, 'boards')}, isomorphic to "
        f"{size.all_boards:,}; {size.hands[0]} x {size.hands[1]} hands; {size.bytes(precision) / 1e6:,.2f} MB, about "
        f"{1e3 * size.seconds:,.2f} ms per iteration"
    )


def sizes_report(result: Any) -> list[Any]:
    """Return the report of a `SimplifiedSizes`: a row for each choice, and the losses of both players."""
    from tefuda.apps.grids import Grid
    from tefuda.holdem.betting import line_text
    from tefuda.holdem.spots.spot import PLAYERS

    rows = [
        (
            PLAYERS[choice.player], line_text(choice.node.line), percent(choice.probability), ", ".join(choice.chosen),
            fixed(choice.loss), f"{fixed(100 * choice.loss / choice.pot)} %",
        )
        for choice in result.choices
    ]  # fmt: skip
    columns = ("player", "node", "reached", "sizes chosen", "EV lost", "of the pot")
    title = "EV lost in chips whenever the node is reached, against all sizes there"
    pot = result.spot.betting.pot
    losses = (
        f"{name} loses {fixed(loss)} chips, {fixed(100 * loss / pot)} % of the pot"
        for name, loss in zip(PLAYERS, result.losses, strict=True)
    )
    figures = ", ".join(map(fixed, result.exploitabilities))
    end = f"exploitability in % of the pot: {figures} (all sizes, OOP's choice, both); losses are about as exact"
    return [*([Grid(columns, tuple(rows), title)] if rows else ["no node has more sizes"]), "; ".join(losses), end]


def solution_of_spot(solution: Any, line: str) -> tuple[dict[str, Any], list[Any]]:
    """Return figures and report of a solved spot at a line."""
    from tefuda.apps.cli.nodes import node_report, quality
    from tefuda.apps.display.colours import file_link
    from tefuda.holdem.spots.node import Node

    node = Node(solution.strategy, line)
    things = [*node_report(node), quality(solution)]
    if solution.run:
        command = f'show it    tefuda show {solution.run} --line "{node.line or "root"}" --classes (or --hands)'
        things += [file_link(f"saved in   {solution.run}", solution.run), command]
    content = {
        "exploitability_percent": solution.evaluation.figure,
        "ev": list(solution.values),
        "equity": [node.equity(player) for player in (0, 1)],
        "line": line,
        "frequencies": node.frequencies,
        "locks": [str(lock) for lock in solution.strategy.compiled.spot.locks],
    }
    return content, things
