"""Agents, tables, matches, tournaments, recorded hands, and variance reduction."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "hands": "Record read_hands read_record write_hands",
    "match": "CrossTable",
    "rating": "Ratings ratings",
    "searching": "SearchAgent",
    "table": "RulesTable",
    "tree_search": "IsmctsAgent TreeSearch",
    "variance": "estimates estimates_against off_policy aivat",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
