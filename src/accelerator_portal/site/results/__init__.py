"""Renders what readers see of test results: the dashboard, suites, models, histories."""
