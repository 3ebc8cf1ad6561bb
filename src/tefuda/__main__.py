"""``python -m tefuda`` is the command ``tefuda``."""

from tefuda.apps.cli import main

main()
