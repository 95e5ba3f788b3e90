"""Finds the operators that a backend lacks, and counts the tests that stop at each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from accelerator_reports.files.wording import count
from accelerator_reports.report import TestEntry

# How PyTorch names an operator that a backend does not have, at all or for a data type.
_MISSING_PATTERNS = (
    re.compile(r"Could not run '([\w.]+::[\w.]+)'"),
    re.compile(r"[Oo]perator '?([\w.]+::[\w.]+)'? is not (?:currently )?(?:implemented|supported)"),
    re.compile(r"\"(\w+)\" not implemented for '\w+'"),
    re.compile(r"NotImplementedError: .{0,40}?(\w+::[\w.]+)"),
    re.compile(r"Operator torch\._ops\.([\w.]+) is not in Core ATen opset"),  # ExecuTorch
)

# Operators that each backend has to register; these messages leave out the namespace `aten`.
_OVERRIDEABLE = re.compile(
    r"\b(\w+_overrideable(?:_backward)?)(?: not implemented\b|: You are likely triggering)"
)

# The first words of the harness's reason; the rest of the reason may be cut.
_HARNESS_REASON = re.compile(r"\A([\w.:]+) is missing\. ")


@dataclass(frozen=True, slots=True)
class MissingOperator:
    """A missing operator, and the number of tests that fail because of it."""

    operator: str
    tests: int


def missing_operator(text: str) -> str | None:
    """Return the operator that a message calls missing, or None."""
    if found := _OVERRIDEABLE.search(text):
        return f"aten::{found[1]}"
    for pattern in _MISSING_PATTERNS:
        if found := pattern.search(text):
            return found[1]
    return None


def missing_operators(tests: Iterable[TestEntry]) -> tuple[MissingOperator, ...]:
    """Return the operators at which tests stopped, sorted by number of tests (highest first).

    A test counts for one operator, even if it needs further missing operators. Only tests with the
    outcome `unsupported-operator` and a reason that names an operator count.
    """
    names = Counter(name for test in tests if (name := _operator_missing_in(test)))
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    return tuple(MissingOperator(name, number) for name, number in ordered)


def waiting_tests_text(missing: MissingOperator) -> str:
    """Return the number of tests in words: `2 tests wait for aten::add.out`."""
    verb = "waits" if missing.tests == 1 else "wait"
    return f"{count(missing.tests, 'test')} {verb} for {missing.operator}"


def _operator_missing_in(test: TestEntry) -> str | None:
    if test.outcome != "unsupported-operator" or not test.reason:
        return None
    match = _HARNESS_REASON.match(test.reason)
    return match[1] if match else missing_operator(test.reason)
