"""Games before the flop: push or fold of two and three players, heads-up limps and raises."""
