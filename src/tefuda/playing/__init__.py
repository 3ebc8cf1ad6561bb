"""People and programs at a table: agents, matches, tournaments, recorded hands, luck taken out.

Imports solvers and what stands above them.
"""
