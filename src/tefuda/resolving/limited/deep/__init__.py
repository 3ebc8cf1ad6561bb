"""Networks of values fitted by PyTorch (extra ``deep``)."""

from __future__ import annotations

import importlib.util

from tefuda.errors import MissingExtraError

if importlib.util.find_spec("torch") is None:
    raise MissingExtraError("deep", "training a network of values")
