"""Smaller games that stand for larger ones: partitions found automatically, and how much they lose in the real game."""
