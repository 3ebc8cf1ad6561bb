"""Cost of each decision in recorded hands: ranges, spots, solutions, review."""
