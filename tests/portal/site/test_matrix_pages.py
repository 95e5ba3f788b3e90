"""A matrix of 2,000 tests on 20 accelerators, all of it made up: its pages, and what they weigh."""

from __future__ import annotations

import csv
import gzip
import io
import random
from functools import cache
from itertools import pairwise

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.site.build import render_page
from accelerator_portal.site.pages.suites import (
    RowsPage,
    csv_name,
    linked_pages,
    matrix_files,
    matrix_pages,
    mode_slug,
    rows_pages,
    rows_per_page,
)
from accelerator_portal.site.results.results_view import (
    KIND_DESCRIPTIONS,
    MatrixColumn,
    MatrixData,
    MatrixTest,
)
from accelerator_portal.site.results.speeds import speed_table
from accelerator_portal.site.site_file import SiteFile
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from accelerator_reports.outcomes import OUTCOMES, UNSUCCESSFUL, Outcome
from tests.folders import REPOSITORY
from tests.portal.site.unbuilt import LINKS

TESTS, ACCELERATORS = 2_000, 20
MOST_BYTES = 400_000

SUITE = "made-up"
CHOICES: tuple[Outcome | None, ...] = (None, *OUTCOMES)


@cache
def made_up(mode: str = "", tests: int = TESTS) -> MatrixData:
    """No two rows alike, and no outcome more frequent than others: nothing compresses worse."""
    pick = random.Random(mode)  # noqa: S311 - made-up outcomes
    columns = tuple(
        MatrixColumn(
            id=f"made-up-{n}-nightly.eager-float32",
            accelerator=f"made-up-{n}",
            name=f"Made up {n}",
            report=f"made-up-{n}-nightly",
            kind="self-reported",
            group="eager, float32",
            dtype="float32",
            evidence=f".made-up-{n}-nightly.eager-float32",
        )
        for n in range(ACCELERATORS)
    )
    rows = tuple(
        MatrixTest(
            name=f"made_up_{n:04}",
            address=f"{SUITE}/tests/m/#test-made-up-{n:04}-{n % 1000:03}",
            outcomes=tuple(pick.choices(CHOICES, k=ACCELERATORS)),
        )
        for n in range(tests)
    )
    return MatrixData(mode=mode, columns=columns, tests=rows)


def narrow(tests: int) -> MatrixData:
    """A matrix with a single column, so that as many rows as possible are on a page."""
    matrix = made_up(tests=tests)
    rows = tuple(row.model_copy(update={"outcomes": row.outcomes[:1]}) for row in matrix.tests)
    return matrix.model_copy(update={"columns": matrix.columns[:1], "tests": rows})


ROWS = rows_per_page(made_up())


def pages(*matrices: MatrixData) -> dict[str, SiteFile]:
    templates = Templates(REPOSITORY / TEMPLATES_FOLDER, repository=LINKS)
    context = {
        "id": SUITE,
        "suite": None,
        "title": "Made up",
        "source": "accelerators/acme/results/nightly.json",
        "kinds": KIND_DESCRIPTIONS,
        "speeds": speed_table(()),
    }
    names = {column.accelerator: "Made up" for matrix in matrices for column in matrix.columns}
    found = matrix_pages(matrices, names, {SUITE: "Made up"}, context)
    return {page.path: file for page in found for file in render_page(page, [templates])}


@pytest.fixture(scope="module")
def found() -> dict[str, SiteFile]:
    """The pages of the whole matrix, by path."""
    return pages(made_up())


def tree(page: SiteFile) -> LexborHTMLParser:
    return LexborHTMLParser(page.content)


def test_the_pages_hold_every_test_once_and_in_order(found: dict[str, SiteFile]) -> None:
    assert list(found)[:2] == ["results/made-up/index.md", "results/made-up/2.md"]
    rows = [[row.text() for row in tree(page).css(".result-row th")] for page in found.values()]
    assert {len(names) for names in rows[:-1]} == {ROWS}
    assert [name for names in rows for name in names] == [test.name for test in made_up().tests]


def test_each_page_leads_to_others_and_says_where_it_is(found: dict[str, SiteFile]) -> None:
    for number, page in enumerate(found.values(), 1):
        links = tree(page).css("nav[aria-label='Rows of the table'] a")
        near = linked_pages(some_pages(len(found)), some_pages(len(found))[number - 1])
        assert [link.attributes["data-page"] for link in links] == [str(n.number) for n in near]
        (here,) = (link for link in links if "aria-current" in link.attributes)
        first = (number - 1) * ROWS + 1
        last = min(first + ROWS - 1, TESTS)
        assert here.text().removeprefix("rows ") == f"{first:,}–{last:,}"
        assert ("data-matrix" in page.content) == (number == 1)


@pytest.mark.parametrize(("tests", "expected"), [(1, 1), (200, 1), (201, 2), (400, 2), (401, 3)])
def test_as_many_pages_as_are_needed(tests: int, expected: int) -> None:
    found = pages(narrow(tests))
    assert len(found) == expected
    assert all(("Rows of the table" in page.content) == (expected > 1) for page in found.values())


def test_a_first_view_and_all_its_data_weigh_little(found: dict[str, SiteFile]) -> None:
    """As a server sends them, without what MkDocs puts around every page."""
    page = found["results/made-up/index.md"].content
    data = next(iter(matrix_files(SUITE, [made_up()]))).content
    sizes = [len(gzip.compress(text.encode(), mtime=0)) for text in (page, data)]
    assert sum(sizes) <= MOST_BYTES, sizes


def test_two_columns_of_the_csv_have_different_headings() -> None:
    matrix = made_up(tests=1)
    first, second, *others = matrix.columns
    second = second.model_copy(update={"accelerator": first.accelerator})
    columns = (first, second, *others)
    _, table = matrix_files(SUITE, [matrix.model_copy(update={"columns": columns})])
    assert table.path == "api/v1/results/made-up.csv"
    assert next(csv.reader(io.StringIO(table.content)))[1:4] == [
        "made-up-0 (eager, float32; self-reported; made-up-0-nightly)",
        "made-up-0 (eager, float32; self-reported; made-up-1-nightly)",
        "made-up-2 (eager, float32; self-reported)",
    ]


def test_modes_share_a_suite_and_no_address() -> None:
    modes = ("training", "inference", "tests", "2", "../x", "Training", "")
    found = pages(*(made_up(mode, 150) for mode in modes))
    assert len(found) == 2 * len(modes)
    first = found["results/made-up/index.md"]
    (form,) = tree(first).css("form[data-matrix]")
    assert not form.attributes["data-mode"]
    assert {"results/made-up/training/index.md", "results/made-up/training/2.md"} < set(found)
    names = {csv_name(SUITE, mode) for mode in modes}
    assert len(names) == len(modes)
    assert not [path for path in (*found, *names) if ".." in path or "made-up/tests/" in path]


def test_a_mode_that_is_called_like_a_path_stays_in_its_folder() -> None:
    for mode in ("..", "/etc", "a/b", "x" * 400, "tests", "7"):
        assert "/" not in mode_slug(mode)
        assert mode_slug(mode) != mode
        assert len(mode_slug(mode)) < 80


def test_further_pages_go_on_where_those_before_end(found: dict[str, SiteFile]) -> None:
    heads = [h2.text() for page in found.values() for h2 in tree(page).css("h2")][1:]
    ranges = [words.split("rows ")[1].split(" of ")[0].replace(",", "") for words in heads]
    for one, other in pairwise(ranges):
        assert int(one.split("–")[1]) + 1 == int(other.split("–")[0])


@pytest.mark.parametrize(
    ("outcome", "columns", "rows"),
    [
        ("passed", 1, 200),
        ("passed", 20, 125),
        ("passed", 50, 52),
        ("failed", 50, 26),
        ("passed", 1_000, 20),
        (None, 50, 101),
    ],
)
def test_the_more_results_the_fewer_rows_a_page_has(
    outcome: Outcome | None, columns: int, rows: int
) -> None:
    test = MatrixTest(name="one", address="x/tests/o/#one", outcomes=(outcome,) * columns)
    matrix = made_up().model_copy(update={"tests": (test,) * 500})
    assert rows_per_page(matrix) == rows
    assert [page.last for page in rows_pages(SUITE, matrix, own=False)][:2] == [rows, 2 * rows]


def test_only_failures_of_runs_are_links(found: dict[str, SiteFile]) -> None:
    """Without scripts; only they have their evidence on a page."""
    page = tree(found["results/made-up/index.md"])
    for row, test in zip(page.css(".result-row"), made_up().tests, strict=False):
        for cell, outcome in zip(row.css("td"), test.outcomes, strict=True):
            assert bool(cell.css("a")) == (outcome in UNSUCCESSFUL)
            assert bool(cell.css("[aria-label]")) == bool(outcome)


def test_a_page_is_small(found: dict[str, SiteFile]) -> None:
    for page in found.values():
        assert len(page.content.encode()) < 370_000
        assert len(tree(page).css("*")) < 5_700


def some_pages(number: int) -> list[RowsPage]:
    return [RowsPage(n, n * 200 - 199, n * 200, f"many/{n}/") for n in range(1, number + 1)]


@pytest.mark.parametrize(
    ("number", "current", "linked"),
    [
        (1, 1, [1]),
        (3, 1, [1, 2, 3]),
        (10, 5, [1, 3, 4, 5, 6, 7, 9, 10]),
        (470, 1, [1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 470]),
    ],
)
def test_a_page_links_to_near_ones_and_to_far_ones(
    number: int, current: int, linked: list[int]
) -> None:
    pages = some_pages(number)
    assert [page.number for page in linked_pages(pages, pages[current - 1])] == linked


def test_every_page_of_100_000_rows_is_a_few_steps_away() -> None:
    pages = some_pages(500)
    reached, steps = {1}, 0
    while len(reached) < len(pages):
        reached |= {p.number for n in reached for p in linked_pages(pages, pages[n - 1])}
        steps += 1
    assert steps <= 5
    assert max(len(linked_pages(pages, page)) for page in pages) <= 20
