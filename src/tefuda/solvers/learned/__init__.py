"""Methods that learn from observations: neural fictitious self-play, settings of deep CFR."""
