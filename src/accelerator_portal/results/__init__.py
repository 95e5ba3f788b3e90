"""Computes results over time: the state of each test, its changes, and breakages.

No function reads the clock, so the same reports produce the same bytes.
"""
