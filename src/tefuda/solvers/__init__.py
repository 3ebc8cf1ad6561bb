"""Everything that finds strategies: one loop around all methods, runs kept on disk, the methods themselves.

Imports evaluating and what stands above it.
"""
