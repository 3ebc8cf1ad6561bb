"""Compiled loops of phantom games."""
