"""Hands of matches as JSON lines: a line on the match, then one for each hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tefuda.errors import RunError
from tefuda.files import write_bytes
from tefuda.match import Hand, Match
from tefuda.tree import Tree


def write_hands(path: str | Path, match: Match) -> None:
    """Write the hands a match kept.

    Raises:
        RunError: the place cannot be written.
    """
    lines = [json.dumps({"format": 1, "agents": match.agents, "replicates": match.replicates})]
    lines += [json.dumps(hand._asdict(), default=list) for hand in match.hands]
    write_bytes(Path(path), ("\n".join(lines) + "\n").encode())


def read_hands(path: str | Path, tree: Tree) -> Match:
    """The match whose hands a file holds, every hand replayed by the rules.

    Raises:
        RunError: the file cannot be read, holds hands or payoffs this game does not have, or lacks hands.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        head, *rows = (json.loads(line) for line in lines)
        agents, replicates = tuple(head["agents"]), int(head["replicates"])
        deals = {(int(row["deal"]), tuple(row["seating"])): row for row in rows}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is no file of hands: {error!r}.") from None
    seatings = tuple(dict.fromkeys(seating for _, seating in deals))
    count = len(deals) // max(1, len(seatings))
    if not deals or set(deals) != {(deal, seating) for deal in range(count) for seating in seatings}:
        raise RunError(f"{path}: some hands are missing; every deal must be there in every seating.")
    payoffs, ends = np.zeros((len(seatings), count, len(agents))), np.zeros((len(seatings), count), dtype=np.int64)
    hands = []
    for number, row in enumerate(deals.values(), start=2):
        hand, end = _replayed(row, tree, f"{path}, line {number}")
        place = seatings.index(hand.seating), hand.deal
        payoffs[place][list(hand.seating)], ends[place] = hand.payoffs, end
        hands.append(hand)
    return Match(agents, seatings, None, payoffs, ends, tuple(hands), replicates)


def _replayed(row: Mapping[str, Any], tree: Tree, where: str) -> tuple[Hand, int]:
    """A hand, and the history it ended at."""
    node, labels = 0, tuple(tuple(label) if isinstance(label, list) else label for label in row["labels"])
    for label in labels:
        known = tree.label_sets[tree.label_set[node]] if tree.label_set[node] >= 0 else ()
        if label not in known:
            raise RunError(f"{where}: {label!r} is not possible here; {tree.name} allows {known}.")
        node = int(tree.first_child[node]) + known.index(label)
    place = int(np.searchsorted(tree.terminals, node))
    if place == len(tree.terminals) or tree.terminals[place] != node:
        raise RunError(f"{where}: the hand is not over.")
    if not np.allclose(tree.payoffs[place], row["payoffs"]):
        raise RunError(f"{where}: payoffs are {row['payoffs']}; {tree.name} pays {tree.payoffs[place].tolist()}.")
    return Hand(int(row["deal"]), tuple(row["seating"]), labels, tuple(row["payoffs"])), node
