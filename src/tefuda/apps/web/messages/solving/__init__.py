"""Messages of solves and of runs."""
