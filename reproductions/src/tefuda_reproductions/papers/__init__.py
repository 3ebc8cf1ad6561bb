"""Published experiments, one module for each source."""
