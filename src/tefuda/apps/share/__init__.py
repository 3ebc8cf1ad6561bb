"""Shared files: a run or a hand with the page inside one HTML file, which opens without a server."""
