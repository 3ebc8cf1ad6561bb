"""Spots of `tefuda holdem solve`: read from options, solved, and shown."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from typer import Context

from tefuda.apps.cli.shared.common import report
from tefuda.apps.cli.shared.reading import read_assignments
from tefuda.apps.cli.shared.runs import new_run_folder, start_run
from tefuda.errors import ParameterError, out_of_range
from tefuda.words import count, escaped

_BOARD_KEYS = ("board", "oop", "ip")  # keys of errors that another board may not have
_OWN = ("board", "pot", "stack", "oop", "ip")
_NUMBERS = {"pot", "stack", "cap", "rake_rate", "rake_cap", "add_allin", "force_allin", "merging"}


def read(told: Mapping[str, Any], given: Mapping[str, str]) -> Any:
    """Return the spot of a file, and of the options that were given."""
    from tefuda.holdem.spots.spot import make_spot

    texts = _start(told, given)
    for name, key in (("bets", "bet"), ("raises", "raise")):
        if name in given or told["spot"] is None:
            texts[name] = told[name]
            for street in ("flop", "turn", "river"):
                texts.pop(f"{street}_{key}", None)
    if told.get("limit"):
        texts |= _limit(told["limit"], [name for name in ("bets", "raises") if name in given])
    texts |= {key: told[name] for name, key in (("rake", "rake_rate"), ("rake_cap", "rake_cap")) if name in given}
    if "rake_cap" in given and not texts.get("rake_rate"):
        raise ParameterError("--rake-cap can do nothing without a rake; give --rake 0.05 with it, or leave it out.")
    texts |= _changes(told)
    texts["locks"] = [*texts.get("locks", ()), *(told.get("lock") or ())]
    return make_spot(**texts)


def _start(told: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the texts of the file, overridden by the options for board, chips and ranges."""
    from tefuda.holdem.spots.spot import read_spot

    texts: dict[str, Any] = {}
    if told["spot"] is not None:
        kept = read_spot(told["spot"]).texts()
        texts = {**{name: kept[name] for name in (*_OWN, "bets", "raises")}, **kept["more"], "name": told["spot"].stem}
    texts |= {name: told[name] for name in _OWN if name in given}
    if missing := [name for name in _OWN if name not in texts]:
        raise ParameterError(f"--{missing[0]} is missing; or give a file: --spot FILE.", key=missing[0])
    return texts


def _changes(told: Mapping[str, Any]) -> dict[str, Any]:
    changes = read_assignments(told["change"])
    if locks := {"lock", "locks"} & set(changes):
        name = locks.pop()
        raise ParameterError(f"--set {name} is not for locks; give --lock to solve, or lock= lines in a spot's file.")
    if "board" in changes and "boards" in told:
        raise ParameterError("--set board can do nothing beside --boards; leave it out.")
    return {name: value if name in _NUMBERS else str(value) for name, value in changes.items()}


def _limit(text: str, sizes: Sequence[str]) -> dict[str, Any]:
    """Return the sizes of limit hold'em with blinds ``5/10``: 10 on the flop, 20 later."""
    blinds = re.fullmatch(r"\s*\d{1,7}\s*/\s*(\d{1,7})\s*", text)
    if blinds is None or not 0 < (big := int(blinds[1])) <= 10**6:
        raise out_of_range("limit", text, "both blinds, such as 5/10")
    if sizes:
        raise ParameterError(f"--{sizes[0]} can do nothing with --limit, which has one size a street; leave it out.")
    chips = {"flop": big, "turn": 2 * big, "river": 2 * big}
    return {"cap": 4} | {f"{street}_{what}": f"{size}c" for street, size in chips.items() for what in ("bet", "raise")}


def read_with_boards(boards: str, told: Mapping[str, Any], given: Mapping[str, str]) -> tuple[Any, list[Any]]:
    """Return the spot on the first possible board of ``--boards``, and the boards.

    ``flops`` are those that the spot tells apart; see `batch.read_boards`.
    """
    from tefuda.holdem.cards import cards_text
    from tefuda.holdem.spots.batch import read_boards

    error: ParameterError | None = None
    for board in read_boards(boards):
        try:
            spot = read({**told, "board": cards_text(board.cards)}, {**given, "board": "--boards"})
            return spot, read_boards(boards, spot)
        except ParameterError as refused:
            error = error or refused
            if refused.key not in _BOARD_KEYS:
                raise
    raise error or ParameterError("--boards names no board.")


def show_tree(spot: Any, precision: str, as_json: bool) -> None:
    """Print the betting tree and the size of the spot."""
    from tefuda.holdem.spots.size import size_of
    from tefuda.holdem.spots.tree import build_tree

    size, lines = size_of(spot), list(build_tree(spot.betting, spot.street).lines())
    content = {
        "boards": size.boards, "all_boards": size.all_boards, "decisions": size.decisions, "hands": list(size.hands),
        "bytes": size.bytes(precision), "seconds_per_iteration": size.seconds, "tree": lines,
    }  # fmt: skip
    report(as_json, content, [*lines, _size_text(size, precision)])


def _size_text(size: Any, precision: str) -> str:
    return (
        f"{count(size.decisions, 'decision nodes')} on {count(size.boards, 'boards')} that stand for "
        f"{size.all_boards:,}, {size.hands[0]} x {size.hands[1]} hands; {size.bytes(precision) / 1e6:,.2f} MB, about "
        f"{1e3 * size.seconds:,.2f} ms an iteration"
    )


def run(context: Context, spot: Any) -> Any:
    """Solve a spot as the options of the command say."""
    import numpy as np

    from tefuda.holdem.spots.compiled import compile_spot
    from tefuda.holdem.spots.size import require_room, size_of
    from tefuda.holdem.spots.solver import METHODS
    from tefuda.holdem.spots.strategy import SpotStrategy
    from tefuda.holdem.spots.traversal import check_threads
    from tefuda.solvers.runs.methods import find_method

    told = context.params
    method, size = find_method(told["method"], {"precision": told["precision"]}, METHODS), size_of(spot)
    check_threads(spot.street, told["threads"])
    require_room(size, told["precision"], told["memory"])
    print(escaped(_size_text(size, told["precision"])), file=sys.stderr)  # memory before anything is built
    compiled = compile_spot(spot)
    if told["line"]:  # a wrong one is refused before anything is solved
        SpotStrategy(compiled, np.zeros(compiled.stored)).player(told["line"])
    folder = new_run_folder(context, re.sub(r"[^\w.-]+", "-", spot.name))
    return start_run(context, compiled, method, folder, spot.name, words=_PREPARING)


_PREPARING = "building boards and betting; the first time, loops are compiled for some 10 s"


def show(solution: Any, line: str, as_json: bool) -> None:
    """Print the solution: exploitability and EV, a place of it, and the folder of the run."""
    from tefuda.apps.cli.nodes import node_report, quality
    from tefuda.holdem.spots.node import Node

    node = Node(solution.strategy, line)
    things = [*node_report(node), quality(solution)]
    if solution.run:
        where = f' --line "{node.line}"' if node.line else ""
        again = f"look again tefuda holdem show {solution.run}{where} --classes (or --hands)"
        things += [f"saved in   {solution.run}", again]
    content = {
        "exploitability_percent": solution.evaluation.figure,
        "ev": list(solution.values),
        "equity": [node.equity(player) for player in (0, 1)],
        **{name: getattr(solution, name) for name in ("iterations", "seconds", "status", "stop", "run")},
        "line": line,
        "frequencies": node.frequencies,
        "locks": [str(lock) for lock in solution.strategy.compiled.spot.locks],
    }
    report(as_json, content, things)
