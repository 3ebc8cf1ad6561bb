"""The command line, the terminal, pictures, notebooks, other programs' formats."""
