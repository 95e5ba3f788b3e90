"""Builds the pages about test results: the dashboard, suites, models and histories."""
