"""The pages of a suite's tests by letter; what does not fit is read by the browser on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.own_suite import suite_folder
from accelerator_portal.site.history_view import TestHistories
from accelerator_portal.site.page import SiteFile, to_root
from accelerator_portal.site.result_addresses import RESULTS_PAGES, initial
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.static_tests import MOST_NAMES, failing, static_tests
from accelerator_portal.site.suite_test_shards import SUITE_TESTS, suite_test_files
from accelerator_portal.site.suite_tests import TestView, tests_of_suite
from accelerator_portal.site.templates import Templates

# Of what changed of a test its page lists so much; the page of its history has all.
MOST_CHANGES = 5


@dataclass(frozen=True, slots=True)
class LetterTests:
    """The tests of a letter: how many there are, how many fail, and those on its static page."""

    total: int
    failing: int
    shown: list[TestView]

    @property
    def more(self) -> int:
        """How many are read on demand."""
        return self.total - len(self.shown)


def suite_tests_pages(
    catalog: Catalog,
    results: ResultsView,
    past: TestHistories,
    templates: Templates,
    context: Mapping[str, Any],
) -> Iterator[SiteFile]:
    """Yield the pages of the tests of the suite that `context` names as `id`, and their files."""
    suite: str = context["id"]
    tests = tests_of_suite(catalog, results, past, suite)
    letters = _letters(tests)
    large = suite in context["large_suites"]
    for letter in ("", *letters):
        path = f"{RESULTS_PAGES}/{suite_folder(suite)}/tests/{letter or 'index'}.md"
        content = templates.render(
            "results/tests.md.j2" if letter else "results/tests-index.md.j2",
            to_root=to_root(path),
            letters=letters,
            letter=letter,
            total=len(tests),
            files=f"api/v1/{SUITE_TESTS}/{suite_folder(suite)}/" if large else None,
            names_fit=len(tests) <= MOST_NAMES,
            most_changes=MOST_CHANGES,
            **context,
        )
        yield SiteFile(path, content, context["source"])
    if large:
        yield from suite_test_files(catalog, results, suite, tests)


def _letters(tests: list[TestView]) -> dict[str, LetterTests]:
    by_letter: dict[str, list[TestView]] = {}
    for test in tests:
        by_letter.setdefault(initial(test.name), []).append(test)
    return {
        letter: LetterTests(len(found), failing(found), static_tests(found))
        for letter, found in by_letter.items()
    }
