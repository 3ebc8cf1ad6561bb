"""Automatic abstraction: partitions of infosets, and their exploitability in the real game."""
