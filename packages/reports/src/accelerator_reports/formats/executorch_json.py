"""Reads the results of ExecuTorch's backend test suite from JSON.

The plugin pytest-json-report writes the file. ExecuTorch's conftest.py stores the values of CSV
rows (see `executorch`) in a test's `metadata.subtests`, by column. A test without subtests was
skipped, or failed before or after it ran the model. A test can fail although none of its rows
did, for example at its time limit; its last row then counts as failed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from accelerator_reports import failure_outcomes
from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    file_error,
    is_finite,
    load_json,
)
from accelerator_reports.formats.executorch import (
    BACKENDS,
    REMEDY,
    CsvRow,
    bracket_parameters,
    executorch_suite,
    flows_note,
    recipe_of,
    row_fields,
    split_flow,
)
from accelerator_reports.formats.imported_tests import ImportedTests, parse_document
from accelerator_reports.outcomes import UNSUCCESSFUL
from accelerator_reports.run_environment import facts_from_properties
from accelerator_reports.test_ids import parse_pytest_node_id, shortened_with_digest

_REQUIRED_KEYS = ("Test Case", "Flow", "Result")
_DEFAULT_CELLS = {"Params": "", "Result Detail": "", "Delegated": "False"}

# pytest writes a skip as a tuple: ('/x/test_a.py', 10, 'Skipped: needs two cards').
_SKIP_START = re.compile(r"\(.{1,1000}?, \d+, ([\"'])(?:Skipped: )?", re.DOTALL)
_ARCHITECTURE = re.compile(r"(?<![a-z0-9])(x86_64|aarch64|s390x|ppc64le|riscv64)(?![a-z0-9])")
_LONGEST_S = 10**9
_NO_ROWS_REASON = "The file does not state whether the backend executed the model."


def _seconds_or_none(value: object) -> object:
    """Return a duration, or None for an invalid one: a test is not left out because of it."""
    return value if is_finite(value) and 0 <= value < _LONGEST_S else None


class _PytestModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class PytestCrash(_PytestModel):
    """The message of the error at which a stage failed."""

    message: str = ""


class PytestStage(_PytestModel):
    """A stage of a test: setup, call or teardown."""

    duration: Annotated[float | None, BeforeValidator(_seconds_or_none)] = 0
    outcome: str = ""
    crash: PytestCrash = PytestCrash()
    longrepr: str = ""
    stdout: str = ""
    stderr: str = ""


class PytestTest(_PytestModel):
    """A test with its outcome and the stages that ran."""

    __test__ = False

    nodeid: Annotated[str, Field(min_length=1)]
    outcome: str
    setup: PytestStage | None = None
    call: PytestStage | None = None
    teardown: PytestStage | None = None
    lost: Annotated[PytestStage | None, Field(alias="???")] = None
    """The stage in which a worker died; pytest-xdist calls it `???`."""

    @property
    def stages(self) -> list[PytestStage]:
        """The stages that ran, in order."""
        all_stages = (self.setup, self.call, self.teardown, self.lost)
        return [stage for stage in all_stages if stage]


class PytestCollector(_PytestModel):
    """A module or class from which pytest collected tests."""

    nodeid: str
    outcome: str
    longrepr: str = ""


class PytestSummary(_PytestModel):
    """The number of tests that have a result."""

    total: Annotated[int, Field(ge=0)] = 0


class PytestReport(_PytestModel):
    """A pytest-json-report file; `created` is the end of the run in seconds since 1970."""

    created: Annotated[float, Field(ge=0, lt=253_402_300_799)]
    duration: Annotated[float, Field(ge=0, lt=_LONGEST_S)]
    environment: Mapping[str, Any] = {}
    summary: PytestSummary
    tests: list[Any] | None = None
    """The tests, not validated: each is validated separately, so that an error names its test."""
    collectors: list[PytestCollector] = []


def read_executorch_json(path: Path, options: ImportOptions) -> ImportResult:
    """Read a pytest-json-report file of ExecuTorch's backend test suite.

    A module or class that pytest cannot collect becomes a test with the outcome `test-broken`.
    `options.suite` names the suite. Raises ProblemsError if the file or that name is invalid.
    """
    suite = executorch_suite(path, options)
    document = parse_document(path, PytestReport, load_json(path, strict=False))
    if document.tests is None:
        what = 'the file has no "tests", because it was created with --json-report-summary'
        raise file_error(path, 1, what, "create it without that option")
    tests = ImportedTests(path, options)
    flows: set[str] = set()
    for number, record in enumerate(document.tests):
        try:
            test = PytestTest.model_validate(record)
        except ValidationError:
            what = f"tests[{number}] is not a test in pytest-json-report format"
            tests.leave_out(1, what, REMEDY)
            continue
        rows = _json_rows(record)
        if rows is None:
            what = f"tests[{number}].metadata.subtests are not results in ExecuTorch format"
            tests.leave_out(1, what, REMEDY)
            continue
        flows |= {row["Flow"] for row in rows} or {_flow_in_test_id(test.nodeid)}
        for fields in _test_fields(test, rows, tests):
            tests.add(1, {"suite": suite.name, **fields})
    _add_collection_failures(tests, document, len(document.tests), suite.name)
    environment = tests.environment(_environment_fields(document.environment), "environment")
    end = dt.datetime.fromtimestamp(document.created, dt.timezone.utc)
    start = end - dt.timedelta(seconds=min(document.duration, document.created))
    return tests.result((suite,), environment, start, end, flows_note(flows - {""}, tests))


def _json_rows(record: Mapping[str, Any]) -> list[CsvRow] | None:
    """Return the subtests of a test as CSV rows; None if they are not in ExecuTorch's form."""
    metadata = record.get("metadata", {})
    subtests = metadata.get("subtests", []) if isinstance(metadata, Mapping) else None
    if not isinstance(subtests, list) or not all(isinstance(item, Mapping) for item in subtests):
        return None
    rows = [
        _DEFAULT_CELLS | {k: str(v) for k, v in subtest.items() if isinstance(v, str | int | float)}
        for subtest in subtests
    ]
    return rows if all(row.keys() >= {*_REQUIRED_KEYS} for row in rows) else None


def _test_fields(
    test: PytestTest, rows: list[CsvRow], tests: ImportedTests
) -> list[dict[str, Any]]:
    outcome_fields = _outcome_fields(test)
    if outcome_fields is None:
        what = f'"{test.nodeid[:60]}": "{test.outcome[:40]}" is not a pytest outcome'
        tests.leave_out(1, what, REMEDY, "with an unknown outcome")
        return []
    row_results = [fields for row in rows if (fields := row_fields(1, row, tests))]
    is_failure = outcome_fields["outcome"] in UNSUCCESSFUL
    if not rows or (is_failure and not row_results):
        is_pass = outcome_fields["outcome"] == "passed"
        unchecked = {"outcome": "executed", "reason": _NO_ROWS_REASON} if is_pass else {}
        return [{**_name_and_parameters(test.nodeid), **outcome_fields, **unchecked}]
    if len(rows) == 1 and row_results:
        row_results[0]["duration_s"] = outcome_fields.get("duration_s")
    if is_failure and not any(fields["outcome"] in UNSUCCESSFUL for fields in row_results):
        row_results[-1] |= outcome_fields | {"stage": None}
    return row_results


def _name_and_parameters(nodeid: str) -> dict[str, Any]:
    address, bracket, inside = nodeid.partition("[")
    test_id = f"{address.rpartition('::')[2]}{bracket}{inside}"
    flow = _flow_in_test_id(nodeid)
    parameters = {"recipe": recipe_of(flow)} if flow else {}
    return {
        "name": test_id.partition("[")[0],
        "parameters": parameters | bracket_parameters(test_id, flow),
    }


def _flow_in_test_id(nodeid: str) -> str:
    """Return the flow in a pytest id: `xnnpack_static_int8` for `test_add[xnnpack_static_int8-a]`.

    This is the first part in the brackets that begins with a known backend. The result is empty if
    no part does.
    """
    parts = nodeid.partition("[")[2].removesuffix("]").split("-")
    return next((part for part in parts if split_flow(part)[0] in BACKENDS), "")


def _outcome_fields(test: PytestTest) -> dict[str, Any] | None:
    """Return the `TestEntry` fields that state a test's result; None for an unknown outcome.

    The fields are `outcome`, `raw_status`, `reason`, `duration_s` and `log_tail`, and `metrics` for
    a retried test. Unknown fields are absent or None.
    """
    stages = test.stages
    failed = next((stage for stage in stages if stage.outcome == "failed"), None)
    stage = failed or test.call or (stages[0] if stages else PytestStage())
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
    outcome = failure_outcomes.error_outcome(
        stage.crash.message, stage.longrepr, is_setup=is_setup_or_teardown
    )
    message = failure_outcomes.reason(stage.crash.message)
    return {
        **result_fields,
        "outcome": outcome,
        "reason": message or failure_outcomes.reason(stage.longrepr),
        "log_tail": failure_outcomes.log_tail(stage.longrepr if message else "")
        or failure_outcomes.log_tail(stage.stderr or stage.stdout),
    }


def _skip_fields(stage: PytestStage, *, expected: bool) -> dict[str, Any]:
    reason = failure_outcomes.reason
    if expected:
        stated_reason = reason(stage.crash.message) or reason(stage.longrepr)
        return {
            "outcome": "skipped",
            "raw_status": "xfail",
            "reason": stated_reason or failure_outcomes.EXPECTED_FAILURE_REASON,
        }
    text = stage.longrepr
    start = _SKIP_START.match(text)
    if start and text.endswith(ending := f"{start[1]})"):
        text = text[start.end() :].removesuffix(ending)
    return {"outcome": "skipped", "reason": reason(text) or failure_outcomes.NO_REASON}


def _add_collection_failures(
    tests: ImportedTests, document: PytestReport, test_count: int, suite: str
) -> None:
    """Add a broken test to `tests` for each module or class that pytest cannot collect.

    `test_count` is the number of tests in the file. If the file's summary states another number, a
    fault is recorded.
    """
    if document.summary.total != test_count:
        what = f"summary.total is {document.summary.total:,}, but the number of tests is"
        remedy = "create the file again; one of the two is incomplete"
        tests.record_fault(1, f"{what} {test_count:,}", remedy)
    for number, collector in enumerate(document.collectors):
        if collector.outcome == "failed":
            parsed_id = parse_pytest_node_id(collector.nodeid or "collection")
            fields = {
                "suite": suite,
                "name": parsed_id.name,
                "parameters": dict(parsed_id.parameters),
                "outcome": "test-broken",
                "raw_status": "collection failed",
                "reason": failure_outcomes.reason(collector.longrepr),
            }
            tests.add(1, fields, place=f"collectors[{number}]")


def _environment_fields(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `Environment` fields in `metadata`, which the plugin pytest-metadata stores.

    That plugin does not store the version of torch, but test suites can add the key `torch`.
    """
    packages = metadata.get("Packages")
    versions = packages if isinstance(packages, Mapping) else {}
    facts = facts_from_properties({**versions, "os": metadata.get("Platform"), **metadata})
    architecture = _ARCHITECTURE.search(facts.get("os", ""))
    return {
        **({"arch": architecture[1]} if architecture else {}),
        **facts,
        "packages": {
            shortened_with_digest(name, 200): shortened_with_digest(version, 200)
            for name, version in versions.items()
            if name and name.lower() != "torch" and isinstance(version, str) and version
        },
    }
