"""Koi-Koi, a game with hanafuda cards: rules, rounds, matches, reduced games, simulator, players.

>>> from tefuda import koikoi
>>> koikoi.find_rules("standard").rounds
12
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "cards": "Card read_card read_cards",
    "game": "KoiKoi Round",
    "match_state": "MatchState MatchValue OutcomeCounts",
    "people.guide": "guide",
    "people.hints": "hints",
    "players.advice": "Adviser",
    "players.agreement": "Agreement measure_agreement",
    "players.ladder": "DuelResult PlayerConfiguration duel",
    "players.league": "League learn_response",
    "players.tables": "TableTraining count_outcomes learn_tables",
    "players.training": "NetworkLearner NetworkTraining",
    "playing.agents": "AdvisedAgent GreedyAgent",
    "position": "Situation PositionAgent position_of",
    "records": "checked_records read_records replay",
    "rules": "KoiKoiRules Score Yaku find_rules",
    "simulator": "RoundsSimulator",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
