"""Compiled loops over rounds of Koi-Koi in keys of views."""
