"""The Common Test Report Format (CTRF, ctrf.io), specVersion 1.0.0: JSON of many test frameworks.

It has no place for stages, figures and the difference between a failure of the product and one of
the machine; what a report says beyond it stands under `extra`, in the key `accelerator-portal`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_portal.reports import ctrf_model
from accelerator_portal.reports.ctrf_case import named, plain_fields, status_of
from accelerator_portal.reports.imported_tests import ImportedTests, chosen_suite, refused
from accelerator_portal.reports.json_input import load_json
from accelerator_portal.reports.reading import Found, Options
from accelerator_portal.reports.remainder import (
    NAMESPACE,
    Fields,
    Run,
    completed,
    difference,
    fields_of,
    run_fields,
)
from accelerator_portal.reports.report import Environment, Report, Suite, TestEntry
from accelerator_portal.reports.test_ids import suite_id

SPEC_VERSION = "1.0.0"

# Tools that know no time write 0; CTRF has no word for "not known".
_FIRST_MOMENT = 946_684_800_000  # the year 2000

# No test takes 30 years; a figure that says so is kept beside, where it harms nobody's arithmetic.
_LONGEST_S = 10**9

_COUNTED: tuple[ctrf_model.Status, ...] = ("passed", "failed", "skipped", "pending", "other")


def read_ctrf(path: Path, options: Options) -> Found:
    """Read a CTRF file; raises ProblemsError with every fault that was found."""
    said = chosen_suite(path, options)
    try:
        results = ctrf_model.Document.model_validate(load_json(path)).results
    except ValidationError as error:
        raise refused(path, error) from None
    fallback = suite_id(results.tool.name) or "tests"
    imported = ImportedTests(path, options, may_repeat=True)
    _read_tests(imported, results, options, fallback)
    kept = _kept(imported, "results.extra", results.extra)
    suites = _suites(imported, kept.get("suites", []), said)
    run = _run(imported, results, kept.get("run"))
    tests = imported.done()
    names = dict.fromkeys(test.suite for test in tests) or {said or fallback: None}
    for name in names if tests or not suites else ():
        suites.setdefault(name, Suite(name=name, kind="unit"))
    every = tuple(suites.values())
    return Found(every, tests, run.environment, run.started, run.finished, run.note)


def _read_tests(
    imported: ImportedTests, results: ctrf_model.Results, options: Options, fallback: str
) -> None:
    """Add each test; check that the summary counts what the list holds."""
    statuses: Counter[str] = Counter()
    for number, record in enumerate(results.tests):
        place = f"results.tests[{number}]"
        test = imported.parsed(ctrf_model.Test, record, place)
        if test is None:
            continue
        statuses[test.status] += 1
        known = named(test, options.suite)
        plain = plain_fields(test, known, options.suite, fallback)
        kept = _kept(imported, f"{place}.extra", test.extra)
        imported.add(1, completed(plain, kept), place=place, device=known.device)
    for word in ("tests", *_COUNTED):
        counted = getattr(results.summary, word)
        held = len(results.tests) if word == "tests" else statuses[word]
        if counted != held:
            what = f"results.summary.{word} is {counted:,}, and the tests are {held:,}"
            imported.fault(1, what, "write the file again: one of the two is not whole")


def _kept(imported: ImportedTests, place: str, extra: Mapping[str, Any]) -> Fields:
    """What a writer of this project kept."""
    kept = extra.get(NAMESPACE, {})
    if isinstance(kept, dict):
        return kept
    imported.fault(1, f"{place}.{NAMESPACE} is no object", "remove it")
    return {}


def _suites(imported: ImportedTests, records: object, said: str | None) -> dict[str, Suite]:
    suites: dict[str, Suite] = {}
    for record in records if isinstance(records, list) else ():
        if suite := imported.parsed(Suite, record, f"results.extra.{NAMESPACE}.suites"):
            name = said or suite.name
            suites.setdefault(name, suite.model_copy(update={"name": name}))
    return suites


def _run(imported: ImportedTests, results: ctrf_model.Results, kept: object) -> Run:
    if kept is not None:
        return imported.parsed(Run, kept, f"results.extra.{NAMESPACE}.run") or Run()
    said = results.environment
    name, version = said.appName.strip().lower(), said.appVersion.strip()[:200]
    system = " ".join(filter(None, (said.osPlatform, said.osRelease, said.osVersion)))
    is_torch = name in {"torch", "pytorch"}
    return Run(
        environment=Environment(
            torch=version if version and is_torch else None,
            packages={name[:200]: version} if name and version and not is_torch else {},
            os=system.strip()[:200] or None,
        ),
        started=_moment(results.summary.start),
        finished=_moment(results.summary.stop),
    )


def _moment(milliseconds: int) -> dt.datetime | None:
    if milliseconds < _FIRST_MOMENT:
        return None
    return dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=milliseconds)


def ctrf_text(report: Report) -> str:
    """Return a report as CTRF, one test a line."""
    tests = [_test(test) for test in report.tests]
    head = {
        "tool": {"name": NAMESPACE},
        "summary": _summary(report, tests),
        "environment": _environment(report),
        "extra": {NAMESPACE: {"run": run_fields(report), "suites": _suite_fields(report)}},
    }
    document = {"reportFormat": "CTRF", "specVersion": SPEC_VERSION, "generatedBy": NAMESPACE}
    lines = ",\n".join(map(_json, tests))
    return f'{_json(document)[:-1]}, "results": {_json(head)[:-1]}, "tests": [\n{lines}\n]}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _test(test: TestEntry) -> Fields:
    record: Fields = {
        "testId": _stable_id(test),
        "name": test.name,
        "status": status_of(test.outcome),
        "duration": round(min(test.duration_s or 0, _LONGEST_S) * 1000),
        "suite": [test.suite],
        "rawStatus": test.raw_status or (test.outcome if _is_told_apart(test) else None),
        "message": test.reason,
        "trace": test.log_tail,
        "parameters": dict(test.parameters) or None,
        "retries": _retries(test),
        "attachments": [
            {"name": one.label, "contentType": "application/octet-stream", "path": one.url}
            for one in test.evidence
        ]
        or None,
    }
    record = {name: value for name, value in record.items() if value is not None}
    if record.get("retries") and test.outcome == "passed":
        record["flaky"] = True
    written = ctrf_model.Test.model_validate(record)
    plain = plain_fields(written, named(written, None), None, test.suite)
    left = difference(fields_of(test), plain)
    return {**record, "extra": {NAMESPACE: left}} if left else record


def _stable_id(test: TestEntry) -> str:
    words = ",".join(f"{name}={value}" for name, value in sorted(test.parameters.items()))
    return f"{test.suite}::{test.name}[{words}]" if words else f"{test.suite}::{test.name}"


def _is_told_apart(test: TestEntry) -> bool:
    """Whether CTRF's status alone does not say the outcome."""
    return test.outcome not in {"passed", "failed", "skipped", "not-run"}


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
        **{word: counts[word] for word in _COUNTED},
        "flaky": sum("flaky" in test for test in tests),
        "suites": len(report.suites),
        "start": start,
        "stop": _milliseconds(report.finished) or start,
    }


def _milliseconds(moment: dt.datetime | None) -> int:
    return max(0, int(moment.timestamp() * 1000)) if moment else 0


def _environment(report: Report) -> dict[str, str]:
    environment, trigger = report.environment, report.trigger
    torch = {"appName": "torch", "appVersion": environment.torch} if environment.torch else {}
    said = {
        "osVersion": environment.os,
        "repositoryName": trigger.repository,
        "commit": trigger.commit,
    }
    return torch | {name: value for name, value in said.items() if value}


def _suite_fields(report: Report) -> list[Fields]:
    return [suite.model_dump(mode="json", exclude_none=True) for suite in report.suites]
