"""Reads the results that TT-XLA's CI expects of its model tests, as a baseline.

TT-XLA is Tenstorrent's PyTorch backend. A YAML file configures its model tests:

    test_config:
      gpt_neo/causal_lm/pytorch-125M-single_device-inference:
        status: EXPECTED_PASSING
        arch_overrides:
          p150: {status: KNOWN_FAILURE_XFAIL, reason: "out of memory"}

As in TT-XLA's tests/runner/conftest.py, a test runs on the boards in `supported_archs`, by default
on `n150` and `p150`. The values of a board in `arch_overrides` replace the common values.

Hardware is not part of a test's identity, so a test has one result, although the boards can have
different ones. The result whose outcome has the lowest `OutcomeInfo.merge_rank` is kept: a failure
rather than a pass, and a pass rather than a skip. A reason from the file begins with the board's
name: `p150: out of memory`. The name is omitted if there are several boards, and the file expects
the same on all of them.

If a model is expected to pass and `assert_pcc` is false, TT-XLA runs the model and accepts any
result, so the outcome is `executed`. If a model is expected to pass with the `bringup_status`
`INCORRECT_RESULT` and a `required_pcc`, the reason says so. Models with the status `EXCLUDE_MODEL`
or `UNSPECIFIED` have no expectation, and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from accelerator_reports.failure_texts import NO_REASON
from accelerator_reports.file_reading import READ_AS_TEST, ImportOptions, ImportResult
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.formats.imported_tests import (
    TT_XLA,
    ImportedTests,
    StatusMeaning,
    chosen_suite,
    parse_document,
    read_yaml,
)
from accelerator_reports.report import Suite
from accelerator_reports.shortened_text import shortened_text

_SUITE = "tt-forge-models"
_TEST_NAME = re.compile(
    r"(.+)-(?P<parallelism>single_device|data_parallel|tensor_parallel)"
    r"(?:-mesh_(?P<mesh>\w+))?-(?P<mode>inference|training)"
)
_DEFAULT_BOARDS = ("n150", "p150")
_REMEDY = 'use a name like "resnet/pytorch-single_device-inference"'


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


class _Expectation(OpenModel):
    status: Annotated[
        Literal[
            "EXPECTED_PASSING",
            "KNOWN_FAILURE_XFAIL",
            "NOT_SUPPORTED_SKIP",
            "UNSPECIFIED",
            "EXCLUDE_MODEL",
        ],
        BeforeValidator(_upper),
    ] = "UNSPECIFIED"
    bringup_status: Annotated[str | None, BeforeValidator(_upper)] = None
    reason: str | None = None
    assert_pcc: bool | None = None
    required_pcc: float | None = None

    def meaning(self, board: str | None) -> StatusMeaning | None:
        """Return the expected outcome, stage, reason and status.

        None if the status is `UNSPECIFIED` or `EXCLUDE_MODEL`, because these state no
        expectation. If `board` is not None, a reason from the file begins with it:
        `p150: out of memory`.
        """
        prefix = f"{board}: " if board else ""
        reason = shortened_text(prefix + self.reason) if self.reason else None
        if self.status == "EXPECTED_PASSING":
            if self.assert_pcc is False:
                executed_reason = "TT-XLA runs the model and accepts any result."
                return StatusMeaning("executed", "run", executed_reason, self.status)
            pass_reason = None
            if self.required_pcc and self.bringup_status == "INCORRECT_RESULT":
                pcc = f"but accepts a PCC of {self.required_pcc}. {self.reason or ''}"
                pass_reason = shortened_text(f"{prefix}TT-XLA calls the result incorrect, {pcc}")
            return StatusMeaning("passed", "compare", pass_reason, self.status)
        if self.status == "KNOWN_FAILURE_XFAIL":
            failure_meaning = TT_XLA.get(self.bringup_status or "", StatusMeaning("failed"))
            raw = self.bringup_status or self.status
            return StatusMeaning(failure_meaning.outcome, failure_meaning.stage, reason, raw)
        if self.status == "NOT_SUPPORTED_SKIP":
            return StatusMeaning("skipped", None, reason or NO_REASON, self.status)
        return None


class _BoardsOfTest(OpenModel):
    supported_archs: tuple[str, ...] = _DEFAULT_BOARDS
    arch_overrides: Mapping[str, Mapping[str, Any]] = {}


class _ConfigurationFile(OpenModel):
    test_config: Mapping[str, Mapping[str, Any]]


def read_tt_xla(path: Path, options: ImportOptions) -> ImportResult:
    """Read a test configuration of TT-XLA. `options.suite` names the suite.

    Raises ProblemsError if the file or the suite name is invalid.
    """
    tests = ImportedTests(path, options, repeats="merged")
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="model")
    file = read_yaml(path)
    for key, entry in parse_document(path, _ConfigurationFile, file.data).test_config.items():
        line = file.line(("test_config", key))
        match = _TEST_NAME.fullmatch(key)
        if match is None:
            tests.leave_out(line, f'"{key[:60]}" does not end in a parallelism and a mode', _REMEDY)
            continue
        identity_fields = {
            "suite": suite.name,
            "name": match[1],
            "parameters": {name: value for name, value in match.groupdict().items() if value},
        }
        boards = tests.parse_entry(_BoardsOfTest, entry, key, line)
        if boards is None:
            continue
        expectations: dict[str, _Expectation | None] = {}
        for board in boards.supported_archs:
            settings = {**entry, **boards.arch_overrides.get(board, {})}
            expectations[board] = tests.parse_entry(_Expectation, settings, key, line)
            if expectations[board] is None:  # probably the same fault on all boards
                break
        if None in expectations.values():
            continue
        is_same_on_all_boards = len(expectations) > 1 and len(set(expectations.values())) == 1
        statuses = {expectation.status for expectation in expectations.values() if expectation}
        if statuses <= {"UNSPECIFIED", "EXCLUDE_MODEL"}:
            status_text = f"with the status {' or '.join(sorted(statuses))}"
            tests.entries[status_text if statuses else "without a board"] += 1
            continue
        meanings = [
            expectation.meaning(None if is_same_on_all_boards else board)
            for board, expectation in expectations.items()
            if expectation
        ]
        added = [
            tests.add(line, {**identity_fields, **meaning.fields()})
            for meaning in meanings
            if meaning
        ]
        tests.entries[READ_AS_TEST] += any(added)
    return tests.result((suite,))
