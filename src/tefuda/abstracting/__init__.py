"""Partitions that are found automatically, and their losses in the real game."""
