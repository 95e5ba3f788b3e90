"""Made-up files of JUnit XML, and what is read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accelerator_reports.formats.junit import read_junit
from tests.reports.format_file import FormatFile

SUITE = '<testsuites><testsuite name="pytest">{}</testsuite></testsuites>'


FILE = FormatFile("results.xml", read_junit)
read, problems = FILE.read, FILE.problems


def case_fields(tmp_path: Path, inside: str, attributes: str = "") -> dict[str, Any]:
    """What a test case with something inside says, but for suite and name."""
    case = f'<testcase classname="tests.test_x" name="test_a" {attributes}>{inside}</testcase>'
    (test,) = read(tmp_path, SUITE.format(case)).tests
    return test.model_dump(exclude_defaults=True, exclude={"suite", "name"}, mode="json")
