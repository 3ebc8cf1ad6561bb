"""Rules of games: protocol, checks, size estimates and the catalogue.

Only shared modules are imported; a game is imported when it is loaded.
"""
