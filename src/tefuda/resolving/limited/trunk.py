"""Trunks: a game from a public state down to a cut, with subgames below it, as a problem that solvers take.

Dimension letters: P players, S subgames at the cut, A seats of a player in all of them, R roots, Q sequences.

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
from tefuda.forms.region import Region, max_margin_gadget, region_of
from tefuda.forms.subgame import Subgame, subgame
from tefuda.forms.tree import Tree
from tefuda.games.protocol import CHANCE
from tefuda.resolving.limited.equilibria import MIN_REACH, normalized
from tefuda.views import short_repr

#: So many moves, the next deal, or public states.
Cut = int | str | Sequence[int]
_CUTS = "it must be 'deal', a number of moves, or a list of public states"


@dataclass(frozen=True, eq=False)
class Trunk(Arrays):
    """A game from a start to a cut.

    region: from the start to the cut.
    subgames: S, those at the cut, by the numbers of their public states.
    below: S, the region of each, to the end of the game.
    ends: for each player `[A]` the sequence of `region` that leads to each of its seats at the cut.
    first: `[P, S + 1]`, the seats of subgame s are first[player, s]..first[player, s + 1] in `ends`.
    """

    tree: Tree
    region: Region
    subgames: tuple[Subgame, ...]
    below: tuple[Region, ...]
    ends: tuple[np.ndarray, ...]
    first: np.ndarray  # [P, S + 1]

    __repr__ = short_repr

    def split(self, player: int, values: np.ndarray) -> list[np.ndarray]:
        """Return values of a player's seats at the cut `[A]`, subgame by subgame."""
        return [values[start:end] for start, end in pairwise(self.first[player].tolist())]


@dataclass(frozen=True, eq=False)
class Lookahead:
    """A trunk as a problem of its own.

    form: the trunk's region, or that behind a player's choice of its seat. ranges: for each player the realisation
    probabilities of the form's first sequences. ends: those of the trunk, as sequences of this form.
    """

    trunk: Trunk
    form: Region
    ranges: tuple[np.ndarray, ...]
    ends: tuple[np.ndarray, ...]

    __repr__ = short_repr


def root_lookahead(trunk: Trunk) -> Lookahead:
    """Return the lookahead of a trunk that begins where the game does."""
    return Lookahead(trunk, trunk.region, (np.ones(1), np.ones(1)), trunk.ends)


def resolving_lookahead(trunk: Trunk, player: int, reach: np.ndarray, worth: np.ndarray) -> Lookahead:
    """Return the lookahead of a player who may not let the other player gain (max-margin: Moravcik et al. 2016).

    The other player chooses its seat and pays the counterfactual value `[S]` that it had before (`worth`). So its gain
    is at most 0 if the player, who comes with a reach `[S]`, is as good as its strategy before.
    """
    other, total = 1 - player, float(reach.sum())
    known = total > MIN_REACH  # else the player's strategy is never seen
    form = max_margin_gadget(trunk.region, other, worth / total if known else np.zeros(len(worth)))
    ranges = (normalized(reach), np.ones(1)) if player == 0 else (np.ones(1), normalized(reach))
    ends = tuple(one + (one >= int(trunk.region.span[other])) for one in trunk.ends)  # the other has a sequence more
    return Lookahead(trunk, form, ranges, ends)


def trunk_of(tree: Tree, cut: Cut, start: int = -1) -> Trunk:
    """Return the trunk from a public state (-1: the start) to a cut, cached; raise ParameterError or GameError."""
    if isinstance(cut, np.integer):
        cut = int(cut)
    if isinstance(cut, bool) or not isinstance(cut, (int, str)):
        try:
            cut = tuple(int(one) for one in cut)  # type: ignore[union-attr]
        except (TypeError, ValueError):
            raise ParameterError(f"the cut is {shortened(cut)}; {_CUTS}.") from None
    return _trunk(tree, cut, start)


def require_subgames(trunk: Trunk, cut: Cut) -> None:
    """Raise ParameterError if a cut leaves nothing below it."""
    if not trunk.subgames:
        raise ParameterError(f"the cut {cut!r} leaves nothing of {trunk.tree.name} below it; choose a nearer one.")


@derived
def below(tree: Tree, public_state: int) -> Region:
    """Return the region from a public state to the end of the game."""
    there = subgame(tree, public_state)
    return region_of(tree, there.roots, there.seats)


@derived
def _trunk(tree: Tree, cut: int | str | tuple[int, ...], start: int) -> Trunk:
    if start < 0:
        roots, seats = np.zeros(1, dtype=np.int64), np.zeros((tree.players, 1), dtype=np.int64)
    else:
        roots, seats = subgame(tree, start).roots, subgame(tree, start).seats
    exits = _exits(tree, roots, cut)
    region = region_of(tree, roots, seats, exits)
    known = public_states(tree)[tree.infoset[region.exits]]
    subgames = tuple(subgame(tree, int(one)) for one in np.unique(known))
    ends, first = [], np.zeros((tree.players, len(subgames) + 1), dtype=np.int64)
    for player in range(tree.players):
        found = [_ends(tree, region, one, player) for one in subgames]
        first[player, 1:] = np.cumsum([len(one) for one in found])
        ends.append(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
    parts = tuple(below(tree, one.public_state) for one in subgames)
    return Trunk(tree, region, subgames, parts, tuple(ends), first)


def _ends(tree: Tree, region: Region, there: Subgame, player: int) -> np.ndarray:
    """Return `[A]` the sequence of a region that leads a player to each of its seats in a subgame at its end."""
    places = np.minimum(np.searchsorted(region.exits, there.roots), len(region.exits) - 1)
    sequences = region.exit_sequences[places, player]
    ends = np.zeros(there.seats_of(player), dtype=np.int64)
    ends[there.seats[player]] = sequences
    if (region.exits[places] != there.roots).any() or (ends[there.seats[player]] != sequences).any():
        raise GameError(f"{tree.name}: public state {there.public_state} lies partly elsewhere; cut elsewhere.")
    return ends


def _exits(tree: Tree, roots: np.ndarray, cut: int | str | tuple[int, ...]) -> np.ndarray:
    """Return the histories at and below a cut; a public state is at the cut if one of its histories is."""
    states = public_states(tree)
    here, stops = np.flatnonzero(tree.infoset >= 0), np.zeros(states.max(initial=-1) + 1, dtype=bool)
    state = states[tree.infoset[here]]
    if isinstance(cut, tuple):
        if not cut or not set(cut) <= set(states.tolist()):
            raise ParameterError(f"the cut is {list(cut)}; public states of {tree.name} are 0 to {len(stops) - 1}.")
        stops[list(cut)] = True
        return here[stops[state]]
    moves, deals = _counted(tree, roots)
    if isinstance(cut, str):
        if cut != "deal":
            raise ParameterError(f"the cut is {cut!r}; {_CUTS}.")
        far = deals >= 1
    else:
        check_range("cut", cut, 1)
        far = moves >= cut
    stops[state[far[here]]] = True
    return here[stops[state]]


def _counted(tree: Tree, roots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `[2, N]` moves since the roots and deals since the first move; -1 where play does not come."""
    moves, deals = np.full((2, len(tree.player)), -1, dtype=np.int64)
    moves[roots], deals[roots], level = 0, 0, roots
    while len(level):
        parents = np.repeat(level, tree.child_count[level])
        level = ranges(tree.first_child[level], tree.child_count[level])
        moves[level] = moves[parents] + (tree.player[parents] >= 0)
        deals[level] = deals[parents] + ((tree.player[parents] == CHANCE) & (moves[parents] > 0))
    return moves, deals
