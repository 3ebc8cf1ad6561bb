"""Games as arrays: the tree of all histories, sequences, features, many games stepped at once.

Imports games and the modules at the top level.
"""
