"""Stores: hands that stay in a folder."""
