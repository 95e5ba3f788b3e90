"""Limits the names and the counts of a report, since each suite and mode becomes pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from accelerator_portal.reports.report import Report

MAX_SUITES = 100
MAX_MODES = 10
MAX_CELLS = 2_000_000

# Pages and files that stand where those of suites do.
TAKEN = frozenset(
    {
        "by-model",
        "changes",
        "compare",
        "dashboard",
        "feed.atom",
        "index",
        "runs",
        "standards",
        "weeks",
    }
)

_MODE = re.compile(r"(?=.{1,60}\Z)[a-z0-9]+(?:[-_.][a-z0-9]+)*")

BoundFault = tuple[str, str]  # what is wrong, what would be right


def too_many_suites(number: int) -> BoundFault:
    """Say that a report has more suites than it may have."""
    return f"{number:,} suites, more than {MAX_SUITES}", "split the report"


def faults(report: Report) -> Iterator[BoundFault]:
    """Yield what keeps a report from having pages."""
    declared = (suite.name for suite in report.suites)
    names = dict.fromkeys((*declared, *(test.suite for test in report.tests)))
    if (number := max(len(names), len(report.suites))) > MAX_SUITES:
        yield too_many_suites(number)
        return  # each of them may have faults of its own
    for name in names:
        if name in TAKEN:
            yield f'"{name}" is a reserved suite name', "choose another name"
    yield from _of_modes(report)
    yield from _of_tables(report)


def _of_modes(report: Report) -> Iterator[BoundFault]:
    modes = dict.fromkeys(str(test.parameters.get("mode", "")) for test in report.tests)
    for mode in modes:
        if mode and not _MODE.fullmatch(mode):
            remedy = "use lowercase letters and digits, separated by single - _ . characters"
            yield f'"{mode[:60]}" is not a valid mode', remedy
            return
    if len(modes) > MAX_MODES:
        yield f"{len(modes):,} modes, more than {MAX_MODES}", "use another parameter for it"


def _of_tables(report: Report) -> Iterator[BoundFault]:
    """In a suite's table each test is a row, each set of parameters a column."""
    rows: dict[tuple[str, object], set[str]] = {}
    columns: dict[tuple[str, object], set[frozenset[tuple[str, object]]]] = {}
    for test in report.tests:
        key = (test.suite, test.parameters.get("mode"))
        rows.setdefault(key, set()).add(test.name)
        columns.setdefault(key, set()).add(frozenset(test.parameters.items()))
    cells = sum(len(rows[key]) * len(columns[key]) for key in rows)
    if cells > MAX_CELLS:
        what = f"the tables would have {cells:,} cells, more than {MAX_CELLS:,}"
        yield what, "use test names instead of parameters to distinguish tests"
