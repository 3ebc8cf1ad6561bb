"""The four endgames of Libratus, which papers call subgame 1 to subgame 4."""

from __future__ import annotations

from importlib.resources import files

from tefuda.errors import check_range
from tefuda.holdem.spots.game import SpotGame
from tefuda.holdem.spots.spot import read_spot


def endgame(number: int = 4) -> SpotGame:
    """Return an endgame of Libratus as a spot: ranges, board, pot and stacks of its hand.

    Endgames 1 and 2 begin on the turn, 3 and 4 on the river. The sizes are those of PDCFR+: half the pot, the pot, and
    all-in. The files are in ``tefuda/holdem/endgames``, with their source and licence.

    Args:
        number: 1 to 4.
    """
    check_range("number", number, 1, 4)
    return SpotGame(read_spot(str(files("tefuda.holdem").joinpath("endgames", f"endgame{number}.txt"))))
