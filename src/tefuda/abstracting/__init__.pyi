# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.abstracting.bucketing import buckets as buckets

__all__ = ["buckets"]
