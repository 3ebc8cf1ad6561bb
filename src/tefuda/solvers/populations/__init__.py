"""Methods that grow a population of plans or of sequences by exact best responses."""
