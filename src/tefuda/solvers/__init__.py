"""Solving methods, the loop that runs them, and runs saved on disk."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "exact.anchored": "Anchored Mirror",
    "exact.equilibria": "Equilibria equilibria",
    "exact.explanation": "Explanation",
    "exact.fictitious": "FictitiousPlay FictitiousSelfPlay matrix_fictitious_play",
    "exact.linear_program": "LinearProgram",
    "exact.perturbed": "trembling_equilibrium",
    "exact.ranges": "Ranges ranges",
    "exact.rational": "ExactSolution",
    "exact.rules": "UpdateRule",
    "exact.steps": "PlayerUpdate",
    "exact.trace": "Iteration trace",
    "learned.neural": "DeepCFR PolicyGradient",
    "learned.self_play": "NFSP",
    "populations.double_oracle": "DoubleOracle",
    "populations.plans": "Population",
    "populations.psro": "PSRO",
    "protocol": "TreeSolver",
    "quantal.fit": "RationalityFit fit_rationality",
    "quantal.method": "Quantal QuantalResidual",
    "quantal.path": "QuantalPath quantal_path",
    "runs.driver": "Progress",
    "runs.evaluators": "Evaluator Evaluation",
    "runs.listing": "RunSummary rename_run",
    "runs.points": "EstimatedPoint Point",
    "runs.saved": "load_solver",
    "runs.snapshots": "Snapshots",
    "sampled.mccfr": "Sampling",
    "sampled.oos": "OnlineSampling",
    "sampled.public_chance": "PublicSampling",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
