"""Keeps the results of a run that may be interrupted, and makes its report.

If the run is killed, the journal keeps all lines written so far. The report is made from these
lines, and `--resume` continues the run after them. An incomplete line is ignored.
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from accelerator_reports.outcomes import BAD
from accelerator_reports.report import OPERATORS_ON_CPU, Report
from accelerator_reports.shortened_text import shortened_text
from accelerator_validation.case import Case, Result, case_from_key, result_from_record
from accelerator_validation.matrix import suite_names
from accelerator_validation.plan import classified_name
from accelerator_validation.pytorch_tests.source import PYTORCH_SUITE
from accelerator_validation.request import DEPLOY, SUITE_FAMILIES, TORCHBENCH

VERSION = 1

# Written data survives a crash of this process; only synced data survives a crash of the machine,
# which a driver can cause. More frequent syncs would take longer than the tests of operators.
SYNC_EVERY_S = 1.0


class JournalError(Exception):
    """Raised if the journal cannot be written or read; the message says why."""


class Journal(AbstractContextManager["Journal"]):
    """Appends records (JSON lines) to a journal file. They survive a crash of this process.

    If `anew` is true, the file is emptied first. Raises JournalError if the file cannot be opened.
    """

    def __init__(self, path: Path, *, anew: bool) -> None:
        self.path = path
        self._synced = time.monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("wb" if anew else "ab", buffering=0)
            if not anew and path.stat().st_size:
                self._file.write(b"\n")  # ends a line that was cut off; empty lines are ignored
        except OSError as error:
            raise _write_error(path, error) from None

    def write(self, record: Mapping[str, Any]) -> None:
        """Append a record. Raises JournalError if it cannot be written, as on a full disk."""
        try:
            data = f"{json.dumps(record)}\n".encode()
            is_complete = self._file.write(data) == len(data)
            if time.monotonic() - self._synced >= SYNC_EVERY_S:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise _write_error(self.path, error) from None
        if not is_complete:  # the first sign of a full disk
            raise _write_error(self.path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def plan(self, head: Mapping[str, Any], cases: Iterable[Case]) -> None:
        """Record the heading `head` and the planned tests. Call this before any test runs."""
        self.write({"record": "run", "version": VERSION, **head})
        self.write({"record": "plan", "cases": [case.id for case in cases]})

    def begin(self, case: Case, attempt: int, machine: str | None = None) -> None:
        """Record the start of an attempt at a test. `machine` is the cluster's machine, or None."""
        record = {"record": "begin", "case": case.id, "attempt": attempt, "at": time.time()}
        self.write(record | ({"machine": machine} if machine else {}))

    def end(self, case: Case, result: Result, *, final: bool) -> None:
        """Record the end of an attempt at a test. `final` is false if the test will be repeated."""
        self.write({"record": "end", "case": case.id, "final": final, "result": result.record()})

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True, slots=True)
class JournalContent:
    """The content of a journal: heading, planned tests and their results so far.

    `results` has the final results by test id. `open` has the ids of tests that have started, but
    have no final result.
    """

    head: Mapping[str, Any]
    cases: tuple[Case, ...]
    results: Mapping[str, Result] = field(default_factory=dict)
    open: frozenset[str] = frozenset()


def read_journal(path: Path) -> JournalContent:
    """Return the content of a journal. Incomplete lines are ignored.

    Raises JournalError if the file cannot be read, lacks the heading or the plan, has another
    version of the format, or has an invalid record.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from None
    records = []
    for line in lines:
        with suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict) and "record" in record:
                records.append(record)
    if len(records) < 2 or records[0].get("version") != VERSION or "cases" not in records[1]:  # noqa: PLR2004 - head and plan
        raise JournalError(f"{path} is not a journal of this version, or is incomplete")
    try:
        return _journal_content(records)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise JournalError(f"{path} has an invalid record") from None


def _journal_content(records: Sequence[Mapping[str, Any]]) -> JournalContent:
    """Return the content of a journal from its records.

    Raises LookupError, TypeError, ValueError or AttributeError if a record is invalid.
    """
    results: dict[str, Result] = {}
    started_ids: set[str] = set()
    for record in records[2:]:
        if record["record"] == "begin":
            started_ids.add(record["case"])
        elif record["record"] == "end" and record["final"]:
            results[record["case"]] = result_from_record(record["result"])
    cases = tuple(map(case_from_key, records[1]["cases"]))
    return JournalContent(records[0], cases, results, frozenset(started_ids - results.keys()))


def _write_error(path: Path, error: OSError) -> JournalError:
    return JournalError(f"{path} cannot be written: {error.strerror}")


# Creates the report of a run from the content of its journal, even before the run has ended.

_NOT_COMPLETED = "The run was not completed."

# The options that suites require. Placeholders replace the paths of this machine.
_REQUIRED_OPTIONS = {
    TORCHBENCH: ("--torchbench", "CHECKOUT"),
    DEPLOY: ("--known-issues", "PORTAL", "--run-scripts"),
    PYTORCH_SUITE: ("--pytorch", "CHECKOUT"),
}


def suite_options(suite: str) -> tuple[str, ...]:
    """Return the options that `validate` requires for a suite: `("--pytorch", "CHECKOUT")`.

    Placeholders such as `CHECKOUT` stand for paths. If the suite is not built in, the result has
    the options for a vendor's pytest suite.
    """
    if suite in suite_names():
        return _REQUIRED_OPTIONS.get(suite, ())
    return ("--pytest", "PATH", "--suite-name", suite)


def build_report(
    journal: JournalContent, finished: dt.datetime | None, not_run_reason: str | None = None
) -> Report:
    """Return the report of a run, from the content of its journal.

    `finished` is the time at which the run ended, or None if it has not ended. A test without a
    result is reported as not run, with the reason `not_run_reason`. Raises
    pydantic.ValidationError if a value, such as the device's name, is not valid in a report.
    """
    head = journal.head
    record = {
        "schema_version": 1,
        "accelerator": head["accelerator"],
        "kind": head["kind"],
        "trigger": {"kind": head["trigger"]},
        "started": head["started"],
        "finished": finished,
        "environment": head["environment"],
        "run_url": head.get("run_url"),
        "note": head["note"],
        "shard": _shard_entry(journal),
        "suites": [_suite_entry(suite, journal) for suite in head["suites"]],
        "tests": [
            _test_entry(case, journal, not_run_reason or _NOT_COMPLETED) for case in journal.cases
        ],
    }
    return Report.model_validate(record)


def _shard_entry(journal: JournalContent) -> Mapping[str, Any] | None:
    """Return the report's entry about the shard of a run, or None if the run is not sharded.

    The entry includes `unfinished`, the number of the shard's tests that have no result.
    """
    shard: Mapping[str, Any] | None = journal.head.get("shard")
    if shard is None:
        return None
    finished_ids = journal.results.keys() | journal.head["skipped"].keys()
    return {**shard, "unfinished": sum(case.id not in finished_ids for case in journal.cases)}


def _suite_entry(suite: Mapping[str, Any], journal: JournalContent) -> Mapping[str, Any]:
    """Return the report's entry about a suite, with the ATen operators that its tests covered.

    `suite` is the suite's entry in the journal's heading. If the tests covered no operators, the
    result has no key `operators`.
    """
    case_ids = {case.id for case in journal.cases if case.suite == suite["name"]}
    results = [journal.results[key] for key in case_ids & journal.results.keys()]
    covered = sorted({name for result in results for name in result.operators})
    aten = journal.head.get("aten")
    if not covered or not aten:
        return suite
    core: list[str] = aten["core"]
    cpu_operators = {name for result in results for name in result.computed_on_cpu}
    coverage = {
        "covered": covered,
        "computed_on_cpu": sorted(cpu_operators),
        # ExecuTorch's delegates run the operators; PyTorch calls no kernels.
        "kernels": None if suite["name"] in SUITE_FAMILIES["executorch"] else aten.get("kernels"),
        "registered": aten["registered"],
        "core": len(core),
        "core_missing": [name for name in core if name not in covered],
    }
    return {**suite, "operators": coverage}


def _test_entry(case: Case, journal: JournalContent, default_reason: str) -> dict[str, Any]:
    head: Mapping[str, Any] = journal.head
    entry: dict[str, Any] = {
        "suite": case.suite,
        "name": case.name,
        "parameters": dict(case.parameters),
        "hw_classification": head.get("hw_classifications", {}).get(
            classified_name(case.suite, case.name)
        ),
    }
    if issue := head["skipped"].get(case.id):
        known_issue = {"url": issue["url"]}
        skipped = {"outcome": "skipped", "reason": issue["reason"], "known_issue": known_issue}
        return {**entry, **skipped}
    result = journal.results.get(case.id)
    if result is None:
        start_note = "The test had started. " if case.id in journal.open else ""
        return {**entry, "outcome": "not-run", "reason": f"{start_note}{default_reason}"}
    entry |= _result_fields(result)
    if (issue := head["expected"].get(case.id)) and result.outcome in BAD:
        entry["known_issue"] = {"url": issue["url"]}
    return entry


def _result_fields(result: Result) -> dict[str, Any]:
    metrics: dict[str, dict[str, Any]] = {
        name: {"value": value, "unit": unit} for name, (value, unit) in result.metrics.items()
    }
    for name, (low, high, repeats) in result.spreads.items():
        metrics[name] |= {"interval": [low, high], "repeats": repeats}
    if result.computed_on_cpu:
        metrics[OPERATORS_ON_CPU] = {"value": len(result.computed_on_cpu), "unit": "1"}
    fields = {
        "outcome": result.outcome,
        "stage": result.stage,
        "reason": _report_text(result.reason),
        "inputs": _report_text(result.inputs),
        "tolerance": dict(zip(("rtol", "atol"), result.tolerance, strict=True))
        if result.tolerance
        else None,
        "log_tail": _report_text(result.log_tail),
        "metrics": metrics or None,
        "duration_s": None if result.seconds is None else round(result.seconds, 3),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _report_text(text: str | None) -> str | None:
    """Return a text in a form that is valid in a report, or None for an empty text.

    Texts that are too long are shortened. Surrogates, which UTF-8 cannot encode, become `?`.
    """
    return shortened_text(text.encode("utf-8", "replace").decode()) if text else None
