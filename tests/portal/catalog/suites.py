"""Suites for the tests; everything in them is made up."""

from __future__ import annotations

from accelerator_reports.suite_names import SuiteFile, SuiteKind


def suite(kind: SuiteKind, *tests: str) -> SuiteFile:
    """A suite of this kind with these tests, or with one."""
    return SuiteFile.model_validate(
        {
            "sources": {"a": {"url": "https://example.org", "title": "A", "read": "2026-01-02"}},
            "title": "Made up",
            "kind": kind,
            "description": "Made up.",
            "url": "https://example.org",
            "source": ["a"],
            "tests": tests or ("alpha",),
        }
    )
