"""Heads-up play before the flop with limps and raises, solved by one linear program.

Where a flop would follow, the hands are *checked down*: the better hand after five cards wins the pot. Position and
later bets have no value, so the game is exact only for itself.

The linear program over the 169 hand classes has exact equities and card removal. A plan of the small blind ends in
all-in, or in a fold or call after the big blind's all-in. With x(i) the probability of a plan with class i, P(i, j)
that of both classes, and M the payoffs of a plan and a reply, maximise

    sum over plans and i of P(i) x(i) (small + ante)  +  sum over first actions and j of u(j)
    u(j) <= sum over plans with this first action and i of P(i, j) x(i) M(i, j)        for each reply of class j

The multipliers of the last rows are the probabilities of the replies. `pushfold` is the game without other lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, SolverError, check_range
from tefuda.holdem.cards import CLASS_OF, CLASSES
from tefuda.holdem.equities import class_equities
from tefuda.holdem.ranges import Range
from tefuda.views import short_repr

DEEPEST = 15  # big blinds
_MOST_SIZES = 3
_REACHED = 1e-9  # smallest probability of a class that makes a decision
SEATS = ("SB", "BB")
#: Payoffs `[169, 169]` of the small blind's plans by reply of the big blind.
Replies = dict[str, dict[str, np.ndarray]]
Plans = Mapping[str, np.ndarray]  # `[169]` probabilities
Answers = Mapping[tuple[str, str], np.ndarray]  # `[169]` probabilities of replies, by first action and reply
_TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class PreflopDecision:
    """A decision of the preflop tree under the equilibrium.

    Attributes:
        line: actions before it, separated by ``/``.
        player: 0 for the small blind, 1 for the big blind.
        actions: names of the actions.
        shares: `[A, 169]` probability of each action with each hand class; uniform where the class never comes.
        reach: `[169]` probability that the player's own actions lead here.
    """

    line: str
    player: int
    actions: tuple[str, ...]
    shares: np.ndarray  # [A, 169]
    reach: np.ndarray  # [169]

    @property
    def ranges(self) -> dict[str, Range]:
        """The range that takes each action."""
        return {
            name: Range((self.reach * share)[CLASS_OF]) for name, share in zip(self.actions, self.shares, strict=True)
        }

    @property
    def frequencies(self) -> dict[str, float]:
        """The share of the player's hands that take each action; 0 if no hand comes here."""
        hands = {name: range_.hands for name, range_ in self.ranges.items()}
        return {name: number / (sum(hands.values()) or 1.0) for name, number in hands.items()}


@dataclass(frozen=True, eq=False, repr=False)
class PreflopTree:
    """An equilibrium before the flop, heads-up; amounts are big blinds.

    Attributes:
        value: value to the small blind, per hand, if flops are checked down.
        nash_conv: NashConv of this game.
        decisions: all decisions by line; ``""`` is the first.

    >>> round(preflop_tree(10, [2]).value, 6)
    -0.044747
    """

    value: float
    nash_conv: float
    decisions: dict[str, PreflopDecision]

    __repr__ = short_repr


def preflop_tree(
    stack: float, sizes: Sequence[float] = (), limp: bool = False, small: float = 0.5, ante: float = 0.0
) -> PreflopTree:
    """Solve heads-up play before the flop exactly; hands are checked down where a flop would follow.

    The small blind folds, limps, raises to one of the sizes, or goes all-in. The big blind folds, calls or checks, or
    goes all-in, and the small blind then folds or calls.

    Args:
        stack: stack of each player in big blinds, at most 15.
        sizes: up to 3 amounts that the small blind may raise to, in big blinds, each at least 2.
        limp: whether the small blind may call.
        small: small blind, in big blinds.
        ante: ante of each player, in big blinds.

    Returns:
        The equilibrium; without sizes and limps it is that of `pushfold`.

    Raises:
        ParameterError: an amount is out of range. Deeper stacks are refused, because bets after the flop, which the
            game has not, decide there.
    """
    check_range("small", small, 0, 1, whole=False)
    check_range("ante", ante, 0, DEEPEST, whole=False)
    check_range("stack", stack, 1 + ante, 1e4, whole=False)
    if stack > DEEPEST:
        reason = "deeper stacks are decided by bets after the flop, and this game has none"
        raise ParameterError(f"stack must be at most {DEEPEST} big blinds, got {stack:g}: {reason}.", key="stack")
    check_range("number of sizes", len(sizes), 0, _MOST_SIZES)
    for size in sizes:
        check_range("sizes", size, 2, stack, whole=False)
    most = stack - ante
    bets = {"Limp": 1.0} if limp else {}
    bets |= {f"Raise({size:g})": float(size) for size in sorted({*sizes}) if size < most} | {"AllIn": most}
    return solve_bets(bets, stack, small, ante)


def solve_bets(bets: Mapping[str, float], stack: float, small: float, ante: float) -> PreflopTree:
    """Solve the game with these bets of the small blind: its chips after each, without the ante, by name."""
    game, lost = {name: replies_of(name, bet, stack, ante) for name, bet in bets.items()}, small + ante
    plans, replies = _solve_program(game, lost)
    best, least = value_bounds(game, lost, plans, replies)
    return PreflopTree((best + least) / 2, best - least, _decisions(game, plans, replies))


def value_bounds(game: dict[str, Replies], lost: float, plans: Plans, replies: Answers) -> tuple[float, float]:
    """Return the value of a best response to replies, and that of plans against the best replies.

    Values are those to the small blind, which loses `lost` chips by folding at once.
    """
    chance = class_pairs()[0].sum(axis=1)
    gains = [-lost * chance]  # of folding and of each plan against the replies
    least = -lost * float(chance @ (1 - sum(plans.values())))
    for name, rows in game.items():
        by_plan = [{plan: matrix @ replies[name, reply] for plan, matrix in rows[reply].items()} for reply in rows]
        gains += [np.sum([row[plan] for row in by_plan], axis=0) for plan in by_plan[0]]
        answers = [np.sum([plans[plan] @ matrix for plan, matrix in row.items()], axis=0) for row in rows.values()]
        least += float(np.min(answers, axis=0).sum())
    return float(np.max(gains, axis=0).sum()), least


def class_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return `[169, 169]` probabilities of both players' classes, and shares of boards won less lost."""
    wins, _, totals = class_equities()
    return totals / totals.sum(), np.where(totals > 0, (wins - wins.T) / np.maximum(totals, 1), 0.0)


def replies_of(name: str, bet: float, stack: float, ante: float) -> Replies:
    """Return `[169, 169]` payoffs to the small blind of each plan with a first action, by reply.

    Payoffs are times the probability of the classes. bet: chips of the small blind after the action, without the ante.
    """
    pairs, shares = class_pairs()
    plans = [name] if name == "AllIn" else [f"{name}/AllIn/Fold", f"{name}/AllIn/Call"]
    called = dict.fromkeys(plans, pairs * shares * (bet + ante))
    if name == "Limp":
        replies = {"Check": called}
    else:
        replies = {"Fold": dict.fromkeys(plans, pairs * (1 + ante)), "Call": called}
    if name != "AllIn":
        replies["AllIn"] = dict(zip(plans, (-pairs * (bet + ante), pairs * shares * stack), strict=True))
    return replies


def _solve_program(game: dict[str, Replies], lost: float) -> tuple[Plans, Answers]:
    """Return `[169]` probabilities of the small blind's plans, and of the replies to its first actions."""
    from scipy.optimize import linprog

    size, chance = len(CLASSES), class_pairs()[0].sum(axis=1)
    plans = [plan for rows in game.values() for plan in next(iter(rows.values()))]
    names = [(name, reply) for name, rows in game.items() for reply in rows]
    matrix = np.zeros((1 + len(names), size, len(plans) + len(game), size))
    matrix[0, :, : len(plans)] = np.eye(size)[:, None]
    for row, (name, reply) in enumerate(names, 1):
        matrix[row, :, len(plans) + [*game].index(name)] = np.eye(size)
        for plan, payoffs in game[name][reply].items():
            matrix[row, :, plans.index(plan)] = -payoffs.T / chance.mean()  # so that all rows have the same magnitude
    cost = np.concatenate([np.tile(-lost * chance / chance.mean(), len(plans)), -np.ones(size * len(game))])
    right = np.concatenate([np.ones(size), np.zeros(size * len(names))])
    bounds = [(0, 1)] * size * len(plans) + [(None, None)] * size * len(game)
    solution = linprog(cost, matrix.reshape(len(right), -1), right, bounds=bounds, method="highs", options=_TOLERANCES)
    if solution.status != 0:
        raise SolverError(f"HiGHS found no optimum before the flop: {solution.message}.")
    x = np.clip(solution.x[: size * len(plans)].reshape(-1, size), 0, 1)
    y = np.clip(-solution.ineqlin.marginals[size:].reshape(-1, size), 0, 1)
    return dict(zip(plans, x, strict=True)), dict(zip(names, y, strict=True))


def _decisions(game: dict[str, Replies], plans: Plans, replies: Answers) -> dict[str, PreflopDecision]:
    certain = np.ones(len(CLASSES))
    first = {name: sum(plans[plan] for plan in next(iter(rows.values()))) for name, rows in game.items()}
    shares = np.stack([np.maximum(1 - sum(first.values()), 0), *first.values()])
    decisions = {"": PreflopDecision("", 0, ("Fold", *first), shares, certain)}
    for name, rows in game.items():
        answers = np.stack([replies[name, reply] for reply in rows])
        decisions[name] = PreflopDecision(name, 1, tuple(rows), answers, certain)
        if name != "AllIn":
            line, reach = f"{name}/AllIn", np.where(first[name] > _REACHED, first[name], 0.0)
            calls = np.divide(plans[f"{line}/Call"], first[name], out=np.full(len(certain), 0.5), where=reach > 0)
            decisions[line] = PreflopDecision(line, 0, ("Fold", "Call"), np.stack([1 - calls, calls]), reach)
    return decisions
