"""What a profile makes of a subgame's entrance: how probable its roots are, and what its seats are worth.

Values of seats are counterfactual: of a seat I of player i, sum over its roots h of pi_-i(h) u_i(h), in the game's unit
per game, pi_-i the reach by chance and the others. Over the seats of all public states that a move of i can lead to
they add up, which quotients by pi_-i(I) would not; and a seat nobody lets i come to is worth 0 instead of 0/0.
Source: Burch, Johanson, Bowling 2014, section 2 (CBV).
"""

from __future__ import annotations

import numpy as np

from tefuda.forms.subgame import Subgame
from tefuda.judging.profile import Profile, best_response, check_player, require_same_game
from tefuda.judging.values import Reach, history_values, reach


def entrance(sub: Subgame, profile: Profile) -> Reach:
    """How probable each root is: own `[R, P]` by each player's actions, chance `[R]`.

    Raises:
        ProfileError: the profile is of another game.
    """
    require_same_game(sub.tree, profile)
    found = reach(profile)
    return Reach(found.own[sub.roots], found.chance[sub.roots])


def seat_reach(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """`[S]` how probable each seat of a player would be if it tried to get there.

    Raises:
        ProfileError: the profile is of another game.
        ParameterError: there is no such player.
    """
    check_player(sub.tree, player)
    return sub.summed(player, entrance(sub, profile).counterfactual(player))


def seat_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """`[S]` the counterfactual value of each seat of a player, everybody keeping to the profile from there on.

    Raises:
        ProfileError: the profile is of another game.
        ParameterError: there is no such player.
    """
    check_player(sub.tree, player)
    reached = entrance(sub, profile).counterfactual(player)
    return sub.summed(player, reached * history_values(profile)[sub.roots, player])


def best_seat_values(sub: Subgame, profile: Profile, player: int) -> np.ndarray:
    """`[S]` the counterfactual best-response value of each seat of a player: what it can make of the profile there.

    Raises:
        ProfileError: the profile is of another game.
        ParameterError: there is no such player.
    """
    return seat_values(sub, best_response(profile, player).profile, player)
