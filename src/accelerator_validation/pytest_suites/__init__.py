"""Runs a vendor's pytest suite: each test isolated and timed."""
