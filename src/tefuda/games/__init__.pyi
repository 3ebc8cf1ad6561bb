# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.games.efg import read_efg as read_efg
from tefuda.games.efg import write_efg as write_efg
from tefuda.games.kit import kit_of as kit_of
from tefuda.games.picture import Picture as Picture
from tefuda.games.plays import playthrough as playthrough
from tefuda.games.report import Fault as Fault
from tefuda.games.report import Report as Report
from tefuda.games.size import Estimate as Estimate
from tefuda.games.size import estimate_game as estimate_game
from tefuda.games.small.nfg import read_nfg as read_nfg
from tefuda.games.small.nfg import write_nfg as write_nfg
from tefuda.games.translation import translate_history as translate_history
from tefuda.games.translation import translate_size as translate_size

__all__ = ["Estimate", "Fault", "Picture", "Report", "estimate_game", "kit_of", "playthrough", "read_efg", "read_nfg", "translate_history", "translate_size", "write_efg", "write_nfg"]
