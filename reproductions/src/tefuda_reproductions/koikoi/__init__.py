"""Koi-Koi in an information set abstraction: keys, sampled solving, online search, contests."""
