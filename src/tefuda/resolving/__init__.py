"""Solving subgames again during play, safely: better below a public state than the blueprint, never worse.

Imports playing and what stands above it.
"""
