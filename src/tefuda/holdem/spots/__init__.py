"""Spots of no-limit hold'em: a board, two ranges, a tree of bets, solved over all hands at once."""
