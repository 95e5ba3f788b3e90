"""Reads package indexes, and verifies that the versions in a command exist together."""
