"""Reproductions of published experiments, one module for each source.

This package imports everything except apps.
"""
