"""Figures of docs/beyond.md; `python -m bench.beyond` measures them, or writes them into the page."""
