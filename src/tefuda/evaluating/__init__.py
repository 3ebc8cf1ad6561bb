"""Profiles and their evaluation: values, best responses, NashConv, regrets.

This package imports only forms and the packages above them.
"""
