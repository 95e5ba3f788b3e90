"""The pages of a suite's tests: each test on every accelerator, with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.results.standing import Standing
from accelerator_portal.results.tables import group_of
from accelerator_portal.site.history_view import Episode, HistoryStep, Past
from accelerator_portal.site.page import SiteFile, to_root
from accelerator_portal.site.result_addresses import (
    RESULTS_PAGES,
    address_of,
    anchor_of,
    by_initial,
    initial,
)
from accelerator_portal.site.results_view import ResultsView
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.words import number


@dataclass(frozen=True, slots=True)
class ReportedTest:
    """One test in one report; `address` is that of the test, from `results/`."""

    report: str
    accelerator: str
    kind: str
    mode: str
    group: str
    address: str
    test: TestEntry
    since: str | None = None
    """Since when the outcome is what it is, in words, where a history knows it."""

    @property
    def settings(self) -> str:
        """The mode and what else the test ran with: `inference, inductor, float32`."""
        return ", ".join(filter(None, (self.mode, self.group)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is known of the outcome, a text each."""
        test = self.test
        since = f"since {self.since}" if self.since else None
        stage = f"stage: {test.stage}" if test.stage else None
        return tuple(filter(None, (since, stage, test.reason)))

    @property
    def metrics(self) -> tuple[str, ...]:
        """What was measured, a text each: `max abs difference 0.5`, `latency 1.5 ms`."""
        return tuple(
            f"{name.replace('_', ' ')} {number(metric.value)}"
            f"{f' {metric.unit}' if metric.unit != '1' else ''}"
            for name, metric in self.test.metrics.items()
        )


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same model in another suite, or under another name."""

    suite: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class TestView:
    """A test and every result of it."""

    __test__ = False

    name: str
    anchor: str
    results: tuple[ReportedTest, ...]
    same: tuple[Elsewhere, ...]
    same_note: str | None
    changes: tuple[tuple[Episode, HistoryStep], ...]


def suite_tests_pages(
    catalog: Catalog,
    results: ResultsView,
    past: Past,
    templates: Templates,
    context: Mapping[str, Any],
) -> Iterator[SiteFile]:
    """Yield the pages of the tests of the suite that `context` names as `id`."""
    suite: str = context["id"]
    pages: dict[str, list[TestView]] = {"index": []}
    split = by_initial(catalog, suite)
    for test in _tests(catalog, results, past, suite):
        pages.setdefault(initial(test.name) if split else "index", []).append(test)
    letters = {letter: len(tests) for letter, tests in pages.items() if letter != "index"}
    for name, tests in pages.items():
        path = f"{RESULTS_PAGES}/{suite}/tests/{name}.md"
        content = templates.render(
            "results/tests.md.j2",
            to_root=to_root(path),
            tests=tests,
            letters=letters,
            letter="" if name == "index" else name,
            **context,
        )
        yield SiteFile(path, content, f"data/suites/{suite}.yaml")


def results_of(stored: StoredReport, catalog: Catalog) -> Iterator[ReportedTest]:
    """Yield what a report says of each test, in its order."""
    for test in stored.report.tests:
        yield ReportedTest(
            stored.id,
            stored.report.accelerator,
            stored.report.kind,
            str(test.parameters.get("mode", "")),
            group_of(test),
            address_of(catalog, test.suite, test.name),
            test,
        )


def _tests(catalog: Catalog, results: ResultsView, past: Past, suite: str) -> list[TestView]:
    found: dict[str, list[ReportedTest]] = {}
    for stored in results.reports:
        for result in results_of(stored, catalog):
            if result.test.suite == suite:
                standing = past.standing(stored.report, result.test)
                dated = replace(result, since=_since(standing))
                found.setdefault(result.test.name, []).append(dated)
    order = {platform.id: n for n, platform in enumerate(catalog.platforms)}
    return [
        TestView(
            name,
            anchor_of(name),
            tuple(
                sorted(found[name], key=lambda r: (r.mode, r.group, order[r.accelerator], r.report))
            ),
            *_same(catalog, suite, name),
            tuple(past.of_tests.get((suite, name), ())),
        )
        for name in sorted(found, key=lambda name: (name.casefold(), name))
    ]


def _since(standing: Standing | None) -> str | None:
    """A test that never changed may have been so before anybody looked."""
    if standing is None or standing.first_seen == standing.last_seen:
        return None
    known = f"{standing.since.started:%Y-%m-%d}"
    return f"at least {known}" if standing.since == standing.first_seen else known


def _same(catalog: Catalog, suite: str, name: str) -> tuple[tuple[Elsewhere, ...], str | None]:
    own = f"{suite}/{name}"
    for model in catalog.models.models if catalog.models else ():
        if own in model.names:
            others = (other.partition("/") for other in model.names if other != own)
            found = (Elsewhere(s, n, address_of(catalog, s, n)) for s, _, n in others)
            return tuple(found), model.note
    return (), None
