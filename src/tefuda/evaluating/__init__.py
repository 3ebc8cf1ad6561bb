"""Strategies and what they are worth: profiles, values, best responses, NashConv, regrets.

Imports forms and what stands above them.
"""
