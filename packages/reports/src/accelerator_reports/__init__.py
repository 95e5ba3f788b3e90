"""Reads, checks and merges test reports, and converts test results from and to other formats."""
