"""What a hand says about an agent with less luck in it: imaginary observations, chance correction, AIVAT.

Agent i's strategy and chance are known, the others' strategies are not. Histories that all others see alike (at the
same depth) form a *class*: within it only what i alone knows differs, so the others' reach is the same and cancels.
With w(h) the reach of chance and i, W(C) the sum of w over a class, V any guess of i's payoff made before the hands are
seen:

    imaginary observations   sum of w(z) u(z) over the last class / W              Bowling et al., ICML 2008
    chance-corrected         u(z) + sum over chance events of E[V] - V(what came)
    AIVAT                    imaginary + sum over moves of chance and i of E[V(C')] - V(the class that came),
                             V(C) = sum of w V / W(C)                              Burch et al., AAAI 2018

Each has i's expected payoff as its mean, whatever V is and whatever the others play.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.errors import ParameterError
from tefuda.forms.tree import Tree, states
from tefuda.games.answers import asking
from tefuda.games.protocol import CHANCE
from tefuda.judging.profile import Profile, check_player, require_same_game
from tefuda.judging.values import history_values, reach
from tefuda.playing.match import Match


@dataclass(frozen=True, eq=False)
class Estimates:
    """What each end of a game counts for a player, `[Z]` each; `chips` is the plain payoff."""

    chips: np.ndarray  # [Z]
    chance_corrected: np.ndarray  # [Z]
    imaginary: np.ndarray  # [Z]
    aivat: np.ndarray  # [Z]


@dataclass(frozen=True, eq=False)
class Classes:
    """Histories that all others see alike: each one's class; each class's parent and who moves there, parents first."""

    number: np.ndarray  # [N]
    parent: np.ndarray  # [C]
    mover: np.ndarray  # [C]


def others_see(tree: Tree, player: int) -> Classes:
    """The classes of a player.

    Raises:
        GameError: the tree does not know its rules, which say what others see.
    """
    known_states, rules = states(tree), tree.rules
    others = [other for other in range(tree.players) if other != player]
    number, keys = np.zeros(len(tree.player), dtype=np.int64), dict[object, int]()
    parent, mover = list[int](), list[int]()

    def seen(node: int) -> object:
        """What the others see; None where chance moves. Two chance events in a row look like nothing."""
        if tree.player[node] == CHANCE:
            return None
        with asking(rules):
            return tuple(rules.view(known_states[node], other) for other in others)

    for node in range(len(number)):
        first, top = int(tree.first_child[node]), int(tree.parent[node])
        # Views of those who do not move may lack what they did last.
        done = node - int(tree.first_child[top]) if node and tree.player[top] not in (CHANCE, player) else -1
        before, own = int(number[top]) if node else -1, seen(node)
        # A chance event has no view: it is told by what may come of it.
        options = [own] if own is not None else [seen(n) for n in range(first, first + int(tree.child_count[node]))]
        known = [keys[before, done, option] for option in options if (before, done, option) in keys]
        number[node] = known[0] if known else len(parent)
        if not known:
            parent.append(before)
            mover.append(int(tree.player[node]))
        keys.update(((before, done, option), int(number[node])) for option in options)
    return Classes(number, np.array(parent), np.array(mover))


def estimates(tree: Tree, player: int, profile: Profile, guess: np.ndarray | None = None) -> Estimates:
    """The estimators of a player whose part of a profile is what it plays.

    Args:
        tree: the game, compiled from rules.
        player: whose payoff.
        profile: its own part is used; and all of it for the guess, if none is given.
        guess: `[N]` of the payoff at every history; what the profile is worth there if left out. Fix it before the
            hands are seen.

    Returns:
        What each end counts, `[Z]` by estimator.

    Raises:
        GameError: the tree does not know its rules.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> found = tf.estimates(tree, 0, tf.Profile.uniform(tree))
    >>> len(found.aivat) == len(tree.terminals), bool(found.aivat.std() < found.chips.std())
    (True, True)
    """
    require_same_game(tree, profile)
    check_player(tree, player)
    guess = history_values(tree, profile)[:, player] if guess is None else guess
    reached, classes = reach(tree, profile), others_see(tree, player)
    weight = reached.chance * reached.own[:, player]
    payoffs, ends = tree.payoffs[:, player], tree.terminals
    mass = np.bincount(classes.number, weight)
    safe = np.where(mass > 0, mass, 1.0)
    worth = np.bincount(classes.number, weight * guess) / safe
    base = np.bincount(classes.number[ends], weight[ends] * payoffs, minlength=len(mass)) / safe
    known = (classes.mover == CHANCE) | (classes.mover == player)
    expected = np.bincount(classes.parent[1:], mass[1:] * worth[1:], minlength=len(mass)) / safe
    correction = np.zeros(len(mass))
    for number in range(1, len(mass)):
        before = classes.parent[number]
        correction[number] = correction[before] + (expected[before] - worth[number] if known[before] else 0.0)
    last = classes.number[ends]
    luck = _chance_luck(tree, guess)
    return Estimates(payoffs.copy(), payoffs + luck[ends], base[last], base[last] + correction[last])


def _chance_luck(tree: Tree, guess: np.ndarray) -> np.ndarray:
    """`[N]` the sum over chance events so far of what was to be expected less what came."""
    drawn = np.flatnonzero(tree.player[tree.parent] == CHANCE)
    drawn = drawn[tree.parent[drawn] >= 0]
    expected = np.bincount(tree.parent[drawn], tree.chance[drawn] * guess[drawn], minlength=len(tree.player))
    luck = np.zeros(len(tree.player))
    came = np.zeros(len(tree.player), dtype=bool)
    came[drawn] = True
    for node in range(1, len(luck)):
        before = tree.parent[node]
        luck[node] = luck[before] + (expected[before] - guess[node] if came[node] else 0.0)
    return luck


def off_policy(tree: Tree, player: int, played: Profile, target: Profile, *, imaginary: bool = True) -> np.ndarray:
    """`[Z]` what each end says of a strategy other than the one played (Bowling et al. 2008): importance sampling.

    Args:
        tree: the game, compiled from rules.
        player: whose strategy.
        played: its part is what was played.
        target: its part is what is asked about; it must not do what `played` never does.
        imaginary: whether to take all ends of the class that the others see alike, not only the one that came.

    Returns:
        An array `[Z]` in the game's unit.

    Raises:
        ProfileError: the profile is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> flat = tf.Profile.uniform(tree)
    >>> bets = tf.named_agents(tree, ["always-raise"])[0].profile
    >>> len(tf.off_policy(tree, 0, flat, bets)) == len(tree.terminals)
    True
    """
    before, after = (reach(tree, one) for one in (played, target))
    was, would = (one.chance * one.own[:, player] for one in (before, after))
    ends, payoffs = tree.terminals, tree.payoffs[:, player]
    if not imaginary:
        return np.asarray(np.where(was[ends] > 0, payoffs * would[ends] / np.where(was[ends] > 0, was[ends], 1.0), 0.0))
    number = others_see(tree, player).number[ends]
    mass = np.bincount(number, was[ends])
    total = np.bincount(number, would[ends] * payoffs)
    return np.asarray((total / np.where(mass > 0, mass, 1.0))[number])


def mean_and_deviation(tree: Tree, profile: Profile, values: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of `[Z]` values of ends when everybody plays a profile, without sampling."""
    share = reach(tree, profile).total[tree.terminals]
    mean = float(share @ values)
    return mean, float(np.sqrt(max(share @ (values - mean) ** 2, 0.0)))


def with_less_luck(tree: Tree, match: Match, agent: int, profile: Profile) -> tuple[float, float]:
    """Mean and standard error of what an agent won in a match that was played, by AIVAT in every seat.

    Args:
        tree: the game.
        match: played on the tree, ``play=True`` if all agents are profiles.
        agent: its place in the match.
        profile: what the agent played in every seat.

    Returns:
        The mean and its standard error, in the game's unit a hand.

    Raises:
        ParameterError: the match is of another game.

    >>> tree = tf.compile_game(tf.load_game("kuhn"))
    >>> agents = tf.named_agents(tree, ["uniform", "always-raise"])
    >>> match = tf.duplicate_match(tree, agents, deals=50, play=True)
    >>> mean, error = tf.with_less_luck(tree, match, 0, agents[0].profile)
    >>> bool(abs(mean - match.exact[:, 0].mean()) < 4 * error)
    True
    """
    require_same_game(tree, profile)
    if (match.ends < 0).any():
        raise ParameterError("the match was played without a tree, which taking luck out needs. Play it on the tree.")
    if not np.isin(match.ends, tree.terminals).all():
        raise ParameterError(f"the match was not played at this {tree.title}: its hands end where no game ends here.")
    place = np.full(len(tree.player), -1)
    place[tree.terminals] = np.arange(len(tree.terminals))
    found = {seat: estimates(tree, seat, profile).aivat for seat in range(tree.players)}
    rows = [found[order.index(agent)][place[ends]] for order, ends in zip(match.seatings, match.ends, strict=True)]
    units = match.independent(np.mean(rows, axis=0))
    return float(units.mean()), float(units.std(ddof=1) / np.sqrt(len(units))) if len(units) > 1 else np.nan
