"""Reads which operator tests FlagGems' CI skips on a vendor's hardware, from its test files.

    @pytest.mark.skipif(flag_gems.vendor_name == "acme", reason="Issue #12: wrong result")
    def test_abs(shape, dtype):
        if flag_gems.vendor_name in ("acme", "other"):
            pytest.skip("not supported")

Only test functions that are skipped for all their parameters are read. A function whose condition
also depends on a data type or a shape is ignored, because it is skipped for some parameters only. A
function without a condition is ignored, because a test that is not skipped does not necessarily
pass. Tests in classes are ignored. The files are parsed, and never run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from accelerator_reports import failure_texts
from accelerator_reports.file_reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    dotted_name,
    parse_python,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.report import Suite

_SUITE = "flaggems"
_VENDORS = {"mlu": "cambricon", "musa": "mthreads"}
"""FlagGems' name of a vendor, by platform id, for platforms whose id is not this name."""
_ISSUE_NUMBER = re.compile(r"#(\d+)")
_REMEDY = "use an unmodified file from FlagGems' folder tests"
_ISSUES_URL = "https://github.com/flagos-ai/FlagGems/issues"


def read_flaggems(path: Path, options: ImportOptions) -> ImportResult:
    """Read the tests that a file skips on `options.accelerator`, with the outcome `skipped`.

    Raises ProblemsError if the file is not valid Python or the suite name is invalid.
    """
    tests = ImportedTests(path, options)
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="operator")
    vendor = _VENDORS.get(options.accelerator, options.accelerator)
    module = parse_python(path, _REMEDY)
    module_marks = [
        mark
        for statement in module.body
        if isinstance(statement, ast.Assign) and dotted_name(statement.targets[0]) == "pytestmark"
        for mark in getattr(statement.value, "elts", [statement.value])
    ]
    for function in module.body:
        if isinstance(function, ast.ClassDef):
            methods = [
                member for member in function.body if getattr(member, "name", "").startswith("test")
            ]
            tests.entries["in classes"] += len(methods)
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith("test"):
            continue
        skips = _skip_conditions([*module_marks, *function.decorator_list], function.body)
        skip_call = next(
            (call for condition, call in skips if _is_true_for_vendor(condition, vendor)), None
        )
        if skip_call is None:
            tests.entries["not always skipped on this hardware"] += 1
        else:
            reason = failure_texts.reason(_skip_reason(skip_call)) or failure_texts.NO_REASON
            issue = _ISSUE_NUMBER.search(reason)
            fields = {
                "suite": suite.name,
                "name": f"{path.stem}::{function.name}",
                "outcome": "skipped",
                "raw_status": "skip",
                "reason": reason,
                "known_issue": {"url": f"{_ISSUES_URL}/{issue[1]}"} if issue else None,
            }
            tests.entries[READ_AS_TEST] += tests.add(skip_call.lineno, fields)
    return tests.result((suite,))


def _skip_conditions(
    marks: Iterable[ast.expr], body: Iterable[ast.stmt]
) -> Iterator[tuple[ast.expr, ast.Call]]:
    """Yield each condition that skips a whole test function, and the call that gives the reason.

    The condition and the call are in a `skipif` mark, or in an `if` statement with `pytest.skip`.
    """
    for call in marks:
        if (
            isinstance(call, ast.Call)
            and call.args
            and dotted_name(call.func).endswith("mark.skipif")
        ):
            yield call.args[0], call
    for statement in body:
        if not isinstance(statement, ast.If):
            continue
        for inner in statement.body:
            skip = inner.value if isinstance(inner, ast.Expr) else None
            if isinstance(skip, ast.Call) and dotted_name(skip.func).endswith("pytest.skip"):
                yield statement.test, skip


def _is_true_for_vendor(condition: ast.expr, vendor: str) -> bool:
    """Return whether a skip condition is true for a vendor, whatever the test's parameters are.

    Only comparisons of `vendor_name` with literals, also joined by `or`, are understood. Other
    conditions count as false.
    """
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.Or):
        return any(_is_true_for_vendor(part, vendor) for part in condition.values)
    if not isinstance(condition, ast.Compare) or not dotted_name(condition.left).endswith(
        "vendor_name"
    ):
        return False
    try:
        vendor_names = ast.literal_eval(condition.comparators[0])
    except (ValueError, TypeError, RecursionError):
        return False
    if isinstance(condition.ops[0], ast.In) and isinstance(vendor_names, (list, tuple, set)):
        return vendor in vendor_names
    return isinstance(condition.ops[0], ast.Eq) and bool(vendor_names == vendor)


def _skip_reason(call: ast.Call) -> str:
    """Return the reason in a call of `skip` or `skipif`; empty if it is not a string literal."""
    keyword_values = [
        keyword.value for keyword in call.keywords if keyword.arg in {"reason", "msg"}
    ]
    for value in (*keyword_values, *call.args):
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return ""
