"""Spots of `tefuda holdem solve`: reading, solving and reporting."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from typer import Context

from tefuda.apps.cli.shared.common import report
from tefuda.apps.cli.shared.reading import read_assignments
from tefuda.apps.cli.shared.runs import goal_of, new_run_folder, start_run
from tefuda.errors import ParameterError, out_of_range
from tefuda.words import count, escaped

_BOARD_KEYS = ("board", "oop", "ip")  # keys of errors that may depend on the board
_NUMBERS = {"pot", "stack", "cap", "rake_rate", "rake_cap", "add_allin", "force_allin", "merging"}


def read(params: Mapping[str, Any], given: Mapping[str, str]) -> Any:
    """Return the spot of the file and the options."""
    from tefuda.holdem.spots.spot import SpotFile, make_spot

    file = None if params["spot"] is None else SpotFile.read(params["spot"])
    texts = _start(file, params, given)
    for name, key in (("bets", "bet"), ("raises", "raise")):
        if name in given or file is None:
            texts = {other: text for other, text in texts.items() if not other.endswith(f"_{key}")}
            texts[name] = params[name]
    if params.get("limit"):
        texts |= _limit(params["limit"], [name for name in ("bets", "raises") if name in given])
    texts |= {key: params[name] for name, key in (("rake", "rake_rate"), ("rake_cap", "rake_cap")) if name in given}
    if "rake_cap" in given and not texts.get("rake_rate"):
        raise ParameterError("--rake-cap needs a rake: give --rake 0.05 too, or leave it out.")
    texts |= _changes(params)
    texts["locks"] = [*texts.get("locks", ()), *(params.get("lock") or ())]
    with nullcontext() if file is None else file.locating(texts):
        return make_spot(**texts)


def _start(file: Any, params: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the file, overridden by the options for board, chips and ranges."""
    from tefuda.holdem.spots.spot import REQUIRED, read_chips

    texts = {} if file is None else {"bets": "", "raises": "", **file.values}
    texts |= {name: params[name] for name in REQUIRED if name in given}
    texts |= {name: read_chips(params[name]) for name in ("pot", "stack") if name in given}
    if missing := [name for name in REQUIRED if name not in texts]:
        cure = "a file: --spot FILE" if file is None else f"a line {missing[0]}= in {file.path}"
        raise ParameterError(f"--{missing[0]} is missing; give it, or {cure}.", key=missing[0])
    return texts


def _changes(params: Mapping[str, Any]) -> dict[str, Any]:
    changes = read_assignments(params["change"])
    if locks := {"lock", "locks"} & set(changes):
        name = locks.pop()
        raise ParameterError(f"--set does not take {name}; give --lock, or lock= lines in the file of the spot.")
    if "board" in changes and "boards" in params:
        raise ParameterError("--set board has no effect with --boards; leave it out.")
    return {name: value if name in _NUMBERS else str(value) for name, value in changes.items()}


def _limit(text: str, sizes: Sequence[str]) -> dict[str, Any]:
    """Return the bet sizes of limit hold'em with blinds ``5/10``: 10 on the flop, 20 later."""
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


def read_with_boards(boards: str, params: Mapping[str, Any], given: Mapping[str, str]) -> tuple[Any, list[Any]]:
    """Return the spot on the first possible board of ``--boards``, and the boards.

    ``flops`` are all flops up to isomorphism of suits; see `batch.read_boards`.
    """
    from tefuda.holdem.cards import cards_text
    from tefuda.holdem.spots.batch import read_boards

    error: ParameterError | None = None
    for board in read_boards(boards):
        try:
            spot = read({**params, "board": cards_text(board.cards)}, {**given, "board": "--boards"})
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
        f"{count(size.decisions, 'decision nodes')} on {count(size.boards, 'boards')}, isomorphic to "
        f"{size.all_boards:,}; {size.hands[0]} x {size.hands[1]} hands; {size.bytes(precision) / 1e6:,.2f} MB, about "
        f"{1e3 * size.seconds:,.2f} ms per iteration"
    )


def run(context: Context, spot: Any) -> Any:
    """Solve a spot by the options of the command."""
    import numpy as np

    from tefuda.holdem.spots.compiled import compile_spot
    from tefuda.holdem.spots.size import require_room, size_of
    from tefuda.holdem.spots.solver import METHODS
    from tefuda.holdem.spots.strategy import SpotStrategy
    from tefuda.holdem.spots.traversal import check_threads
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.methods import find_method

    params = context.params
    method, size = find_method(params["method"], {"precision": params["precision"]}, METHODS), size_of(spot)
    check_threads(spot.street, params["threads"])
    require_room(size, params["precision"], params["memory"])
    print(escaped(_size_text(size, params["precision"])), file=sys.stderr)  # before memory is allocated
    compiled = compile_spot(spot)
    if params["line"]:  # an invalid line raises before solving
        SpotStrategy(compiled, np.zeros(compiled.stored)).player(params["line"])
    folder = new_run_folder(context, re.sub(r"[^\w.-]+", "-", spot.name))
    job = Job.of(compiled, method, goal=goal_of(context), workers=params["threads"])
    return start_run(context, job, folder, spot.name, _PREPARING)


_PREPARING = "building boards and betting; the first run compiles kernels for about 10 s"


def show(solution: Any, line: str, as_json: bool) -> None:
    """Print the solution: a node, exploitability and EV, and the folder of the run."""
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
        **{name: getattr(solution, name) for name in ("iterations", "seconds", "status", "stop", "run")},
        "line": line,
        "frequencies": node.frequencies,
        "locks": [str(lock) for lock in solution.strategy.compiled.spot.locks],
    }
    report(as_json, content, things)
