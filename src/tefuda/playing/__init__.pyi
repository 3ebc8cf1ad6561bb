# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.playing.hands import Record as Record
from tefuda.playing.hands import read_hands as read_hands
from tefuda.playing.hands import read_record as read_record
from tefuda.playing.hands import write_hands as write_hands
from tefuda.playing.match import CrossTable as CrossTable
from tefuda.playing.rating import Ratings as Ratings
from tefuda.playing.rating import ratings as ratings
from tefuda.playing.searching import SearchAgent as SearchAgent
from tefuda.playing.table import RulesTable as RulesTable
from tefuda.playing.tree_search import IsmctsAgent as IsmctsAgent
from tefuda.playing.tree_search import TreeSearch as TreeSearch
from tefuda.playing.variance import aivat as aivat
from tefuda.playing.variance import estimates as estimates
from tefuda.playing.variance import estimates_against as estimates_against
from tefuda.playing.variance import off_policy as off_policy

__all__ = ["CrossTable", "IsmctsAgent", "Ratings", "Record", "RulesTable", "SearchAgent", "TreeSearch", "aivat", "estimates", "estimates_against", "off_policy", "ratings", "read_hands", "read_record", "write_hands"]
