"""Prepares test reports for pages: numbers of tests, tables of results, facts on environments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_lowercase
from urllib.parse import urlencode

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.criteria_file import LevelRequirement
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.message import comma_list, message
from accelerator_portal.catalog.schema import slug
from accelerator_portal.install.resolution import supported_releases
from accelerator_portal.results.evidence_level import (
    QualityAssessment,
    as_of,
    as_of_reports,
    assess_quality,
)
from accelerator_portal.results.result_matrices import (
    Column,
    ResultMatrix,
    matrices,
    outcome_counts,
    single_platform_suites,
)
from accelerator_portal.results.stored_reports import (
    StoredReport,
    SuiteEvidence,
    newest_evidence,
    sample_counts,
    stored_reports,
)
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import BAD, GOOD, OUTCOMES, Outcome, RunLevel
from accelerator_reports.report import (
    Environment,
    OperatorCoverage,
    Report,
    Suite,
    TestEntry,
    environment_facts,
)
from accelerator_reports.suite_names import is_executorch_suite, suite_folder
from accelerator_reports.test_ids import Identity

# Computes the permanent addresses of tests and test results on the site.

RESULTS_PAGES = "results"


# Asked about six times for each test of the site.
@lru_cache(maxsize=1 << 17)
def anchor_of(name: str) -> str:
    """Return the HTML id of a test on its page: `test-alexnet-01234567`.

    It ends with a hash of the name, which distinguishes names such as `a b-c` and `a-b c`.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"test-{slug(name)}-{digest[:8]}"


def address_of(suite: str, name: str) -> str:
    """Return a test's address relative to `results/`: `torchbench/tests/a/#test-alexnet-01234567`.

    Each initial has a page, also if it only leads to the page of all tests, so that no link breaks
    when a suite grows.
    """
    return f"{suite_folder(suite)}/tests/{initial(name)}/#{anchor_of(name)}"


def history_address(history: str, suite: str, name: str) -> str:
    """Return the address, relative to `results/`, of a test on the page of test histories.

    `history` is the name of a platform's history, such as `xpu-runs`. The page has each test of the
    history, also a test that no report has any more.
    """
    query = urlencode({"platform": history, "test": Identity(suite, name).key})
    return f"test-history/?{query}"


def evidence_suffix(mode: str, report: str, group: str) -> str:
    """Return what to append to a test's address to link to one result: `.inference.run-1.float32`.

    `mode` is the test's mode, or empty. `report` is the report's id. `group` is the result of
    `group_of` for the test, such as `float32`.
    """
    parts = (slug(mode) if mode else "", report, slug(group) if group else "")
    return "".join(f".{part}" for part in parts if part)


def initial(name: str) -> str:
    """Return the first letter of a test's name, or `0` if it is not a letter from a to z.

    In a pytest name, it is the letter after `test_`: `c` for `test_torch.TestTorch::test_copy`.
    """
    word = name.rpartition("::")[2].removeprefix("test_") if "::" in name else name
    letter = word[:1].lower()
    return letter if letter in set(ascii_lowercase) else "0"


class MatrixColumn(Column):
    """A column of a matrix, as pages show it."""

    id: str
    """Id of the column. It depends only on the report and the column's parameters."""
    name: str
    """Name of the accelerator, with a suffix if several of its reports have the same parameters."""
    evidence: str = ""
    """What to append to a test's address to link to its result in this column."""


class MatrixTest(StrictModel):
    """A row of a matrix."""

    name: str
    """Name of the test."""
    address: str
    """The address of the test, relative to `results/`."""
    outcomes: tuple[Outcome | None, ...]
    """One outcome per column; null if the column has no result of the test."""


class MatrixData(StrictModel):
    """The results of a suite in one mode."""

    mode: str
    """The tests' parameter `mode`, such as `inference`. Empty if there is none."""
    columns: tuple[MatrixColumn, ...]
    """The columns."""
    tests: tuple[MatrixTest, ...]
    """The tests, by name."""


KIND_DESCRIPTIONS = {
    "baseline": (
        "A baseline: results that the CI of PyTorch or of another project expects. "
        "Nobody ran the tests for it."
    ),
    "self-reported": "A test run that the vendor or another organization reported.",
    "made-here": "A test run by this project.",
}


@dataclass(frozen=True, slots=True)
class SuiteCounts:
    """The numbers of a suite's tests in a report.

    `checked` is the number of tests that passed or failed. `others` has the number of tests with
    each outcome except `passed`. `operators` is the coverage of operators that the report states,
    or None.
    """

    suite: str
    passed: int
    checked: int
    total: int
    others: tuple[tuple[Outcome, int], ...]
    operators: OperatorCoverage | None = None
    level: RunLevel | None = None
    """How much of each test the run tried, if it states this."""
    samples: tuple[int, int] | None = None
    """How many samples the tests ran, and how many samples are known, if the tests state this."""

    @property
    def failed(self) -> int:
        """The number of tests that failed."""
        return self.checked - self.passed


@dataclass(frozen=True)
class ResultsView:
    """All test reports, with the numbers and matrices that pages show.

    `counts` has the numbers of tests by outcome, for each pair of a report's id and a suite's id.
    `by_suite` has the matrices of each suite with results, by suite id: one for each mode.
    """

    reports: tuple[StoredReport, ...]
    counts: Mapping[tuple[str, str], Mapping[Outcome, int]]
    by_suite: Mapping[str, list[MatrixData]]

    @cached_property
    def own(self) -> frozenset[str]:
        """The names of vendors' own suites that only one platform reports."""
        return single_platform_suites(self.reports)

    @cached_property
    def by_id(self) -> dict[str, StoredReport]:
        """The reports by id."""
        return {stored.id: stored for stored in self.reports}

    @cached_property
    def tests(self) -> frozenset[tuple[str, str]]:
        """The suite and the name of each test that a report has. Only these tests have a page."""
        return frozenset(
            (test.suite, test.name) for stored in self.reports for test in stored.report.tests
        )

    def address_of(self, suite: str, name: str, history: str) -> str:
        """Return the address of a test, relative to `results/`.

        If no report has the test any more, the address leads to the test in `history`, the name of
        a platform's history, such as `xpu-runs`.
        """
        has_page = (suite, name) in self.tests
        return address_of(suite, name) if has_page else history_address(history, suite, name)

    def of(self, accelerator: str) -> list[StoredReport]:
        """Return the reports of an accelerator."""
        return [stored for stored in self.reports if stored.report.accelerator == accelerator]

    def newest(self, accelerator: str) -> tuple[SuiteEvidence, ...]:
        """Return the newest run of each suite of an accelerator, or else its newest baseline.

        The result is sorted by suite.
        """
        return newest_evidence(self.of(accelerator))

    def newest_run_lines(self) -> dict[str, str]:
        """Return a line about the newest runs of each platform, by platform id.

        For example: `864 of 871 passed, PyTorch 2.6.0 – 2.15.0, 2026-11-21`. Platforms without
        such a line are omitted.
        """
        accelerators = dict.fromkeys(stored.report.accelerator for stored in self.reports)
        lines = ((accelerator, self._newest_run_line(accelerator)) for accelerator in accelerators)
        return {accelerator: line for accelerator, line in lines if line}

    def _newest_run_line(self, accelerator: str) -> str | None:
        """Return a line about a platform's newest runs, with their releases and the oldest day.

        What no run states is omitted. Suites of kind `speed` and ExecuTorch's are ignored, and so
        are suites in `own` if the platform has other suites. If only baselines remain, the line
        says so. None if nothing remains.
        """
        newest = [
            suite_evidence
            for suite_evidence in self.newest(accelerator)
            if suite_evidence.kind != "speed" and not is_executorch_suite(suite_evidence.suite)
        ]
        counted_suites = [
            suite_evidence for suite_evidence in newest if suite_evidence.suite not in self.own
        ] or newest
        runs = [evidence for evidence in counted_suites if evidence.is_run]
        if not runs:
            return message("a baseline, not a run") if counted_suites else None
        outcomes = [test.outcome for run in runs for test in run.tests]
        passed = f"{sum(outcome in GOOD for outcome in outcomes):,}"
        checked = f"{sum(outcome in GOOD | BAD for outcome in outcomes):,}"
        line = message("{passed} of {total} passed", passed=passed, total=checked)
        reports = [run.stored.report for run in runs]
        releases = sorted({Version(r.environment.torch) for r in reports if r.environment.torch})
        named = dict.fromkeys(release.base_version for release in releases)
        torch = " – ".join(dict.fromkeys((*list(named)[:1], *list(named)[-1:])))
        days = [f"{start:%Y-%m-%d}" for report in reports if (start := report.started)]
        return comma_list(filter(None, (line, torch and f"PyTorch {torch}", min(days, default=""))))

    def suite_counts(self, report: str) -> list[SuiteCounts]:
        """Return the numbers of tests of each suite in a report; `report` is its id."""
        suites = {suite.name: suite for suite in self.by_id[report].report.suites}
        tests = grouped((test.suite, test) for test in self.by_id[report].report.tests)
        return [
            _counts_of_suite(suite, c, suites.get(suite), tests.get(suite, ()))
            for (name, suite), c in self.counts.items()
            if name == report
        ]


def make_results_view(catalog: Catalog) -> ResultsView:
    """Return all reports of a catalog, with the numbers and matrices that pages show."""
    reports, _ = stored_reports(catalog)
    report_by_id = {stored.id: stored.report for stored in reports}
    by_suite: dict[str, list[MatrixData]] = {}
    for matrix in matrices(reports, [platform.id for platform in catalog.platforms]):
        data = _matrix_data(catalog, report_by_id, matrix)
        by_suite.setdefault(matrix.suite, []).append(data)
    return ResultsView(reports, outcome_counts(reports), by_suite)


def environment_rows(environment: Environment) -> dict[str, str]:
    """Return the known facts of an environment as texts, by name. All packages are one fact."""
    facts = environment_facts(environment.model_copy(update={"packages": {}}))
    packages = ", ".join(f"{name} {version}" for name, version in environment.packages.items())
    rows = {name: str(value) for name, value in facts.items()}
    return rows | {"packages": packages} if packages else rows


def _counts_of_suite(
    suite: str, counts: Mapping[Outcome, int], stated: Suite | None, tests: Sequence[TestEntry]
) -> SuiteCounts:
    others = tuple((o, counts[o]) for o in OUTCOMES if counts.get(o) and o not in GOOD)
    return SuiteCounts(
        suite,
        sum(counts.get(o, 0) for o in GOOD),
        sum(counts.get(o, 0) for o in GOOD | BAD),
        sum(counts.values()),
        others,
        stated.operators if stated else None,
        stated.level if stated else None,
        sample_counts(tests),
    )


def _column_suffix(reports: Mapping[str, Report], matrix: ResultMatrix, column: Column) -> str:
    """Return the text, such as `, torch 2.13.0`, that distinguishes a column from similar columns.

    Similar columns have the same platform and parameters. The text is the torch version if it is
    different in each of these columns. Otherwise, it is the ExecuTorch version, or else the date,
    under the same condition. Otherwise, it is the report's id. The text is empty if there are no
    similar columns.
    """
    column_key = (column.group, column.accelerator)
    report_ids = [c.report for c in matrix.columns if (c.group, c.accelerator) == column_key]
    if len(report_ids) == 1:
        return ""
    for property_of in (_torch_words, _executorch_words, _day_words):
        if len({property_of(reports[report_id]) for report_id in report_ids}) == len(report_ids):
            return f", {property_of(reports[column.report]) or 'not stated'}"
    return f", {column.report}"


def _torch_words(report: Report) -> str:
    version = report.environment.torch
    return f"torch {version}" if version else ""


def _executorch_words(report: Report) -> str:
    version = report.environment.packages.get("executorch")
    return f"ExecuTorch {version}" if version else ""


def _day_words(report: Report) -> str:
    return f"{report.started:%Y-%m-%d}" if report.started else ""


def _matrix_data(
    catalog: Catalog, reports: Mapping[str, Report], matrix: ResultMatrix
) -> MatrixData:
    return MatrixData(
        mode=matrix.mode,
        columns=tuple(
            MatrixColumn.from_objects(
                column,
                id=f"{column.report}.{slug(column.group)}",
                name=catalog.by_id[column.accelerator].accelerator.name
                + _column_suffix(reports, matrix, column),
                evidence=evidence_suffix(matrix.mode, column.report, column.group),
            )
            for column in matrix.columns
        ),
        tests=tuple(
            MatrixTest(name=name, address=address_of(matrix.suite, name), outcomes=outcomes)
            for name, outcomes in zip(matrix.names, matrix.cells, strict=True)
        ),
    )


DEMANDS: Mapping[LevelRequirement, tuple[str, str]] = {
    "command": (message("Install command"), "contribute/format/#accelerators-id-install-yaml"),
    "maintainers": (
        message("Maintainer"),
        "contribute/format/#accelerators-id-accelerator-yaml-maintainer",
    ),
    "baseline": (message("Report of any kind"), "contribute/report/"),
    "run": (message("Run"), "contribute/validate/"),
    "tested": (message("Required tests"), "results/standards/#tested"),
}
"""The title of each demand of the levels of evidence, and the address that explains how to meet it.

Addresses are relative to the site's root."""


def evidence_level(
    catalog: Catalog, results: ResultsView, platform: Platform
) -> QualityAssessment | None:
    """Return the level of evidence of a platform; None if the portal has no criteria."""
    if catalog.criteria is None:
        return None
    reports = [stored.report for stored in results.of(platform.id)]
    data_time = as_of_reports(
        as_of(catalog, [stored.report for stored in results.reports]), reports
    )
    torch = supported_releases(catalog, platform).newest or catalog.releases.newest.version
    return assess_quality(platform, reports, catalog.criteria, torch, data_time)
