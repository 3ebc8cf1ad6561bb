"""Hold'em in buckets of hands: betting, sampled solving, local best responses, AIVAT."""
