"""Computes results over time from test reports: each test's state and changes, and breakages.

A breakage is a test that passed in a run and fails in a later run.

No function reads the clock, so the same reports produce the same bytes.
"""
