"""What a test of the Common Test Report Format says, in the words of a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from accelerator_portal.reports import ctrf_model, verdicts
from accelerator_portal.reports.failure_texts import outcome_of_text
from accelerator_portal.reports.outcomes import OUTCOMES, Outcome, OutcomeGroup, is_outcome
from accelerator_portal.reports.report import Evidence
from accelerator_portal.reports.test_ids import (
    MAX_CASE,
    Identified,
    fitted,
    identified,
    identified_node,
    known_device,
    known_dtype,
    suite_id,
    suite_name,
)

# CTRF's "other" is what says nothing of the product, neither good nor bad.
_STATUSES: Mapping[OutcomeGroup, ctrf_model.Status] = {
    "pass": "passed",
    "unchecked": "other",
    "failure": "failed",
    "error": "other",
    "skip": "skipped",
    "missing": "pending",
}

_CLEAR: Mapping[str, Outcome] = {"passed": "passed", "skipped": "skipped", "pending": "not-run"}

# What other tools write as rawStatus, in small letters.
_RAW: Mapping[str, Outcome] = {
    "timedout": "timed-out",
    "timeout": "timed-out",
    "crashed": "crashed",
    "xfail": "skipped",
    "xfailed": "skipped",
    "xpass": "passed",
    "xpassed": "passed",
}


def status_of(outcome: Outcome) -> ctrf_model.Status:
    """Return CTRF's word for an outcome."""
    return _STATUSES[OUTCOMES[outcome].group]


def plain_fields(
    test: ctrf_model.Test, known: Identified, said: str | None, fallback: str
) -> dict[str, Any]:
    """Return the fields of a test, as a report writes them; fields that nothing says are absent.

    `known` is its identity, `said` the suite that a person named, `fallback` the one of a test
    that names none.
    """
    top = test.suite[0] if test.suite else fallback
    fields: dict[str, Any] = {
        "suite": said or suite_name(top) or fallback,
        "name": known.name,
        "duration_s": test.duration / 1000,
        **_verdict(test),
    }
    if parameters := {**known.parameters, **_parameters(test.parameters)}:
        fields["parameters"] = parameters
    if retries := test.retries or int(test.flaky):
        fields["metrics"] = {"retries": {"value": float(retries), "unit": "1"}}
    if evidence := _evidence(test.attachments):
        fields["evidence"] = evidence
    return {name: value for name, value in fields.items() if value is not None}


def named(test: ctrf_model.Test, said: str | None) -> Identified:
    """Return the identity of a test; its outermost suite is none of its name."""
    outer = test.suite
    if outer and (said is None or suite_name(outer[0]) == said):
        outer = outer[1:]
    if container := "::".join(filter(None, outer)):
        return identified(container, test.name)
    return identified_node(test.name)


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = suite_id(key)
        if name is None or value is None or (name == "device" and known_device(str(value))):
            continue
        if name == "dtype":
            found[name] = known_dtype(str(value)) or value
        elif isinstance(value, str | bool | int | float):
            found[name] = fitted(value, MAX_CASE) if isinstance(value, str) else value
        else:
            found[name] = fitted(json.dumps(value, sort_keys=True), MAX_CASE)
    return found


def _verdict(test: ctrf_model.Test) -> dict[str, Any]:
    raw = test.rawStatus
    outcome: Outcome
    if is_outcome(raw) and status_of(raw) == test.status:
        outcome, raw = raw, ""
    else:
        outcome = _outcome(test, raw.lower())
        raw = raw or ("" if test.status == outcome else test.status)
    reason = verdicts.reason(test.message)
    group = OUTCOMES[outcome].group
    if group in {"skip", "missing"}:
        reason = reason or verdicts.NO_REASON
    elif group != "pass":
        reason = reason or verdicts.reason(test.trace)
    said = verdicts.log_tail(test.trace if verdicts.reason(test.message) else "")
    if said is None and group != "pass":
        said = verdicts.log_tail("\n".join([*test.stdout, *test.stderr]))
    return {
        "outcome": outcome,
        "raw_status": fitted(raw, 200) or None,
        "reason": reason,
        "log_tail": said,
    }


def _outcome(test: ctrf_model.Test, raw: str) -> Outcome:
    if test.status in _CLEAR:
        return _CLEAR[test.status]
    if raw in _RAW:
        return _RAW[raw]
    if raw in {"error", "broken"}:
        return verdicts.of_error(test.message, test.trace)
    if test.status == "failed":
        return verdicts.of_failure(test.message, test.trace)
    return outcome_of_text(test.message) or outcome_of_text(test.trace) or "executed"


def _evidence(attachments: list[ctrf_model.Attachment]) -> list[dict[str, str]]:
    """The attachments that anybody can open: those with a web address."""
    found = []
    for attachment in attachments:
        label = fitted(attachment.name or "attachment", 200)
        with suppress(ValidationError):
            evidence = Evidence(label=label, url=attachment.path)
            found.append(evidence.model_dump())
    return found
