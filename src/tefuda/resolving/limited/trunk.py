"""Trunks: a game from a public state down to a cut, and the subgames below it.

Dimension letters: P players, S subgames at the cut, A augmented infosets of a player in all of them, R roots,
Q sequences.

A cut is a value: a number of moves of players from the start; ``"deal"``, the next deal after a move; or a list of
public states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tefuda.errors import GameError, ParameterError, check_range, shortened
from tefuda.forms.arrays import Arrays, derived, ranges
from tefuda.forms.public import public_states
from tefuda.forms.subgame import Subgame, subgame
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE
from tefuda.resolving.limited.equilibria import MIN_REACH, normalized
from tefuda.resolving.limited.region import Region, max_margin_gadget, region_of
from tefuda.views import short_repr

#: A number of moves, the next deal, or public states.
Cut = int | str | Sequence[int]
_CUTS = "'deal', a number of moves, or a list of public states"


@dataclass(frozen=True, eq=False)
class Trunk(Arrays):
    """A game from a start to a cut.

    region: from the start to the cut.
    subgames: S subgames at the cut, by the numbers of their public states.
    below: S regions, from each subgame's roots to the end of the game.
    ends: for each player `[A]` the sequence of `region` that leads to each of its augmented infosets at the cut.
    first: `[P, S + 1]`; the entries first[player, s]..first[player, s + 1] of `ends` belong to subgame s.
    """

    tree: Tree
    region: Region
    subgames: tuple[Subgame, ...]
    below: tuple[Region, ...]
    ends: tuple[np.ndarray, ...]
    first: np.ndarray  # [P, S + 1]

    __repr__ = short_repr

    def split(self, player: int, values: np.ndarray) -> list[np.ndarray]:
        """Return values of a player's augmented infosets at the cut `[A]`, subgame by subgame."""
        return [values[start:end] for start, end in pairwise(self.first[player].tolist())]


@dataclass(frozen=True, eq=False)
class Lookahead:
    """A trunk as a problem of its own.

    form: the trunk's region, or that region below the opponent's choice of an augmented infoset (max-margin).
    ranges: for each player the realization probabilities of the form's first sequences.
    ends: `ends` of the trunk, as sequences of this form.
    """

    trunk: Trunk
    form: Region
    ranges: tuple[np.ndarray, ...]
    ends: tuple[np.ndarray, ...]

    __repr__ = short_repr


def root_lookahead(trunk: Trunk) -> Lookahead:
    """Return the lookahead of a trunk that begins at the root of the game."""
    return Lookahead(trunk, trunk.region, (np.ones(1), np.ones(1)), trunk.ends)


def resolving_lookahead(trunk: Trunk, player: int, reach: np.ndarray, values: np.ndarray) -> Lookahead:
    """Return the max-margin lookahead of a player (Moravcik et al. 2016).

    The opponent chooses an augmented infoset and pays the counterfactual value `[S]` that it had there before. So its
    gain is at most 0 if the player, with a reach `[S]`, plays at least as well as its strategy before.
    """
    opponent, total = 1 - player, float(reach.sum())
    reached = total > MIN_REACH  # else the player's strategy never matters
    form = max_margin_gadget(trunk.region, opponent, values / total if reached else np.zeros(len(values)))
    ranges = (normalized(reach), np.ones(1)) if player == 0 else (np.ones(1), normalized(reach))
    first = int(trunk.region.span[opponent])
    ends = tuple(own + (own >= first) for own in trunk.ends)  # the opponent has one more sequence
    return Lookahead(trunk, form, ranges, ends)


def trunk_of(tree: Tree, cut: Cut, start: int = -1) -> Trunk:
    """Return the cached trunk from a public state (-1: the root) to a cut.

    Raises:
        ParameterError: an unknown cut.
        GameError: a public state is only partly below the cut, or the game has no decisions.
    """
    if isinstance(cut, np.integer):
        cut = int(cut)
    if isinstance(cut, bool) or not isinstance(cut, (int, str)):
        try:
            cut = tuple(int(state) for state in cut)  # type: ignore[union-attr]
        except (TypeError, ValueError):
            raise ParameterError(f"cut must be {_CUTS}, got {shortened(cut)}.", key="cut", value=cut) from None
    return _trunk(tree, cut, start)


def require_subgames(trunk: Trunk, cut: Cut) -> None:
    """Raise ParameterError if there are no subgames below a cut."""
    if not trunk.subgames:
        why = f"nothing of {trunk.tree.name} lies below the cut {cut!r}; use a nearer one."
        raise ParameterError(why, key="cut", value=cut)


@derived
def region_below(tree: Tree, public_state: int) -> Region:
    """Return the region from a public state to the end of the game."""
    sub = subgame(tree, public_state)
    return region_of(tree, sub.roots, sub.augmented_infosets)


@derived
def _trunk(tree: Tree, cut: int | str | tuple[int, ...], start: int) -> Trunk:
    if not tree.infosets:
        raise GameError(f"{tree.name} has no decisions, so no depth limits it.")
    if start < 0:
        roots, infosets = np.zeros(1, dtype=np.int64), np.zeros((tree.players, 1), dtype=np.int64)
    else:
        roots, infosets = subgame(tree, start).roots, subgame(tree, start).augmented_infosets
    exits = _exits(tree, roots, cut, start)
    region = region_of(tree, roots, infosets, exits)
    states = public_states(tree)[tree.infoset[region.exits]]
    subgames = tuple(subgame(tree, int(state)) for state in np.unique(states))
    ends, first = [], np.zeros((tree.players, len(subgames) + 1), dtype=np.int64)
    for player in range(tree.players):
        sequences = [_ends(tree, region, sub, player) for sub in subgames]
        first[player, 1:] = np.cumsum([len(own) for own in sequences])
        ends.append(np.concatenate([np.zeros(0, dtype=np.int64), *sequences]))
    below = tuple(region_below(tree, sub.public_state) for sub in subgames)
    return Trunk(tree, region, subgames, below, tuple(ends), first)


def _ends(tree: Tree, region: Region, sub: Subgame, player: int) -> np.ndarray:
    """Return `[A]` the sequence of a region that leads to each augmented infoset of a player in a subgame."""
    exits = np.minimum(np.searchsorted(region.exits, sub.roots), len(region.exits) - 1)
    sequences = region.exit_sequences[exits, player]
    ends = np.zeros(sub.augmented_count(player), dtype=np.int64)
    ends[sub.augmented_infosets[player]] = sequences
    if (region.exits[exits] != sub.roots).any() or (ends[sub.augmented_infosets[player]] != sequences).any():
        raise GameError(f"{tree.name}: public state {sub.public_state} is only partly below the cut; use another cut.")
    return ends


def _exits(tree: Tree, roots: np.ndarray, cut: int | str | tuple[int, ...], start: int) -> np.ndarray:
    """Return the histories at and below a cut; a public state is at the cut if one of its histories is.

    The public state at the start is not, although it may contain its own descendants: no lookahead would pass it.
    """
    states = public_states(tree)
    decisions, stops = np.flatnonzero(tree.infoset >= 0), np.zeros(states.max(initial=-1) + 1, dtype=bool)
    state = states[tree.infoset[decisions]]
    if isinstance(cut, tuple):
        if not cut or not set(cut) <= set(states.tolist()):
            why = f"cut must list public states of {tree.name}, 0 to {len(stops) - 1}, got {list(cut)}."
            raise ParameterError(why, key="cut", value=cut)
        stops[list(cut)] = True
    else:
        stops[state[_beyond(tree, roots, cut)[decisions]]] = True
    if start >= 0:
        stops[start] = False
    return decisions[stops[state]]


def _beyond(tree: Tree, roots: np.ndarray, cut: int | str) -> np.ndarray:
    """Return a mask `[N]` of the histories at and below a number of moves, or the next deal."""
    moves, deals = _count_moves(tree, roots)
    if isinstance(cut, str):
        if cut != "deal":
            raise ParameterError(f"cut must be {_CUTS}, got {cut!r}.", key="cut", value=cut)
        return np.asarray(deals >= 1)
    check_range("cut", cut, 1)
    return np.asarray(moves >= cut)


def _count_moves(tree: Tree, roots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[2, N]` moves since the roots and deals since the first move; -1 elsewhere."""
    moves, deals = np.full((2, len(tree.player)), -1, dtype=np.int64)
    moves[roots], deals[roots], level = 0, 0, roots
    while len(level):
        parents = np.repeat(level, tree.child_count[level])
        level = ranges(tree.first_child[level], tree.child_count[level])
        moves[level] = moves[parents] + (tree.player[parents] >= 0)
        deals[level] = deals[parents] + ((tree.player[parents] == CHANCE) & (moves[parents] > 0))
    return moves, deals
