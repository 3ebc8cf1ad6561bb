"""Hold'em with small decks: blueprints in buckets, their re-solved turns, and exact figures of both."""
