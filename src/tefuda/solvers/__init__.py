"""Solving methods, the loop that runs them, and runs saved on disk."""
