"""Games and strategies of other programs: OpenSpiel and PettingZoo."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "openspiel": "from_openspiel from_policy to_openspiel to_tabular_policy",
    "pettingzoo": "to_pettingzoo",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
