"""Rules of games: protocol, checks, size estimates and the catalogue.

Only shared modules are imported; a game is imported when it is loaded.
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "efg": "read_efg write_efg",
    "small.nfg": "read_nfg write_nfg",
    "kit": "kit_of",
    "picture": "Picture",
    "plays": "playthrough",
    "report": "Fault Report",
    "size": "Estimate estimate_game",
    "translation": "translate_history translate_size",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
