"""Computes results over time: the state of each test, what changed, what is broken since when.

No function reads the clock, so the same reports produce the same bytes.
"""
