"""Safe re-solving of subgames during play, and depth-limited solving."""
