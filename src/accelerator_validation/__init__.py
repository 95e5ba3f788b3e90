"""Runs test suites on a device and writes the common test report: the harness."""
