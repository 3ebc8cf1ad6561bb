"""The page in a browser: stories with a real server and Chromium. Run with ``pytest -n 0 tests/web``."""
