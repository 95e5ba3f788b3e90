"""Reads and writes the Common Test Report Format (CTRF, ctrf.io), specVersion 1.0.0.

Many test frameworks write this JSON format. If CTRF has no key for a field of a report, the writer
stores the field in CTRF's `extra`, and the reader restores the field.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_reports import failure_outcomes
from accelerator_reports.failure_texts import outcome_of_text
from accelerator_reports.file_reading import ImportOptions, ImportResult, load_json
from accelerator_reports.formats import ctrf_model
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.formats.stored_fields import (
    NAMESPACE,
    Fields,
    StoredRun,
    differing_fields,
    entry_fields,
    run_fields,
    with_stored_fields,
)
from accelerator_reports.outcomes import OUTCOMES, Outcome, OutcomeGroup, is_outcome
from accelerator_reports.report import EARLIEST_TIME, Evidence, Report, Suite, TestEntry
from accelerator_reports.run_environment import facts_from_properties, merged_environment
from accelerator_reports.test_ids import (
    MAX_CASE,
    ParsedTestId,
    device_or_none,
    dtype_or_none,
    parse_junit_test_id,
    parse_pytest_node_id,
    shortened_with_digest,
    valid_suite_id,
    valid_suite_name,
)

SPEC_VERSION = "1.0.0"

# CTRF has a status for exactly these outcomes. The writer adds other outcomes as `rawStatus`.
_EXACT_OUTCOMES = frozenset({"passed", "failed", "skipped", "not-run"})

# No test takes 30 years. `duration` is at most this; a longer duration is kept in `extra`.
_LONGEST_S = 10**9

# CTRF's "other" is for outcomes that say nothing about the product.
_STATUS_BY_GROUP: Mapping[OutcomeGroup, ctrf_model.Status] = {
    "pass": "passed",
    "unchecked": "other",
    "failure": "failed",
    "error": "other",
    "skip": "skipped",
    "missing": "pending",
}

_OUTCOME_BY_STATUS: Mapping[str, Outcome] = {
    "passed": "passed",
    "skipped": "skipped",
    "pending": "not-run",
}

# What other tools write as rawStatus, in lower case.
_OUTCOME_BY_RAW_STATUS: Mapping[str, Outcome] = {
    "timedout": "timed-out",
    "timeout": "timed-out",
    "crashed": "crashed",
    "xfail": "skipped",
    "xfailed": "skipped",
    "xpass": "passed",
    "xpassed": "passed",
}
_UNEXPECTED_PASSES = {"xpass", "xpassed"}


def read_ctrf(path: Path, options: ImportOptions) -> ImportResult:
    """Read a CTRF file. Raises ProblemsError with the faults of the file or the suite name."""
    user_suite = chosen_suite(path, options)
    results = parse_document(path, ctrf_model.Document, load_json(path, strict=False)).results
    fallback = valid_suite_id(results.tool.name) or "tests"
    imported = ImportedTests(path, options, repeats="apart")
    _read_tests(imported, results, options, fallback)
    stored_fields = _stored_fields(imported, "results.extra", results.extra)
    suites = _stored_suites(imported, stored_fields.get("suites", []), user_suite)
    run = _run_of_file(imported, results, stored_fields.get("run"))
    names = imported.suite_names or ([] if suites else [user_suite or fallback])
    stated = {suite.name for suite in suites}
    suites += [Suite(name=name, kind="unit") for name in names if name not in stated]
    return imported.result(suites, run.environment, run.started, run.finished, run.note)


def _read_tests(
    imported: ImportedTests, results: ctrf_model.Results, options: ImportOptions, fallback: str
) -> None:
    """Add the tests of the file to `imported`. Tests without a suite get the suite `fallback`.

    If a count in `results.summary` differs from `results.tests`, a fault is recorded. The counts by
    status are not compared if a test cannot be read.
    """
    statuses: Counter[str] = Counter()
    for index, record in enumerate(results.tests):
        json_path = f"results.tests[{index}]"
        test = imported.parse_entry(ctrf_model.Test, record, json_path)
        if test is None:
            continue
        statuses[test.status] += 1
        if test.duration is None:
            what = f"{json_path}.duration is not a number of milliseconds, 0 or more"
            imported.leave_out_value(1, what, "use a number")
        test_id = parsed_test_id(test, options.suite)
        plain_fields = standard_fields(test, test_id, options.suite, fallback)
        stored_fields = _stored_fields(imported, f"{json_path}.extra", test.extra)
        imported.add(
            1,
            with_stored_fields(plain_fields, stored_fields),
            place=json_path,
            device=test_id.device,
        )
    all_are_read = statuses.total() == len(results.tests)
    for count_name in ("tests", *(ctrf_model.STATUSES if all_are_read else ())):
        stated_count = getattr(results.summary, count_name)
        actual_count = len(results.tests) if count_name == "tests" else statuses[count_name]
        if stated_count != actual_count:
            summary = f"results.summary.{count_name} is {stated_count:,}"
            what = f"{summary}, but results.tests has {actual_count:,}"
            imported.record_fault(1, what, "create the file again; one of the two is incomplete")


def _stored_fields(imported: ImportedTests, json_path: str, extra: Mapping[str, Any]) -> Fields:
    """Return the report fields that this project's writer stored in `extra`.

    The result is empty if there are none. If they are not a JSON object, the result is also empty,
    and a fault that names `json_path` is recorded in `imported`.
    """
    stored_fields = extra.get(NAMESPACE, {})
    if isinstance(stored_fields, dict):
        return stored_fields
    imported.record_fault(1, f"{json_path}.{NAMESPACE} is not an object", "remove it")
    return {}


def _stored_suites(imported: ImportedTests, records: object, user_suite: str | None) -> list[Suite]:
    json_path = f"results.extra.{NAMESPACE}.suites"
    return [
        suite.model_copy(update={"name": user_suite or suite.name})
        for record in (records if isinstance(records, list) else ())
        if (suite := imported.parse_record(Suite, record, json_path))
    ]


def _run_of_file(
    imported: ImportedTests, results: ctrf_model.Results, stored_run: object
) -> StoredRun:
    if stored_run is not None:
        return (
            imported.parse_record(StoredRun, stored_run, f"results.extra.{NAMESPACE}.run")
            or StoredRun()
        )
    ctrf_environment = results.environment
    name = ctrf_environment.appName.strip().lower()
    version = ctrf_environment.appVersion.strip()[:200]
    system_parts = (
        ctrf_environment.osPlatform,
        ctrf_environment.osRelease,
        ctrf_environment.osVersion,
    )
    system = " ".join(filter(None, system_parts))
    is_torch = name in {"torch", "pytorch"}
    facts = {
        "torch": version if version and is_torch else None,
        "packages": {name[:200]: version} if name and version and not is_torch else {},
        "os": system.strip()[:200] or None,
    }
    json_path = "results.environment"
    stated_environment = imported.environment(facts, json_path)
    extra_environment = imported.environment(
        facts_from_properties(ctrf_environment.extra), f"{json_path}.extra"
    )
    return StoredRun(
        environment=merged_environment(extra_environment, stated_environment),
        started=_time_or_none(results.summary.start),
        finished=_time_or_none(results.summary.stop),
    )


def _time_or_none(milliseconds: int) -> dt.datetime | None:
    """Return a time, or None before PyTorch existed: tools write 0 for a time that they lack."""
    time = dt.datetime.fromtimestamp(0, dt.timezone.utc) + dt.timedelta(milliseconds=milliseconds)
    return time if time >= EARLIEST_TIME else None


def ctrf_status(outcome: Outcome) -> ctrf_model.Status:
    """Return CTRF's status for an outcome, such as `failed` for `wrong-result`."""
    return _STATUS_BY_GROUP[OUTCOMES[outcome].group]


def standard_fields(
    test: ctrf_model.Test, test_id: ParsedTestId, user_suite: str | None, fallback: str
) -> dict[str, Any]:
    """Return the `TestEntry` fields from CTRF's own keys, without the fields in `extra`.

    `test_id` is the test's identity. The suite is `user_suite` (the suite that the user named), or
    else the outermost suite of the test, or else `fallback`.
    """
    top = test.suite[0] if test.suite else fallback
    fields: dict[str, Any] = {
        "suite": user_suite or valid_suite_name(top) or fallback,
        "name": test_id.name,
        "duration_s": None if test.duration is None else test.duration / 1000,
        **_outcome_fields(test),
    }
    if parameters := {**test_id.parameters, **_test_parameters(test.parameters)}:
        fields["parameters"] = parameters
    if retries := test.retries or int(test.flaky):
        fields["metrics"] = {"retries": {"value": float(retries), "unit": "1"}}
    if evidence := _evidence(test.attachments):
        fields["evidence"] = evidence
    return {name: value for name, value in fields.items() if value is not None}


def parsed_test_id(test: ctrf_model.Test, user_suite: str | None) -> ParsedTestId:
    """Return the identity of a test (name and parameters), from its name and enclosing suites.

    The outermost suite becomes the report's suite, so it is not part of the test's name. If the
    user named another suite (`user_suite`), the outermost suite is part of the test's name.
    """
    outer = test.suite
    if outer and (user_suite is None or valid_suite_name(outer[0]) == user_suite):
        outer = outer[1:]
    if container := "::".join(filter(None, outer)):
        return parse_junit_test_id(container, test.name)
    return parse_pytest_node_id(test.name)


def _test_parameters(ctrf_parameters: Mapping[str, Any]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for key, value in ctrf_parameters.items():
        name = valid_suite_id(key)
        if name is None or value is None or (name == "device" and device_or_none(str(value))):
            continue
        if name == "dtype":
            parameters[name] = dtype_or_none(str(value)) or value
        elif isinstance(value, str | bool | int | float):
            parameters[name] = (
                shortened_with_digest(value, MAX_CASE) if isinstance(value, str) else value
            )
        else:
            parameters[name] = shortened_with_digest(json.dumps(value, sort_keys=True), MAX_CASE)
    return parameters


def _outcome_fields(test: ctrf_model.Test) -> dict[str, Any]:
    raw = test.rawStatus
    outcome: Outcome
    if is_outcome(raw) and ctrf_status(raw) == test.status:
        outcome, raw = raw, ""
    else:
        outcome = _outcome(test, raw.lower())
        raw = raw or ("" if test.status == outcome else test.status)
    reason = failure_outcomes.reason(test.message)
    group = OUTCOMES[outcome].group
    if group in {"skip", "missing"}:
        reason = reason or failure_outcomes.NO_REASON
    elif group != "pass":
        reason = reason or failure_outcomes.reason(test.trace)
    log = failure_outcomes.log_tail(test.trace if failure_outcomes.reason(test.message) else "")
    if log is None and group != "pass":
        log = failure_outcomes.log_tail("\n".join([*test.stdout, *test.stderr]))
    return {
        "outcome": outcome,
        "raw_status": shortened_with_digest(raw, 200) or None,
        "reason": reason,
        "log_tail": log,
    }


def _outcome(test: ctrf_model.Test, raw: str) -> Outcome:
    if test.status in _OUTCOME_BY_STATUS:
        return _OUTCOME_BY_STATUS[test.status]
    if test.status == "failed" and raw in _UNEXPECTED_PASSES:
        return "failed"
    if raw in _OUTCOME_BY_RAW_STATUS:
        return _OUTCOME_BY_RAW_STATUS[raw]
    if raw in {"error", "broken"}:
        return failure_outcomes.error_outcome(test.message, test.trace)
    if test.status == "failed":
        return failure_outcomes.failure_outcome(test.message, test.trace)
    return outcome_of_text(test.message) or outcome_of_text(test.trace) or "executed"


def _evidence(attachments: list[ctrf_model.Attachment]) -> list[dict[str, str]]:
    """Return the data of an `Evidence` for each attachment that has a web address."""
    records = []
    for attachment in attachments:
        label = shortened_with_digest(attachment.name or "attachment", 200)
        with suppress(ValidationError):
            evidence = Evidence(label=label, url=attachment.path)
            records.append(evidence.model_dump())
    return records


def ctrf_text(report: Report) -> str:
    """Return a report as CTRF JSON, with one test per line."""
    tests = [_test_record(test) for test in report.tests]
    suites = [suite.model_dump(mode="json", exclude_none=True) for suite in report.suites]
    head = {
        "tool": {"name": NAMESPACE},
        "summary": _summary(report, tests),
        "environment": _environment_record(report),
        "extra": {NAMESPACE: {"run": run_fields(report), "suites": suites}},
    }
    document = {"reportFormat": "CTRF", "specVersion": SPEC_VERSION, "generatedBy": NAMESPACE}
    lines = ",\n".join(map(_json, tests))
    return f'{_json(document)[:-1]}, "results": {_json(head)[:-1]}, "tests": [\n{lines}\n]}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _test_record(test: TestEntry) -> Fields:
    record: Fields = {
        "testId": _stable_id(test),
        "name": test.name,
        "status": ctrf_status(test.outcome),
        "duration": round(min(test.duration_s or 0, _LONGEST_S) * 1000),
        "suite": [test.suite],
        "rawStatus": test.raw_status or (None if test.outcome in _EXACT_OUTCOMES else test.outcome),
        "message": test.reason,
        "trace": test.log_tail,
        "parameters": dict(test.parameters) or None,
        "retries": _retries(test),
        "attachments": [
            {
                "name": evidence.label,
                "contentType": "application/octet-stream",
                "path": evidence.url,
            }
            for evidence in test.evidence
        ]
        or None,
    }
    record = {name: value for name, value in record.items() if value is not None}
    if record.get("retries") and test.outcome == "passed":
        record["flaky"] = True
    ctrf_test = ctrf_model.Test.model_validate(record)
    plain_fields = standard_fields(ctrf_test, parsed_test_id(ctrf_test, None), None, test.suite)
    extra_fields = differing_fields(entry_fields(test), plain_fields)
    return {**record, "extra": {NAMESPACE: extra_fields}} if extra_fields else record


def _stable_id(test: TestEntry) -> str:
    parameter_text = ",".join(f"{name}={value}" for name, value in sorted(test.parameters.items()))
    test_id = f"{test.suite}::{test.name}"
    return f"{test_id}[{parameter_text}]" if parameter_text else test_id


def _retries(test: TestEntry) -> int | None:
    metric = test.metrics.get("retries")
    if metric is None or metric.unit != "1" or not metric.value.is_integer():
        return None
    return int(metric.value) if 0 < metric.value <= 10**9 else None


def _summary(report: Report, tests: list[Fields]) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    start = _milliseconds(report.started)
    return {
        "tests": len(tests),
        **{word: counts[word] for word in ctrf_model.STATUSES},
        "flaky": sum("flaky" in test for test in tests),
        "suites": len(report.suites),
        "start": start,
        "stop": _milliseconds(report.finished) or start,
    }


def _milliseconds(moment: dt.datetime | None) -> int:
    return max(0, int(moment.timestamp() * 1000)) if moment else 0


def _environment_record(report: Report) -> dict[str, str]:
    environment, trigger = report.environment, report.trigger
    torch = {"appName": "torch", "appVersion": environment.torch} if environment.torch else {}
    optional_values = {
        "osVersion": environment.os,
        "repositoryName": trigger.repository,
        "commit": trigger.commit,
    }
    return torch | {name: value for name, value in optional_values.items() if value}
