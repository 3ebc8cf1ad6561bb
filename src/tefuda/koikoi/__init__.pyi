# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.koikoi.cards import Card as Card
from tefuda.koikoi.cards import read_card as read_card
from tefuda.koikoi.cards import read_cards as read_cards
from tefuda.koikoi.game import KoiKoi as KoiKoi
from tefuda.koikoi.game import Round as Round
from tefuda.koikoi.match_state import MatchState as MatchState
from tefuda.koikoi.match_state import MatchValue as MatchValue
from tefuda.koikoi.match_state import OutcomeCounts as OutcomeCounts
from tefuda.koikoi.people.guide import guide as guide
from tefuda.koikoi.people.hints import hints as hints
from tefuda.koikoi.players.advice import Adviser as Adviser
from tefuda.koikoi.players.agreement import Agreement as Agreement
from tefuda.koikoi.players.agreement import measure_agreement as measure_agreement
from tefuda.koikoi.players.ladder import DuelResult as DuelResult
from tefuda.koikoi.players.ladder import PlayerConfiguration as PlayerConfiguration
from tefuda.koikoi.players.ladder import duel as duel
from tefuda.koikoi.players.league import League as League
from tefuda.koikoi.players.league import learn_response as learn_response
from tefuda.koikoi.players.tables import TableTraining as TableTraining
from tefuda.koikoi.players.tables import count_outcomes as count_outcomes
from tefuda.koikoi.players.tables import learn_tables as learn_tables
from tefuda.koikoi.players.training import NetworkLearner as NetworkLearner
from tefuda.koikoi.players.training import NetworkTraining as NetworkTraining
from tefuda.koikoi.playing.agents import AdvisedAgent as AdvisedAgent
from tefuda.koikoi.playing.agents import GreedyAgent as GreedyAgent
from tefuda.koikoi.position import PositionAgent as PositionAgent
from tefuda.koikoi.position import Situation as Situation
from tefuda.koikoi.position import position_of as position_of
from tefuda.koikoi.records import checked_records as checked_records
from tefuda.koikoi.records import read_records as read_records
from tefuda.koikoi.records import replay as replay
from tefuda.koikoi.rules import KoiKoiRules as KoiKoiRules
from tefuda.koikoi.rules import Score as Score
from tefuda.koikoi.rules import Yaku as Yaku
from tefuda.koikoi.rules import find_rules as find_rules
from tefuda.koikoi.simulator import RoundsSimulator as RoundsSimulator

__all__ = ["AdvisedAgent", "Adviser", "Agreement", "Card", "DuelResult", "GreedyAgent", "KoiKoi", "KoiKoiRules", "League", "MatchState", "MatchValue", "NetworkLearner", "NetworkTraining", "OutcomeCounts", "PlayerConfiguration", "PositionAgent", "Round", "RoundsSimulator", "Score", "Situation", "TableTraining", "Yaku", "checked_records", "count_outcomes", "duel", "find_rules", "guide", "hints", "learn_response", "learn_tables", "measure_agreement", "position_of", "read_card", "read_cards", "read_records", "replay"]
