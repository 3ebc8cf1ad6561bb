"""Compilation of card games with public actions, for all deals at once.

Imports games.
"""
