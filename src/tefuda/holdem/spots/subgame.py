"""A street of a solved spot solved again, with other sizes if one likes: for one player, so that nothing is given away.

The *player* gets a new strategy from where a line comes to a new street; the *other* is who could exploit it. Openings
are those of `resolving.openings`, for all hands of the other at once: ``unsafe`` believes the other's range, behind the
``gadget`` each of its hands leaves with what it could make of the blueprint or stays (CFR-D), for ``max-margin`` it
picks a hand and is paid what that gets less what it could make. The blueprint is the solution that the street belongs
to, lifted into the sizes that are solved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tefuda.errors import ParameterError, check_choice, check_range
from tefuda.holdem.betting import Street, read_sizes
from tefuda.holdem.cards import HANDS
from tefuda.holdem.kernels import arrays
from tefuda.holdem.ranges import ROUND_OFF, Range, met
from tefuda.holdem.spots.compiled import CompiledSpot, compile_spot
from tefuda.holdem.spots.lifting import lifted, list_shares
from tefuda.holdem.spots.locks import below
from tefuda.holdem.spots.solver import DEFAULT, HandMethod, HandSolver
from tefuda.holdem.spots.spot import PLAYERS, Spot
from tefuda.holdem.spots.strategy import SpotStrategy
from tefuda.holdem.suits import symmetries
from tefuda.judging.regret import match_regrets

HOWS = ("unsafe", "gadget", "max-margin")
_PIECE = 100  # iterations between looks at what is found


@dataclass(frozen=True, eq=False)
class StreetAgain:
    """A street that was solved again for one player.

    blueprint, line, player, how: as asked. strategy: over the street's own spot, with the ranges of the blueprint;
    what the other does there is its answer. before, after: `[1326]` what each of the other's hands can make of the
    blueprint and of the new strategy: counterfactual, centred, chips per game of the whole spot; nan for hands that
    meet none of the player's. taken: False if a safe way left the blueprint as it is: some
    hand would have got more.
    """

    blueprint: SpotStrategy
    line: str
    player: int
    how: str
    strategy: SpotStrategy
    before: np.ndarray  # [1326]
    after: np.ndarray  # [1326]
    taken: bool

    @property
    def margin(self) -> float:
        """What the other's hand loses that loses least: counterfactual chips per game."""
        return float(np.nanmin(self.before - self.after))

    @property
    def gained(self) -> float:
        """What all hands of the other lose together: chips per game in which it goes there with all of them."""
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
    """Solve what is below a line again for one player.

    Args:
        blueprint: the solution so far, however rough.
        line: ends with a card: ``"Check/Bet(50)/Call/Ts"``.
        player: 0 is out of position.
        how: one of `HOWS`; all but unsafe never make the whole easier to exploit, at any number of iterations.
        bets: sizes from there on; the blueprint's unless given.
        raises: likewise.
        iterations: of the street, at most; of the strategies looked at on the way the best is taken.
        method: a schedule.
        spare: parts of the pot by which hands are offered less behind the gadget: room for what is not solved exactly.

    Raises:
        ParameterError: no street starts there, nobody comes, or a safe way with a rake, which makes promises void.

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
    whole, line = blueprint.compiled.spot, blueprint.spelled(line)
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
    worth = _counterfactual(blueprint, line, player, compiled)
    return StreetAgain(
        blueprint, line, player, how, SpotStrategy(shown, found.sums), worth(before), worth(after), found is not known
    )


def _best(solver: Behind, known: SpotStrategy, before: np.ndarray, iterations: int, believing: bool) -> SpotStrategy:
    """The strategy on the way that leaves the other's hands least, and none more than `before`; else what was known.

    Who is `believing` takes the last.
    """
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
    """The street as a spot: the player has its range there, the other all hands; and the other's range, believed."""
    whole, position, reach = blueprint.compiled.spot, blueprint.opening(line), blueprint.reach(line)
    board = blueprint.board(line)
    if not (reach[player] * met(whole.weights[1 - player])).any():
        raise ParameterError(f"{PLAYERS[player]} never comes to {line!r}; there is nothing to solve for it.")
    own = Range(reach[player] / reach[player].max())
    others = Range(whole.weights[1 - player]).without(board)
    theirs = reach[1 - player]
    believed = Range(theirs / theirs.max()) if (theirs * met(own.weights)).any() else others
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
    """What stands before the street: entering `[n]` with which weight each hand of the other comes in."""

    def __init__(self, entering: np.ndarray) -> None:
        self.entering = entering

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """Be told what each hand gets there; of a belief nothing is learnt."""


class Leaving(Opening):
    """Each hand leaves with what it is offered, or stays."""

    def __init__(self, weights: np.ndarray, offers: np.ndarray) -> None:
        super().__init__(weights / 2)
        self.weights, self.offers, self.regrets = weights, offers, np.zeros((2, len(weights)))

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """See `Opening`."""
        stays = self.entering / self.weights
        worth = stays * values + (1 - stays) * self.offers
        self.regrets += np.stack([values, self.offers]) - worth
        self.entering = self.weights * match_regrets(self.regrets, axis=0)[0]
        self.regrets *= np.where(self.regrets > 0, rule[arrays.POSITIVE], rule[arrays.NEGATIVE])


class Picking(Opening):
    """The other picks a hand that may meet the player's, and is paid what it gets less what it is offered."""

    def __init__(self, weights: np.ndarray, offers: np.ndarray, meets: np.ndarray) -> None:
        super().__init__(np.where(meets, weights / meets.sum(), 0.0))
        self.weights, self.offers, self.meets, self.regrets = weights, offers, meets, np.zeros(len(weights))

    def learn(self, values: np.ndarray, rule: np.ndarray) -> None:
        """See `Opening`."""
        picked = self.entering / self.weights
        gaps = self.weights * (values - self.offers)
        self.regrets += np.where(self.meets, gaps - picked @ gaps, 0.0)
        positive = np.maximum(self.regrets, 0)
        picked = positive / positive.sum() if positive.any() else self.meets / self.meets.sum()
        self.entering = self.weights * picked
        self.regrets *= np.where(self.regrets > 0, rule[arrays.POSITIVE], rule[arrays.NEGATIVE])


def _opening(
    how: str, compiled: CompiledSpot, player: int, believed: Range, before: np.ndarray, spare: float
) -> Opening:
    """The opening of a way; `before`, what each hand of the other could make, is what it is offered."""
    hands = compiled.contexts[0].hands[1 - player]
    if how == "unsafe":
        return Opening(believed.weights[hands])
    weights = compiled.weights[1 - player]
    meets = met(compiled.spot.weights[player])[hands]
    if how == "gadget":
        return Leaving(weights, before - spare * meets / compiled.spot.pairs)
    return Picking(weights, before, meets > 0)


class Ranged(HandSolver):
    """Solves what follows a place, whoever comes there: ranges may change on the way."""

    def __init__(self, compiled: CompiledSpot, method: HandMethod) -> None:
        super().__init__(compiled, method)
        self._learned = [0, 0]  # iterations of each player by `learn`

    def weigh(self, ranges: tuple[np.ndarray, np.ndarray]) -> None:
        """Go on with other weights of the hands at the root."""
        for player, weights in enumerate(ranges):
            self._walking.weights[player, : len(weights)] = weights

    def learn(self, player: int, ranges: tuple[np.ndarray, np.ndarray], count: int) -> np.ndarray:
        """Let one player learn for some iterations; the other's strategy stays, and enters its average.

        Args:
            player: who learns.
            ranges: the weights of both players' hands at the root.
            count: number of iterations.

        Returns:
            `[n]` what the player's hands were worth, the mean over these iterations: times the weight of those they
            meet.
        """
        self.weigh(ranges)
        worth = np.zeros(len(ranges[player]))
        for rule in self.method.rules(self._learned[player] + 1, count):
            self._walking.learn(rule[None], self._regrets, self._sums, self._scales, (player,))
            worth += self._walking.work.value[0, : len(worth)]
        self._learned[player] += count
        return worth / count


class Behind(Ranged):
    """Solves a street behind an opening; each iteration updates the other, then what enters, then the player."""

    def __init__(self, compiled: CompiledSpot, method: HandMethod, player: int, opening: Opening) -> None:
        self._opening, self.player = opening, player
        super().__init__(compiled, method)

    def _iterate(self, count: int) -> None:
        other, size = 1 - self.player, len(self._opening.entering)
        for rule in self.method.rules(self.iterations + 1, count):
            for walker in (other, self.player):
                self._walking.weights[other, :size] = self._opening.entering
                self._walking.learn(rule[None], self._regrets, self._sums, self._scales, (walker,))
                if walker == other:
                    self._opening.learn(self._walking.work.value[0, :size].astype(np.float64), rule)
            self.iterations += 1


def _counterfactual(
    blueprint: SpotStrategy, line: str, player: int, compiled: CompiledSpot
) -> Callable[[np.ndarray], np.ndarray]:
    """What turns values at the street's root into those of the whole spot, by hand."""
    whole, place = blueprint.compiled, blueprint.find(line)
    chance = float(np.prod(whole.form.streets[1 : place.street + 1, 2]))
    own, hands = blueprint.reach(line)[player], compiled.contexts[0].hands[1 - player]
    unit = own.max() * compiled.spot.pairs / (whole.spot.pairs * chance)

    meets = met(compiled.spot.weights[player])[hands] > 0

    def worth(values: np.ndarray) -> np.ndarray:
        found = np.full(len(HANDS), np.nan)
        found[hands] = np.where(meets, unit * compiled.weights[1 - player] * values, np.nan)
        return found

    return worth


def combined(blueprint: SpotStrategy, streets: Sequence[StreetAgain]) -> SpotStrategy:
    """A blueprint with streets of it that were solved again in it, each for its own player.

    Args:
        blueprint: which they were solved from.
        streets: with the blueprint's own sizes.

    Raises:
        ParameterError: with other sizes: the blueprint has no place for them.
    """
    whole, sums = blueprint.compiled, blueprint.sums.astype(np.float64)
    for again in streets:
        if again.strategy.compiled.spot.betting.streets != whole.spot.betting.streets:
            raise ParameterError(f"{again.line!r} was solved with other sizes; the solution has no place for them.")
        start = blueprint.find(again.line)
        for context, street, node, shares in list_shares(again.strategy, whole, start, ""):
            if whole.tree.streets[street].kind[node] == again.player:
                hands = whole.contexts[context].hands[again.player]
                block = whole.block(context, street, node)
                known = shares[:, hands].sum(axis=0) > 0  # hands that come
                sums[block] = np.where(known, shares[:, hands], sums[block].reshape(-1, len(hands))).ravel()
    return SpotStrategy(whole, sums)
