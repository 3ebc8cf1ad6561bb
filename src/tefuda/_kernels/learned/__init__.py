"""Compiled loops of neural fictitious self-play: play, networks, training."""
