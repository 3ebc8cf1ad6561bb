"""Agents, tables, matches, tournaments, recorded hands, and variance reduction."""
