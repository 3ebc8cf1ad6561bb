"""Reports of recorded hands: statistics, all-in adjusted results, filters, graphs."""
