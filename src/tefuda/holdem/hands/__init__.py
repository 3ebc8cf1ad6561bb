"""Whole hands of hold'em, from the blinds to the showdown: rules, simulator, agents."""
