"""tefuda: solve, evaluate and play games of imperfect information.

    import tefuda as td
    tree = td.compile_game(td.load_game("leduc"))
    solution = td.solve(tree, "cfr+", iterations=1000)

Names are loaded on first use: importing tefuda imports neither numba nor NumPy.
"""

from __future__ import annotations

from tefuda.lazy import public_names
from tefuda.views import VIEWERS

__version__ = "0.2.0"

#: Public names by the module that defines them.
_HOMES = {
    "": "holdem koikoi",
    "apps.plot": "plot",
    "apps.preparing": "prepare",
    "exploiting.adaptive": "AdaptiveExploiter",
    "exploiting.roster": "named_agents",
    "playing.agents": "Agent PolicyAgent ProfileAgent RandomAgent ScriptedAgent StrategyAgent",
    "playing.human": "HumanAgent",
    "playing.searching": "OosAgent SearchAgent",
    "playing.table": "RulesTable",
    "exploiting.bounds": "LearnedResponse approximate_best_response local_best_response",
    "solvers.exact.cfr": "CFR CFR_PLUS CFRMethod",
    "exploiting.worst_case": "maximin",
    "exploiting.sampled_response": "ExploitabilityBound",
    "games.abstract": "abstract",
    "games.translation": "translate_history translate_size",
    "forms.partitions": "Partition partition",
    "abstracting.lossless": "lossless",
    "abstracting.bucketing": "buckets",
    "abstracting.optimum": "least_exploitable",
    "games.check": "check_game",
    "solvers.runs.driver": "Goal Progress",
    "solvers.exact.rational": "ExactSolution exact_solution",
    "errors": (
        "GameError InputError MissingExtraError ParameterError ProfileError BusyError RunError SizeError "
        "SolverError TefudaError UnknownNameError"
    ),
    "games.size": "Estimate estimate_game",
    "solvers.exact.fictitious": "FictitiousPlay FictitiousSelfPlay matrix_fictitious_play",
    "games.kit": "Kit kit_of",
    "games.picture": "Picture",
    "games.plays": "playthrough",
    "games.protocol": "CHANCE TERMINAL Game",
    "games.catalogue": "GAMES load_game",
    "games.efg": "read_efg write_efg",
    "games.openspiel": "from_openspiel",
    "exploiting.responses": ("Response data_biased_response frontier game_value restricted_nash safe_best_response"),
    "solvers.learned.neural": "DeepCFR PolicyGradient",
    "solvers.learned.nfsp": "NFSP",
    "solvers.sampled.public_chance": "PublicSampling",
    "solvers.sampled.oos": "OOS OnlineSampling OosSolver",
    "apps.pettingzoo": "to_pettingzoo",
    "apps.openspiel": "from_policy to_openspiel to_tabular_policy",
    "playing.head_to_head": "HeadToHead",
    "playing.hands": "Record read_hands read_record write_hands",
    "exploiting.fitting": "FittedOpponent fit_opponent",
    "exploiting.changes": "Change largest_changes",
    "exploiting.own_play": "OwnPlay own_model",
    "solvers.exact.lp": "LP LinearProgram",
    "playing.match": "Match cross_table duplicate_match",
    "solvers.sampled.mccfr": "Sampling",
    "solvers.runs.listing": "RunSummary list_runs rename_run",
    "solvers.runs.job": "Job",
    "solvers.runs.solving": "make_solver solve",
    "solvers.runs.methods": "METHODS find_method",
    "solvers.runs.saved": "load resume",
    "solvers.exact.rules": "UpdateRule",
    "solvers.exact.steps": "PlayerUpdate",
    "solvers.exact.trace": "Iteration trace",
    "solvers.exact.explanation": "Explanation",
    "solvers.exact.perturbed": "trembling_equilibrium",
    "evaluating.explorer": "Explorer Position",
    "evaluating.profile": "BestResponse Profile best_response",
    "evaluating.public_table": "PublicTable",
    "evaluating.regret": "AverageRegret match_regrets matrix_regret_matching",
    "games.report": "Fault Report",
    "evaluating.values": (
        "Counterfactual ProfileEvaluation Reach action_values counterfactual epsilon evaluate exploitability "
        "history_values nash_conv reach values"
    ),
    "exploiting.safe": "SafeExploiter",
    "solvers.sampled.search": "OosSearch",
    "forms.sequence": "SequenceForm sequence_form",
    "forms.rules_simulator": "RulesSimulator",
    "forms.simulate": "TreeSimulator",
    "solvers.runs.snapshots": "Snapshots",
    "solvers.runs.solution": "Solution",
    "solvers.runs.points": "EstimatedPoint Point",
    "solvers.protocol": "Method Policy Solver TreeSolver",
    "solvers.runs.evaluators": "Evaluator NashConv NoEvaluation Evaluation",
    "forms.rules": "RulesForm",
    "forms.form": "Form REPRESENTATIONS Saved",
    "forms.compile": "compile_game",
    "forms.tree": "Tree",
    "resolving.agent": "ResolvingAgent",
    "resolving.nesting": "resolve_nested",
    "resolving.limited.continuations": "Continuations",
    "resolving.limited.depth_limited": "DepthLimited DepthLimitedAgent depth_limited",
    "resolving.limited.leaves": "ExactLeaves ExactValues ValuedLeaves",
    "resolving.limited.network": "ValueNetwork",
    "resolving.gadgets": "CFRDGadget Gadget MaxMargin Unsafe",
    "resolving.limited.samples": "ValueTraining",
    "resolving.limited.training": "train_values",
    "resolving.resolution": "Resolution resolve",
    "playing.variance": "estimates estimates_against off_policy aivat",
    "exploiting.virtual": "VirtualOptions VirtualExploiter",
}
VIEWERS.update(
    html="tefuda.apps.notebook:html_of", plot="tefuda.apps.plot:plot", text="tefuda.apps.display.results:strategy_text"
)
__all__, __getattr__, __dir__ = public_names(__name__, _HOMES, "__version__")
