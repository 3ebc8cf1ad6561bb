"""Spots of a review, with suits renamed to a standard form, and figures of solved ones in a folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tefuda.errors import RunError
from tefuda.files import LIST, NOT_NEGATIVE, OBJECT, TEXT, FieldSpec, check_fields, read_json, write_json
from tefuda.holdem.cards import cards_text, hand_number, hand_text
from tefuda.holdem.histories.heads_up import HeadsUp
from tefuda.holdem.ranges import Range
from tefuda.holdem.reviews.pricing import Decision, goal_of, price
from tefuda.holdem.spots.locks import canonical_line
from tefuda.holdem.spots.size import SpotSize, size_of
from tefuda.holdem.spots.solver import DEFAULT, HandMethod
from tefuda.holdem.spots.spot import Spot, make_spot
from tefuda.holdem.suits import PERMUTATIONS, Permutation, inverse, permute_card, permute_hands

_VERSION = 1  # of the method of pricing
_ITERATIONS = (200, 600, 600)  # iterations that a flop, turn or river costs, with evaluations; half again by decision
_LARGE = 2e7  # stored numbers from which a spot is solved in half precision: flops
_NUMBER = FieldSpec((int, float), -1e300, 1e300)
_FIGURES = {
    "evs": OBJECT, "cost": FieldSpec((int, float), *NOT_NEGATIVE), "best": TEXT,
    "frequency": FieldSpec((int, float), 0, 1), "pot": FieldSpec((int, float), 1), "exploitability": _NUMBER,
    "forced": FieldSpec((bool,)), "interval": FieldSpec((list, type(None))),
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """Spot to solve, with the decisions to price; equal for hands that differ only in the names of suits.

    Attributes:
        spot: arguments of `make_spot`.
        decisions: decisions in the order of the line.
    """

    spot: dict[str, Any]
    decisions: tuple[Decision, ...]

    @cached_property
    def made(self) -> Spot:
        """The spot."""
        return make_spot(**self.spot)

    @cached_property
    def size(self) -> SpotSize:
        """The size of the spot."""
        return size_of(self.made)

    @property
    def method(self) -> HandMethod:
        """The method of solving; large spots are solved in half precision."""
        return replace(DEFAULT, precision="half") if self.size.stored > _LARGE else DEFAULT

    @property
    def seconds(self) -> float:
        """Rough time to price all decisions, on one core."""
        return self.size.seconds * _ITERATIONS[self.made.street] * (1 + len(self.decisions) / 2)

    @cached_property
    def request(self) -> dict[str, Any]:
        """The task as JSON values."""
        decisions = [asdict(decision) for decision in self.decisions]
        return {"spot": self.spot, "decisions": decisions, "version": _VERSION}

    @property
    def key(self) -> str:
        """Name of its file."""
        return hashlib.sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()[:32]

    def known(self, folder: Path) -> list[dict[str, Any]] | None:
        """Return the figures from a folder; None if there are none.

        Raises:
            RunError: the file is damaged.
        """
        path = folder / f"{self.key}.json"
        if not os.path.exists(path):
            return None
        content = read_json(path)
        check_fields(path, content, {"figures": LIST})
        for figures in content["figures"]:
            check_fields(path, figures, _FIGURES)
        if content.get("request") != self.request or len(content["figures"]) != len(self.decisions):
            raise RunError(f"{path} has another spot than its name says; delete it.")
        return list(content["figures"])


def figures_of(folder: Path, task: Task) -> list[dict[str, Any]]:
    """Return the figures of a task's decisions: load them, or solve the spot and save them."""
    if (known := task.known(folder)) is not None:
        return known
    figures = price(task.made, task.decisions, goal_of(task.made.street, task.size), task.method)
    write_json(folder / f"{task.key}.json", {"request": task.request, "figures": figures})
    return figures


def make_task(
    betting: HeadsUp, ranges: Sequence[Range], holes: dict[int, tuple[int, ...]], menu: dict[str, Any]
) -> Task:
    """Return the task of a hand's betting.

    Args:
        betting: betting from the start of the spot on, in its chips.
        ranges: ranges of the player out of position and of the player in position.
        holes: hole cards of the players whose decisions are priced, by player: 0 out of position.
        menu: sizes and rake, as arguments of `make_spot`.
    """
    numbers = {player: hand_number(*hole) for player, hole in holes.items()}
    weights = [own.without(betting.board).weights for own in ranges]
    whole = betting.line(len(betting.steps))

    def moved(permutation: Permutation) -> tuple[Any, ...]:
        hands, back = permute_hands(permutation), permute_hands(inverse(permutation))
        board = sorted((permute_card(card, permutation) for card in betting.board), reverse=True)
        own = sorted((player, int(hands[number])) for player, number in numbers.items())
        return board, canonical_line(whole, permutation), own, *(each[back].tobytes() for each in weights)

    best = min(PERMUTATIONS, key=moved)
    board, line, own, *_ = moved(best)
    parts, back = line.split("/"), permute_hands(inverse(best))
    decisions = tuple(
        Decision("/".join(parts[:number]), parts[number], hand_text(dict(own)[step.player]))
        for number, step in enumerate(betting.steps)
        if step.player in numbers
    )
    oop, ip = (str(Range(each[back]).fill_blocked(board)) for each in weights)
    return Task({**betting.spot_texts(menu), "board": cards_text(board), "oop": oop, "ip": ip}, decisions)
