"""Every format that can be read or written, by name, and which one a file looks like."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from accelerator_portal.reports.ctrf import ctrf_text, read_ctrf
from accelerator_portal.reports.dynamo_csv import read_dynamo_csv
from accelerator_portal.reports.executorch_csv import read_executorch_csv
from accelerator_portal.reports.executorch_json import read_executorch_json
from accelerator_portal.reports.junit import junit_text, read_junit
from accelerator_portal.reports.pytest_json import read_pytest_json
from accelerator_portal.reports.reading import Reader, read_bytes, refuse
from accelerator_portal.reports.relay import relay_summary
from accelerator_portal.reports.report import Report
from accelerator_portal.reports.torchbench import read_torchbench

READERS: dict[str, Reader] = {
    "ctrf": read_ctrf,
    "dynamo-csv": read_dynamo_csv,
    "executorch-csv": read_executorch_csv,
    "executorch-json": read_executorch_json,
    "junit": read_junit,
    "pytest-json": read_pytest_json,
    "torchbench": read_torchbench,
}

WRITERS: dict[str, Callable[[Report], str]] = {
    "ctrf": ctrf_text,
    "junit": junit_text,
    "relay": lambda report: json.dumps(relay_summary(report), indent=1) + "\n",
}

_START = 64 * 1024

# What stands near the beginning of a file of each format, the more telling first.
_SIGNS: tuple[tuple[str, bytes], ...] = (
    ("junit", b"<testsuite"),
    ("ctrf", b'"reportFormat"'),
    ("torchbench", b'"metrics"'),
    ("pytest-json", b'"exitcode"'),
    ("executorch-csv", b"Test ID,"),
    ("dynamo-csv", b"name,"),
)

# ExecuTorch's suite writes a pytest-json-report with columns of its own, far from the beginning.
_EXECUTORCH = b'"Result Detail"'


def found_format(path: Path) -> str:
    """Return the name of the format that the beginning of a file looks like.

    Raises ProblemsError.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})"
        raise refuse(path, 1, what, "name a plain file that you may read") from None
    for name, sign in _SIGNS:
        if sign in start:
            executorch = name == "pytest-json" and _EXECUTORCH in read_bytes(path)
            return "executorch-json" if executorch else name
    raise refuse(path, 1, "the format is not known", f"say --format: {', '.join(sorted(READERS))}")
