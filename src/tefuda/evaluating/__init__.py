"""Profiles and their evaluation: values, best responses, NashConv, regrets.

This package imports only forms and the packages above them.
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "explorer": "Position",
    "off_path": "OffPathRegret off_path_regret",
    "profile": "BestResponse",
    "public_table": "PublicTable",
    "rankings": "alpha_rank fit_elo nash_average online_gaussian",
    "regret": "AverageRegret match_regrets matrix_regret_matching",
    "values": ("Counterfactual ProfileEvaluation Reach action_values counterfactual epsilon history_values reach"),
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
