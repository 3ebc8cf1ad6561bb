"""Fitting of value networks in PyTorch (extra ``deep``)."""

import tefuda.solvers.deep  # noqa: F401 - raises MissingExtraError without PyTorch
