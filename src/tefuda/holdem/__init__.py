"""Texas hold'em: cards and strengths of hands, ranges, equities, betting trees, heads-up spots solved hand by hand."""
