# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.correlating.commitment import Commitment as Commitment
from tefuda.correlating.device import Device as Device
from tefuda.correlating.evaluator import CorrelationGap as CorrelationGap
from tefuda.correlating.gaps import Gaps as Gaps
from tefuda.correlating.learner import Triggers as Triggers
from tefuda.correlating.optimal import Correlated as Correlated
from tefuda.correlating.optimal import CorrelationPlan as CorrelationPlan
from tefuda.correlating.polytope import Polytope as Polytope
from tefuda.correlating.teams import Team as Team
from tefuda.correlating.teams import TeamSolver as TeamSolver
from tefuda.correlating.teams import TeamValue as TeamValue

__all__ = ["Commitment", "Correlated", "CorrelationGap", "CorrelationPlan", "Device", "Gaps", "Polytope", "Team", "TeamSolver", "TeamValue", "Triggers"]
