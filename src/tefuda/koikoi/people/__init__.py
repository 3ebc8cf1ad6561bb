"""Koi-Koi for people: the rules' page, boards, hints, play at a terminal."""
