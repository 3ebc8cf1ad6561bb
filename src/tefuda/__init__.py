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
    "": (
        "abstracting apps correlating errors evaluating exchange exploiting forms games holdem koikoi phantom playing"
        " resolving solvers"
    ),
    "abstracting.lossless": "lossless",
    "abstracting.optimum": "least_exploitable",
    "apps.plot": "plot",
    "apps.preparing": "prepare",
    "errors": "InputError TefudaError",
    "evaluating.explorer": "Explorer",
    "evaluating.profile": "Profile best_response",
    "evaluating.values": "evaluate exploitability nash_conv values",
    "exploiting.adaptive": "AdaptiveExploiter",
    "exploiting.bounds": "local_best_response",
    "exploiting.responses": "restricted_nash",
    "exploiting.roster": "named_agents",
    "exploiting.sampled_response": "ExploitabilityBound",
    "forms.compile": "compile_game",
    "forms.form": "Form",
    "forms.partitions": "Partition",
    "forms.rules": "RulesForm",
    "forms.tree": "Tree",
    "games.abstract": "abstract",
    "games.catalogue": "GAMES load_game",
    "games.check": "check_game",
    "games.kit": "Kit",
    "games.protocol": "CHANCE TERMINAL Game",
    "playing.agents": "Agent PolicyAgent ProfileAgent RandomAgent ScriptedAgent StrategyAgent",
    "playing.head_to_head": "HeadToHead",
    "playing.human": "HumanAgent",
    "playing.match": "Match cross_table duplicate_match",
    "resolving.limited.depth_limited": "depth_limited",
    "resolving.nesting": "resolve_nested",
    "resolving.resolution": "resolve",
    "solvers.exact.cfr": "CFRMethod",
    "solvers.exact.rational": "exact_solution",
    "solvers.protocol": "Method Policy Solver",
    "solvers.runs.driver": "Goal",
    "solvers.runs.evaluators": "NashConv NoEvaluation",
    "solvers.runs.job": "Job",
    "solvers.runs.listing": "list_runs",
    "solvers.runs.methods": "METHODS find_method",
    "solvers.runs.saved": "load resume",
    "solvers.runs.solution": "Solution",
    "solvers.runs.sweep": "sweep",
    "solvers.runs.solving": "make_solver solve",
}
VIEWERS.update(
    html="tefuda.apps.notebook:html_of",
    panels="tefuda.apps.plot:plot_panels",
    plot="tefuda.apps.plot:plot",
    svg="tefuda.apps.notebook:svg_of",
    text="tefuda.apps.display.results:strategy_text",
)
__all__, __getattr__, __dir__ = public_names(__name__, _HOMES, "__version__")
