"""Reads the skip lists of torch-xpu-ops: which of PyTorch's tests its CI skips on XPU.

    skip_dict = {
        "test_acme_xpu.py": (
            # RuntimeError: not implemented
            "test_a_xpu",
        ),
        f"{PYTORCH_TEST_DIR}/test_other.py": None,
    }

The comment above a test is the reason. `None` means that no test of a file is skipped. The file is
parsed, and never run. A test that is not on the list is not assumed to pass.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from accelerator_portal.reports import verdicts
from accelerator_portal.reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_portal.reports.reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    file_error,
    parse_python,
    read_text,
)

_SUITE = "xpu/torch-xpu-ops"
_ISSUE = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+")
_REMEDY = "use an unmodified skip list from torch-xpu-ops' folder test/xpu"


def read_xpu_skip_list(path: Path, options: ImportOptions) -> ImportResult:
    """Read a skip list; every test in it has the outcome `skipped`.

    `options.suite` names the suite. Raises ProblemsError if the file or that name is invalid.
    """
    tests = ImportedTests(path, options)
    suite = tests.suite(chosen_suite(path, options) or _SUITE, "unit")
    lines = read_text(path).splitlines()
    for key, skipped in _skip_list_entries(path):
        if isinstance(skipped, ast.Constant) and skipped.value is None:
            continue
        place = key.values[-1] if isinstance(key, ast.JoinedStr) else key
        if not isinstance(place, ast.Constant) or not isinstance(skipped, (ast.Tuple, ast.List)):
            tests.record_fault(key.lineno, "the entry is not a file with a list of tests", _REMEDY)
            continue
        file = PurePosixPath(str(place.value)).stem
        for test in skipped.elts:
            if not isinstance(test, ast.Constant) or not isinstance(test.value, str):
                tests.record_fault(test.lineno, "the entry is not a test name", _REMEDY)
                continue
            reason = _comment_above(lines, test.lineno)
            issue = _ISSUE.search(reason)
            fields = {
                "suite": suite.name,
                "name": f"{file}::{test.value}",
                "outcome": "skipped",
                "raw_status": "skip",
                "reason": verdicts.reason(reason) or verdicts.NO_REASON,
                "known_issue": {"url": issue[0]} if issue else None,
            }
            tests.entries[READ_AS_TEST] += 1
            tests.add(test.lineno, fields)
    return ImportResult(suites=(suite,), tests=tests.checked_tests(), entries=tests.entries)


def _skip_list_entries(path: Path) -> list[tuple[ast.expr, ast.expr]]:
    for statement in parse_python(path, _REMEDY).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "skip_dict":
            listed = statement.value
            if isinstance(listed, ast.Dict) and None not in listed.keys:
                return [
                    (key, value)
                    for key, value in zip(listed.keys, listed.values, strict=True)
                    if key is not None
                ]
    raise file_error(path, 1, "skip_dict is missing or is not a mapping", _REMEDY)


def _comment_above(lines: Sequence[str], line: int) -> str:
    """Return the comment directly above a line; empty without one.

    A comment of several lines is joined.
    """
    above = line - 1
    words: list[str] = []
    while above > 0 and (text := lines[above - 1].strip()).startswith("#"):
        words.insert(0, text.lstrip("# "))
        above -= 1
    return " ".join(words)
