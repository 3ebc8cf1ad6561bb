"""Runs of any method: driver, evaluators, curves, folders, solutions and sweeps."""
