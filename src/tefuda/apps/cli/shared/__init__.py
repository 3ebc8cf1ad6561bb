"""Functions that several commands share: options, interruption, spelling."""
