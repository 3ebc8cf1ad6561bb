"""Koi-Koi at any table: agents that read views, and a compiled table."""
