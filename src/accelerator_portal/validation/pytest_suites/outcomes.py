"""What pytest's reports of a test mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accelerator_portal.reports import verdicts
from accelerator_portal.validation.case import Result, brief
from accelerator_portal.validation.classify import verdict

EXPECTS = "It is expected to fail:"
WORKS = "It is expected to fail, and it does not."

_LOG_TAIL = 1500
_SKIPPED = "Skipped: "


def result_of_reports(
    reports: Sequence[Any], raised: Mapping[str, BaseException], root: str
) -> Result:
    """Return what came of a test; `root` is a folder of this machine, which does not stand there.

    `reports` are pytest's, one for each stage that was reached; `raised` exceptions by stage.
    """
    for report in reports:
        if report.failed:
            return _failure(report, raised.get(report.when), root)
    for report in reports:
        expected = getattr(report, "wasxfail", None)
        if report.skipped and expected is not None:
            return Result("skipped", None, brief(f"{EXPECTS} {expected or 'no reason stated'}"))
        if report.skipped:
            return Result("skipped", None, brief(_why_skipped(report.longrepr)))
        if expected is not None:
            return Result("passed", "run", WORKS)
    return Result("passed", "run")


def _failure(report: Any, error: BaseException | None, root: str) -> Result:
    text = str(report.longreprtext)
    tail = text.replace(root, "SUITE")[-_LOG_TAIL:].strip() or None
    if report.when == "call" and error is not None:
        found = verdict(error, "run")
        reason = (found.reason or "").replace(root, "SUITE")
        return Result(found.outcome, found.stage, reason, log_tail=tail)
    message = f"{type(error).__name__}: {error}" if error else text
    if report.when == "call":  # a strict xfail has no exception
        outcome = verdicts.of_failure(message, text)
        return Result(outcome, "run", WORKS if outcome == "passed" else brief(message))
    around = f"In {report.when}: {message}".replace(root, "SUITE")
    return Result(verdicts.of_error(message, text), "load", brief(around), log_tail=tail)


def _why_skipped(longrepr: Any) -> str:
    said = str(longrepr[2] if isinstance(longrepr, tuple) else longrepr or "")
    return said.removeprefix(_SKIPPED) or "The suite states no reason."
