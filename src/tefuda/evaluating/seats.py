"""Reach and values at the entrance of a subgame under a profile.

Values of augmented information sets are counterfactual, in the game's unit per game: of a set I of player i, the sum
over its roots h of pi_-i(h) u_i(h) (Burch, Johanson, Bowling 2014, section 2). They add up over public states, and are
0 where pi_-i is 0. Profiles of other games are refused.
"""

from __future__ import annotations

import numpy as np

from tefuda.evaluating.profile import Profile, best_response, check_player, require_same_game
from tefuda.evaluating.values import Reach, history_values, reach
from tefuda.forms.subgame import Subgame


def entrance(sub: Subgame, profile: Profile) -> Reach:
    """Return the reach of each root: `[R, P]` by each player's actions, `[R]` by chance."""
    require_same_game(sub.tree, profile)
    found = reach(profile)
    return Reach(found.own[sub.roots], found.chance[sub.roots])


def seat_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """Return the counterfactual values `[S]` of augmented information sets of a player."""
    check_player(sub.tree, player)
    reached = entrance(sub, profile).counterfactual(player)
    return sub.summed(player, reached * history_values(profile)[sub.roots, player])


def best_seat_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """Return the counterfactual best-response values `[S]` of the same; see `seat_values`."""
    return seat_values(sub, best_response(profile, player).profile, player)
