"""The changes of a history by report; what the first report of a suite brought is counted."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from accelerator_portal.reports.identity import parse_key
from accelerator_portal.results.history import OutcomeChange


@dataclass(frozen=True, slots=True)
class ReportChanges:
    """What a report changed.

    `first` has the suites that no earlier report had, with their number of tests: those are no
    news of the tests, but of the suite.
    """

    started: dt.datetime
    report: str
    first: Mapping[str, int]
    changes: tuple[OutcomeChange, ...]


def by_report(changes: Iterable[OutcomeChange]) -> Iterator[ReportChanges]:
    """Yield the changes of each report, in the order of time."""
    seen: set[str] = set()
    ordered = sorted(changes, key=lambda change: (change.started, change.report))
    for (started, report), together in groupby(ordered, key=lambda c: (c.started, c.report)):
        first: Counter[str] = Counter()
        others: list[OutcomeChange] = []
        for change in together:
            suite = parse_key(change.key).suite
            if suite in seen:
                others.append(change)
            else:
                first[suite] += 1
        seen.update(first)
        yield ReportChanges(started, report, dict(first), tuple(others))
