"""Benchmarks, many of them side by side with other programs."""
