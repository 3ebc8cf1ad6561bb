"""Koi-Koi in matches: agents that read views, and a compiled table."""
