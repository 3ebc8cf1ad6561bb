"""Players of Koi-Koi: value tables and networks, searches, and who wins how much."""
