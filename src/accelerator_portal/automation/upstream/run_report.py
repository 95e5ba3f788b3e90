"""The report that a run left, read as data from somebody hostile, and what it may not claim."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from accelerator_portal.automation.upstream.change import Change
from accelerator_portal.automation.upstream.planning import PlannedPlatform
from accelerator_portal.automation.zip_members import ArtifactError, members
from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.merge import merged
from accelerator_portal.reports.reading import ImportResult
from accelerator_portal.reports.report import Report, Trigger
from accelerator_portal.reports.report_check import KnownNames, report_problems
from accelerator_portal.reports.report_file import read_report

MOST_PACKED = 8 * 1024 * 1024
MOST_UNPACKED = 48 * 1024 * 1024

# Clocks of two machines may differ by so much.
SKEW = dt.timedelta(minutes=10)

_FILE = "report.json"


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What was sent to one platform, and when."""

    change: Change
    entry: PlannedPlatform
    at: dt.datetime


def read_run_report(
    archives: Sequence[bytes], asked: SentRequest, known: KnownNames, now: dt.datetime
) -> Report:
    """Return the report that stands in the archives of a run, one of each of its tasks.

    It is self-reported, whatever it says of itself. Raises ArtifactError and ProblemsError.
    """
    parts = [_part(archive, asked) for archive in archives]
    report = _joined(parts)
    if problems := list(report_problems(report, _FILE, known, now + SKEW)):
        raise ProblemsError(problems)
    return report.model_copy(update={"kind": "self-reported"})


def _part(archive: bytes, asked: SentRequest) -> Report:
    found = members(archive, {_FILE: MOST_UNPACKED}, MOST_PACKED)
    if _FILE not in found:
        raise ArtifactError(f"the archive has no {_FILE}")
    with TemporaryDirectory(prefix="portal-report-") as folder:
        file = Path(folder, _FILE)
        file.write_bytes(found[_FILE])
        report = read_report(file)
    if fault := false_claim(report, asked):
        raise ArtifactError(fault)
    return report


def _joined(parts: Sequence[Report]) -> Report:
    """One report of all tasks; what only one of them says is said."""
    if len(parts) == 1:
        return parts[0]
    whole = merged(
        [
            ImportResult(
                one.suites, one.tests, one.environment, one.started, one.finished, one.note
            )
            for one in parts
        ]
    )
    names = ("suites", "tests", "environment", "started", "finished", "note")
    return parts[0].model_copy(update={name: getattr(whole, name) for name in names})


def false_claim(report: Report, asked: SentRequest) -> str | None:
    """Say what a report claims that its run was not asked for."""
    wanted = asked.entry.accelerator
    if report.accelerator != wanted:
        return f"the report is about {report.accelerator}, the run was for {wanted}"
    if report.kind == "baseline":
        return "the report is a baseline, not a test run"
    if report.started is not None and report.started < asked.at - SKEW:
        return "the report is older than the event"
    return _other_change(report.trigger, asked.change)


def _other_change(trigger: Trigger, change: Change) -> str | None:
    if trigger.pull_request not in {None, change.number}:
        return f"the report is for pull request {trigger.pull_request}"
    if trigger.repository not in {None, change.repository}:
        return f"the report is for {trigger.repository}"
    if trigger.commit is not None and not (change.head or "").startswith(trigger.commit):
        return f"the report is for commit {trigger.commit[:12]}"
    return None
