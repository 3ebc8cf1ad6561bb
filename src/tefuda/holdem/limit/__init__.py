"""Limit hold'em in buckets of hands: sampled solving, responses, players who read opponents."""
