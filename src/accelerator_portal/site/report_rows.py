"""The tests of a large report as files of rows, what calls for somebody first.

An index says how many rows there are of each outcome and suite, in the order of the rows: so a
browser knows which files have the failures of a suite, and reads no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from accelerator_portal.reports.outcomes import OUTCOMES
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.site.page import SiteFile, data_file
from accelerator_portal.site.results_shapes import ReportRow, ReportRowsIndex, ReportRowsShard
from accelerator_portal.site.sharding import shard_name, shards
from accelerator_portal.site.suite_tests import ReportedTest

REPORT_ROWS = "report-rows"
"""The folder of these files below `/api/v1/`."""


class _Place(NamedTuple):
    """What rows are sorted by; the number tells apart what a report says twice."""

    rank: int
    suite: str
    name: str
    settings: str
    number: int

    @property
    def key(self) -> str:
        return "/".join(map(str, self))


def report_rows(report: str, tests: Iterable[ReportedTest]) -> Iterator[SiteFile]:
    """Yield the index of a report's rows, and the files that hold them."""
    ordered = sorted(
        ((_place(result, number), result.test) for number, result in enumerate(tests)),
        key=lambda item: item[0],
    )
    rows = {place.key: _row(place, test) for place, test in ordered}
    folder = f"{REPORT_ROWS}/{report}"
    files: list[tuple[str, int]] = []
    for shard in shards(rows, (_size(row) for row in rows.values())):
        files.append((shard_name(next(iter(shard))), len(shard)))
        content = ReportRowsShard(rows=tuple(shard.values()))
        yield data_file(f"{folder}/{files[-1][0]}", content)
    together = groupby(rows.values(), key=lambda row: (row.outcome, row.suite))
    index = ReportRowsIndex(
        report=report,
        ranges=tuple((outcome, suite, sum(1 for _ in some)) for (outcome, suite), some in together),
        files=tuple(files),
    )
    yield data_file(f"{folder}/index.json", index)


def _place(result: ReportedTest, number: int) -> _Place:
    test = result.test
    rank = OUTCOMES[test.outcome].page_rank
    return _Place(rank, test.suite, test.name, result.settings, number)


def _row(place: _Place, test: TestEntry) -> ReportRow:
    return ReportRow(
        suite=test.suite,
        name=test.name,
        outcome=test.outcome,
        settings=place.settings or None,
        reason=test.reason,
        raw_status=test.raw_status,
        known_issue=test.known_issue.url if test.known_issue else None,
    )


def _size(row: ReportRow) -> int:
    """About how many bytes a row takes; that it is the same each time is what counts."""
    names = 60
    texts = (row.suite, row.name, row.outcome, row.settings, row.reason, row.raw_status)
    return names + sum(len(text) for text in texts if text)
