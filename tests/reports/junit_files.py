"""Made-up files of JUnit XML, and what is read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.formats.junit import read_junit
from accelerator_portal.reports.reading import ImportResult, Options

SUITE = '<testsuites><testsuite name="pytest">{}</testsuite></testsuites>'


def read(tmp_path: Path, text: str | bytes, options: Options | None = None) -> ImportResult:
    file = tmp_path / "results.xml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_junit(file, options or Options())


def case_fields(tmp_path: Path, inside: str, attributes: str = "") -> dict[str, Any]:
    """What a test case with something inside says, but for suite and name."""
    case = f'<testcase classname="tests.test_x" name="test_a" {attributes}>{inside}</testcase>'
    (test,) = read(tmp_path, SUITE.format(case)).tests
    return test.model_dump(exclude_defaults=True, exclude={"suite", "name"}, mode="json")


def problems(tmp_path: Path, text: str | bytes, options: Options | None = None) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, text, options)
    return [str(problem) for problem in caught.value.problems]
