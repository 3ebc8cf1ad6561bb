"""Compiled loops for limit hold'em."""
