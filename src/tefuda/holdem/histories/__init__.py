"""Recorded hands: the record, readers of rooms and formats, and the checks of the rules."""
