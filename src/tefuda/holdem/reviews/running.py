"""Reviews as runs: spots are solved within a budget and saved, and the same call resumes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from tefuda.errors import check_range
from tefuda.files import check_writable, write_json
from tefuda.holdem.hands.rules import STREETS
from tefuda.holdem.histories.collection import HandCollection
from tefuda.holdem.reviews.planning import Menus, Plan, Planned, Settings, Waiting, priced
from tefuda.holdem.reviews.ranges import RangeBook
from tefuda.holdem.reviews.review import PricedDecision, Review
from tefuda.holdem.reviews.tasks import Task, figures_of
from tefuda.holdem.reviews.widths import USUAL, count_widths
from tefuda.holdem.spots.size import MEMORY
from tefuda.locks import locked
from tefuda.views import finite_json
from tefuda.words import Notify, count
from tefuda.workers import ProgressFunction, spread

_MINUTE = 60  # seconds
_REPORTED = 500  # hands between two reports of progress


def _duration(seconds: float) -> str:
    return f"{seconds / _MINUTE:.0f} min" if seconds > 2 * _MINUTE else f"{max(seconds, 1):.0f} s"


def review(
    hands: Iterable[Any],
    ranges: str | Path | None = None,
    budget: float | None = None,
    *,
    widths: HandCollection | None = None,
    player: str = "",
    memory: float = MEMORY,
    rake: tuple[float, float] = (0.0, 0.0),
    menus: Menus | None = None,
    folder: str | Path = "runs/reviews",
    workers: int | Executor = 1,
    progress: ProgressFunction | None = None,
    notify: Notify | None = None,
) -> Review:
    """Price the decisions of a player in recorded hands.

    Spots are solved in the order of pot times decisions. The folder saves each; spots that differ only in the names of
    suits are solved once, and an interrupted review continues where it stopped.

    Args:
        hands: hands such as those of `read_histories`.
        ranges: folder of the user's ranges, see `RangeBook`; None: presets.
        budget: estimated seconds of solving in total, saved spots included; None: no limit. Hands whose spots would
            take more than a tenth start from a later street.
        widths: hands whose statistics give the widths of preset ranges; None: rough averages.
        player: name of the player; empty: the hero of each hand; ``*``: all players whose cards are known.
        memory: memory limit of a spot in bytes.
        rake: rake as a share of the pot, and its largest amount in big blinds; 0: no limit.
        menus: arguments of `make_spot` by the first street (1 flop, 2 turn, 3 river); None: `default_sizes`.
        folder: folder for the solved spots and ``review.json``.
        workers: number of processes, or an executor.
        progress: called with the numbers of solved spots and of all spots.
        notify: called with the estimate, before the first spot is solved.

    Returns:
        The priced decisions, and the numbers of others by reason.

    Raises:
        ParameterError: a number is out of range, or a file of the user's ranges cannot be read.
        RunError: a folder is missing, a file of it is damaged, or it cannot be written.
    """
    for name, number in (("memory", memory), ("the largest rake", rake[1]), ("budget", budget or 0.0)):
        check_range(name, number, 0, whole=False)
    check_range("rake", rake[0], 0, 1, whole=False)
    counted = (USUAL, USUAL) if widths is None else count_widths(widths.table())
    book = RangeBook(None if ranges is None else Path(ranges), counted)
    longest = inf if budget is None else budget / 10
    planned = _planned(hands, Settings(book, player, memory, rake, menus, longest), notify)
    tasks, path = _chosen(planned, budget), Path(folder)
    if notify is not None:
        notify(estimate(tasks))
    check_writable(path / "review.json")
    with locked(path / "review.json"):
        figures = spread(workers, partial(figures_of, path), tasks, progress)
        solved = {task.key: each for task, each in zip(tasks, figures, strict=True)}
        result = _review(planned, solved)
        write_json(path / "review.json", finite_json(result.summary()))
    return result


def _planned(hands: Iterable[Any], settings: Settings, notify: Notify | None) -> list[Planned]:
    planned = list[Planned]()
    for number, hand in enumerate(hands, 1):
        planned += Plan(hand, settings).decisions()
        if notify is not None and number % _REPORTED == 0:
            notify(f"{number:,} hands read")
    return planned


def estimate(tasks: Sequence[Task]) -> str:
    """Return the estimated work of tasks in words: ``18 rivers 1 s, 9 flops 20 min``."""
    seconds: dict[str, list[float]] = {}
    for task in tasks:
        seconds.setdefault(STREETS[task.made.street + 1], []).append(task.seconds)
    parts = [f"{count(len(each), f'{name}s')} {_duration(sum(each))}" for name, each in seconds.items()]
    return ", ".join(parts) or "no spots to solve"


def _chosen(planned: Iterable[Planned], budget: float | None) -> list[Task]:
    """Return distinct tasks within the budget: those with the largest pots times decisions."""
    weights: dict[str, float] = {}
    tasks: dict[str, Task] = {}
    for each in planned:
        if isinstance(each, Waiting):
            key = each.task.key
            tasks[key] = each.task
            weights[key] = weights.get(key, 0.0) + each.pot
    chosen, left = list[Task](), inf if budget is None else budget
    for key in sorted(tasks, key=lambda key: (-weights[key], key)):
        if tasks[key].seconds <= left:
            left -= tasks[key].seconds
            chosen.append(tasks[key])
    return chosen


def _review(planned: Iterable[Planned], solved: dict[str, list[dict[str, Any]]]) -> Review:
    decisions, unpriced = list[PricedDecision](), Counter[str]()
    for each in planned:
        if isinstance(each, Waiting) and (figures := solved.get(each.task.key)) is not None:
            decisions.append(priced(each.facts, figures[each.place], each.chips))
        elif isinstance(each, PricedDecision):
            decisions.append(each)
        else:
            unpriced["budget" if isinstance(each, Waiting) else each] += 1
    return Review(tuple(decisions), dict(unpriced))
