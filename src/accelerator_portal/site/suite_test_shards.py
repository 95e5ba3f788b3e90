"""Splits a suite's tests with their results into files that a browser loads on demand.

They are sorted by the id that a test has on its page: whoever follows a link finds the file by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.own_suite import suite_folder
from accelerator_portal.site.page import SiteFile, data_file
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.sharding import shard_name, shards
from accelerator_portal.site.suite_test_shapes import (
    EvidenceLink,
    ReportOfTests,
    TestData,
    TestResult,
    TestShard,
    TestsIndex,
)
from accelerator_portal.site.suite_tests import ReportedTest, TestView

SUITE_TESTS = "suite-tests"
"""The folder of these files below `/api/v1/`."""


def suite_test_files(
    catalog: Catalog, results: ResultsView, suite: str, tests: Iterable[TestView]
) -> Iterator[SiteFile]:
    """Yield the index of a suite's tests, and the files that hold them."""
    folder = f"{SUITE_TESTS}/{suite_folder(suite)}"
    data = {test.anchor: _data(test) for test in sorted(tests, key=lambda test: test.anchor)}
    sizes = (len(test.model_dump_json(exclude_none=True)) for test in data.values())
    names: list[tuple[str, str]] = []
    for shard in shards(data, sizes):
        first = next(iter(shard))
        names.append((first, shard_name(first)))
        yield data_file(f"{folder}/{names[-1][1]}", TestShard(tests=shard))
    reports = {result.report for test in data.values() for result in test.results}
    index = TestsIndex(
        suite=suite,
        tests=len(data),
        reports={name: _report(catalog, results, name) for name in sorted(reports)},
        files=tuple(names),
    )
    yield data_file(f"{folder}/index.json", index)


def _report(catalog: Catalog, results: ResultsView, name: str) -> ReportOfTests:
    report = results.by_id[name].report
    return ReportOfTests(
        accelerator=report.accelerator,
        name=catalog.by_id[report.accelerator].accelerator.name,
        kind=report.kind,
    )


def _data(test: TestView) -> TestData:
    return TestData(name=test.name, results=tuple(map(_result, test.results)))


def _result(result: ReportedTest) -> TestResult:
    test = result.test
    raw = (test.raw_status, *result.metrics)
    return TestResult(
        id=result.anchor,
        report=result.report,
        outcome=test.outcome,
        settings=result.settings or None,
        notes=result.notes or None,
        since=result.since,
        runs=result.strip.words if result.strip else None,
        reported_as=", ".join(filter(None, raw)) or None,
        environment=result.environment or None,
        known_issue=test.known_issue.url if test.known_issue else None,
        evidence=tuple(EvidenceLink(url=e.url, label=e.label) for e in test.evidence) or None,
        log_tail=test.log_tail,
        command=result.command,
        history=result.history,
    )
