"""Everything that finds strategies: one loop around all methods, runs kept on disk, the methods themselves.

Imports judging and what stands above it.
"""
