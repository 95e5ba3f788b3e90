"""Builds the search over all test results: its page, and the one file that its script reads."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters

from accelerator_portal.site.results.results_view import RESULTS_PAGES
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import OUTCOMES, Outcome, OutcomeGroup, ReportKind

EXAMPLES = {
    "cuda:pass cpu:fail": "Tests that pass on CUDA and fail on the CPU",
    "only-fails:mps": "Tests that fail only on MPS, in runs or as expected",
    "status:timed-out": "Tests that ran out of time",
    "suite:operators mode:backward -cuda:pass": "Backward tests that do not pass on CUDA",
    "basis:run xpu:none bert": "Tests with “bert” in their names that ran, but not on XPU",
}
"""Questions that the page suggests."""

_LETTERS = dict(zip(OUTCOMES, ascii_letters, strict=False))
_NO_RESULT = "-"


class SearchMatrix(StrictModel):
    """The results of a suite in one mode, a letter for each."""

    suite: str
    """Id of the suite."""
    mode: str
    """The tests' parameter `mode`, or empty."""
    columns: tuple[tuple[str, ReportKind, str], ...]
    """The platform, the kind of report and the parameters of each column."""
    tests: dict[str, str]
    """For each test name, a letter for each column: the outcome, or `-` without a result."""


class ResultSearch(StrictModel):
    """All test results, for the search on the page."""

    outcomes: dict[str, tuple[Outcome, OutcomeGroup]]
    """The outcome of each letter, and its group, such as `failure`."""
    matrices: tuple[SearchMatrix, ...]
    """One matrix for each suite and mode."""


SCHEMAS = {"result-search": ResultSearch}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page on which readers search all results."""
    matrices = [matrix for of_suite in site.results.by_suite.values() for matrix in of_suite]
    tests = sum(len(matrix.tests) for matrix in matrices)
    yield Page(f"{RESULTS_PAGES}/search.md", {"examples": EXAMPLES, "tests": tests})


def data(site: Site) -> Iterator[SiteFile]:
    """Yield `api/v1/result-search.json`."""
    matrices = tuple(
        SearchMatrix(
            suite=suite,
            mode=matrix.mode,
            columns=tuple(
                (column.accelerator, column.kind, column.group) for column in matrix.columns
            ),
            tests={
                test.name: "".join(_LETTERS[o] if o else _NO_RESULT for o in test.outcomes)
                for test in matrix.tests
            },
        )
        for suite, of_suite in site.results.by_suite.items()
        for matrix in of_suite
    )
    outcomes = {letter: (outcome, OUTCOMES[outcome].group) for outcome, letter in _LETTERS.items()}
    yield data_file("result-search.json", ResultSearch(outcomes=outcomes, matrices=matrices))
