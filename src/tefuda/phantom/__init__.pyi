# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.phantom.form import Referee as Referee
from tefuda.phantom.form import RefereePolicy as RefereePolicy
from tefuda.phantom.form import referee as referee
from tefuda.phantom.rules import DarkHex as DarkHex
from tefuda.phantom.rules import PhantomGame as PhantomGame
from tefuda.phantom.rules import PhantomTicTacToe as PhantomTicTacToe
from tefuda.phantom.simulator import BoardSimulator as BoardSimulator
from tefuda.phantom.solver import PhantomExploitability as PhantomExploitability
from tefuda.phantom.solver import RefereeMethod as RefereeMethod
from tefuda.phantom.solver import RefereeSolver as RefereeSolver

__all__ = ["BoardSimulator", "DarkHex", "PhantomExploitability", "PhantomGame", "PhantomTicTacToe", "Referee", "RefereeMethod", "RefereePolicy", "RefereeSolver", "referee"]
