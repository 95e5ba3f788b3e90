"""Reads, checks and merges test reports, and converts test results from and to other formats."""

from accelerator_portal.reports.report import Report, Suite, TestEntry

__all__ = ["Report", "Suite", "TestEntry"]
