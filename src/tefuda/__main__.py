"""``python -m tefuda`` is the command ``tefuda``."""

from tefuda.cli import main

main()
