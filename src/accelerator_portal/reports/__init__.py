"""The common test report format; readers and writers of other formats."""

from accelerator_portal.reports.report import Report, Suite, TestEntry

__all__ = ["Report", "Suite", "TestEntry"]
