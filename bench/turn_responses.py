"""Local best responses from turn roots to a blueprint, and to the player that re-solves it.

``python -m bench.turn_responses RUN [--count 100] [--seconds 3] [--workers 2] [--menus fct,fcpa]`` draws turns of the
blueprint's self-play. All hands of the responder meet all hands of the strategy. The strategy's actions are followed
with their probabilities, and some rivers are drawn. The player answers a size that its solution does not have by
re-solving. A file beside the run holds the finished responses, so that the command resumes. The figures are saved in
bench/no_limit.json.

A menu has the responder's actions on turn and river: ``fct`` is fold, check or call, and the sizes of the strategy;
see `holdem.buckets.local`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tefuda as td
from bench.no_limit import save, turn_roots
from tefuda.holdem.buckets.local import read_menus, street_sizes
from tefuda.holdem.cards import HANDS
from tefuda.holdem.hands.hand import CALL, FOLD, NEXT, RAISE, Hand, after
from tefuda.holdem.hands.rules import NO_PLAYER, TableRules
from tefuda.holdem.hands.whole import Holdem
from tefuda.holdem.kernels.response import BLOCKED, TIE, count_wins
from tefuda.holdem.players.agent import solution_label, table_amount
from tefuda.holdem.players.blueprint import Blueprint
from tefuda.holdem.players.budget import Budget
from tefuda.holdem.players.hand import SolvedHand
from tefuda.holdem.players.settings import SolverSettings
from tefuda.holdem.players.street import amount_of
from tefuda.holdem.ranges import compatible_weights
from tefuda.holdem.rank import MASKS, SETS, strengths

_NEAREST = 0.5 / 2**20  # its later digits are .5: the mapped size with the larger probability
MENUS = ("fc", "fct", "fcpa", "fcma")


def win_rates(board: Sequence[int]) -> np.ndarray:
    """Return `[1326, 1326]` win rates of the row's hand on a river, or on a turn over all rivers.

    Ties count half; hands that share a card have 0.
    """
    known, wins = np.bitwise_or.reduce(MASKS[list(board)]), np.zeros((len(HANDS), len(HANDS)), dtype=np.int16)
    rivers = [np.uint64(0)] if len(board) == 5 else [card for card in MASKS if not card & known]
    for river in rivers:
        blocked = (SETS & (known | river)) != 0
        places = np.unique(strengths(SETS | known | river), return_inverse=True)[1].astype(np.int16)
        count_wins(*(np.where(blocked, place, places).astype(np.int16) for place in (-1, BLOCKED)), wins)
    boards = 1 if len(board) == 5 else len(rivers) - 4
    return np.where((SETS[:, None] & SETS) == 0, wins / np.float32(2 * boards), np.float32(0))


@dataclass(eq=False)
class Opponent:
    """The strategy's seat at a public state: the blueprint's, or that of the player who re-solves."""

    hand: SolvedHand
    state: Hand

    def after(self, token: str, cards: tuple[int, ...] = ()) -> Opponent:
        """Return the seat after an action, or after a card."""
        twin, wagers = self.hand.fork(), after(self.hand.game.rules, self.state.wagers, token)
        state = Hand((), (*self.state.board, *cards), wagers, self.state.line + token)
        twin.follow(state, _NEAREST)
        return Opponent(twin, state)

    def shares(self) -> dict[str, np.ndarray]:
        """Return `[1326]` probabilities of the strategy's actions by token."""
        labelled: list[tuple[str, np.ndarray]]
        game, state, labels = self.hand.game, self.state, self.hand.game.actions(self.state)
        if self.hand.street is not None:
            found = self.hand.street.decision()
            labelled = [(solution_label(game, state, part, labels), np.nan_to_num(found[part])) for part in found]
        else:
            known, place = self.hand.settings.blueprint.actions(self.hand.place), self.hand.place
            rows = self.hand.settings.blueprint.shares(place, state.board) if known else np.ones((1, len(HANDS)))
            amounts = [table_amount(game, state, action) for action in known] or [0]
            labelled = [(_token(game, state, amount), row) for amount, row in zip(amounts, rows, strict=True)]
        summed: dict[str, np.ndarray] = {}
        for label, row in labelled:
            summed[label] = summed.get(label, 0) + row
        return summed

    def sizes(self) -> list[int]:
        """Return the amounts of bets that the strategy has for the responder's decision."""
        if self.hand.street is not None:
            return [amount_of(part) for part in self.hand.street.solution().probabilities(self.hand.street.line)]
        known = self.hand.settings.blueprint.actions(self.hand.place)
        return [table_amount(self.hand.game, self.state, action) for action in known]


def _token(game: Holdem, state: Hand, amount: int) -> str:
    """Return the token of an amount on the street: -1 folds, 0 checks or calls."""
    choices = game.choices(state)
    if amount <= 0 or not choices.high:
        return FOLD if amount < 0 and choices.facing_bet else CALL
    return f"{RAISE}{min(max(amount, choices.low), choices.high)}"


@dataclass(frozen=True, eq=False)
class RootResponse:
    """A local best response from a turn root on.

    Attributes:
        rules: rules of the table.
        root: state of the root.
        menu: actions on the turn, and on the river.
        rivers: cards that may fall; drawn without replacement.
        rates: function that returns `win_rates` of a board.
    """

    rules: TableRules
    root: Hand
    menu: str
    rivers: tuple[int, ...]
    rates: Callable[[tuple[int, ...]], np.ndarray]

    def play(self, opponent: Opponent, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return `[1326]` chips won by each hand of the responder, times the other's reach.

        own: `[1326]` whether the responder has arrived with a hand; other: `[1326]` reach of the strategy's hands.
        """
        wagers, seat = opponent.state.wagers, 1 - opponent.hand.seat
        if not own.any() or not other.any():
            return np.zeros(len(HANDS))
        if wagers.mover == NO_PLAYER:
            return self._end_street(opponent, own, other)
        if wagers.mover == seat:
            return self._respond(opponent, own, other)
        total = np.zeros(len(HANDS))
        for token, shares in opponent.shares().items():
            if token == FOLD:
                chips = self.rules.pot(wagers) - self._paid(opponent.state, seat)
                total += own * compatible_weights(other * shares) * chips
            else:
                total += self.play(opponent.after(token), own, other * shares)
        return total

    def _paid(self, state: Hand, seat: int) -> int:
        return self.root.wagers.stacks[seat] - state.wagers.stacks[seat]

    def _end_street(self, opponent: Opponent, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        state, seat = opponent.state, 1 - opponent.hand.seat
        total = self._showdown(state, seat, own, other)
        if state.wagers.street == 3 or not min(state.wagers.stacks):
            return total
        unseen = 52 - len(state.board)
        for card in self.rivers:  # a check to the showdown is known for all rivers, so they differ in the rest alone
            free = (SETS & MASKS[card]) == 0
            below = opponent.after(NEXT, (card,))
            mine, theirs = own & free, other * free
            more = self.play(below, mine, theirs) - self._showdown(below.state, seat, mine, theirs)
            total += more * (unseen / len(self.rivers)) / (unseen - 4)
        return total

    def _showdown(self, state: Hand, seat: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        beaten, paid = self._beaten(state, other), self._paid(state, seat)
        return own * (beaten * self.rules.pot(state.wagers) - compatible_weights(other) * paid)

    def _beaten(self, state: Hand, reach: np.ndarray) -> np.ndarray:
        """Return `[1326]` the reach that each hand beats."""
        return self.rates(state.board) @ reach.astype(np.float32)

    def _respond(self, opponent: Opponent, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        state, seat = opponent.state, 1 - opponent.hand.seat
        choices, pot = self.rules.choices(state.wagers), self.rules.pot(state.wagers)
        reach, beaten = compatible_weights(other), self._beaten(state, other)
        call = beaten * pot - (reach - beaten) * choices.call
        may_fold = choices.facing_bet and "f" in self.menu
        best, taken = call.copy(), np.zeros(len(HANDS), dtype=np.int64)
        if may_fold:
            folds = call <= TIE * pot * reach
            best[folds], taken[folds] = 0.0, -1
        branches = list(self._bets(opponent, choices)) if choices.high else []
        for number, (amount, branch) in enumerate(branches, 1):
            folding = branch.shares().get(FOLD, np.zeros(len(HANDS))) * other
            rest, fold_reach = self._beaten(state, other - folding), compatible_weights(folding)
            add = amount - max(state.wagers.bets)
            value = fold_reach * pot + rest * (pot + add) - (reach - fold_reach - rest) * (choices.call + add)
            better = value > best + TIE * (pot + add) * reach
            best[better], taken[better] = value[better], number
        total = np.where(own & (taken < 0), -self._paid(state, seat) * reach, 0.0)
        total += self.play(opponent.after(CALL), own & (taken == 0), other)
        for number, (_, branch) in enumerate(branches, 1):
            total += self.play(branch, own & (taken == number), other)
        return total

    def _bets(self, opponent: Opponent, choices: Any) -> Iterator[tuple[int, Opponent]]:
        state = opponent.state
        level, amounts = max(state.wagers.bets), set[int]()
        after_call = self.rules.pot(state.wagers) + choices.call
        if "t" in self.menu:
            amounts |= {amount for amount in opponent.sizes() if amount > level}
        amounts |= {level + int(min(share * after_call + 0.5, 10**9)) for share in street_sizes(self.menu)}
        for amount in sorted({min(max(amount, choices.low), choices.high) for amount in amounts}):
            yield amount, opponent.after(f"{RAISE}{amount}")


def respond(settings: SolverSettings, game: Holdem, root: Hand, seat: int, menu: str, rivers: tuple[int, ...]) -> float:
    """Return the chips that a local best response wins from the strategy in a seat."""
    hand = SolvedHand(settings, game, seat)
    hand.follow(root, _NEAREST)
    own, other = hand.weights.weights[[1 - seat, seat]]
    response = RootResponse(game.rules, root, menu, rivers, cache(win_rates))
    chips = response.play(Opponent(hand, root), own > 0, other)
    return float(own @ chips) / float(own @ compatible_weights(other))


class Task(NamedTuple):
    """A local best response from a root."""

    number: int  # of the root
    player: bool  # whether the strategy re-solves
    seat: int  # of the strategy
    menu: str


@dataclass(frozen=True)
class Job:
    """Roots of a run, and the time of the player that re-solves."""

    run: Path
    seconds: float
    rivers: int
    seed: int
    gadget: str = "max-margin"

    def milliblinds(self, task: Task, root: Hand) -> float:
        """Return the milli-blinds that the response wins."""
        blueprint, game = _loaded(self.run)
        rng = np.random.default_rng([self.seed, task.number])
        rivers = rng.permutation(np.setdiff1d(np.arange(52), root.board))[: self.rivers]
        settings = SolverSettings(blueprint, Budget(self.seconds * task.player, patience=inf), self.gadget)
        chips = respond(settings, game, root, task.seat, task.menu, tuple(map(int, rivers)))
        return 1000 * chips / max(game.rules.blinds)


@cache
def _loaded(run: Path) -> tuple[Blueprint, Holdem]:
    solution = td.load(run)
    rules = solution.form.game.rules
    table = {"stack": min(rules.stacks), "blinds": [min(rules.blinds), max(rules.blinds)], "bets": "any"}
    game = td.load_game("holdem", **table)
    assert isinstance(game, Holdem)
    return Blueprint(solution.strategy), game


def measure(job: Job, menus: Sequence[str], count: int, workers: int, path: Path) -> dict[Task, float]:
    """Return the winnings of all tasks of roots; finished ones are read from a file."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else iter(())
    done = {Task(*line[:4]): float(line[4]) for line in lines}
    roots = [Hand((), root.board, root.wagers, root.line) for _, root in _roots(job, count)]
    tasks = [Task(*each, "") for each in product(range(count), (False, True), (0, 1))]
    left = [task for menu in menus for one in tasks if (task := one._replace(menu=menu)) not in done]
    with ProcessPoolExecutor(workers) as pool, path.open("a") as file:
        running = {pool.submit(job.milliblinds, task, roots[task.number]): task for task in left}
        for future in as_completed(running):
            task = running[future]
            done[task] = future.result()
            print(json.dumps([*task, done[task]]), file=file, flush=True)
    return done


def _roots(job: Job, count: int) -> list[tuple[int, Hand]]:
    return list(islice(turn_roots(_loaded(job.run)[0], td.load(job.run).form.game, job.seed), count))


def summary(job: Job, won: dict[Task, float], menus: Sequence[str], count: int) -> dict[str, Any]:
    """Return means and half-widths by menu: mbb of a hand, both responders beyond the pot, halved."""
    roots, rules = _roots(job, count), _loaded(job.run)[1].rules
    pots = np.array([1000 * rules.pot(root.wagers) / max(rules.blinds) for _, root in roots])
    rows, part = {}, count / roots[-1][0]
    for menu in menus:
        seats = [
            [[won.get(Task(n, player, seat, menu), np.nan) for n in range(count)] for seat in (0, 1)]
            for player in (False, True)
        ]
        gains = (np.sum(seats, axis=1) - pots) / 2
        gains = gains[:, np.isfinite(gains).all(axis=0)]
        figures = {"blueprint": gains[0], "player": gains[1], "change": gains[1] - gains[0]}
        rows[menu] = {
            name: [part * values.mean(), 1.96 * part * values.std(ddof=1) / len(values) ** 0.5]
            for name, values in figures.items()
        } | {"roots": gains.shape[1]}
    return {"rivers": job.rivers, "seconds": job.seconds, "turn": part, "menus": rows}


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--menus", default=",".join(MENUS))
    parser.add_argument("--rivers", type=int, default=6)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    menus = tuple(options.menus.split(","))
    read_menus([f"c/c/{menu}/{menu}" for menu in menus])
    job = Job(options.run, options.seconds, options.rivers, options.seed)
    path = options.run.with_name(
        f"{options.run.name}-responses-{options.seconds:g}-{options.rivers}-{options.seed}.jsonl"
    )
    figures = summary(job, measure(job, menus, options.count, options.workers, path), menus, options.count)
    save(f"responses {options.seconds:g}", figures)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
