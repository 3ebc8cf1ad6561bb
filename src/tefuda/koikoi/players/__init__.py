"""Players of Koi-Koi: value tables, networks, searches, and their results against each other."""
