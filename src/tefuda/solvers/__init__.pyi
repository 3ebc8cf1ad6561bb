# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.solvers.exact.anchored import Anchored as Anchored
from tefuda.solvers.exact.anchored import Mirror as Mirror
from tefuda.solvers.exact.equilibria import Equilibria as Equilibria
from tefuda.solvers.exact.equilibria import equilibria as equilibria
from tefuda.solvers.exact.explanation import Explanation as Explanation
from tefuda.solvers.exact.fictitious import FictitiousPlay as FictitiousPlay
from tefuda.solvers.exact.fictitious import FictitiousSelfPlay as FictitiousSelfPlay
from tefuda.solvers.exact.fictitious import matrix_fictitious_play as matrix_fictitious_play
from tefuda.solvers.exact.linear_program import LinearProgram as LinearProgram
from tefuda.solvers.exact.perturbed import trembling_equilibrium as trembling_equilibrium
from tefuda.solvers.exact.ranges import Ranges as Ranges
from tefuda.solvers.exact.ranges import ranges as ranges
from tefuda.solvers.exact.rational import ExactSolution as ExactSolution
from tefuda.solvers.exact.rules import UpdateRule as UpdateRule
from tefuda.solvers.exact.steps import PlayerUpdate as PlayerUpdate
from tefuda.solvers.exact.trace import Iteration as Iteration
from tefuda.solvers.exact.trace import trace as trace
from tefuda.solvers.learned.neural import DeepCFR as DeepCFR
from tefuda.solvers.learned.neural import PolicyGradient as PolicyGradient
from tefuda.solvers.learned.self_play import NFSP as NFSP
from tefuda.solvers.populations.double_oracle import DoubleOracle as DoubleOracle
from tefuda.solvers.populations.plans import Population as Population
from tefuda.solvers.populations.psro import PSRO as PSRO
from tefuda.solvers.protocol import TreeSolver as TreeSolver
from tefuda.solvers.quantal.fit import RationalityFit as RationalityFit
from tefuda.solvers.quantal.fit import fit_rationality as fit_rationality
from tefuda.solvers.quantal.method import Quantal as Quantal
from tefuda.solvers.quantal.method import QuantalResidual as QuantalResidual
from tefuda.solvers.quantal.path import QuantalPath as QuantalPath
from tefuda.solvers.quantal.path import quantal_path as quantal_path
from tefuda.solvers.runs.driver import Progress as Progress
from tefuda.solvers.runs.evaluators import Evaluation as Evaluation
from tefuda.solvers.runs.evaluators import Evaluator as Evaluator
from tefuda.solvers.runs.listing import RunSummary as RunSummary
from tefuda.solvers.runs.listing import rename_run as rename_run
from tefuda.solvers.runs.points import EstimatedPoint as EstimatedPoint
from tefuda.solvers.runs.points import Point as Point
from tefuda.solvers.runs.saved import load_solver as load_solver
from tefuda.solvers.runs.snapshots import Snapshots as Snapshots
from tefuda.solvers.sampled.mccfr import Sampling as Sampling
from tefuda.solvers.sampled.oos import OnlineSampling as OnlineSampling
from tefuda.solvers.sampled.public_chance import PublicSampling as PublicSampling

__all__ = ["Anchored", "DeepCFR", "DoubleOracle", "Equilibria", "EstimatedPoint", "Evaluation", "Evaluator", "ExactSolution", "Explanation", "FictitiousPlay", "FictitiousSelfPlay", "Iteration", "LinearProgram", "Mirror", "NFSP", "OnlineSampling", "PSRO", "PlayerUpdate", "Point", "PolicyGradient", "Population", "Progress", "PublicSampling", "Quantal", "QuantalPath", "QuantalResidual", "Ranges", "RationalityFit", "RunSummary", "Sampling", "Snapshots", "TreeSolver", "UpdateRule", "equilibria", "fit_rationality", "load_solver", "matrix_fictitious_play", "quantal_path", "ranges", "rename_run", "trace", "trembling_equilibrium"]
