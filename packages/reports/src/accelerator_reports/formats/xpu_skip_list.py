"""Reads which of PyTorch's tests the CI of torch-xpu-ops skips on XPU, as a baseline.

The skip lists are Python files:

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
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from accelerator_reports import failure_texts
from accelerator_reports.file_reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    file_error,
    parse_python,
    read_text,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.report import Suite

_SUITE = "xpu/torch-xpu-ops"
_ISSUE_URL = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+")
_REMEDY = "use an unmodified skip list from torch-xpu-ops' folder test/xpu"


def read_xpu_skip_list(path: Path, options: ImportOptions) -> ImportResult:
    """Read a skip list; every test in it has the outcome `skipped`.

    `options.suite` names the suite. Raises ProblemsError if the file or that name is invalid.
    """
    tests = ImportedTests(path, options)
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="unit")
    lines = io.StringIO(read_text(path), newline=None).readlines()  # as Python counts lines
    for key, tests_node in _skip_list_entries(path, tests):
        if isinstance(tests_node, ast.Constant) and tests_node.value is None:
            continue
        file_node = key.values[-1] if isinstance(key, ast.JoinedStr) and key.values else key
        if not isinstance(file_node, ast.Constant) or not isinstance(
            tests_node, (ast.Tuple, ast.List)
        ):
            tests.leave_out(key.lineno, "the entry is not a file with a list of tests", _REMEDY)
            continue
        file_stem = PurePosixPath(str(file_node.value)).stem
        for name_node in tests_node.elts:
            if not isinstance(name_node, ast.Constant) or not isinstance(name_node.value, str):
                tests.leave_out(name_node.lineno, "the entry is not a test name", _REMEDY)
                continue
            reason = _comment_above(lines, name_node.lineno)
            issue = _ISSUE_URL.search(reason)
            fields = {
                "suite": suite.name,
                "name": f"{file_stem}::{name_node.value}",
                "outcome": "skipped",
                "raw_status": "skip",
                "reason": failure_texts.reason(reason) or failure_texts.NO_REASON,
                "known_issue": {"url": issue[0]} if issue else None,
            }
            tests.entries[READ_AS_TEST] += tests.add(name_node.lineno, fields)
    return tests.result((suite,))


def _skip_list_entries(path: Path, tests: ImportedTests) -> Iterator[tuple[ast.expr, ast.expr]]:
    skip_dict = None
    for statement in parse_python(path, _REMEDY).body:
        names = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
        if "skip_dict" not in names:
            continue
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        if skip_dict is None and isinstance(value, ast.Dict) and None not in value.keys:
            skip_dict = value
        else:
            tests.leave_out(statement.lineno, "the statement is not one mapping skip_dict", _REMEDY)
    if skip_dict is None:
        raise file_error(path, 1, "skip_dict is missing or is not a mapping", _REMEDY)
    for key, value in zip(skip_dict.keys, skip_dict.values, strict=True):
        if key is not None:
            yield key, value


def _comment_above(lines: Sequence[str], line: int) -> str:
    """Return the comment directly above a line; empty without one.

    A comment of several lines is joined.
    """
    above = line - 1
    comment_lines: list[str] = []
    while above > 0 and (text := lines[above - 1].strip()).startswith("#"):
        comment_lines.insert(0, text.lstrip("# "))
        above -= 1
    return " ".join(comment_lines)
