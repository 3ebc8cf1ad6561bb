"""Methods that traverse the whole game: the CFR family, linear programs, fictitious play."""
