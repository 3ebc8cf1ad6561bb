# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.evaluating.explorer import Position as Position
from tefuda.evaluating.off_path import OffPathRegret as OffPathRegret
from tefuda.evaluating.off_path import off_path_regret as off_path_regret
from tefuda.evaluating.profile import BestResponse as BestResponse
from tefuda.evaluating.public_table import PublicTable as PublicTable
from tefuda.evaluating.rankings import alpha_rank as alpha_rank
from tefuda.evaluating.rankings import fit_elo as fit_elo
from tefuda.evaluating.rankings import nash_average as nash_average
from tefuda.evaluating.rankings import online_gaussian as online_gaussian
from tefuda.evaluating.regret import AverageRegret as AverageRegret
from tefuda.evaluating.regret import match_regrets as match_regrets
from tefuda.evaluating.regret import matrix_regret_matching as matrix_regret_matching
from tefuda.evaluating.values import Counterfactual as Counterfactual
from tefuda.evaluating.values import ProfileEvaluation as ProfileEvaluation
from tefuda.evaluating.values import Reach as Reach
from tefuda.evaluating.values import action_values as action_values
from tefuda.evaluating.values import counterfactual as counterfactual
from tefuda.evaluating.values import epsilon as epsilon
from tefuda.evaluating.values import history_values as history_values
from tefuda.evaluating.values import reach as reach

__all__ = ["AverageRegret", "BestResponse", "Counterfactual", "OffPathRegret", "Position", "ProfileEvaluation", "PublicTable", "Reach", "action_values", "alpha_rank", "counterfactual", "epsilon", "fit_elo", "history_values", "match_regrets", "matrix_regret_matching", "nash_average", "off_path_regret", "online_gaussian", "reach"]
