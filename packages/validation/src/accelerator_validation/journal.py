"""Writes and reads the journal of a run: JSON lines for the plan, and each test's start and end.

If the run is killed, the journal keeps all lines written so far. The report is made from these
lines, and `--resume` continues the run after them. An incomplete line is ignored.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from accelerator_validation.case import Case, Result, case_from_key, result_from_record

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
