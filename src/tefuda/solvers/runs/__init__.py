"""Runs of any method: the driver, its evaluators and curve, folders, solutions, sweeps."""
