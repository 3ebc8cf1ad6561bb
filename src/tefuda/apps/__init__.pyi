# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.apps.drawing.output import draw as draw

__all__ = ["draw"]
