"""Limit hold'em: models of opponents, agents that exploit them, networks."""
