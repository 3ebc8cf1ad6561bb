"""Neural fictitious self-play, and the settings of neural CFR."""
