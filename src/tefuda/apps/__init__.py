"""What people touch: the command line, the terminal, pictures, notebooks, other programs' formats.

Imports everything; nothing imports it.
"""
