# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.exchange.openspiel import from_openspiel as from_openspiel
from tefuda.exchange.openspiel import from_policy as from_policy
from tefuda.exchange.openspiel import to_openspiel as to_openspiel
from tefuda.exchange.openspiel import to_tabular_policy as to_tabular_policy
from tefuda.exchange.pettingzoo import to_pettingzoo as to_pettingzoo

__all__ = ["from_openspiel", "from_policy", "to_openspiel", "to_pettingzoo", "to_tabular_policy"]
