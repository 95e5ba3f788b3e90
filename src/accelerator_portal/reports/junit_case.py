"""What a test case of JUnit XML says, in the words of a report."""

from __future__ import annotations

import math
from typing import Any

from accelerator_portal.reports import verdicts
from accelerator_portal.reports.junit_xml import CaseElement, ResultElement
from accelerator_portal.reports.outcomes import is_outcome
from accelerator_portal.reports.test_ids import Identified, identified

_EXPECTED = "It is expected to fail."


def named(case: CaseElement) -> Identified:
    """Return the identity of a case; a class of the suite's own name says nothing more.

    PyTorch's CI moves the file from the name of a class into `file`; pytest names both in one.
    """
    classname = case.attributes.get("classname", "")
    if classname == case.suite.attributes.get("name"):
        classname = ""
    file = case.attributes.get("file", "")
    if classname and "." not in classname and file.endswith(".py"):
        module = file.removesuffix(".py").replace("/", ".").removeprefix("test.")
        classname = classname if classname == module else f"{module}.{classname}"
    return identified(classname, case.attributes.get("name", ""))


def plain_fields(case: CaseElement, suite: str, test: Identified) -> dict[str, Any]:
    """Return the fields of a test, as a report writes them; fields that nothing says are absent.

    `test` is its identity. Raises ValueError for a time that is not a number of seconds.
    """
    fields: dict[str, Any] = {"suite": suite, "name": test.name, **_verdict(case)}
    if test.parameters:
        fields["parameters"] = dict(test.parameters)
    if case.attributes.get("time"):
        fields["duration_s"] = seconds(case.attributes["time"])
    if case.retries:
        fields["metrics"] = {"retries": {"value": float(case.retries), "unit": "1"}}
    return {name: value for name, value in fields.items() if value is not None}


def seconds(text: str) -> float:
    """Return a number of seconds; some tools group its thousands. Raises ValueError."""
    value = float(text.replace(",", ""))
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _verdict(case: CaseElement) -> dict[str, Any]:
    results = sorted(case.results, key=lambda result: result.tag == "skipped")
    if not results:
        started = case.attributes.get("status") != "notrun"  # GoogleTest's word
        return {"outcome": "passed"} if started else _left_out("not-run", "notrun", "")
    result = results[0]
    message, kind = result.attributes.get("message", ""), result.attributes.get("type", "")
    if result.tag == "skipped":
        said = message or result.text
        if kind == "pytest.xfail":
            return _left_out("skipped", "xfail", said or _EXPECTED)
        if is_outcome(kind):  # written by this project
            return {**_left_out(kind, "", said), "log_tail": verdicts.log_tail(case.output)}
        return _left_out("skipped", "skipped", said)
    return _broken(result, message, kind, case.output)


def _left_out(outcome: str, raw: str, why: str) -> dict[str, Any]:
    reason = verdicts.reason(why) or verdicts.NO_REASON
    return {"outcome": outcome, "raw_status": raw or None, "reason": reason}


def _broken(result: ResultElement, message: str, kind: str, output: str) -> dict[str, Any]:
    reason = verdicts.reason(message)
    tail = result.text if reason else ""
    own = is_outcome(kind)  # written by this project
    said = {
        "reason": reason or verdicts.reason(result.text) or verdicts.reason("" if own else kind),
        "log_tail": verdicts.log_tail(tail) or verdicts.log_tail(output),
    }
    if own:
        return {"outcome": kind, **said}
    text = f"{kind}: {message}" if kind and kind not in message else message
    if result.tag == "error":
        outcome = verdicts.of_error(text, result.text, kind)
    else:
        outcome = verdicts.of_failure(text, result.text)
    return {"outcome": outcome, "raw_status": result.tag, **said}
