"""Runs the tests of a vendor's pytest suite one by one, in worker processes with a time limit."""
