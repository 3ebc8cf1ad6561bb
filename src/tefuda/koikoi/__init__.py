"""Koi-Koi, the game of hanafuda: cards, yaku, rounds, matches, reduced games, a compiled simulator, players.

>>> from tefuda import koikoi
>>> koikoi.find_rules("standard").rounds
12
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "abstraction.contest": "Contestant",
    "abstraction.keys": "Keys abstract_koikoi",
    "abstraction.online": "OnlineRounds",
    "abstraction.sampler": "KeyedRounds RoundSampler RoundSampling",
    "cards": "Card read_card read_cards",
    "game": "KoiKoi Round",
    "people.guide": "guide",
    "people.hints": "hints",
    "players.advice": "Adviser",
    "players.agreement": "Agreement agree",
    "players.descent": "Descent Learner",
    "players.ladder": "Duel Recipe duel",
    "players.league": "League respond",
    "players.worth": "Learning learn survey",
    "playing.agents": "AdvisedAgent GreedyAgent",
    "position": "Position PositionAgent position_of",
    "records": "checked_records read_records replay",
    "rules": "KoiKoiRules Score Yaku find_rules",
    "simulator": "RoundsSimulator",
    "standing": "MatchValue Outlook Standing",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
