"""A trunk as a problem of its own: who comes to its start with which range, and what the other could have elsewhere.

Dimension letters: S seats of a player at the start, A at the cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tefuda.forms.region import Region, behind_choice
from tefuda.resolving.limited.trunk import Trunk
from tefuda.views import short_repr

_NEVER = 1e-12  # a reach that cannot be told from round-off


@dataclass(frozen=True, eq=False)
class Lookahead:
    """A problem that solvers of trunks take.

    trunk: what is looked at. form: the trunk's region, or that behind a player's choice of its seat. ranges: for each
    player the realisation probabilities of the form's first sequences. ends: as the trunk's, in this form.
    """

    trunk: Trunk
    form: Region
    ranges: tuple[np.ndarray, ...]
    ends: tuple[np.ndarray, ...]

    __repr__ = short_repr


def from_the_start(trunk: Trunk) -> Lookahead:
    """A trunk that begins where the game does."""
    return Lookahead(trunk, trunk.region, (np.ones(1), np.ones(1)), trunk.ends)


def from_a_public_state(trunk: Trunk, player: int, reach: np.ndarray, worth: np.ndarray) -> Lookahead:
    """A trunk that begins at a public state, for one player, who may not let the other have more than before.

    The other chooses its seat, and pays what that seat was worth to it: what it gains is 0 at most if the player's part
    of a solution is as good as what it played before (max-margin: Moravcik et al. 2016).

    `openings.MaxMargin` is the same over a blueprint, and shares no code with this: there each root below is drawn and
    paid in a game of its own, which is cut out of a tree for this one blueprint; here the trunk stays as it is from
    look to look, what is known comes as ranges, and the choice is grafted onto its region (`region.behind_choice`).

    Args:
        trunk: from the public state on.
        player: whose strategy is wanted.
        reach: `[S]` its range.
        worth: `[S]` what each of the other's seats was worth to it, counterfactual.
    """
    other, total = 1 - player, float(reach.sum())
    known = total > _NEVER  # else whatever is played is never seen
    own = reach / total if known else np.full(len(reach), 1 / len(reach))
    form = behind_choice(trunk.region, other, worth / total if known else np.zeros(len(worth)))
    ranges = (own, np.ones(1)) if player == 0 else (np.ones(1), own)
    ends = tuple(one + (one >= int(trunk.region.span[other])) for one in trunk.ends)  # the other has a sequence more
    return Lookahead(trunk, form, ranges, ends)
