"""Automatic abstraction: partitions of infosets, and their exploitability in the real game."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "bucketing": "buckets",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
