"""Texas hold'em: cards, ranges, equities, solved heads-up spots, whole hands, limit hold'em.

>>> from tefuda import holdem
>>> holdem.strength_text(holdem.strength("As Ks Qs Js Ts 2c 2d"))
'straight flush to the A'
"""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "cards": "cards_text read_cards",
    "equities": "Equity equity",
    "hands.acpc": "match_state read_match_state",
    "hands.agents": "CallingAgent EquityAgent",
    "hands.odds": "pot_share",
    "hands.rules": "TableRules",
    "hands.simulator": "HandsSimulator",
    "hands.whole": "Holdem",
    "histories.collection": "HandCollection",
    "histories.phh": "read_phh",
    "histories.phh_text": "write_phh",
    "histories.reading": "read_histories",
    "histories.record": "HandHistory record_of",
    "buckets.clusters": "Buckets",
    "buckets.graph": "BettingGraph betting_graph limit_rules",
    "buckets.aivat": "match_aivat position_values",
    "buckets.local": "LocalResponse local_response local_response_to local_responses",
    "buckets.response": "board_response",
    "buckets.sampler": "BucketPolicy BucketSampler abstraction",
    "buckets.size": "BettingSize betting_size",
    "buckets.solver": "BucketMethod BucketSolver in_buckets",
    "players.agent": "SolverAgent",
    "players.blueprint": "Blueprint",
    "players.budget": "Budget",
    "players.named": "load_blueprint table_blueprint",
    "players.settings": "SolverSettings",
    "preflop.pushfold": "PushFold pushfold",
    "preflop.three_players": "ThreeWayPushFold",
    "preflop.tree": "PreflopTree preflop_tree",
    "ranges": "Range",
    "rank": "count_categories strength strength_text",
    "reports.graph": "ResultGraph",
    "reports.statistics": "Report Share Statistics",
    "reports.table": "SeatTable",
    "reviews.review": "PricedDecision Review",
    "reviews.running": "review",
    "spots.comparison": "StrategyComparison compare_strategies",
    "spots.depth_limited": "depth_limited",
    "spots.batch": "read_boards solve_boards",
    "spots.game": "SpotGame",
    "spots.node": "Node",
    "spots.simplification": "SimplifiedSizes SizeChoice simplify_sizes",
    "spots.size": "Prediction SpotSize default_sizes predict size_of",
    "spots.solver": "Exploitability HandMethod HandSolver",
    "spots.spot": "Spot make_spot read_spot",
    "spots.strategy": "SpotStrategy",
    "spots.subgame": "resolve_street",
    "storage.store": "HandStore",
    "tournaments": "bubble_factor icm",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
