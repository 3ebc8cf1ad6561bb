"""Measurements side by side with other programs."""
