"""The rules of games, and what any rules must answer: protocol, checks, sizes, the catalogue.

Imports only what everybody uses; no game is ever imported for another.
"""
