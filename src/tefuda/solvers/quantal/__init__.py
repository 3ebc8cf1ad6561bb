"""Quantal response: equilibria of players that make mistakes, and their paths over rationality."""
