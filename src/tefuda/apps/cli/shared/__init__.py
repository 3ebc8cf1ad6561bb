"""Functions shared by commands: options, runs, interruption, text encoding."""
