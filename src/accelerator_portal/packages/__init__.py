"""Reads package indexes, and verifies that uv finds versions for the packages of a command."""
