"""Learners on PyTorch (extra ``deep``), over simulators."""

from __future__ import annotations

import importlib.util

from tefuda.errors import MissingExtraError

if importlib.util.find_spec("torch") is None:
    raise MissingExtraError("deep", "networks in PyTorch")
