"""Builds the pages and JSON files of test results: overview, suites and single tests."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any, Literal

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.schema import slug
from accelerator_portal.results.history import result_kind
from accelerator_portal.site.page_html import add_security_policy
from accelerator_portal.site.pages.reports import SUITE_TESTS
from accelerator_portal.site.results.history_view import listed_anchors
from accelerator_portal.site.results.results_view import (
    KIND_DESCRIPTIONS,
    RESULTS_PAGES,
    MatrixData,
    MatrixTest,
    ResultsView,
    initial,
)
from accelerator_portal.site.results.speeds import speed_table
from accelerator_portal.site.results.suite_cells import suite_grid
from accelerator_portal.site.results.suite_tests import (
    ReportedTest,
    TestView,
    failing_count,
    static_tests,
    tests_of_suite,
)
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import API, SiteFile, data_file, shards
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import UNSUCCESSFUL, WORST_FIRST, Outcome, ReportKind
from accelerator_reports.report import Evidence
from accelerator_reports.suite_names import suite_folder, suite_owner
from accelerator_reports.test_ids import Identity, identity_of


class SuiteResults(StrictModel):
    """The results of a suite."""

    suite: str
    """Id of the suite."""
    matrices: tuple[MatrixData, ...]
    """One matrix for each mode."""


class CommonResult(StrictModel):
    """What most results of a report have in common."""

    outcome: Outcome | None = None
    """The outcome."""
    settings: str | None = None
    """Mode and parameters."""
    notes: tuple[str, ...] | None = None
    """The stage, and the error message of a failed test or why the test was skipped."""
    since: str | None = None
    """The day since which the outcome has been the same, in words. If a newer report has the test,
    or if only this report has it, the day of `report` with a note that says so."""
    runs: str | None = None
    """The outcomes of the latest runs, in words."""
    reported_as: str | None = None
    """The status in the original format."""
    measures: tuple[str, ...] | None = None
    """The names of the measured values."""
    inputs: str | None = None
    """What the test ran on."""
    allowed: str | None = None
    """The allowed difference from the reference."""
    lacks: str | None = None
    """What is needed to repeat the test and the report does not state."""
    known_issue: str | None = None
    """Address of the issue that explains the outcome."""
    command: str | None = None
    """The command that repeats the test, or that ran its suite. `{}` stands for the `test` of a
    result."""
    whole_suite: Literal[True] | None = None
    """True if `command` runs the whole suite."""
    has_history: Literal[True] | None = None
    """True if the page of test histories has the test in the history of the report."""


class TestResult(CommonResult):
    """The result of a test in one report, as pages show it.

    A field that is not there has the value that it has in `common` of the report in the index. A
    field that is null has no value.
    """

    __test__ = False

    id: str
    """Id of the result on a page, without the id of the test with which it begins."""
    report: str
    """Id of the report."""
    measured: tuple[str, ...] | None = None
    """The measured values with their units, in the order of `measures`."""
    seed: int | None = None
    """The seed of the test's random numbers."""
    test: str | None = None
    """What to write for `{}` in `command`."""
    evidence: tuple[Evidence, ...] | None = None
    """Links to logs and pages."""
    log_tail: str | None = None
    """The last lines of the test's log."""


class TestData(StrictModel):
    """A test and all its results."""

    __test__ = False

    name: str
    """Name of the test."""
    key: str | None = None
    """The test's key on the page of test histories, if it is not `suite/name`."""
    results: tuple[TestResult, ...]
    """The results of the test, by settings and platform."""
    same: tuple[tuple[str, str], ...] = ()
    """Tests that use the same model. An item has the suite with the name of the test, and the
    address of the test, relative to the pages of results."""
    same_note: str | None = None
    """How the tests in `same` differ from this test."""


class TestShard(StrictModel):
    """One of the files with a suite's tests."""

    __test__ = False

    tests: Mapping[str, TestData]
    """The tests by their id on a page, sorted."""


class ReportOfTests(StrictModel):
    """A report that has tests of the index's suite."""

    accelerator: str
    """Id of the accelerator."""
    name: str
    """Name of the accelerator."""
    kind: ReportKind
    """The kind of the report."""
    history: str
    """The id of the platform's history on the page of test histories."""
    environment: str | None = None
    """Software and device."""
    run_url: str | None = None
    """The address of the CI run."""
    common: CommonResult
    """What the results of the report have in the fields that they leave out."""


class TestsIndex(StrictModel):
    """The index of the files with a suite's tests."""

    __test__ = False

    suite: str
    """Id of the suite."""
    tests: int
    """The number of tests."""
    reports: dict[str, ReportOfTests]
    """The reports that have tests of the suite, by id."""
    files: tuple[tuple[str, str], ...]
    """The id of the first test in each file, and the address of the file, sorted by id."""


# The most rows and elements of a table on a page; the other rows are on further pages. Browsers on
# slow machines take seconds to lay out more elements.
MOST_ROWS = 200
MOST_ELEMENTS = 5_400
LEAST_ROWS = 20

# A row has elements for itself, its name and the link. A failure is a link with a long address, so
# it counts for more than the one element that it is.
_ELEMENTS_OF_ROW = 3
_ELEMENTS_OF_FAILURE = 3

# The order of modes. The first mode of a suite has the suite's own address.
_MODES = ("", "inference", "training")

# Names in a suite's folder that modes cannot have.
_RESERVED_NAMES = {"tests"}

# Beginnings of a formula: see https://owasp.org/www-community/attacks/CSV_Injection. Spreadsheets
# in East Asia treat full-width signs like the plain signs.
_FORMULA_BEGINNINGS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these very signs

# If a spreadsheet separates cells at semicolons, the rest of a text is a cell of its own.
_FORMULA_AFTER_SEPARATOR = re.compile(r"([;|]\s{0,9}[\"']?)([=+@＝＋－＠-])")  # noqa: RUF001 - as above

# Control characters, which a terminal that shows the file would execute.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class RowsPage:
    """One of the pages on which the rows of a matrix are shown.

    `number` is the number of the page. `first` and `last` are the numbers of its first and last
    row. All numbers start at 1. `address` is relative to `results/`.
    """

    number: int
    first: int
    last: int
    address: str

    @property
    def further(self) -> bool:
        """Whether this page is not the first of its matrix."""
        return self.number > 1

    @property
    def rows(self) -> str:
        """The range of rows on the page, for example `1–200`."""
        return f"{self.first:,}–{self.last:,}"

    @property
    def path(self) -> str:
        """The path of the page's Markdown file, relative to the site's sources."""
        address = self.address.removesuffix("/")
        return f"{RESULTS_PAGES}/{address}{'.md' if self.further else '/index.md'}"


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The values by which readers can filter a matrix.

    `accelerators` and `dtypes` have the label of each value. `outcomes` are the outcomes in the
    matrix. None stands for cells without a result.
    """

    accelerators: Mapping[str, str]
    dtypes: Mapping[str, str]
    outcomes: frozenset[Outcome | None]


def matrix_pages(
    matrices: Sequence[MatrixData],
    platforms: Mapping[str, str],
    suites: Mapping[str, str],
    context: Mapping[str, Any],
) -> Iterator[Page]:
    """Yield the pages of a suite's matrices; `matrices` has one matrix for each mode.

    `platforms` has the names of the platforms, and `suites` the titles of the suites to which the
    pages link; their keys are ids. `context` has the template variables of the suite. It must have
    `id`, the suite's id, `title`, its title, and `source`, the path of the file that describes the
    suite.
    """
    suite: str = context["id"]
    ordered = sorted(matrices, key=lambda matrix: _mode_order(matrix.mode))
    pages_by_mode = {m.mode: rows_pages(suite, m, own=m is not ordered[0]) for m in ordered}
    modes = [(m.mode, len(m.tests), pages_by_mode[m.mode][0].address) for m in ordered]
    for matrix in ordered:
        pages = pages_by_mode[matrix.mode]
        shared_variables = {
            "matrix": matrix,
            "groups": Counter(column.group for column in matrix.columns),
            "pages": pages,
            "rows_of_a_page": rows_per_page(matrix),
            "modes": modes,
            "suites": suites,
            "choices": _filter_options(matrix, platforms),
            "worst_first": WORST_FIRST,
            "unsuccessful": UNSUCCESSFUL,
            "csv": csv_name(suite, matrix.mode),
            **context,
        }
        for page in pages:
            variables = {
                "tests": matrix.tests[page.first - 1 : page.last],
                "page": page,
                "linked_pages": linked_pages(pages, page),
                "page_title": _title(context["title"], matrix.mode, page),
                **shared_variables,
            }
            yield Page(page.path, variables, "results/suite.md.j2", context["source"])


def matrix_files(suite: str, matrices: Sequence[MatrixData]) -> Iterator[SiteFile]:
    """Yield one JSON file with all matrices of a suite, and a CSV file for each matrix."""
    data = SuiteResults(suite=suite, matrices=tuple(matrices))
    yield data_file(f"results/{suite_folder(suite)}.json", data)
    for matrix in matrices:
        yield SiteFile(f"{API}/results/{csv_name(suite, matrix.mode)}", _matrix_csv(matrix))


def rows_pages(suite: str, matrix: MatrixData, *, own: bool) -> list[RowsPage]:
    """Return the pages on which the rows of a suite's matrix are shown, at least one.

    If `own` is true, the pages are in a folder for the matrix's mode: `torchbench/training/`.
    Otherwise, as for the suite's first mode, they are in the suite's folder: `torchbench/`.
    """
    folder = f"{suite_folder(suite)}/{f'{mode_slug(matrix.mode)}/' if own else ''}"
    total = len(matrix.tests)
    rows = rows_per_page(matrix)
    starts = range(0, max(total, 1), rows)
    return [
        RowsPage(n, start + 1, min(start + rows, total), folder if n == 1 else f"{folder}{n}/")
        for n, start in enumerate(starts, 1)
    ]


def linked_pages(pages: Sequence[RowsPage], page: RowsPage) -> list[RowsPage]:
    """Return the pages to which `page` links, in order, including `page` itself.

    These are the first page, the last page, and the pages at distances of 1, 2, 4, 8 and so on, so
    that readers reach every page of a large matrix with a few clicks. `linkedPages` in
    matrix-model.js computes the same result.
    """
    distances = [0, *(1 << step for step in range(len(pages).bit_length()))]
    linked_numbers = {page.number + sign * distance for distance in distances for sign in (-1, 1)}
    return [other for other in pages if other.number in {*linked_numbers, 1, len(pages)}]


def rows_per_page(matrix: MatrixData) -> int:
    """Return the number of rows per page of a matrix, so that even the fullest rows fit on a page.

    An empty cell is one element, and a cell with a result has one more for its sign.
    """

    def elements(test: MatrixTest) -> int:
        signs = (
            _ELEMENTS_OF_FAILURE if outcome in UNSUCCESSFUL else 1
            for outcome in test.outcomes
            if outcome
        )
        return _ELEMENTS_OF_ROW + len(test.outcomes) + sum(signs)

    fullest = sorted(map(elements, matrix.tests), reverse=True)[:MOST_ROWS]
    fitting = sum(total <= MOST_ELEMENTS for total in accumulate(fullest))
    return MOST_ROWS if fitting == len(fullest) else max(LEAST_ROWS, fitting)


def mode_slug(mode: str) -> str:
    """Return the folder name for the pages of a mode: `training`.

    If the mode is not a valid folder name, a valid name with a hash of the mode is returned.
    """
    name = slug(mode)[:60]
    if name == mode and name not in _RESERVED_NAMES and not name.isdigit():
        return name
    return f"{name}-{hashlib.sha256(mode.encode()).hexdigest()[:8]}"


def csv_name(suite: str, mode: str) -> str:
    """Return the name of the CSV file of a suite's matrix: `torchbench/inference.csv`.

    If the matrix has no mode, the name is `torchbench.csv`. A slash precedes the mode, because
    another suite can have the name `torchbench-inference`.
    """
    return f"{suite_folder(suite)}{f'/{mode_slug(mode)}' if mode else ''}.csv"


def _mode_order(mode: str) -> tuple[int, str]:
    return (_MODES.index(mode) if mode in _MODES else len(_MODES), mode)


def _title(suite: str, mode: str, page: RowsPage) -> str:
    rows = f"rows {page.rows}" if page.further else ""
    return ", ".join(filter(None, (suite, mode, rows)))


def _filter_options(matrix: MatrixData, platforms: Mapping[str, str]) -> FilterOptions:
    dtypes = sorted({column.dtype for column in matrix.columns})
    return FilterOptions(
        {c.accelerator: platforms[c.accelerator] for c in matrix.columns},
        {dtype or "not stated": dtype or "not stated" for dtype in dtypes},
        frozenset(outcome for test in matrix.tests for outcome in test.outcomes),
    )


def _matrix_csv(matrix: MatrixData) -> str:
    """Return a matrix as CSV. A cell has the outcome, or is empty without a result.

    The heading of a column is `xpu (eager, float32; self-reported)`. If several reports have this
    heading, it also has the id of the report.
    """
    headings = [f"{c.accelerator} ({c.group}; {c.kind}" for c in matrix.columns]
    repeated = {heading for heading, number in Counter(headings).items() if number > 1}
    head = (
        f"{heading}; {column.report})" if heading in repeated else f"{heading})"
        for heading, column in zip(headings, matrix.columns, strict=True)
    )
    rows = ([test.name, *(outcome or "" for outcome in test.outcomes)] for test in matrix.tests)
    return csv_text([["test", *head], *rows])


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as CSV, for people who open them in a spreadsheet.

    A spreadsheet computes a cell that begins like a formula, `=HYPERLINK(…)` or `@SUM(…)`, even if
    it is quoted in the file. Such a cell gets an apostrophe, which marks it as text. The JSON of
    each table has the unchanged names.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    return text.getvalue()


def _escape_formula(cell: str) -> str:
    cell = " ".join(cell.split("\r"))  # not quoted by Python, and a new row to spreadsheets
    cell = _CONTROL.sub("\ufffd", cell)
    cell = _FORMULA_AFTER_SEPARATOR.sub(r"\1'\2", cell)
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA_BEGINNINGS) else cell


MOST_CHANGES = 5
"""The maximum number of changes of a test on its page; the page of its history has all changes."""

TRANSLATED = (f"{RESULTS_PAGES}/index.md",)
SCHEMAS = {"suite-results": SuiteResults, "suite-tests": TestsIndex, "tests-of-suite": TestShard}


def pages(site: Site) -> Iterator[Page]:
    """Yield the overview of all results, and the pages of each suite and its tests."""
    yield _overview(site)
    catalog, results = site.catalog, site.results
    shared_variables = {
        "kinds": KIND_DESCRIPTIONS,
        "results": results,
        "linked": listed_anchors(site.histories.weeks),
    }
    titles = _suite_titles(site)
    platform_names = {p.id: p.accelerator.name for p in catalog.platforms}
    for suite in titles:
        context = {
            "id": suite,
            "suite": catalog.suite(suite),
            "title": titles[suite],
            "owner": catalog.by_id.get(suite_owner(suite) or ""),
            "source": _suite_source(catalog, results, suite),
            "speeds": speed_table([run for run in site.speed_runs if suite in run.suites]),
            **shared_variables,
        }
        linked_titles = {
            s: title for s, title in titles.items() if s == suite or s not in results.own
        }
        yield from matrix_pages(results.by_suite[suite], platform_names, linked_titles, context)
        yield from _test_pages(site, context)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield each suite as JSON and CSV, its tests, and pages at former addresses of tests."""
    for suite, suite_matrices in site.results.by_suite.items():
        yield from matrix_files(suite, suite_matrices)
        tests = tests_of_suite(site.catalog, site.results, site.histories, suite)
        yield from suite_test_files(site.catalog, site.results, suite, tests)
        for letter, letter_tests in _letter_tests(tests).items():
            if not letter_tests.shown:
                yield moved_page(suite, letter)


def _overview(site: Site) -> Page:
    """Return the page with the newest results, the suites and the reports."""
    catalog, results = site.catalog, site.results
    newest_evidence = {p.id: results.newest(p.id) for p in catalog.platforms}
    context = {
        "titles": _suite_titles(site),
        "fleet": suite_grid(catalog, newest_evidence, results.own, site.edition.today),
        "at": site.data_time,
        "results": results,
    }
    return Page(f"{RESULTS_PAGES}/index.md", context)


def _suite_titles(site: Site) -> dict[str, str]:
    """Return the titles of the suites that have results, by suite id."""
    return {suite: site.catalog.suite_title(suite) for suite in site.results.by_suite}


def _suite_source(catalog: Catalog, results: ResultsView, suite: str) -> str:
    """Return the path of the file that describes a suite, relative to the repository.

    If there is no such file, the path of a report with the suite is returned.
    """
    if suite in catalog.suites:
        return f"data/suites/{suite}.yaml"
    if suite in catalog.own_suites:
        return catalog.by_id[suite_owner(suite) or ""].path("accelerator.yaml")
    suite_reports = (
        s for s in results.reports if any(test.suite == suite for test in s.report.tests)
    )
    return next(suite_reports).path


@dataclass(frozen=True, slots=True)
class LetterTests:
    """The tests of a suite with the same initial.

    `total` is the number of these tests, `failing` is the number of those that fail in a run, and
    `shown` are the tests on the static page. Without such tests, there is no page of the initial.
    """

    total: int
    failing: int
    shown: list[TestView]

    @property
    def more(self) -> int:
        """The number of failing tests that are not on the static page."""
        return self.failing - len(self.shown)


def _test_pages(site: Site, context: Mapping[str, Any]) -> Iterator[Page]:
    """Yield the pages of a suite's tests.

    `context` has the template variables of the suite, such as its `id`.
    """
    suite: str = context["id"]
    tests = tests_of_suite(site.catalog, site.results, site.histories, suite)
    letters = _letter_tests(tests)
    shown_letters = {name: found for name, found in letters.items() if found.shown}
    for letter in ("", *shown_letters):
        variables = {
            "letters": letters,
            "shown_letters": shown_letters,
            "letter": letter,
            "total": len(tests),
            "failing": failing_count(tests),
            "files": f"{API}/{SUITE_TESTS}/{suite_folder(suite)}/",
            "most_changes": MOST_CHANGES,
            **context,
        }
        path = f"{RESULTS_PAGES}/{suite_folder(suite)}/tests/{letter or 'index'}.md"
        template = "results/tests.md.j2" if letter else "results/tests-index.md.j2"
        yield Page(path, variables, template, context["source"])


def _letter_tests(tests: list[TestView]) -> dict[str, LetterTests]:
    tests_by_letter = grouped((initial(test.name), test) for test in tests)
    return {
        letter: LetterTests(
            len(letter_tests), failing_count(letter_tests), static_tests(letter_tests)
        )
        for letter, letter_tests in sorted(tests_by_letter.items())
    }


_MOVED_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tests of {suite}: {letter}</title>
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<link rel="icon" href="{root}assets/mark.svg">
<script src="{root}assets/scripts/moved.js" type="module"></script></head>
<body><h1>Tests of {suite}</h1><p><a href="../" data-moved data-tests="{files}">All tests</a>.
Without JavaScript, use the <a href="{files}index.json">JSON files of the suite</a>.</p></body>
</html>
"""


def moved_page(suite: str, letter: str) -> SiteFile:
    """Return a page that leads to the page of all tests of a suite.

    Links to the tests with an initial lead here if none of these tests failed in a run. The page of
    all tests shows the test that the address names.
    """
    path = f"{RESULTS_PAGES}/{suite_folder(suite)}/tests/{letter}/index.html"
    root = "../" * path.count("/")
    files = f"{root}{API}/{SUITE_TESTS}/{suite_folder(suite)}/"
    text = _MOVED_PAGE.format(suite=escape(suite), letter=letter, root=root, files=files)
    return SiteFile(path, add_security_policy(text))


def suite_test_files(
    catalog: Catalog, results: ResultsView, suite: str, tests: Sequence[TestView]
) -> Iterator[SiteFile]:
    """Yield the JSON files with a suite's tests and their results, then the index of the files.

    Tests are sorted by their id on the page, by which a browser finds the file for a link.
    """
    folder = f"{SUITE_TESTS}/{suite_folder(suite)}"
    all_results = (result for test in tests for result in test.results)
    results_by_report = grouped((result.report, result) for result in all_results)
    reports = {
        report_id: _report_of_tests(catalog, results, report_results)
        for report_id, report_results in sorted(results_by_report.items())
    }
    data = {
        test.anchor: _test_data(suite, test, reports)
        for test in sorted(tests, key=lambda test: test.anchor)
    }
    sizes = (len(json.dumps(test, ensure_ascii=False)) for test in data.values())
    files: list[tuple[str, str]] = []
    for name, shard in shards(data, sizes):
        files.append((next(iter(shard)), name))
        yield data_file(f"{folder}/{name}", {"tests": shard})
    index = TestsIndex(suite=suite, tests=len(data), reports=reports, files=tuple(files))
    yield data_file(f"{folder}/index.json", index)


def _test_data(suite: str, test: TestView, reports: Mapping[str, ReportOfTests]) -> dict[str, Any]:
    key = Identity(suite, test.name).key
    data: dict[str, Any] = {
        "name": test.name,
        **({"key": key} if key != f"{suite}/{test.name}" else {}),
        "results": [
            _test_result(test.anchor, result, reports[result.report].common)
            for result in test.results
        ],
    }
    if test.same:
        data["same"] = [(f"{other.suite}/{other.name}", other.address) for other in test.same]
    if test.same and test.same_note:
        data["same_note"] = test.same_note
    return data


def _report_of_tests(
    catalog: Catalog, results: ResultsView, report_results: Sequence[ReportedTest]
) -> ReportOfTests:
    """Return a report with what is most frequent in its results, field by field."""
    first = report_results[0]
    report = results.by_id[first.report].report
    facts = [_common_facts(result) for result in report_results]
    common = {name: Counter(one[name] for one in facts).most_common(1)[0][0] for name in (facts[0])}
    return ReportOfTests(
        accelerator=report.accelerator,
        name=catalog.by_id[report.accelerator].accelerator.name,
        kind=report.kind,
        history=f"{report.accelerator}-{result_kind(report)}",
        environment=first.environment or None,
        run_url=first.run_url,
        common=CommonResult(**common),
    )


def _common_facts(result: ReportedTest) -> dict[str, Any]:
    """Return the fields of a result that other results of the report can share."""
    test = result.test
    return {
        "outcome": test.outcome,
        "settings": result.settings or None,
        "notes": result.notes or None,
        "since": result.since_words,
        "runs": result.runs,
        "reported_as": test.raw_status,
        "measures": tuple(result.measured) or None,
        "inputs": test.inputs,
        "allowed": result.allowed,
        "lacks": result.lacks,
        "known_issue": str(test.known_issue.url) if test.known_issue else None,
        "command": _command_parts(result)[0],
        "whole_suite": result.whole_suite or None,
        "has_history": True if result.since and result.history else None,
    }


def _command_parts(result: ReportedTest) -> tuple[str | None, str | None]:
    """Return the command of a result with `{}` for the test, and the test.

    If the command does not name the test, it is returned as it is.
    """
    key = identity_of(result.test).key
    before, name, after = (result.command or "").partition(key)
    if name and "{}" not in before + after:
        return f"{before}{{}}{after}", key
    return result.command, None


def _test_result(anchor: str, result: ReportedTest, common: CommonResult) -> dict[str, Any]:
    """Return a result without the facts that it shares with most results of its report."""
    own = {
        "seed": result.seed,
        "measured": [*result.measured.values()] or None,
        "test": _command_parts(result)[1],
        "evidence": [one.model_dump(mode="json") for one in result.test.evidence] or None,
        "log_tail": result.test.log_tail,
    }
    different = {
        name: value
        for name, value in _common_facts(result).items()
        if value != getattr(common, name)
    }
    return {
        "id": result.anchor.removeprefix(anchor),
        "report": result.report,
        **different,
        **{name: value for name, value in own.items() if value is not None},
    }
