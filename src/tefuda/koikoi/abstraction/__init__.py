"""Koi-Koi in an abstraction of its information sets: keys, sampled solving, contests."""
