"""Heads-up play before the flop with limps and raises, solved by one linear program.

Where a flop would follow, the hands are *checked down*: the better hand after five cards wins the pot. Position and
later bets have no value, so the game is exact only for itself.

The program is that of the sequence form (`solvers.exact.lp`), with a block for the 169 hand classes in place of each
public sequence: the small blind's plan x, values v of the big blind's decisions, whose multipliers are its plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tefuda.errors import ParameterError, check_range
from tefuda.holdem.cards import CLASS_OF, CLASSES
from tefuda.holdem.preflop.pushfold import class_pairs
from tefuda.holdem.ranges import Range
from tefuda.solvers.exact.lp import Program, highs_model, run_highs
from tefuda.views import short_repr

DEEPEST = 15  # big blinds
_MOST_SIZES = 3
_TOLERANCE = 1e-10
_REACHED = 1e-9  # smallest probability of a class that makes a decision
SEATS = ("SB", "BB")


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
        stack: stack of each player.
        sizes: amounts to raise to, in rising order.
        limp: whether the small blind may call.
        value: value to the small blind, per hand, if flops are checked down.
        nash_conv: NashConv of this game.
        decisions: all decisions by line; ``""`` is the first.

    >>> round(preflop_tree(10, [2]).value, 6)
    -0.044747
    """

    stack: float
    sizes: tuple[float, ...]
    limp: bool
    value: float
    nash_conv: float
    decisions: dict[str, PreflopDecision]

    __repr__ = short_repr


@dataclass(frozen=True)
class _Node:
    """A public state: a decision, or an end with the chips at stake and its winner (None: showdown).

    before: line up to the last action of each player, with it; "" if the player has not acted.
    """

    line: str
    before: tuple[str, str]
    player: int = -1
    actions: dict[str, _Node] = field(default_factory=dict)
    stake: float = 0.0
    winner: int | None = None

    def all(self) -> Iterator[_Node]:
        """Yield this state and all that follow."""
        yield self
        for node in self.actions.values():
            yield from node.all()

    def payoffs(self, ante: float) -> np.ndarray:
        """Return `[169, 169]` payoffs of an end to the small blind, times the probability of the classes."""
        pairs, shares = class_pairs()
        return pairs * (self.stake + ante) * (shares if self.winner is None else (1, -1)[self.winner])


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
    sizes = tuple(sorted({*sizes}))
    root = _grow("", ("", ""), (small, 1.0), (stack - ante, sizes, limp))
    decisions = _solve(root, ante)
    best = [float(_best_values(root, player, decisions, ante, np.ones(len(CLASSES))).sum()) for player in (0, 1)]
    return PreflopTree(stack, sizes, limp, (best[0] - best[1]) / 2, sum(best), decisions)


def _grow(
    line: str, before: tuple[str, str], bets: tuple[float, float], menu: tuple[float, tuple[float, ...], bool]
) -> _Node:
    """Return the decision after a line, with all that follows.

    bets: chips of both players without antes. menu: most chips for bets, sizes, and whether the first player may limp.
    """
    most, sizes, limp = menu
    player = len(line.split("/")) % 2 if line else 0  # the players take turns
    own, other = bets[player], bets[1 - player]

    def child(name: str, bet: float | None = None, stake: float = 0.0, winner: int | None = None) -> _Node:
        after = f"{line}/{name}" if line else name
        known = (after, before[1]) if player == 0 else (before[0], after)
        if bet is None:
            return _Node(after, known, stake=stake, winner=winner)
        return _grow(after, known, (bet, other) if player == 0 else (other, bet), menu)

    actions = dict[str, _Node]()
    if own < other or not line:
        actions["Fold"] = child("Fold", stake=own, winner=1 - player)
    if line:
        name = "Call" if own < other else "Check"
        actions[name] = child(name, stake=other)
    else:
        bets_of = {"Limp": other} if limp else {}
        bets_of |= {f"Raise({size:g})": size for size in sizes if size < most}
        actions |= {name: child(name, bet) for name, bet in bets_of.items()}
    if other < most:
        actions["AllIn"] = child("AllIn", most)
    return _Node(line, before, player, actions)


def _solve(root: _Node, ante: float) -> dict[str, PreflopDecision]:
    """Return the equilibrium by line."""
    from scipy.sparse import block_array, coo_array, eye_array

    size, nodes = len(CLASSES), [*root.all()]
    mine, theirs = ([node for node in nodes if node.player == player] for player in (0, 1))
    plans, replies = ([child.line for node in own for child in node.actions.values()] for own in (mine, theirs))
    plan, value = ({line: number for number, line in enumerate(lines)} for lines in (plans, [n.line for n in theirs]))
    value = {line: len(plan) + number for line, number in value.items()}
    row = {line: len(mine) + number for number, line in enumerate(replies)}
    scale = class_pairs()[0].sum(axis=1).mean()  # so that all rows have the same magnitude
    blocks, cost = dict[tuple[int, int], object](), np.zeros((len(plan) + len(value), size))
    right = np.zeros((len(mine) + len(replies), size))
    for number, node in enumerate(mine):  # actions sum to the sequence before
        blocks |= {(number, plan[child.line]): eye_array(size) for child in node.actions.values()}
        if node.before[0]:
            blocks[number, plan[node.before[0]]] = -eye_array(size)
        right[number] = not node.before[0]
    for node in theirs:  # the value is at most that of each reply
        blocks |= {(row[child.line], value[node.line]): eye_array(size) for child in node.actions.values()}
        if node.before[1]:
            blocks[row[node.before[1]], value[node.line]] = -eye_array(size)
        else:
            cost[value[node.line]] = -1
    for end in (node for node in nodes if not node.actions):
        payoffs = end.payoffs(ante) / scale
        if end.before[1]:
            blocks[row[end.before[1]], plan[end.before[0]]] = coo_array(-payoffs.T)
        else:
            cost[plan[end.before[0]]] -= payoffs.sum(axis=1)
    matrix = block_array([[blocks.get((i, j)) for j in range(len(cost))] for i in range(len(right))], format="csc")
    least = np.repeat([0.0, -np.inf], [len(plan) * size, len(value) * size])
    low = np.where(np.arange(right.size) < len(mine) * size, right.ravel(), -np.inf)
    model = highs_model(cost.ravel(), least, (low, right.ravel()), matrix)
    highs = run_highs(
        Program(model, len(plan) * size, len(mine) * size, scale),
        primal_feasibility_tolerance=_TOLERANCE, dual_feasibility_tolerance=_TOLERANCE,
    )  # fmt: skip
    solution = highs.getSolution()
    found = np.array(solution.col_value).reshape(-1, size), -np.array(solution.row_dual).reshape(-1, size)
    weights = dict(zip(plans, found[0], strict=False)) | dict(zip(replies, found[1][len(mine) :], strict=True))
    return {node.line: _decision(node, weights) for node in nodes if node.actions}


def _decision(node: _Node, weights: dict[str, np.ndarray]) -> PreflopDecision:
    """Return a decision from the realisation weights of all lines."""
    taken = np.maximum([weights[child.line] for child in node.actions.values()], 0.0)
    total = taken.sum(axis=0)
    even = np.full(taken.shape, 1 / len(taken))
    shares = np.divide(taken, total, out=even, where=total > _REACHED)
    reach = np.where(total > _REACHED, np.minimum(total, 1.0), 0.0)
    return PreflopDecision(node.line, node.player, tuple(node.actions), shares, reach)


def _best_values(
    node: _Node, player: int, decisions: dict[str, PreflopDecision], ante: float, reach: np.ndarray
) -> np.ndarray:
    """Return `[169]` values of a best response by class, times the reach `[169]` of the opponent."""
    if not node.actions:
        payoffs = node.payoffs(ante)
        return payoffs @ reach if player == 0 else -(reach @ payoffs)
    shares = decisions[node.line].shares if node.player != player else np.ones((len(node.actions), 1))
    after = [
        _best_values(child, player, decisions, ante, reach * share)
        for child, share in zip(node.actions.values(), shares, strict=True)
    ]
    return np.max(after, axis=0) if node.player == player else np.sum(after, axis=0)
