"""Decisions of recorded hands, each with the way in which it is priced, or the reason why it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tefuda.errors import ParameterError, SizeError
from tefuda.holdem.cards import cards_text
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, board_text
from tefuda.holdem.hands.rules import BOARD, STREETS, Wagers
from tefuda.holdem.histories.heads_up import HeadsUp, heads_up
from tefuda.holdem.reports.counting import HandCounts, positions
from tefuda.holdem.reports.table import POTS
from tefuda.holdem.reviews.all_in import is_last_call, last_call, push_or_fold
from tefuda.holdem.reviews.ranges import Assumption, RangeBook, holding
from tefuda.holdem.reviews.review import PricedDecision
from tefuda.holdem.reviews.tasks import Task, make_task
from tefuda.holdem.spots.size import default_sizes, require_room

Menus = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True)
class Settings:
    """Settings of `running.review`.

    seconds: a hand whose spot takes more starts from a later street, if it has one.
    """

    book: RangeBook
    player: str
    memory: float
    rake: tuple[float, float]
    menus: Menus | None
    seconds: float = float("inf")

    @property
    def streets(self) -> Sequence[int]:
        """Streets from which spots may start."""
        return range(1, len(STREETS)) if self.menus is None else sorted(self.menus)

    def menu(self, betting: HeadsUp) -> dict[str, Any]:
        """Return the sizes of a spot."""
        if self.menus is None:
            return dict(default_sizes(betting.street - 1, betting.pot, betting.stack))
        return dict(self.menus[betting.street])


class Waiting(NamedTuple):
    """Decision that a task prices.

    Attributes:
        facts: fields of the `PricedDecision` that are known before.
        pot: pot before the action in big blinds.
        task: task of its spot.
        place: number of its figures among those of the task.
        chips: chips of the task in a big blind.
    """

    facts: dict[str, Any]
    pot: float
    task: Task
    place: int
    chips: float


Planned = PricedDecision | Waiting | str


def priced(facts: Mapping[str, Any], figures: Mapping[str, Any], chips: float) -> PricedDecision:
    """Return a decision by its facts and the figures of `pricing.price`, which are in chips.

    chips: chips in a big blind.
    """

    def in_big_blinds(text: str) -> str:
        return re.sub(r"\((\d+)\)", lambda amount: f"({int(amount[1]) / chips:.4g}bb)", text)

    texts = {**facts, "best": figures["best"]}
    texts |= {name: in_big_blinds(texts[name]) for name in ("line", "action", "best")}
    ends, evs = figures["interval"], {in_big_blinds(name): ev / chips for name, ev in figures["evs"].items()}
    return PricedDecision(
        **texts, evs=evs, cost=figures["cost"] / chips, cost_interval=ends and (ends[0] / chips, ends[1] / chips),
        **{name: figures[name] for name in ("frequency", "exploitability", "forced")}, pot=figures["pot"] / chips,
    )  # fmt: skip


class Plan:
    """Plan of one hand."""

    def __init__(self, hand: Any, settings: Settings) -> None:
        self.hand, self.settings, self.big = hand, settings, hand.rules.smallest_bet(0)
        self.refusals = dict[int, str]()  # by street from which no spot starts though it is heads-up
        self.holes = hand.known_holes
        self.wanted = [player for player in range(hand.rules.players) if self._is_wanted(player)]

    def _is_wanted(self, player: int) -> bool:
        if self.settings.player == "*":
            return player in self.holes
        return self.hand.names[player] == self.settings.player if self.settings.player else player == self.hand.hero

    def decisions(self) -> Iterator[Planned]:
        """Yield each decision of the player: priced, waiting for a task, or the reason why it is not priced."""
        hand = self.hand
        reason = "limit hold'em" if hand.rules.limit else "hidden stacks" if hand.unknown_stacks else ""
        waiting = {} if reason else self._task()
        for number, (before, token) in enumerate(hand.replay()):
            if token == NEXT or before.mover not in self.wanted:
                continue
            if reason or before.mover not in self.holes:
                yield reason or "unknown cards"
            else:
                yield waiting.get(number) or self._without_spot(before, token)

    def _without_spot(self, before: Wagers, token: str) -> Planned:
        """Price a decision by equities, or return the reason."""
        rules, hole = self.hand.rules, self.holes[before.mover]
        figures = push_or_fold(rules, before, token, hole) if rules.players == 2 else None
        sources: tuple[str, ...] = ("push or fold",)
        if figures is None and is_last_call(rules, before):
            assumed = {each: self.settings.book.of(self.hand, each) for each in before.live if each != before.mover}
            ranges = {each: assumption.range for each, assumption in assumed.items()}
            figures = last_call(self.hand, before, token, hole, ranges)
            sources = tuple(assumption.source for assumption in assumed.values())
        if figures is not None:
            action = {FOLD: "Fold", CALL: "Call"}.get(token, "AllIn")
            return priced(self._facts(before, "", action, sources), figures, self.big)
        if not before.street:
            return "no preflop solution"
        if len(before.live) > 2:
            return f"{len(before.live)} players"
        if before.street not in self.settings.streets:
            return STREETS[before.street]
        return self.refusals.get(before.street, "heads-up only since an action of this street")

    def _facts(self, before: Wagers, line: str, action: str, ranges: tuple[str, ...]) -> dict[str, Any]:
        """Return the fields of a `PricedDecision` that are known before it is priced."""
        hand, player, (room, number) = self.hand, before.mover, self.hand.identity
        return {
            "room": room, "number": number, "player": hand.names[player],
            "is_hero": player == hand.hero, "position": positions(hand.rules)[player],
            "pot_type": POTS[min(HandCounts(hand).raises + 1, len(POTS) - 1)], "street": STREETS[before.street],
            "board": board_text(hand.hand.board[: BOARD[before.street]]),
            "cards": cards_text(self.holes[player], ""), "line": line, "action": action, "ranges": ranges,
        }  # fmt: skip

    def _task(self) -> dict[int, Waiting]:
        """Return the decisions of a task by step of the replay, from the earliest street that is not too long.

        If all are, it is the last possible street.
        """
        found = dict[int, Waiting]()
        for street in self.settings.streets:
            betting = heads_up(self.hand, street)
            if betting is None or not any(player in self.wanted for player in betting.players):
                continue
            assumed = [self.settings.book.of(self.hand, player) for player in betting.players]
            try:
                found = self._waiting(betting, assumed)
            except SizeError:
                self.refusals[street] = "memory"
            except ParameterError:
                self.refusals[street] = "no hands in the ranges"
            else:
                if all(waiting.task.seconds <= self.settings.seconds for waiting in found.values()):
                    break
                self.refusals[street] = "budget"
        return found

    def _waiting(self, betting: HeadsUp, assumed: Sequence[Assumption]) -> dict[int, Waiting]:
        holes = {
            role: self.holes[player] for role, player in enumerate(betting.players)
            if player in self.wanted and player in self.holes
        }  # fmt: skip
        ranges, weights = [each.range for each in assumed], {}
        for role, hole in holes.items():
            ranges[role], weights[role] = holding(ranges[role], hole)
        (rate, cap), chips = self.settings.rake, float(self.big * betting.scale)
        menu, betting = self.settings.menu(betting), betting.scaled(betting.scale)
        if rate:
            menu |= {"rake_rate": rate} | ({"rake_cap": cap * chips} if cap else {})
        task = make_task(betting, ranges, holes, menu)
        require_room(task.size, task.method.precision, self.settings.memory)
        waiting = dict[int, Waiting]()
        replayed = [(number, before) for number, (before, _) in enumerate(self.hand.replay())]
        replayed = [(number, before) for number, before in replayed if before.street >= betting.street]
        for place, (step, (number, before)) in enumerate(zip(betting.steps, replayed, strict=False)):
            if step.player not in weights:
                continue
            own = [each.source for each in (assumed if step.player == 0 else assumed[::-1])]
            known = self._facts(before, betting.line(place), str(step), tuple(own)) | {"weight": weights[step.player]}
            waiting[number] = Waiting(known, self.hand.rules.pot(before) / self.big, task, len(waiting), chips)
        return waiting
