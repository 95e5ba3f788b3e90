"""Writes reports as JUnit XML and CTRF, which CI systems show.

An import of exported CTRF restores the tests. JUnit XML has no place for some of their fields, such
as stages and most figures, and neither format for all fields of a report.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from accelerator_reports.formats.ctrf import ctrf_status
from accelerator_reports.formats.ctrf_model import STATUSES
from accelerator_reports.formats.imported_tests import EXPORTER
from accelerator_reports.formats.junit import TAG_BY_GROUP
from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Environment, Report, TestEntry
from accelerator_reports.run_environment import ENVIRONMENT_OPTIONS

_CTRF_VERSION = "1.0.0"

# CTRF has a status for exactly these outcomes. Other outcomes are written as `rawStatus`.
_EXACT_OUTCOMES = frozenset({"passed", "failed", "skipped", "not-run"})

# The fields that CTRF's own keys state. The others are written as `extra`.
_CTRF_FIELDS = {"suite", "name", "parameters", "reason", "log_tail", "evidence"}

_EXTRA_FACTS = {*ENVIRONMENT_OPTIONS} - {"torch", "os"}

_LARGEST = 10**9  # of seconds and of attempts: no test takes 30 years


def junit_text(report: Report) -> str:
    """Return a report as JUnit XML, grouped by suite."""
    by_suite: dict[str, list[TestEntry]] = {suite.name: [] for suite in report.suites}
    for test in report.tests:
        by_suite.setdefault(test.suite, []).append(test)
    started = {"timestamp": report.started.isoformat()} if report.started else {}
    root = Element("testsuites", {"name": EXPORTER})
    for name, tests in by_suite.items():
        tags = Counter(_result_tag(test) for test in tests)
        numbers = {
            "tests": str(len(tests)),
            "failures": str(tags["failure"]),
            "errors": str(tags["error"]),
            "skipped": str(tags["skipped"]),
            "time": f"{sum(test.duration_s or 0 for test in tests):.3f}",
        }
        suite = SubElement(root, "testsuite", {"name": name, **numbers, **started})
        _add_properties(suite, report.environment)
        suite.extend(map(_case_element, tests))
    indent(root, space="")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add_properties(suite: Element, environment: Environment) -> None:
    facts = {name: getattr(environment, name) for name in ENVIRONMENT_OPTIONS}
    if any(facts.values()):
        properties = SubElement(suite, "properties")
        for name, value in facts.items():
            if value:
                SubElement(properties, "property", {"name": name, "value": value})


def _result_tag(test: TestEntry) -> str | None:
    return TAG_BY_GROUP.get(OUTCOMES[test.outcome].group)


def _case_element(test: TestEntry) -> Element:
    classname, _, name = test.name.rpartition("::")
    parameter_texts = {key: str(value) for key, value in sorted(test.parameters.items())}
    plain_values = [parameter_texts.pop(key) for key in ("dtype", "case") if key in parameter_texts]
    inside = "-".join(
        [*(f"{key}={value}" for key, value in parameter_texts.items()), *plain_values]
    )
    attributes = {
        "classname": classname or test.suite,
        "name": f"{name}[{inside}]" if inside else name,
    }
    if test.duration_s is not None:
        attributes["time"] = f"{test.duration_s:.6f}"
    if test.outcome == "executed":  # no element of JUnit XML says that nobody checked the result
        attributes["status"] = "inconclusive"
    element = Element("testcase", _xml_safe_attributes(attributes))
    if tag := _result_tag(test):
        is_expected = test.outcome == "skipped" and test.raw_status == "xfail"
        kind = "pytest.xfail" if is_expected else test.outcome
        result_attributes = _xml_safe_attributes({"message": test.reason or "", "type": kind})
        SubElement(element, tag, result_attributes).text = _xml_safe_text(test.log_tail or "")
    return element


def _xml_safe_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: _xml_safe_text(value) for name, value in attributes.items()}


def _xml_safe_text(text: str) -> str:
    """Return a text in which `#x1B` replaces the character ESC, as pytest writes it.

    The other characters that XML forbids are replaced in the same way.
    """
    return re.sub(
        "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]",
        lambda found: f"#x{ord(found[0]):02X}",
        text,
    )


def ctrf_text(report: Report) -> str:
    """Return a report as CTRF JSON, with one test per line."""
    tests = [_test_record(test) for test in report.tests]
    head = {
        "tool": {"name": EXPORTER},
        "summary": _summary(report, tests),
        "environment": _environment_record(report),
    }
    document = {"reportFormat": "CTRF", "specVersion": _CTRF_VERSION}
    lines = ",\n".join(map(_json, tests))
    return f'{_json(document)[:-1]}, "results": {_json(head)[:-1]}, "tests": [\n{lines}\n]}}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _test_record(test: TestEntry) -> dict[str, Any]:
    parameter_text = ",".join(f"{name}={value}" for name, value in sorted(test.parameters.items()))
    test_id = f"{test.suite}::{test.name}"
    metric = test.metrics.get("retries")
    retries = int(min(metric.value, _LARGEST)) if metric else 0
    record = {
        "testId": f"{test_id}[{parameter_text}]" if parameter_text else test_id,
        "name": test.name,
        "status": ctrf_status(test.outcome),
        "duration": round(min(test.duration_s or 0, _LARGEST) * 1000),
        "suite": [test.suite],
        "rawStatus": test.raw_status if test.outcome in _EXACT_OUTCOMES else test.outcome,
        "message": test.reason,
        "trace": test.log_tail,
        "parameters": dict(test.parameters) or None,
        "retries": retries if retries > 0 else None,
        "flaky": True if retries > 0 and test.outcome == "passed" else None,
        "attachments": [
            {
                "name": evidence.label,
                "contentType": "application/octet-stream",
                "path": evidence.url,
            }
            for evidence in test.evidence
        ]
        or None,
        "extra": test.model_dump(mode="json", exclude_defaults=True, exclude=_CTRF_FIELDS),
    }
    return {name: value for name, value in record.items() if value is not None}


def _summary(report: Report, tests: list[dict[str, Any]]) -> dict[str, int]:
    counts = Counter(test["status"] for test in tests)
    start = _milliseconds(report.started)
    return {
        "tests": len(tests),
        **{word: counts[word] for word in STATUSES},
        "flaky": sum("flaky" in test for test in tests),
        "suites": len(report.suites),
        "start": start,
        "stop": _milliseconds(report.finished) or start,
    }


def _milliseconds(moment: dt.datetime | None) -> int:
    return max(0, int(moment.timestamp() * 1000)) if moment else 0


def _environment_record(report: Report) -> dict[str, Any]:
    environment, trigger = report.environment, report.trigger
    torch = {"appName": "torch", "appVersion": environment.torch} if environment.torch else {}
    optional_values = {
        "osVersion": environment.os,
        "repositoryName": trigger.repository,
        "commit": trigger.commit,
        "extra": environment.model_dump(include=_EXTRA_FACTS, exclude_none=True),
    }
    return torch | {name: value for name, value in optional_values.items() if value}
