"""Methods that sample: Monte Carlo CFR over trees, rules and simulators, online search."""
