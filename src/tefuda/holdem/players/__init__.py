"""Players of whole hands of heads-up no-limit hold'em that re-solve turns and rivers as they play."""
