"""tefuda: solve, judge and play games in which players see different things.

    import tefuda as tf
    tree = tf.compile_game(tf.load_game("leduc"))
    solution = tf.solve(tree, "cfr+", iterations=1000)

Names are loaded when they are first used: importing tefuda imports neither numba nor NumPy.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "adaptive": ("AdaptiveExploiter", "named_agents"),
    "agents": ("Agent", "HumanAgent", "OosAgent", "ProfileAgent", "ScriptedAgent", "SearchAgent"),
    "bounds": ("approximate_best_response", "local_best_response"),
    "cfr": ("CFR", "CFR_PLUS", "Method"),
    "coalition": ("maximin",),
    "check": ("check_game",),
    "driver": ("Goal", "Progress"),
    "exact": ("ExactSolution", "exact_solution"),
    "errors": (
        "GameError",
        "InputError",
        "MissingExtraError",
        "ParameterError",
        "ProfileError",
        "RunError",
        "SizeError",
        "SolverError",
        "TefudaError",
        "UnknownNameError",
    ),
    "estimate": ("Estimate", "estimate_game"),
    "fictitious": ("FictitiousPlay", "FictitiousSelfPlay", "matrix_fictitious_play"),
    "game": ("CHANCE", "TERMINAL", "Game", "playthrough"),
    "games": ("GAMES", "load_game"),
    "games.efg": ("read_efg", "write_efg"),
    "games.openspiel": ("from_openspiel",),
    "exploit": (
        "Response",
        "data_biased_response",
        "frontier",
        "game_value",
        "restricted_nash",
        "safe_best_response",
    ),
    "nfsp": ("NFSP",),
    "oos": ("OOS", "OnlineSampling", "OosSolver"),
    "openspiel": ("from_policy", "to_openspiel", "to_tabular_policy"),
    "hands": ("read_hands", "write_hands"),
    "lp": ("LP", "LinearProgram"),
    "match": ("Match", "duplicate_match"),
    "mccfr": ("Sampling",),
    "methods": ("METHODS", "find_method", "make_solver", "resume", "solve"),
    "perturbed": ("trembling_equilibrium",),
    "profile": ("Profile",),
    "regret": ("AverageRegret", "match_regrets", "matrix_regret_matching"),
    "report": ("Fault", "Report"),
    "response": (
        "BestResponse",
        "Counterfactual",
        "Judgement",
        "Reach",
        "best_response",
        "counterfactual",
        "epsilon",
        "exploitability",
        "history_values",
        "judge",
        "nash_conv",
        "reach",
        "values",
    ),
    "sampler": ("RulesSolver", "sample_rules"),
    "safe": ("SafeExploiter",),
    "search": ("OosSearch",),
    "sequence": ("SequenceForm", "sequence_form"),
    "simulate": ("TreeSimulator",),
    "solution": ("Point", "Solution", "read_solution"),
    "tree": ("Tree", "compile_game"),
    "tournament": ("cross_table",),
    "variance": ("estimates", "off_policy", "with_less_luck"),
    "virtual": ("Reading", "VirtualExploiter"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tefuda' has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(f"tefuda.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
