"""Dark hex and phantom tic-tac-toe: rules, simulator, exact evaluation and a solver.

>>> from tefuda import phantom
>>> phantom.DarkHex(rows=2, columns=2).action_labels
('a1', 'b1', 'a2', 'b2')
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "rules": "DarkHex PhantomGame PhantomTicTacToe",
    "form": "Referee RefereePolicy referee",
    "simulator": "BoardSimulator",
    "solver": "PhantomExploitability RefereeMethod RefereeSolver",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
