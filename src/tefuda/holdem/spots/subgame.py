"""Safe re-solving of a street of a solved spot for one player, with other bet sizes if wanted.

The *player* gets a new strategy from the start of a street; the *opponent* could exploit it. The blueprint is the
solution that the street belongs to, translated into the sizes that are solved.

The gadgets are those of `resolving.gadgets`, whose trees would have a root for each pair of hands. Here regrets of all
hands of the opponent are vectors, updated in turn with the traversals of the street. Only the rule is shared by which a
strategy replaces the blueprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.betting import STREETS, Action, Betting, BettingState, Street, read_sizes
from tefuda.holdem.cards import HANDS, card_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT, SHOWDOWN
from tefuda.holdem.ranges import ROUND_OFF, Range, compatible_weights
from tefuda.holdem.spots.compiled import START, CompiledSpot, NodeAddress, compile_spot
from tefuda.holdem.spots.locks import locks_below
from tefuda.holdem.spots.solver import DEFAULT, HandMethod, HandSolver
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import inverse, permute_card, permute_hands, symmetries
from tefuda.resolving.resolution import accepts, margin

GADGETS = ("unsafe", "cfr-d", "max-margin")
_PASSIVE = ("Check", "Call")
_EVALUATION_STEP = 100  # iterations between evaluations
_CLOCK_STEP = 10  # iterations between readings of the clock


@dataclass(frozen=True, eq=False)
class StreetResolution:
    """A street re-solved for one player.

    Values are counterfactual and centred, in chips per game of the whole spot; nan for hands that are incompatible with
    all hands of the player.

    Attributes:
        line: the line at which the street starts.
        player: player whose strategy was re-solved.
        strategy: strategies of the street's own spot, with the ranges of the blueprint, and the opponent's response.
        before: `[1326]` best-response values of the opponent's hands against the blueprint.
        after: `[1326]` best-response values of the opponent's hands against the new strategy.
        accepted: False if the blueprint stays, because with a safe gadget some hand of the opponent would gain.
    """

    line: str
    player: int
    strategy: SpotStrategy
    before: np.ndarray  # [1326]
    after: np.ndarray  # [1326]
    accepted: bool

    @property
    def margin(self) -> float:
        """The least loss of a hand of the opponent: counterfactual chips per game."""
        return margin(self.before, self.after)

    @property
    def total_gain(self) -> float:
        """The loss of all hands of the opponent together, if it enters with all of them: chips per game."""
        return float(np.nansum(self.before - self.after))


def resolve_street(
    blueprint: SpotStrategy,
    line: str,
    player: int,
    gadget: str = "max-margin",
    *,
    bets: str | None = None,
    raises: str | None = None,
    iterations: int = 1000,
    method: HandMethod = DEFAULT,
    slack: float = 1e-3,
) -> StreetResolution:
    """Re-solve the street that starts at a line, for one player.

    Args:
        blueprint: the solution so far, exact or not.
        line: line that ends with a card: ``"Check/Bet(50)/Call/Ts"``.
        player: player whose strategy is re-solved; 0 is out of position.
        gadget: ``"unsafe"``, ``"cfr-d"`` or ``"max-margin"``. All but unsafe never make the whole strategy
            more exploitable, at any number of iterations.
        bets: bet sizes from there on; default: the blueprint's. If given, or `raises`, nodes whose sizes replace those
            of their street lose them, and sizes at lines that do not exist then are ignored.
        raises: raise sizes from there on; default: the blueprint's.
        iterations: maximum number of iterations; the best strategy on the way is returned.
        method: method of the street.
        slack: share of the pot by which the CFR-D gadget lowers alternative payoffs, as room for errors.

    Returns:
        The new strategy of the street, and the opponent's values before and after.

    Raises:
        ParameterError: no street starts at the line, the player never reaches it, or a safe gadget with a rake, which
            voids its guarantee.

    >>> from tefuda.holdem import make_spot
    >>> turn = td.solve(make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a"), iterations=3).strategy
    >>> resolution = resolve_street(turn, "Check/Check/3d", player=0)
    >>> resolution.accepted, resolution.margin > 0
    (True, True)
    """
    check_range("player", player, 0, 1)
    whole, line = blueprint.compiled.spot, blueprint.compiled.canonical_line(line)
    check_range("slack", slack, 0, 1, whole=False)
    _check(gadget, iterations, whole)
    spot, opponent_range = _street(blueprint, line, player, bets, raises)
    compiled = compile_root(spot, opponent_range)
    known = translate_solution(blueprint, compiled, line)
    root = resolve_root(
        known, player, opponent_range, gadget, iterations=iterations, method=method, slack=slack * whole.betting.pot
    )
    values = np.full((2, len(HANDS)), np.nan)
    values[:, compiled.contexts[0].hands[1 - player]] = _units(blueprint, line, player, compiled) * [
        root.before, root.after
    ]  # fmt: skip
    return StreetResolution(line, player, root.strategy, values[0], values[1], root.accepted)


def _check(gadget: str, iterations: int, spot: Spot) -> None:
    check_choice("gadget", gadget, GADGETS)
    check_range("iterations", iterations, 1)
    if spot.rake_rate and gadget != "unsafe":
        raise ParameterError(f"with a rake the game is not zero-sum, so {gadget} guarantees nothing; use unsafe.")


@dataclass(frozen=True, eq=False)
class RootResolution:
    """A street re-solved from its root for one player; values are those of `SpotStrategy.root_values`.

    Attributes:
        strategy: strategies with the ranges of both players at the root, and the opponent's response.
        before: `[n]` best-response values of the opponent's hands against the known strategy.
        after: `[n]` best-response values of the opponent's hands against the new strategy.
        accepted: False if the known strategy stays.
    """

    strategy: SpotStrategy
    before: np.ndarray  # [n]
    after: np.ndarray  # [n]
    accepted: bool


def compile_root(spot: Spot, opponent_range: Range) -> CompiledSpot:
    """Compile the spot of `resolve_root`: one player has all hands there, and `opponent_range` at the end."""
    symmetric = symmetries(spot.board, spot.weights) == symmetries(spot.board, [*spot.weights, opponent_range.weights])
    return compile_spot(spot, isomorphism=symmetric)


def resolve_root(
    known: SpotStrategy,
    player: int,
    opponent_range: Range,
    gadget: str = "max-margin",
    *,
    limits: np.ndarray | None = None,
    iterations: int = 1000,
    method: HandMethod = DEFAULT,
    slack: float = 0.0,
    late: Callable[[], bool] = lambda: False,
) -> RootResolution:
    """Re-solve a spot from its root, for one player.

    Args:
        known: strategies so far, of a spot in which the player has its range and the opponent all hands.
        player: player whose strategy is re-solved.
        opponent_range: range of the opponent at the root.
        gadget: see `resolve_street`.
        limits: `[n]` values that the opponent's hands must not exceed; default: best responses to `known`.
        iterations: maximum number of iterations.
        method: method of the street.
        slack: chips by which the CFR-D gadget lowers alternative payoffs.
        late: function that stops the iterations by returning True.
    """
    compiled, opponent = known.compiled, 1 - player
    _check(gadget, iterations, compiled.spot)
    before = known.root_values(opponent, arrays.BEST) if limits is None else limits
    top = _hand_gadget(gadget, compiled, player, opponent_range, before, slack)
    solver = GadgetSolver(compiled, method, player, top)
    best = _best(solver, known, before, iterations, gadget == "unsafe", late)
    after = best.root_values(opponent, arrays.BEST)
    own = compiled.spot.ranges[player]
    shown = compiled.with_ranges((own, opponent_range) if player == 0 else (opponent_range, own))
    return RootResolution(SpotStrategy(shown, best.sums), before, after, best is not known)


def _best(
    solver: GadgetSolver, known: SpotStrategy, before: np.ndarray, iterations: int, unsafe: bool,
    late: Callable[[], bool],
) -> SpotStrategy:  # fmt: skip
    """Return the safe candidate with the least value to the opponent, or `known`; if unsafe, the last one."""
    opponent, pot = 1 - solver.player, known.compiled.spot.betting.pot
    weights, best, least = known.compiled.weights[opponent], known, np.inf
    for done in range(0, iterations, _EVALUATION_STEP):
        for start in range(done, min(done + _EVALUATION_STEP, iterations), _CLOCK_STEP):
            if not late():
                solver.advance(min(_CLOCK_STEP, iterations - start))
        if not solver.iterations:
            break
        candidate = solver.average()
        after = candidate.root_values(opponent, arrays.BEST)
        safe = accepts(before, after, ROUND_OFF * pot)
        if unsafe or (safe and weights @ after < min(least, weights @ before)):
            best, least = candidate, weights @ after
        if late():
            break
    return best


def _street(
    blueprint: SpotStrategy, line: str, player: int, bets: str | None, raises: str | None
) -> tuple[Spot, Range]:
    """Return the street as a spot in which the opponent has all hands, and the opponent's blueprint range."""
    whole, position, reach = blueprint.compiled.spot, blueprint.street_start(line), blueprint.reach(line)
    board = blueprint.board(line)
    if not (reach[player] * compatible_weights(whole.weights[1 - player])).any():
        raise ParameterError(f"{PLAYERS[player]} never reaches {line!r}, so there is nothing to re-solve for it.")
    own = Range(reach[player] / reach[player].max())
    all_hands = Range(whole.weights[1 - player]).without(board)
    opponent_reach = reach[1 - player]
    reached = (opponent_reach * compatible_weights(own.weights)).any()
    opponent_range = Range(opponent_reach / opponent_reach.max()) if reached else all_hands
    streets = tuple(
        street if number < position.street else _with_sizes(street, bets, raises, len(STREETS) - number)
        for number, street in enumerate(whole.betting.streets)
    )
    keeps_nodes = bets is None and raises is None
    start = position if keeps_nodes else position._replace(at=())
    betting = replace(whole.betting, streets=streets, start=start)  # type: ignore[arg-type]
    betting = betting if keeps_nodes else betting.with_nodes(node for node in position.at if not node.only)
    ranges = (own, all_hands) if player == 0 else (all_hands, own)
    locks, name = locks_below(whole.locks, line), f"{whole.name}/{line}"
    return replace(whole, board=board, betting=betting, ranges=ranges, locks=locks, name=name), opponent_range


def _with_sizes(street: Street, bets: str | None, raises: str | None, streets: int) -> Street:
    """Return a street with other sizes for both players; streets: number of streets left."""
    ip = None if street.ip is None else _with_sizes(street.ip, bets, raises, streets)
    if bets is not None:
        street = replace(street, bets=read_sizes(bets, "bets", False, streets), donks=None)
    return replace(
        street, ip=ip, raises=street.raises if raises is None else read_sizes(raises, "raises", True, streets)
    )


class HandGadget:
    """The top of a gadget game over hands; by default a fixed range, which is unsafe re-solving.

    entry_weights: `[n]` weights with which the opponent's hands enter the street.
    """

    def __init__(self, entry_weights: np.ndarray) -> None:
        self.entry_weights = entry_weights

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """Update after an iteration in which the hands had these values; a fixed range does not change."""


class CFRDHandGadget(HandGadget):
    """Each hand terminates with its alternative payoff, or follows (CFR-D)."""

    def __init__(self, weights: np.ndarray, payoffs: np.ndarray) -> None:
        super().__init__(weights / 2)
        self.weights, self.payoffs, self.regrets = weights, payoffs, np.zeros((2, len(weights)))

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        follow = self.entry_weights / self.weights
        mean = follow * values + (1 - follow) * self.payoffs
        self.regrets += np.stack([values, self.payoffs]) - mean
        self.entry_weights = self.weights * match_regrets(self.regrets, axis=0)[0]
        self.regrets = discount(self.regrets, rule)


class MaxMarginHandGadget(HandGadget):
    """The opponent picks a compatible hand and is paid its value less its alternative payoff."""

    def __init__(self, weights: np.ndarray, payoffs: np.ndarray, compatible: np.ndarray) -> None:
        super().__init__(np.where(compatible, weights / compatible.sum(), 0.0))
        self.weights, self.payoffs, self.compatible = weights, payoffs, compatible
        self.regrets = np.zeros(compatible.sum())

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        weights = self.weights[self.compatible]
        gains = weights * (values - self.payoffs)[self.compatible]
        self.regrets += gains - self.entry_weights[self.compatible] / weights @ gains
        self.entry_weights[self.compatible] = weights * match_regrets(self.regrets)
        self.regrets = discount(self.regrets, rule)


def discount(regrets: np.ndarray, rule: np.ndarray) -> np.ndarray:
    """Return regrets times the rule's factor of their sign; regrets above a street are never predicted."""
    return regrets * np.where(regrets > 0, rule[arrays.POSITIVE], rule[arrays.NEGATIVE])


def _hand_gadget(
    gadget: str, compiled: CompiledSpot, player: int, opponent_range: Range, before: np.ndarray, slack: float
) -> HandGadget:
    """Return a gadget whose alternative payoffs are the opponent's best-response values (`before`)."""
    hands = compiled.contexts[0].hands[1 - player]
    if gadget == "unsafe":
        return HandGadget(opponent_range.weights[hands])
    weights = compiled.weights[1 - player]
    compatible = compatible_weights(compiled.spot.weights[player])[hands]
    if gadget == "cfr-d":
        return CFRDHandGadget(weights, before - slack * compatible / compiled.spot.pairs)
    return MaxMarginHandGadget(weights, before, compatible > 0)


class RangeSolver(HandSolver):
    """A solver of a spot whose ranges may change between iterations."""

    def __init__(self, compiled: CompiledSpot, method: HandMethod) -> None:
        super().__init__(compiled, method)
        self._learned = [0, 0]  # iterations of each player by `learn`

    def set_ranges(self, ranges: tuple[np.ndarray, np.ndarray]) -> None:
        """Set the weights of the hands at the root."""
        self._traversal.set_ranges(ranges)

    def learn(self, player: int, ranges: tuple[np.ndarray, np.ndarray], count: int) -> np.ndarray:
        """Run `count` iterations for one player; the opponent's strategy is fixed and averaged.

        Return `[n]` the mean values of the player's hands, times the weight of the hands compatible with them.
        """
        self.set_ranges(ranges)
        values = np.zeros(len(ranges[player]))
        for rule in self.method.rules(self._learned[player] + 1, count):
            values += self._learn(player, rule, len(values))
        self._learned[player] += count
        return values / count

    def _learn(self, player: int, rule: np.ndarray, size: int) -> np.ndarray:
        """Run an iteration for a player; return `[size]` the values of its hands."""
        self._traversal.learn(rule[None], self._stored, (player,))
        return self._traversal.work.value[0, :size]


class GadgetSolver(RangeSolver):
    """A solver of a street below a gadget.

    Each iteration updates the opponent, the gadget, then the player.
    """

    def __init__(self, compiled: CompiledSpot, method: HandMethod, player: int, gadget: HandGadget) -> None:
        self._gadget, self.player = gadget, player
        super().__init__(compiled, method)

    def _iterate(self, count: int) -> None:
        opponent, size = 1 - self.player, len(self._gadget.entry_weights)
        for rule in self.method.rules(self.iterations + 1, count):
            self._traversal.weights[opponent, :size] = self._gadget.entry_weights
            self._gadget.learn(self._learn(opponent, rule, size).astype(np.float64), rule)
            self._traversal.weights[opponent, :size] = self._gadget.entry_weights
            self._learn(self.player, rule, size)
            self.iterations += 1


def _units(blueprint: SpotStrategy, line: str, player: int, compiled: CompiledSpot) -> np.ndarray:
    """Return `[n]` by hand the unit of values in that of the whole spot; nan for incompatible hands."""
    whole = blueprint.compiled
    own, hands = blueprint.reach(line)[player], compiled.contexts[0].hands[1 - player]
    unit = own.max() * compiled.spot.pairs / (whole.spot.pairs * whole.chance(whole.find(line)))
    return np.where(
        compatible_weights(compiled.spot.weights[player])[hands] > 0, unit * compiled.weights[1 - player], np.nan
    )


def insert_streets(blueprint: SpotStrategy, streets: Sequence[StreetResolution]) -> SpotStrategy:
    """Return a blueprint with re-solved streets in it; raise ParameterError if one has other sizes."""
    whole, sums = blueprint.compiled, blueprint.sums.astype(np.float64)
    for street in streets:
        betting, start = street.strategy.compiled.spot.betting, blueprint.street_start(street.line)
        if betting.streets != whole.spot.betting.streets or betting.root(start.street).at != start.at:
            raise ParameterError(f"{street.line!r} was solved with other sizes than the solution; use the same sizes.")
        insert(street.strategy, (street.player,), sums, whole, blueprint.find(street.line))
    return SpotStrategy(whole, sums)


def translate_solution(solution: SpotStrategy, compiled: CompiledSpot, line: str = "") -> SpotStrategy:
    """Return the strategy of a spot that plays as a solution does from a line on.

    A size is translated to the nearest one in shares of the pot, on a logarithmic scale. Where the solution never bets
    or is over, hands check and call. The spot has the boards, and no other hands, that the line leads to.
    """
    if (copied := solution.copied_to(compiled, line)) is not None:
        return copied
    sums = np.zeros(compiled.stored)
    insert(solution, (0, 1), sums, compiled, START, line)
    return SpotStrategy(compiled, sums)


def insert(
    solution: SpotStrategy,
    players: tuple[int, ...],
    sums: np.ndarray,
    whole: CompiledSpot,
    start: NodeAddress,
    line: str = "",
) -> None:
    """Write strategies from a line on into the sums of a whole spot, below an address.

    Sums of hands that never reach a decision do not change.
    """
    for context, street, node, shares in _list_shares(solution, whole, start, line):
        player = int(whole.betting.streets[street].kind[node])
        if player in players:
            hands, block = whole.contexts[context].hands[player], whole.block(context, street, node)
            known = shares[:, hands].sum(axis=0) > 0
            sums[block] = np.where(known, shares[:, hands], sums[block].reshape(len(shares), -1)).ravel()


def _list_shares(
    solution: SpotStrategy, compiled: CompiledSpot, start: NodeAddress, line: str
) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Yield each decision below an address with a solution's shares `[actions, 1326]`.

    The values are the context, the street, the node and the shares.
    """
    back = inverse(start.suits)
    permuted = permute_hands(back)
    stack: list[tuple[int, int, int, str | None]] = [(start.context, start.street, start.node, line)]
    while stack:
        context, street, node, known = stack.pop()
        tree, kind = compiled.betting.streets[street], SHOWDOWN if known is None else solution.kind(known)
        if tree.kind[node] == NEXT:
            root = compiled.betting.root_below(street, node)
            for child in compiled.contexts[context].children:
                card = card_text(permute_card(compiled.contexts[child].board[-1], back))
                stack.append((child, street + 1, root, _extend(known, card) if kind == NEXT else None))
        elif tree.kind[node] < FOLD_0:
            decision = _TranslatedDecision(solution, known if kind < FOLD_0 else None, compiled, street, node)
            yield context, street, node, decision.shares()[:, permuted]
            stack += [(context, street, child, after) for child, after in decision.children_with_lines()]


class _TranslatedDecision:
    """A decision of a spot and the corresponding decision of a solution.

    here, there: position and actions of each.
    """

    def __init__(
        self, solution: SpotStrategy, line: str | None, compiled: CompiledSpot, street: int, node: int
    ) -> None:
        tree = compiled.betting.streets[street]
        self.solution, self.line, self.betting = solution, line, compiled.spot.betting
        self.children = tree.children(node)
        self.here = self.there = tree.position[node], tree.options(node)
        if line is not None:
            address = solution.find(line)
            known = solution.compiled.betting.streets[address.street]
            self.there = known.position[address.node], known.options(address.node)

    def shares(self) -> np.ndarray:
        """Return `[actions, 1326]` probabilities; 0 for hands that are unknown there."""
        (position, actions), (there, known) = self.here, self.there
        shares, passive = np.zeros((len(actions), len(HANDS))), [action.name in _PASSIVE for action in actions]
        if self.line is None:
            shares[passive] = 1.0
            return shares
        for action, probability in zip(known, self.solution.probabilities(self.line).values(), strict=True):
            target = _nearest(action, actions, self.solution.compiled.spot.betting, there, position)
            row = passive.index(True) if target is None else actions.index(target)
            shares[row] += np.nan_to_num(probability)
        return shares

    def children_with_lines(self) -> Iterator[tuple[int, str | None]]:
        """Yield each child and its line in the solution; None where the solution is over already."""
        (position, actions), (there, known) = self.here, self.there
        for child, action in zip(self.children, actions, strict=True):
            target = _nearest(action, known, self.betting, position, there) if self.line is not None else None
            yield child, None if target is None else _extend(self.line, str(target))


def _extend(line: str | None, part: str) -> str:
    return f"{line}/{part}" if line else part


def _nearest(
    action: Action, candidates: list[Action], betting: Betting, position: BettingState, there: BettingState
) -> Action | None:
    """Return the candidate in a position `there` nearest to an action; None without one of its kind."""
    same = [candidate for candidate in candidates if (candidate.name, candidate.amount) == (action.name, action.amount)]
    if same or action.name in ("Fold", *_PASSIVE):
        return next((candidate for candidate in (*same, *candidates) if candidate.name == action.name), None)
    sizes = [candidate for candidate in candidates if candidate.name not in ("Fold", *_PASSIVE)]
    size = betting.pot_share(position, action)
    return min(sizes, key=lambda candidate: abs(log(betting.pot_share(there, candidate) / size)), default=None)
