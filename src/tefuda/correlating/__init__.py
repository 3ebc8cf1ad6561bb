"""Correlation devices, their gaps to correlated equilibria, learners, and optimal ones.

A device draws a profile and recommends its moves in private. A player obeys, or leaves at a trigger.
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "commitment": "Commitment",
    "device": "Device",
    "evaluator": "CorrelationGap",
    "gaps": "Gaps",
    "learner": "Triggers",
    "optimal": "Correlated CorrelationPlan",
    "polytope": "Polytope",
    "teams": "Team TeamSolver TeamValue",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
