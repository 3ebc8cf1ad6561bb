"""Koi-Koi, the game of hanafuda: cards, yaku, rounds, matches, reduced games, a compiled simulator, players."""
