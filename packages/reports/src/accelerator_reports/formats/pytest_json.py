"""Reads test results from the JSON file that the pytest plugin pytest-json-report writes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    is_finite,
    load_json,
)
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.report import Suite
from accelerator_reports.test_ids import parse_pytest_node_id, shortened_with_digest

_SUITE = "pytest"  # as in pytest's own JUnit XML

# pytest writes a skip as a tuple: ('/x/test_a.py', 10, 'Skipped: needs two cards').
_SKIP_START = re.compile(r"\(.{1,1000}?, \d+, ([\"'])(?:Skipped: )?", re.DOTALL)
_ARCHITECTURE = re.compile(r"(?<![a-z0-9])(x86_64|aarch64|s390x|ppc64le|riscv64)(?![a-z0-9])")


def read_pytest_json(path: Path, options: ImportOptions) -> ImportResult:
    """Read a pytest-json-report file.

    A module or class that pytest cannot collect becomes a test with the outcome `test-broken`.
    Raises ProblemsError with the faults of the file or the suite name.
    """
    suite = chosen_suite(path, options) or _SUITE
    document, records = read_document(path)
    imported = ImportedTests(path, options, repeats="apart")
    for number, record in enumerate(records):
        json_path = f"tests[{number}]"
        test = imported.parse_entry(Test, record, json_path)
        if test is None:
            continue
        result_fields = outcome_fields(test)
        if result_fields is None:
            what = f'{json_path}.outcome: "{test.outcome[:40]}" is not a pytest outcome'
            remedy = 'use "passed", "failed", "error", "skipped" or "xfailed"'
            imported.leave_out(1, what, remedy, "with an unknown outcome")
            continue
        if any(one.duration is None for one in test.stages):
            what = f"{json_path} has a duration that is not a number of seconds, 0 or more"
            imported.leave_out_value(1, what, "use a number")
        _add_test(imported, json_path, test.nodeid, {"suite": suite, **result_fields})
    add_collection_results(imported, document, len(records), suite)
    result = import_result(document, Suite(name=suite, kind="unit"), imported)
    planned = _planned_count(document, len(result.tests))
    return replace(result, suites=(Suite(name=suite, kind="unit", planned=planned),))


def read_document(path: Path) -> tuple[Document, list[Any]]:
    """Return the content of a pytest-json-report file, and its tests, which are not validated yet.

    Raises ProblemsError if the file is invalid, or if it is a summary without tests.
    """
    document = parse_document(path, Document, load_json(path, strict=False))
    if document.tests is None:
        what = 'the file has no "tests", because it was created with --json-report-summary'
        raise file_error(path, 1, what, "create it without that option")
    return document, document.tests


def import_result(
    document: Document, suite: Suite, imported: ImportedTests, note: str | None = None
) -> ImportResult:
    """Return the import result: the tests in `imported`, with the times and facts of `document`.

    All tests belong to `suite`. Raises ProblemsError with the faults in `imported`, if any.
    """
    environment = imported.environment(_environment_fields(document.environment), "environment")
    end = dt.datetime.fromtimestamp(document.created, dt.timezone.utc)
    start = end - dt.timedelta(seconds=min(document.duration, document.created))
    return imported.result((suite,), environment, start, end, note)


def _add_test(
    imported: ImportedTests, json_path: str, nodeid: str, fields: Mapping[str, Any]
) -> None:
    parsed_id = parse_pytest_node_id(nodeid)
    fields = {**fields, "name": parsed_id.name, "parameters": dict(parsed_id.parameters)}
    imported.add(1, fields, place=json_path, device=parsed_id.device)


def add_collection_results(
    imported: ImportedTests, document: Document, test_count: int, suite: str
) -> None:
    """Add a broken test to `imported` for each module or class that pytest cannot collect.

    `test_count` is the number of tests in the file. If the file's summary states another number, a
    fault is recorded.
    """
    if document.summary.total != test_count:
        what = f"summary.total is {document.summary.total:,}, but the number of tests is"
        remedy = "create the file again; one of the two is incomplete"
        imported.record_fault(1, f"{what} {test_count:,}", remedy)
    for number, collector in enumerate(document.collectors):
        if collector.outcome == "failed":
            fields = {
                "suite": suite,
                "outcome": "test-broken",
                "raw_status": "collection failed",
                "reason": failure_outcomes.reason(collector.longrepr),
            }
            nodeid = collector.nodeid or "collection"
            _add_test(imported, f"collectors[{number}]", nodeid, fields)


def _planned_count(document: Document, result_count: int) -> int | None:
    """Return the number of tests that pytest planned to run; None if it is unknown.

    This is the number of collected tests without deselected tests, plus one for each module or
    class that pytest cannot collect. `result_count` is the number of tests with a result. The
    planned number is unknown if the file states no number of collected tests, or if the sum is
    less than `result_count`.
    """
    collected = document.summary.collected
    if collected is None:
        return None
    broken = sum(collector.outcome == "failed" for collector in document.collectors)
    planned = collected - document.summary.deselected + broken
    return planned if planned >= result_count else None


def outcome_fields(test: Test) -> dict[str, Any] | None:
    """Return the `TestEntry` fields that state a test's result; None for an unknown outcome.

    The fields are `outcome`, `raw_status`, `reason`, `duration_s` and `log_tail`, and `metrics` for
    a retried test. Unknown fields are absent or None.
    """
    stages = test.stages
    failed = next((stage for stage in stages if stage.outcome == "failed"), None)
    stage = failed or test.call or (stages[0] if stages else Stage())
    result_fields: dict[str, Any] = {
        "raw_status": None if test.outcome == "passed" else test.outcome
    }
    durations = [one.duration for one in stages if one.duration is not None]
    if stages and len(durations) == len(stages):
        result_fields["duration_s"] = sum(durations)
    if test.outcome in {"skipped", "xfailed"}:
        return {**result_fields, **_skip_fields(stage, expected=test.outcome == "xfailed")}
    if test.outcome == "rerun":
        # The file does not state the number of attempts, only that there was more than one.
        result_fields["metrics"] = {"retries": {"value": 1, "unit": "1"}}
    elif test.outcome not in {"passed", "xpassed", "failed", "error"}:
        return None
    if test.outcome in {"passed", "xpassed"} or (test.outcome == "rerun" and failed is None):
        return {**result_fields, "outcome": "passed"}
    is_setup_or_teardown = failed is not None and failed is not test.call
    classify = (
        failure_outcomes.error_outcome if is_setup_or_teardown else failure_outcomes.failure_outcome
    )
    message = failure_outcomes.reason(stage.crash.message)
    log = stage.longrepr if message else ""
    return {
        **result_fields,
        "outcome": classify(stage.crash.message, stage.longrepr),
        "reason": message or failure_outcomes.reason(stage.longrepr),
        "log_tail": failure_outcomes.log_tail(log)
        or failure_outcomes.log_tail(stage.stderr or stage.stdout),
    }


def _skip_fields(stage: Stage, *, expected: bool) -> dict[str, Any]:
    if expected:
        stated_reason = failure_outcomes.reason(stage.crash.message) or failure_outcomes.reason(
            stage.longrepr
        )
        return {
            "outcome": "skipped",
            "raw_status": "xfail",
            "reason": stated_reason or failure_outcomes.EXPECTED_FAILURE_REASON,
        }
    text = stage.longrepr
    start = _SKIP_START.match(text)
    if start and text.endswith(ending := f"{start[1]})"):
        text = text[start.end() :].removesuffix(ending)
    reason = failure_outcomes.reason(text)
    return {"outcome": "skipped", "reason": reason or failure_outcomes.NO_REASON}


def _environment_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `Environment` fields that `metadata` states, with None for unknown fields.

    `metadata` is what the pytest plugin pytest-metadata stores in the file. The plugin itself does
    not store the version of `torch`, but test suites can add that key.
    """
    platform = _text_or_none(metadata.get("Platform"))
    architecture = _ARCHITECTURE.search(platform or "")
    packages = metadata.get("Packages")
    all_facts = {**packages, **metadata} if isinstance(packages, Mapping) else metadata
    versions = {
        shortened_with_digest(name, 200): version
        for name, value in (packages.items() if isinstance(packages, Mapping) else ())
        if name and name.lower() != "torch" and (version := _text_or_none(value))
    }
    return {
        "torch": _text_or_none(all_facts.get("torch")),
        "python": _text_or_none(metadata.get("Python")),
        "os": platform,
        "arch": architecture[1] if architecture else None,
        "packages": versions,
    }


def _text_or_none(value: object) -> str | None:
    return shortened_with_digest(value, 200) if isinstance(value, str) and value else None


_LONGEST_S = 10**9
Seconds = Annotated[float, Field(ge=0, lt=_LONGEST_S)]


def _seconds_or_none(value: object) -> object:
    """Return a duration, or None for an invalid one: a test is not left out because of it."""
    return value if is_finite(value) and 0 <= value < _LONGEST_S else None


class _PytestJsonModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Crash(_PytestJsonModel):
    """The message of the error at which a stage failed."""

    message: str = ""


class Stage(_PytestJsonModel):
    """A stage of a test: setup, call or teardown."""

    duration: Annotated[float | None, BeforeValidator(_seconds_or_none)] = 0
    outcome: str = ""
    crash: Crash = Crash()
    longrepr: str = ""
    stdout: str = ""
    stderr: str = ""


class Test(_PytestJsonModel):
    """A test with its outcome and the stages that ran."""

    __test__ = False

    nodeid: Annotated[str, Field(min_length=1)]
    outcome: str
    setup: Stage | None = None
    call: Stage | None = None
    teardown: Stage | None = None
    lost: Annotated[Stage | None, Field(alias="???")] = None
    """The stage in which a worker died; pytest-xdist calls it `???`."""

    @property
    def stages(self) -> list[Stage]:
        """The stages that ran, in order."""
        all_stages = (self.setup, self.call, self.teardown, self.lost)
        return [stage for stage in all_stages if stage]


class Collector(_PytestJsonModel):
    """A module or class from which pytest collected tests."""

    nodeid: str
    outcome: str
    longrepr: str = ""


class Summary(_PytestJsonModel):
    """The numbers of tests that have a result, that pytest collected, and that it deselected."""

    total: Annotated[int, Field(ge=0)] = 0
    collected: Annotated[int, Field(ge=0)] | None = None
    deselected: Annotated[int, Field(ge=0)] = 0


class Document(_PytestJsonModel):
    """A pytest-json-report file; `created` is the end of the run in seconds since 1970."""

    created: Annotated[float, Field(ge=0, lt=253_402_300_799)]
    duration: Seconds
    environment: Mapping[str, Any] = {}
    summary: Summary
    tests: list[Any] | None = None
    """The tests, not validated: each is validated as a `Test`, so that an error names its test."""
    collectors: list[Collector] = []
