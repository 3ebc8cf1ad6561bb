"""Sampling methods: Monte Carlo CFR on trees, rules and simulators, and online search."""
