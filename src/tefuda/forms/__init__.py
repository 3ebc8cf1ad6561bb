"""Games as arrays: the tree of all histories, sequences, features, many games stepped at once.

Imports games and what stands at the top.
"""
