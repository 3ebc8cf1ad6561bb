"""Variance reduction of an agent's winnings: imaginary observations, chance correction, AIVAT.

The strategies of some players and chance are *known*; the strategies of the others are not. A *landmark* is a history
at which another player decides, or an end. Landmarks form a *class* if the others took the same actions at the same
infosets before, and if all belong to one infoset or all are ends. The others' reach is equal within a class and
cancels. With w(h) the reach of h by the known players and chance, W(C) the sum of w over a class,
and V any estimate of the payoff made before the hands are observed:

    imaginary observations   sum of w(z) u(z) over the class of the end / W        Bowling et al., ICML 2008
    chance-corrected         u(z) + sum over chance events of E[V] - V(the outcome)
    AIVAT                    imaginary + sum over landmarks of E[V(C)] - V(the class of the landmark),
                             V(C) = sum of w V / W(C)                              Burch et al., AAAI 2018

E[V(C)] is the mean over the classes that can follow the last decision of another player, weighted by W. All moves
from there to the next landmark are known, so the weights of these classes sum to that of the class before, and each
difference has mean 0. Hence the mean of each estimator is the player's expected payoff in every game, for any V and any
strategies of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError, check_range, shortened
from tefuda.evaluating.profile import Profile, check_player, require_same_game
from tefuda.evaluating.values import history_values, reach, require_profile
from tefuda.forms.arrays import finite_numbers
from tefuda.forms.paths import along_paths, deeper_levels
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE
from tefuda.playing.match import Match


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of a player's winnings at each terminal history, in the game's unit.

    Attributes:
        chips: `[Z]` payoffs, without variance reduction.
        chance_corrected: `[Z]` payoffs corrected for chance.
        imaginary: `[Z]` estimates by imaginary observations.
        aivat: `[Z]` estimates by AIVAT.
    """

    chips: np.ndarray  # [Z]
    chance_corrected: np.ndarray  # [Z]
    imaginary: np.ndarray  # [Z]
    aivat: np.ndarray  # [Z]


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Decisions of players with unknown strategies, and terminal histories.

    A step starts at the root or with an action at a class. All its moves are of chance or known players.

    Attributes:
        nodes: `[L]` histories.
        number: `[L]` classes, from 0.
        step: `[L]` steps before, from 0; equal within a class.
    """

    nodes: np.ndarray  # [L] int64
    number: np.ndarray  # [L] int64
    step: np.ndarray  # [L] int64


def _landmarks(tree: Tree, known: tuple[int, ...]) -> Landmarks:
    """Return the landmarks of a tree; use ``tree.derived(_landmarks, known)``."""
    marked = ~np.isin(tree.player, (CHANCE, *known))
    begun = np.arange(len(marked))  # the first history of each history's step
    for nodes in deeper_levels(tree):
        begun[nodes] = np.where(marked[tree.parent[nodes]], nodes, begun[tree.parent[nodes]])
    nodes, above = np.flatnonzero(marked), tree.parent[begun]
    behind = along_paths(tree, marked.astype(np.float64))[nodes]  # number of landmarks so far, including itself
    number, step, widest, count = np.zeros(len(marked), dtype=np.int64), begun * 0, int(tree.child_count.max()), 0
    for rank in range(1, int(behind.max()) + 1):
        these = nodes[behind == rank]
        if rank > 1:
            step[these] = 1 + number[above[these]] * widest + begun[these] - tree.first_child[above[these]]
        classes, index = np.unique(step[these] * (tree.infosets + 1) + tree.infoset[these], return_inverse=True)
        number[these] = count + index
        count += len(classes)
    return Landmarks(nodes, number[nodes], np.unique(step[nodes], return_inverse=True)[1])


def estimates(profile: Profile, player: int, guess: np.ndarray | None = None, known: Sequence[int] = ()) -> Estimates:
    """Return estimates of a player's winnings at each terminal history, in the game's unit.

    Args:
        profile: the player's strategy; the other parts are used for the default guess.
        player: the player.
        guess: `[N]` estimates of the payoff at each history, made before the hands are observed; default: the values of
            the profile.
        known: other players who play their part of the profile.

    Raises:
        ParameterError: no such player, or the guess is not one finite number for each history.
        ProfileError: `profile` is not a profile.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> estimates = td.playing.estimates(td.Profile.uniform(tree), 0)
    >>> len(estimates.aivat) == len(tree.terminals), bool(estimates.aivat.std() < estimates.chips.std())
    (True, True)
    """
    require_profile(profile)
    tree = profile.tree
    return _estimates(profile, player, _known(tree, player, known), guess)


def estimates_against(profile: Profile, player: int, guess: np.ndarray | None = None) -> Estimates:
    """Return estimates of a player whose strategy is unknown, against opponents who play a profile.

    A person's strategy is unknown, but the opponents' strategies may be known. The estimates `imaginary` and `aivat`
    depend only on the infosets and the actions of the player: the cards of the opponents are averaged.

    Args:
        profile: the opponents' strategies; the player's part is used for the default guess.
        player: the player.
        guess: see `estimates`.

    Raises:
        ParameterError: see `estimates`.
        ProfileError: see `estimates`.

    >>> uniform = td.Profile.uniform(td.compile_game(td.load_game("kuhn")))
    >>> td.playing.estimates_against(uniform, 0).aivat.shape
    (30,)
    """
    require_profile(profile)
    check_player(profile.tree, player)
    opponents = tuple(other for other in range(profile.tree.players) if other != player)
    return _estimates(profile, player, opponents, guess)


def _estimates(profile: Profile, player: int, players: tuple[int, ...], guess: np.ndarray | None) -> Estimates:
    """Return estimates of a player's winnings, from the strategies of the known players."""
    tree = profile.tree
    guess = history_values(profile)[:, player] if guess is None else finite_numbers("guess", guess, len(tree.player))
    reached, marks = reach(profile), tree.derived(_landmarks, players)
    weight = (reached.chance * reached.own[:, players].prod(axis=1))[marks.nodes]
    payoffs, ends = tree.payoffs[:, player], tree.terminals
    at_ends = tree.infoset[marks.nodes] < 0
    base = _weighted(marks.number[at_ends], weight[at_ends], payoffs)
    expected = _weighted(marks.number, weight, guess[marks.nodes])
    luck = np.zeros(len(tree.player))
    luck[marks.nodes] = _weighted(marks.step, weight, expected) - expected
    return Estimates(
        payoffs.copy(), payoffs + _chance_luck(tree, guess)[ends], base, base + along_paths(tree, luck)[ends]
    )


def _known(tree: Tree, player: int, others: Sequence[int]) -> tuple[int, ...]:
    """Return the players with known strategies, in order."""
    if not isinstance(others, Sequence):
        raise ParameterError(f"known must be a list of players, such as [0, 2]; got {shortened(others)}.")
    for known in (player, *others):
        check_player(tree, known)
    return tuple(sorted({int(known) for known in (player, *others)}))


def _weighted(groups: np.ndarray, weight: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the weighted mean of the group of each entry; 0 if the group has no weight."""
    mass, total = np.bincount(groups, weight), np.bincount(groups, weight * values)
    return np.asarray((total / np.where(mass > 0, mass, 1.0))[groups])


def _chance_luck(tree: Tree, guess: np.ndarray) -> np.ndarray:
    """Return `[N]` the sum over chance events of the path of the expected guess minus the outcome's guess."""
    drawn = 1 + np.flatnonzero(tree.player[tree.parent[1:]] == CHANCE)
    expected = np.bincount(tree.parent[drawn], tree.chance[drawn] * guess[drawn], minlength=len(tree.player))
    luck = np.zeros(len(tree.player))
    luck[drawn] = expected[tree.parent[drawn]] - guess[drawn]
    return along_paths(tree, luck)


def off_policy(played: Profile, target: Profile, player: int, *, imaginary: bool = True) -> np.ndarray:
    """Return `[Z]` off-policy estimates of a strategy's winnings (Bowling et al. 2008).

    The estimates use importance sampling. Their expected value is the payoff of the target, in the game's unit.

    Args:
        played: profile with the strategy that the player used.
        target: profile with the player's strategy to evaluate, in the same game.
        player: the player.
        imaginary: whether to use all terminal histories consistent with the others' actions, not only the observed one.

    Raises:
        ParameterError: no such player, or the target takes actions that `played` never takes.
        ProfileError: the profiles are of different games.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> flat = td.Profile.uniform(tree)
    >>> bets = td.named_agents(tree, ["always-raise"])[0].profile
    >>> len(td.playing.off_policy(flat, bets, 0)) == len(tree.terminals)
    True
    """
    require_profile(played)
    tree = played.tree
    require_same_game(tree, target)
    known, ends = _known(tree, player, ()), tree.terminals
    was, would = (reached.chance[ends] * reached.own[ends, player] for reached in (reach(played), reach(target)))
    marks = tree.derived(_landmarks, known)
    group = marks.number[tree.infoset[marks.nodes] < 0] if imaginary else np.arange(len(ends))
    mass, needed, total = (np.bincount(group, w) for w in (was, would, would * tree.payoffs[:, player]))
    if ((needed > 0) & ~(mass > 0)).any():
        raise ParameterError(
            f"player {player}'s target takes actions that the played strategy never takes. Mix a little of the target "
            f"into the played strategy: played.mixed(target, 0.01)."
        )
    return np.asarray((total / np.where(mass > 0, mass, 1.0))[group])


def aivat(match: Match, agent: int, profile: Profile) -> tuple[float, float]:
    """Return an agent's mean winnings per hand in a match by AIVAT, and their standard error.

    Args:
        match: match on a tree, with ``play=True`` if all agents are profiles.
        agent: index of the agent in the match.
        profile: the agent's strategy in all seats.

    Raises:
        ParameterError: the match has another game than the profile, or no such agent.

    >>> tree = td.compile_game(td.load_game("kuhn"))
    >>> agents = td.named_agents(tree, ["uniform", "always-raise"])
    >>> match = td.duplicate_match(tree, agents, deals=50, play=True)
    >>> mean, error = td.playing.aivat(match, 0, agents[0].profile)
    >>> bool(abs(mean - match.exact[:, 0].mean()) < 4 * error)
    True
    """
    require_profile(profile)
    tree = profile.tree
    if not isinstance(match, Match):
        raise ParameterError(f"match must be a Match from duplicate_match; got {shortened(match)}.")
    if match.payoffs.shape[1] == 0:
        raise ParameterError("the match has no hands; play it with play=True.")
    check_range("agent", agent, 0, len(match.agents) - 1)
    if (match.ends < 0).any():
        raise ParameterError("AIVAT needs a match on a tree; this one was played without a tree.")
    if not np.isin(match.ends, tree.terminals).all():
        raise ParameterError(f"the match is of another game than {tree.title}: its hands end at other histories.")
    index = np.full(len(tree.player), -1)
    index[tree.terminals] = np.arange(len(tree.terminals))
    by_seat = {seat: estimates(profile, seat).aivat for seat in range(tree.players)}
    rows = [by_seat[order.index(agent)][index[ends]] for order, ends in zip(match.seatings, match.ends, strict=True)]
    units = match.independent(np.mean(rows, axis=0))
    return float(units.mean()), float(units.std(ddof=1) / np.sqrt(len(units))) if len(units) > 1 else np.nan
