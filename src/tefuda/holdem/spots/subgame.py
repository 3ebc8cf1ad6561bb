"""Re-solving a street of a solved spot safely for one player, with other sizes if wanted.

The *player* gets a new strategy from where a line comes to a new street; the *other* player could exploit it. The
gadgets are those of `resolving.gadgets`, whose trees would have a root for each pair of hands. Here regrets of all
hands of the other player are vectors, updated in turn with the traversals of the street, so no code is shared.
The blueprint is the solution that the street belongs to, lifted into the sizes that are solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.evaluating.regret import match_regrets
from tefuda.holdem.betting import Action, Betting, Position, Street, read_sizes
from tefuda.holdem.cards import HANDS, card_text
from tefuda.holdem.kernels import arrays
from tefuda.holdem.kernels.arrays import FOLD_0, NEXT, SHOWDOWN
from tefuda.holdem.ranges import ROUND_OFF, Range, compatible_weights
from tefuda.holdem.spots.compiled import START, CompiledSpot, Place, compile_spot
from tefuda.holdem.spots.locks import below
from tefuda.holdem.spots.solver import DEFAULT, HandMethod, HandSolver
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import inverse, permute_card, permute_hands, symmetries

HOWS = ("unsafe", "gadget", "max-margin")
_PASSIVE = ("Check", "Call")
_PIECE = 100  # iterations between evaluations


@dataclass(frozen=True, eq=False)
class StreetAgain:
    """A street that was re-solved for one player.

    strategy: over the street's own spot, with the ranges of the blueprint, and the other player's answer. before,
    after: `[1326]` best-response values of the other's hands against the blueprint and the new strategy:
    counterfactual, centred, chips per game of the whole spot; nan for hands that meet none of the player's. taken:
    False if a safe way kept the blueprint, as some hand would have gained.
    """

    line: str
    player: int
    strategy: SpotStrategy
    before: np.ndarray  # [1326]
    after: np.ndarray  # [1326]
    taken: bool

    @property
    def margin(self) -> float:
        """The least loss of a hand of the other player: counterfactual chips per game."""
        return float(np.nanmin(self.before - self.after))

    @property
    def gained(self) -> float:
        """The loss of all hands of the other player together, if it goes there with all of them: chips per game."""
        return float(np.nansum(self.before - self.after))


def solve_again(
    blueprint: SpotStrategy,
    line: str,
    player: int,
    how: str = "max-margin",
    *,
    bets: str | None = None,
    raises: str | None = None,
    iterations: int = 1000,
    method: HandMethod = DEFAULT,
    spare: float = 1e-3,
) -> StreetAgain:
    """Re-solve the street that starts at a line, for one player.

    Args:
        blueprint: the solution so far, however rough.
        line: it ends with a card: ``"Check/Bet(50)/Call/Ts"``.
        player: 0 is out of position.
        how: one of `HOWS`; all but unsafe never make the whole easier to exploit, at any number of iterations.
        bets: sizes from there on; the blueprint's unless given.
        raises: sizes from there on; the blueprint's unless given.
        iterations: most iterations of the street; the best strategy on the way is taken.
        method: method of the street.
        spare: parts of the pot by which the gadget offers hands less: room for errors of the solution.

    Raises:
        ParameterError: no street starts there, the player never comes, or a safe way with a rake, which makes it void.

    >>> from tefuda.holdem import make_spot
    >>> turn = td.solve(make_spot("2c2d2h3c", 100, 100, "AA,QQ", "KK", "a", "a"), iterations=3).strategy
    >>> again = solve_again(turn, "Check/Check/3d", player=0)
    >>> again.taken, again.margin > 0
    (True, True)
    """
    check_choice("how", how, HOWS)
    check_range("player", player, 0, 1)
    check_range("iterations", iterations, 1)
    check_range("spare", spare, 0, 1, whole=False)
    whole, line = blueprint.compiled.spot, blueprint.compiled.spelled(line)
    if whole.rake_rate and how != "unsafe":
        raise ParameterError(f"with a rake the game is not zero-sum, and {how} promises nothing; take unsafe.")
    spot, believed = _street(blueprint, line, player, bets, raises)
    alike = symmetries(spot.board, spot.weights) == symmetries(spot.board, [*spot.weights, believed.weights])
    compiled = compile_spot(spot, isomorphism=alike)
    known, other = lifted(blueprint, compiled, line), 1 - player
    before = known.root_values(other, arrays.BEST)
    opening = _opening(how, compiled, player, believed, before, spare * whole.betting.pot)
    found = _best(Behind(compiled, method, player, opening), known, before, iterations, how == "unsafe")
    after = found.root_values(other, arrays.BEST)
    shown = compiled.ranged((spot.ranges[0], believed) if player == 0 else (believed, spot.ranges[1]))
    worth = np.full((2, len(HANDS)), np.nan)
    worth[:, compiled.contexts[0].hands[other]] = _units(blueprint, line, player, compiled) * [before, after]
    return StreetAgain(line, player, SpotStrategy(shown, found.sums), worth[0], worth[1], found is not known)


def _best(solver: Behind, known: SpotStrategy, before: np.ndarray, iterations: int, believing: bool) -> SpotStrategy:
    """Return the safe strategy on the way that leaves the other's hands least, or `known`; if unsafe, the last one."""
    other, pot = 1 - solver.player, known.compiled.spot.betting.pot
    weights, found, least = known.compiled.weights[other], known, np.inf
    for done in range(0, iterations, _PIECE):
        solver.advance(min(_PIECE, iterations - done))
        tried = solver.average()
        after = tried.root_values(other, arrays.BEST)
        safe = (after <= before + ROUND_OFF * pot).all()
        if believing or (safe and weights @ after < min(least, weights @ before)):
            found, least = tried, weights @ after
    return found


def _street(
    blueprint: SpotStrategy, line: str, player: int, bets: str | None, raises: str | None
) -> tuple[Spot, Range]:
    """Return the street as a spot in which the other player has all hands, and the other's range in the blueprint."""
    whole, position, reach = blueprint.compiled.spot, blueprint.opening(line), blueprint.reach(line)
    board = blueprint.board(line)
    if not (reach[player] * compatible_weights(whole.weights[1 - player])).any():
        raise ParameterError(f"{PLAYERS[player]} never comes to {line!r}; there is nothing to solve for it.")
    own = Range(reach[player] / reach[player].max())
    others = Range(whole.weights[1 - player]).without(board)
    theirs = reach[1 - player]
    believed = Range(theirs / theirs.max()) if (theirs * compatible_weights(own.weights)).any() else others
    streets = tuple(
        one if number < position.street else _sized(one, bets, raises)
        for number, one in enumerate(whole.betting.streets)
    )
    betting = replace(whole.betting, streets=streets, start=position)  # type: ignore[arg-type]
    ranges = (own, others) if player == 0 else (others, own)
    locks, name = below(whole.locks, line), f"{whole.name}/{line}"
    return replace(whole, board=board, betting=betting, ranges=ranges, locks=locks, name=name), believed


def _sized(street: Street, bets: str | None, raises: str | None) -> Street:
    if bets is not None:
        street = replace(street, bets=read_sizes(bets, "bets", raises=False), donks=None)
    return street if raises is None else replace(street, raises=read_sizes(raises, "raises"))


class Opening:
    """The top of the gadget game. entering: `[n]` weights with which the other player's hands enter the street."""

    def __init__(self, entering: np.ndarray) -> None:
        self.entering = entering

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """Update after an iteration in which the hands had these values; a trusted range stays."""


class Leaving(Opening):
    """Each hand terminates with its offer, or follows (CFR-D)."""

    def __init__(self, weights: np.ndarray, offers: np.ndarray) -> None:
        super().__init__(weights / 2)
        self.weights, self.offers, self.regrets = weights, offers, np.zeros((2, len(weights)))

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """See `Opening`."""
        stays = self.entering / self.weights
        worth = stays * values + (1 - stays) * self.offers
        self.regrets += np.stack([values, self.offers]) - worth
        self.entering = self.weights * match_regrets(self.regrets, axis=0)[0]
        self.regrets = discounted(self.regrets, rule)


class Picking(Opening):
    """The other player picks a hand that may meet the player's; it is paid its value there less its offer."""

    def __init__(self, weights: np.ndarray, offers: np.ndarray, meets: np.ndarray) -> None:
        super().__init__(np.where(meets, weights / meets.sum(), 0.0))
        self.weights, self.offers, self.meets, self.regrets = weights, offers, meets, np.zeros(meets.sum())

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """See `Opening`."""
        weights = self.weights[self.meets]
        gaps = weights * (values - self.offers)[self.meets]
        self.regrets += gaps - self.entering[self.meets] / weights @ gaps
        self.entering[self.meets] = weights * match_regrets(self.regrets)
        self.regrets = discounted(self.regrets, rule)


def discounted(regrets: np.ndarray, rule: np.ndarray) -> np.ndarray:
    """Return regrets times the rule's factor of their sign."""
    return regrets * np.where(regrets > 0, rule[arrays.POSITIVE], rule[arrays.NEGATIVE])


def _opening(
    how: str, compiled: CompiledSpot, player: int, believed: Range, before: np.ndarray, spare: float
) -> Opening:
    """Return the opening of a way that offers the other player's hands their best-response values (`before`)."""
    hands = compiled.contexts[0].hands[1 - player]
    if how == "unsafe":
        return Opening(believed.weights[hands])
    weights = compiled.weights[1 - player]
    meets = compatible_weights(compiled.spot.weights[player])[hands]
    if how == "gadget":
        return Leaving(weights, before - spare * meets / compiled.spot.pairs)
    return Picking(weights, before, meets > 0)


class Ranged(HandSolver):
    """Solves a spot whose ranges may change on the way."""

    def __init__(self, compiled: CompiledSpot, method: HandMethod) -> None:
        super().__init__(compiled, method)
        self._learned = [0, 0]  # iterations of each player by `learn`

    def weigh(self, ranges: tuple[np.ndarray, np.ndarray]) -> None:
        """Set the weights of the hands at the root."""
        self._traversal.weigh(ranges)

    def learn(self, player: int, ranges: tuple[np.ndarray, np.ndarray], count: int) -> np.ndarray:
        """Let one player learn for `count` iterations; the other's strategy stays and is averaged.

        Return `[n]` the mean values of the player's hands: times the weight of those they meet.
        """
        self.weigh(ranges)
        worth = np.zeros(len(ranges[player]))
        for rule in self.method.rules(self._learned[player] + 1, count):
            worth += self._learn(player, rule, len(worth))
        self._learned[player] += count
        return worth / count

    def _learn(self, player: int, rule: np.ndarray, size: int) -> np.ndarray:
        """Let a player learn for an iteration; return `[size]` the values of its hands."""
        self._traversal.learn(rule[None], self._regrets, self._sums, self._scales, (player,))
        return self._traversal.work.value[0, :size]


class Behind(Ranged):
    """Solves a street behind an opening; each iteration updates the other player, the opening, then the player."""

    def __init__(self, compiled: CompiledSpot, method: HandMethod, player: int, opening: Opening) -> None:
        self._opening, self.player = opening, player
        super().__init__(compiled, method)

    def _iterate(self, count: int) -> None:
        other, size = 1 - self.player, len(self._opening.entering)
        for rule in self.method.rules(self.iterations + 1, count):
            self._traversal.weights[other, :size] = self._opening.entering
            self._opening.learn(self._learn(other, rule, size).astype(np.float64), rule)
            self._traversal.weights[other, :size] = self._opening.entering
            self._learn(self.player, rule, size)
            self.iterations += 1


def _units(blueprint: SpotStrategy, line: str, player: int, compiled: CompiledSpot) -> np.ndarray:
    """Return `[n]` by hand the unit of values in that of the whole spot; nan for hands that never meet."""
    whole = blueprint.compiled
    own, hands = blueprint.reach(line)[player], compiled.contexts[0].hands[1 - player]
    unit = own.max() * compiled.spot.pairs / (whole.spot.pairs * whole.chance(whole.find(line)))
    return np.where(
        compatible_weights(compiled.spot.weights[player])[hands] > 0, unit * compiled.weights[1 - player], np.nan
    )


def combined(blueprint: SpotStrategy, streets: Sequence[StreetAgain]) -> SpotStrategy:
    """Return a blueprint with re-solved streets in it; raise ParameterError if one has other sizes."""
    whole, sums = blueprint.compiled, blueprint.sums.astype(np.float64)
    for again in streets:
        if again.strategy.compiled.spot.betting.streets != whole.spot.betting.streets:
            raise ParameterError(f"{again.line!r} was solved with other sizes; the solution has no place for them.")
        insert(again.strategy, (again.player,), sums, whole, blueprint.find(again.line))
    return SpotStrategy(whole, sums)


def lifted(found: SpotStrategy, compiled: CompiledSpot, line: str = "") -> SpotStrategy:
    """Return the strategy of a spot that plays as a solution does from a line on.

    A size becomes the nearest one in parts of the pot, on a logarithmic scale. Where the solution never bets or is
    over, hands check and call. The spot has the boards, and no other hands, that the line leads to.
    """
    sums = np.zeros(compiled.stored)
    insert(found, (0, 1), sums, compiled, START, line)
    return SpotStrategy(compiled, sums)


def insert(
    found: SpotStrategy, players: tuple[int, ...], sums: np.ndarray, whole: CompiledSpot, start: Place, line: str = ""
) -> None:
    """Write strategies from a line on into sums of a whole spot, below a place; sums of hands that never come stay."""
    for context, street, node, shares in _list_shares(found, whole, start, line):
        player = int(whole.tree.streets[street].kind[node])
        if player in players:
            hands, block = whole.contexts[context].hands[player], whole.block(context, street, node)
            known = shares[:, hands].sum(axis=0) > 0
            sums[block] = np.where(known, shares[:, hands], sums[block].reshape(len(shares), -1)).ravel()


def _list_shares(
    found: SpotStrategy, compiled: CompiledSpot, start: Place, line: str
) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Yield for each decision below a place the context, street, node, and `[actions, 1326]` of a solution."""
    back = inverse(start.renamed)
    renamed = permute_hands(back)
    left: list[tuple[int, int, int, str | None]] = [(start.context, start.street, start.node, line)]
    while left:
        context, street, node, known = left.pop()
        tree, kind = compiled.tree.streets[street], SHOWDOWN if known is None else found.kind(known)
        if tree.kind[node] == NEXT:
            root = compiled.tree.root_below(street, node)
            for child in compiled.contexts[context].children:
                card = card_text(permute_card(compiled.contexts[child].board[-1], back))
                left.append((child, street + 1, root, _then(known, card) if kind == NEXT else None))
        elif tree.kind[node] < FOLD_0:
            reading = _Reading(found, known if kind < FOLD_0 else None, compiled, street, node)
            yield context, street, node, reading.shares()[:, renamed]
            left += [(context, street, child, after) for child, after in reading.below()]


class _Reading:
    """A decision of a spot read as one of a solution: `here` and `there` are positions and actions of both."""

    def __init__(self, found: SpotStrategy, line: str | None, compiled: CompiledSpot, street: int, node: int) -> None:
        tree = compiled.tree.streets[street]
        self.found, self.line, self.betting, self.children = found, line, compiled.spot.betting, tree.children(node)
        self.here = self.there = tree.position[node], tree.options(node)
        if line is not None:
            place = found.find(line)
            known = found.compiled.tree.streets[place.street]
            self.there = known.position[place.node], known.options(place.node)

    def shares(self) -> np.ndarray:
        """Return `[actions, 1326]` probabilities; 0 for hands that are unknown there."""
        (position, actions), (there, theirs) = self.here, self.there
        shares, passive = np.zeros((len(actions), len(HANDS))), [action.name in _PASSIVE for action in actions]
        if self.line is None:
            shares[passive] = 1.0
            return shares
        for action, probability in zip(theirs, self.found.probabilities(self.line).values(), strict=True):
            to = _nearest(action, actions, self.found.compiled.spot.betting, there, position)
            shares[passive.index(True) if to is None else actions.index(to)] += np.nan_to_num(probability)
        return shares

    def below(self) -> Iterator[tuple[int, str | None]]:
        """Yield each child and the line it is read as; None where the solution is over already."""
        (position, actions), (there, theirs) = self.here, self.there
        for child, action in zip(self.children, actions, strict=True):
            read = _nearest(action, theirs, self.betting, position, there) if self.line is not None else None
            yield child, None if read is None else _then(self.line, str(read))


def _then(line: str | None, part: str) -> str:
    return f"{line}/{part}" if line else part


def _nearest(
    wanted: Action, among: list[Action], betting: Betting, position: Position, there: Position
) -> Action | None:
    """Return the action `there` that an action in `position` is read as; None if none is like it."""
    same = [one for one in among if one.name == wanted.name and one.amount == wanted.amount]
    if same or wanted.name in ("Fold", *_PASSIVE):
        return next((one for one in (*same, *among) if one.name == wanted.name), None)
    sizes = [one for one in among if one.name not in ("Fold", *_PASSIVE)]
    size = _part(wanted, betting, position)
    return min(sizes, key=lambda one: abs(log(_part(one, betting, there) / size)), default=None)


def _part(action: Action, betting: Betting, position: Position) -> float:
    """Return the size of a bet or raise in parts of the pot after a call."""
    highest = max(position.amounts)
    return (action.amount - highest) / (betting.pot + 2 * (position.matched + highest))
