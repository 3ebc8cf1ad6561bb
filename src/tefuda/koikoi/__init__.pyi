# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.koikoi.abstraction.contest import Contestant as Contestant
from tefuda.koikoi.abstraction.keys import Keys as Keys
from tefuda.koikoi.abstraction.keys import abstract_koikoi as abstract_koikoi
from tefuda.koikoi.abstraction.online import OnlineRounds as OnlineRounds
from tefuda.koikoi.abstraction.sampler import KeyedRounds as KeyedRounds
from tefuda.koikoi.abstraction.sampler import RoundSampler as RoundSampler
from tefuda.koikoi.abstraction.sampler import RoundSampling as RoundSampling
from tefuda.koikoi.cards import Card as Card
from tefuda.koikoi.cards import read_card as read_card
from tefuda.koikoi.cards import read_cards as read_cards
from tefuda.koikoi.game import KoiKoi as KoiKoi
from tefuda.koikoi.game import Round as Round
from tefuda.koikoi.people.guide import guide as guide
from tefuda.koikoi.people.hints import hints as hints
from tefuda.koikoi.players.advice import Adviser as Adviser
from tefuda.koikoi.players.agreement import Agreement as Agreement
from tefuda.koikoi.players.agreement import agree as agree
from tefuda.koikoi.players.descent import Descent as Descent
from tefuda.koikoi.players.descent import Learner as Learner
from tefuda.koikoi.players.ladder import Duel as Duel
from tefuda.koikoi.players.ladder import Recipe as Recipe
from tefuda.koikoi.players.ladder import duel as duel
from tefuda.koikoi.players.league import League as League
from tefuda.koikoi.players.league import respond as respond
from tefuda.koikoi.players.worth import Learning as Learning
from tefuda.koikoi.players.worth import learn as learn
from tefuda.koikoi.players.worth import survey as survey
from tefuda.koikoi.playing.agents import AdvisedAgent as AdvisedAgent
from tefuda.koikoi.playing.agents import GreedyAgent as GreedyAgent
from tefuda.koikoi.position import Position as Position
from tefuda.koikoi.position import PositionAgent as PositionAgent
from tefuda.koikoi.position import position_of as position_of
from tefuda.koikoi.records import checked_records as checked_records
from tefuda.koikoi.records import read_records as read_records
from tefuda.koikoi.records import replay as replay
from tefuda.koikoi.rules import KoiKoiRules as KoiKoiRules
from tefuda.koikoi.rules import Score as Score
from tefuda.koikoi.rules import Yaku as Yaku
from tefuda.koikoi.rules import find_rules as find_rules
from tefuda.koikoi.simulator import RoundsSimulator as RoundsSimulator
from tefuda.koikoi.standing import MatchValue as MatchValue
from tefuda.koikoi.standing import Outlook as Outlook
from tefuda.koikoi.standing import Standing as Standing

__all__ = ["AdvisedAgent", "Adviser", "Agreement", "Card", "Contestant", "Descent", "Duel", "GreedyAgent", "KeyedRounds", "Keys", "KoiKoi", "KoiKoiRules", "League", "Learner", "Learning", "MatchValue", "OnlineRounds", "Outlook", "Position", "PositionAgent", "Recipe", "Round", "RoundSampler", "RoundSampling", "RoundsSimulator", "Score", "Standing", "Yaku", "abstract_koikoi", "agree", "checked_records", "duel", "find_rules", "guide", "hints", "learn", "position_of", "read_card", "read_cards", "read_records", "replay", "respond", "survey"]
