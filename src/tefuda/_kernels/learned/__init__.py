"""Compiled loops of learners: networks, their training, neural fictitious self-play."""
