"""Published experiments, run again: one module a source, one table from names to experiments.

Imports everything but apps.
"""
