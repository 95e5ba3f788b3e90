"""Reads from PyTorch's `common_mps.py` which operator tests its CI skips or expects to fail on MPS.

    def mps_ops_modifier(...):
        UNIMPLEMENTED_XFAILLIST = {"acme": None, "other": [torch.int8]}

PyTorch's CI expects a failure if an operator is on a list `…XFAILLIST`, and does not run operators
on a list `…SKIPLIST`. Only entries for float32 are read, because the operator suite uses this data
type; an entry without data types is for all. Lists for old macOS, for sparse tensors, for complex
numbers and for error inputs are not read. An operator that is on no list is not assumed to pass.

A comment such as `# CPU errors` says that the test fails because of the CPU reference, not of MPS:
an expected failure is then a broken test. In a line of its own, the comment is about all later
entries of its list.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from accelerator_reports.file_reading import (
    READ_AS_TEST,
    ImportOptions,
    ImportResult,
    dotted_name,
    file_error,
    parse_python,
    read_text,
)
from accelerator_reports.formats.imported_tests import ImportedTests, chosen_suite
from accelerator_reports.report import Suite
from accelerator_reports.shortened_text import shortened_text

_SUITE = "operators"
_MODES = {"mps_ops_modifier": "forward", "mps_ops_grad_modifier": "backward"}
_UNREAD_LISTS = {
    "MACOS": "for old macOS",
    "SPARSE": "for sparse tensors",
    "COMPLEX": "for complex numbers",
}
_TEST_AT_FAULT = re.compile(
    r"\bcpu (?:errors?|result)\b|not supported for any device", re.IGNORECASE
)
_REMEDY = "use torch/testing/_internal/common_mps.py of PyTorch 2.14 or newer"
# The lists write an operator and its variant as one word.
_VARIANTS = {
    "_segment_reducelengths": "_segment_reduce.lengths",
    "_segment_reduceoffsets": "_segment_reduce.offsets",
    "as_stridedpartial_views": "as_strided.partial_views",
    "linalg.lstsqgrad_oriented": "linalg.lstsq.grad_oriented",
    "log_softmaxwith_dtype": "log_softmax.with_dtype",
    "logspacetensor_overload": "logspace.tensor_overload",
    "nn.functional.feature_alpha_dropoutwith_train": (
        "nn.functional.feature_alpha_dropout.with_train"
    ),
    "nn.functional.interpolatearea": "nn.functional.interpolate.area",
    "sparse.mmreduce": "sparse.mm.reduce",
}


def read_mps_lists(path: Path, options: ImportOptions) -> ImportResult:
    """Read the lists of operators in `torch/testing/_internal/common_mps.py`, for float32.

    The outcome of a test is `failed`, `test-broken` or `skipped`. `options.suite` names the suite.
    Raises ProblemsError if the file is invalid or has no such list, or if the suite name is
    invalid.
    """
    tests = ImportedTests(path, options, repeats="merged")
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="operator")
    lists = list(_operator_lists(parse_python(path, _REMEDY)))
    if all(_unread_reason(list_name) for _, _, list_name, _ in lists):
        raise file_error(path, 1, "no list of operators found", _REMEDY)
    comments = _blaming_comments(path)
    for line, mode, list_name, entries in lists:
        if entries is None:
            tests.leave_out(line, f"{list_name} is not one mapping for all cases", _REMEDY)
            continue
        if unread_reason := _unread_reason(list_name):
            tests.entries[unread_reason] += len(entries.keys)
            continue
        is_skip_list = "SKIPLIST" in list_name
        for key, types in zip(entries.keys, entries.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                tests.leave_out(
                    entries.lineno, f"{list_name} has an entry that is not a name", _REMEDY
                )
                continue
            if not _applies_to_float32(types):
                tests.entries["for other data types only"] += 1
                continue
            expectation = "leave it out" if is_skip_list else "expect a failure"
            comment = _comment_suffix(key, types, entries, comments)
            failure_outcome = "test-broken" if comment else "failed"
            fields = {
                "suite": suite.name,
                "name": _VARIANTS.get(key.value, key.value),
                "parameters": {"dtype": "float32", "mode": mode},
                "outcome": "skipped" if is_skip_list else failure_outcome,
                "raw_status": "skip" if is_skip_list else "xfail",
                "reason": shortened_text(
                    f"PyTorch's tests on MPS {expectation} ({list_name}{comment})."
                ),
            }
            tests.entries[READ_AS_TEST] += tests.add(key.lineno, fields)
    return tests.result((suite,))


def _unread_reason(list_name: str) -> str | None:
    """Return why the list with this name is not read; None if it is read."""
    if "XFAILLIST" not in list_name and "SKIPLIST" not in list_name:
        return "on a list of an unknown kind"
    return next((why for word, why in _UNREAD_LISTS.items() if word in list_name), None)


def _operator_lists(module: ast.Module) -> Iterator[tuple[int, str, str, ast.Dict | None]]:
    """Yield the line, the mode (`forward` or `backward`), the name and the entries of each list.

    The entries are None if they are not literals, depend on a condition, or change a list.
    """
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef) or function.name not in _MODES:
            continue
        for statement in ast.walk(function):
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
                continue
            target = (
                statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            )
            name = dotted_name(target.value if isinstance(target, ast.Subscript) else target)
            is_list = isinstance(target, ast.Name) and statement in function.body
            if is_list and isinstance(statement.value, ast.Dict):
                yield statement.lineno, _MODES[function.name], name, statement.value
            elif "LIST" in name:
                yield statement.lineno, _MODES[function.name], name, None


def _blaming_comments(path: Path) -> list[tuple[int, bool, str]]:
    """Return the comments which say that the test is at fault, not MPS.

    A comment is a tuple of its line number, whether the line has only the comment, and its text.
    """
    lines = io.StringIO(read_text(path), newline=None)
    return [
        (token.start[0], token.line.lstrip().startswith("#"), token.string.lstrip("# "))
        for token in tokenize.generate_tokens(lines.readline)
        if token.type == tokenize.COMMENT and _TEST_AT_FAULT.search(token.string)
    ]


def _comment_suffix(
    key: ast.expr, types: ast.expr, entries: ast.Dict, comments: list[tuple[int, bool, str]]
) -> str:
    """Return a text that quotes the comment about a list entry: `, comment "CPU errors"`.

    `key` and `types` are the entry, `entries` is its list, and `comments` are the result of
    `_blaming_comments`. The result is empty if none of `comments` is about the entry.
    """
    entry_lines = range(key.lineno, (types.end_lineno or 0) + 1)
    list_lines_above = range(entries.lineno, key.lineno)
    comment_texts = (
        text
        for line, alone, text in comments
        if line in entry_lines or (alone and line in list_lines_above)
    )
    return next((f', comment "{text}"' for text in comment_texts), "")


def _applies_to_float32(types: ast.expr) -> bool:
    """Return whether an entry applies to float32. An entry without types applies to all."""
    if isinstance(types, ast.Constant):
        return types.value is None
    return any(dotted_name(dtype) == "torch.float32" for dtype in getattr(types, "elts", ()))
