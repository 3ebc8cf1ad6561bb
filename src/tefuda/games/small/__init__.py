"""Small games: Kuhn and Leduc poker, Liar's dice, Goofspiel, matrix games, random games."""
