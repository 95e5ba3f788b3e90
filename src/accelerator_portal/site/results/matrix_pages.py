"""Builds the tables of a suite's results, tests by accelerators, as pages, JSON and CSV files."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accelerator_portal.site.anchors import slug
from accelerator_portal.site.results.result_addresses import RESULTS_PAGES
from accelerator_portal.site.results.results_shapes import MatrixData, SuiteResults
from accelerator_portal.site.site_file import API, SiteFile, data_file
from accelerator_portal.site.templates import Templates
from accelerator_reports.outcomes import WORST_FIRST, Outcome
from accelerator_reports.suite_names import suite_folder

# The most rows and cells of a page; the other rows are on further pages. Fifty columns of 200 rows
# would be 2.5 MB, and take a slow machine seconds to lay out.
MOST_ROWS = 200
MOST_CELLS = 4_000
LEAST_ROWS = 20

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
    templates: Templates,
    context: Mapping[str, Any],
) -> Iterator[SiteFile]:
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
            "groups": Counter(column.like for column in matrix.columns),
            "pages": pages,
            "rows_of_a_page": rows_per_page(matrix),
            "modes": modes,
            "suites": suites,
            "choices": _filter_options(matrix, platforms),
            "worst_first": WORST_FIRST,
            "csv": csv_name(suite, matrix.mode),
            **context,
        }
        for page in pages:
            yield templates.page(
                page.path,
                edit=context["source"],
                template="results/suite.md.j2",
                tests=matrix.tests[page.first - 1 : page.last],
                page=page,
                linked_pages=linked_pages(pages, page),
                page_title=_title(context["title"], matrix.mode, page),
                **shared_variables,
            )


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
    """Return the number of rows per page of a matrix: the more columns, the fewer rows."""
    fitting = MOST_CELLS // max(1, len(matrix.columns))
    return min(MOST_ROWS, max(LEAST_ROWS, fitting))


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
    headings = [f"{c.accelerator} ({c.like}; {c.kind}" for c in matrix.columns]
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
