"""Networks of values fitted by PyTorch (extra ``deep``)."""

import tefuda.solvers.deep  # noqa: F401 - raises MissingExtraError without PyTorch
