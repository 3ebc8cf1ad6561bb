"""Games as arrays: the tree of all histories, sequences, features, many games stepped at once.

Imports games and the modules at the top level.
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "form": "REPRESENTATIONS Saved",
    "partitions": "partition",
    "rules_simulator": "RulesSimulator",
    "sequence": "SequenceForm sequence_form",
    "simulate": "TreeSimulator",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
