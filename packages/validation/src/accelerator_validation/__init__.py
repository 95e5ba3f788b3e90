"""Runs test suites on a device, and writes the results to a report: the test harness."""
