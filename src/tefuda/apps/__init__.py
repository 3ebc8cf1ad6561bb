"""The command line, the terminal, pictures, notebooks, other programs' formats."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {"drawing.output": "draw"}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
