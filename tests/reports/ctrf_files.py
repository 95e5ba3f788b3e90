"""Made-up files of the Common Test Report Format, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.formats.ctrf import read_ctrf
from accelerator_portal.reports.reading import ImportResult, Options

STATUSES = ("passed", "failed", "skipped", "pending", "other")


def document(*tests: dict[str, Any], **results: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A made-up file with some tests, whose summary counts them."""
    every = [{"name": f"test_{number}", "duration": 0, **test} for number, test in enumerate(tests)]
    counts = {word: sum(test["status"] == word for test in every) for word in STATUSES}
    summary = {"tests": len(every), **counts, "start": 0, "stop": 0}
    return {
        "reportFormat": "CTRF",
        "specVersion": "1.0.0",
        "results": {"tool": {"name": "Runner X"}, "summary": summary, "tests": every, **results},
    }


def read(tmp_path: Path, value: object, options: Options | None = None) -> ImportResult:
    file = tmp_path / "results.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_ctrf(file, options or Options())


def case_fields(tmp_path: Path, **test: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """What a test says, but for suite, name and duration."""
    (found,) = read(tmp_path, document(test)).tests
    left_out = {"suite", "name", "duration_s"}
    return found.model_dump(exclude_defaults=True, exclude=left_out, mode="json")


def problems(tmp_path: Path, value: object) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, value)
    return [str(problem) for problem in caught.value.problems]
