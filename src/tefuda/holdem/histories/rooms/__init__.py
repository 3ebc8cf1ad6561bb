"""Readers of the hand histories of card rooms."""
