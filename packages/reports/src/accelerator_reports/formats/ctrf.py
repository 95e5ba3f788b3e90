"""Reads the Common Test Report Format (CTRF, ctrf.io), which many test frameworks write."""

from __future__ import annotations

import datetime as dt
import json
import re
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
    EXPORTER,
    ImportedTests,
    chosen_suite,
    parse_document,
)
from accelerator_reports.outcomes import OUTCOMES, Outcome, OutcomeGroup, is_outcome
from accelerator_reports.report import EARLIEST_TIME, Environment, Evidence, Suite
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
_REMEDY = "see the specification at ctrf.io"
_SETUP_RAW_STATUSES = {"setup_failed", "teardown_failed"}  # of pytest-json-ctrf
_NODE_ID = re.compile(r"[^\[]*\.py::")


def read_ctrf(path: Path, options: ImportOptions) -> ImportResult:
    """Read a CTRF file. Raises ProblemsError with the faults of the file or the suite name."""
    user_suite = chosen_suite(path, options)
    data = load_json(path, strict=False)
    results = parse_document(path, ctrf_model.Document, data, _REMEDY).results
    fallback = valid_suite_id(results.tool.name) or "tests"
    imported = ImportedTests(path, options, repeats="apart")
    _read_tests(imported, results, options, fallback)
    names = imported.suite_names or [user_suite or fallback]
    return imported.result(
        [Suite(name=name, kind="unit") for name in names],
        _environment(imported, results.environment),
        _time_or_none(results.summary.start),
        _time_or_none(results.summary.stop),
    )


def _read_tests(
    imported: ImportedTests, results: ctrf_model.Results, options: ImportOptions, fallback: str
) -> None:
    """Add the tests of the file to `imported`. Tests without a suite get the suite `fallback`.

    If a count in `results.summary` differs from `results.tests`, a fault is recorded. The counts by
    status are not compared if a test cannot be read.
    """
    statuses: Counter[str] = Counter()
    is_exported = results.tool.name == EXPORTER
    for index, record in enumerate(results.tests):
        json_path = f"results.tests[{index}]"
        test = imported.parse_entry(ctrf_model.Test, record, json_path, remedy=_REMEDY)
        if test is None:
            continue
        statuses[test.status] += 1
        if test.duration is None:
            what = f"{json_path}.duration is not a number of milliseconds, 0 or more"
            imported.leave_out_value(1, what, "use a number")
        test_id = _parsed_test_id(test, options.suite, is_exported=is_exported)
        fields = _entry_fields(test, test_id, options.suite, fallback)
        if is_exported:
            fields |= _exported_fields(test)
        imported.add(1, fields, place=json_path, device=test_id.device)
    all_are_read = statuses.total() == len(results.tests)
    for count_name in ("tests", *(ctrf_model.STATUSES if all_are_read else ())):
        stated_count = getattr(results.summary, count_name)
        actual_count = len(results.tests) if count_name == "tests" else statuses[count_name]
        if stated_count != actual_count:
            summary = f"results.summary.{count_name} is {stated_count:,}"
            what = f"{summary}, but results.tests has {actual_count:,}"
            imported.record_fault(1, what, "create the file again; one of the two is incomplete")


def _environment(imported: ImportedTests, stated: ctrf_model.Environment) -> Environment:
    name = stated.appName.strip().lower()
    version = stated.appVersion.strip()[:200]
    system = " ".join(filter(None, (stated.osPlatform, stated.osRelease, stated.osVersion)))
    is_torch = name in {"torch", "pytorch"}
    facts = {
        "torch": version if version and is_torch else None,
        "packages": {name[:200]: version} if name and version and not is_torch else {},
        "os": system.strip()[:200] or None,
    }
    extra_facts = facts_from_properties(stated.extra)
    return merged_environment(
        imported.environment(extra_facts, "results.environment.extra"),
        imported.environment(facts, "results.environment"),
    )


def _time_or_none(milliseconds: int) -> dt.datetime | None:
    """Return a time, or None before PyTorch existed: tools write 0 for a time that they lack."""
    time = dt.datetime.fromtimestamp(0, dt.timezone.utc) + dt.timedelta(milliseconds=milliseconds)
    return time if time >= EARLIEST_TIME else None


def ctrf_status(outcome: Outcome) -> ctrf_model.Status:
    """Return CTRF's status for an outcome, such as `failed` for `wrong-result`."""
    return _STATUS_BY_GROUP[OUTCOMES[outcome].group]


def _entry_fields(
    test: ctrf_model.Test, test_id: ParsedTestId, user_suite: str | None, fallback: str
) -> dict[str, Any]:
    """Return the `TestEntry` fields of a test.

    `test_id` is the test's identity. The suite is `user_suite` (the suite that the user named), or
    else the outermost suite of the test, or else `fallback`. A test that is named by pytest's node
    id has the suite `fallback`, as in pytest's JUnit file: its other suites are in the node id.
    """
    top = test.suites[0] if test.suites and not test.has_node_id else fallback
    # The brackets of a node id contain the values of the parameters, also that of the device.
    ctrf_parameters = {} if test.has_node_id and "[" in test.name else test.parameters
    fields: dict[str, Any] = {
        "suite": user_suite or valid_suite_name(top) or fallback,
        "name": test_id.name,
        "duration_s": None if test.duration is None else test.duration / 1000,
        **_outcome_fields(test),
    }
    if parameters := {**test_id.parameters, **_test_parameters(ctrf_parameters)}:
        fields["parameters"] = parameters
    if retries := test.retries or int(test.flaky):
        fields["metrics"] = {"retries": {"value": float(retries), "unit": "1"}}
    if evidence := _evidence(test.attachments):
        fields["evidence"] = evidence
    return {name: value for name, value in fields.items() if value is not None}


def _exported_fields(test: ctrf_model.Test) -> dict[str, Any]:
    """Return the `TestEntry` fields that an export of this project states exactly.

    Empty if the outcome contradicts the status.
    """
    extra = test.extra if isinstance(test.extra, dict) else {}
    outcome = str(extra.get("outcome"))
    if not is_outcome(outcome) or ctrf_status(outcome) != test.status:
        return {}
    return {
        "parameters": test.parameters,
        "reason": test.message or None,
        "log_tail": test.trace or None,
        "raw_status": None,
        "duration_s": None,
        **extra,
    }


def _parsed_test_id(
    test: ctrf_model.Test, user_suite: str | None, *, is_exported: bool
) -> ParsedTestId:
    """Return the identity of a test (name and parameters), from its name and enclosing suites.

    The outermost suite becomes the report's suite, so it is not part of the test's name. If the
    user named another suite (`user_suite`), the outermost suite is part of the test's name. In a
    file that this project exported, the name contains no parameters.
    """
    outer = [] if test.has_node_id else test.suites
    if outer and (user_suite is None or valid_suite_name(outer[0]) == user_suite):
        outer = outer[1:]
    container = "::".join(filter(None, outer))
    if is_exported:
        return ParsedTestId("::".join(filter(None, (container, test.name))), {})
    if container or not _NODE_ID.match(test.name):
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
    outcome = _OUTCOME_BY_RAW_STATUS.get(raw)
    if outcome and test.status in {"other", ctrf_status(outcome)}:
        return outcome
    if outcome == "passed":  # unexpectedly, whatever the message says
        return "failed"
    if test.status == "failed" or raw in {"error", "broken"}:
        is_setup = raw in _SETUP_RAW_STATUSES or test.status == "other"
        return failure_outcomes.error_outcome(test.message, test.trace, is_setup=is_setup)
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
