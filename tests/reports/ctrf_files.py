"""Made-up files of the Common Test Report Format, and what is read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accelerator_reports.formats.ctrf import read_ctrf
from tests.reports.format_file import FormatFile

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


FILE = FormatFile("results.json", read_ctrf)
read, problems = FILE.read, FILE.problems


def case_fields(tmp_path: Path, **test: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """What a test says, but for suite, name and duration."""
    (found,) = read(tmp_path, document(test)).tests
    left_out = {"suite", "name", "duration_s"}
    return found.model_dump(exclude_defaults=True, exclude=left_out, mode="json")
