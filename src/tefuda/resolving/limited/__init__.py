"""Depth-limited solving: exact, with continuation strategies, or with a value network."""
