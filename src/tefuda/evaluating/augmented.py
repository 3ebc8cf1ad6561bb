"""Reach and values of augmented information sets, at the entrance of a subgame.

The value of an augmented information set I of player i is counterfactual: the sum over its roots h of pi_-i(h) u_i(h),
in the game's unit (Burch, Johanson, Bowling 2014, section 2). Values add up over public states. They are 0 where pi_-i
is 0. All functions raise ProfileError for a profile of another game.
"""

from __future__ import annotations

import numpy as np

from tefuda.evaluating.profile import Profile, best_response, check_player, require_same_game
from tefuda.evaluating.values import Reach, history_values, reach
from tefuda.forms.subgame import Subgame


def entrance_reach(sub: Subgame, profile: Profile) -> Reach:
    """Return the reach of each root: `[R, P]` by each player's actions, `[R]` by chance."""
    require_same_game(sub.tree, profile)
    reached = reach(profile)
    return Reach(reached.own[sub.roots], reached.chance[sub.roots])


def augmented_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """Return the counterfactual values `[S]` of augmented information sets of a player."""
    check_player(sub.tree, player)
    reached = entrance_reach(sub, profile).counterfactual(player)
    return sub.summed(player, reached * history_values(profile)[sub.roots, player])


def best_response_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """Return the counterfactual best-response values `[S]` of augmented information sets of a player."""
    return augmented_values(sub, best_response(profile, player).profile, player)
