"""Builds the pages and JSON files about model families, such as Llama: test results by platform.

Results from runs and from baselines are in separate cells. So are results of PyTorch and of
ExecuTorch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import MODEL_FAMILIES, STATED_MODELS
from accelerator_portal.catalog.files.shared_files import ModelFamily, model_suites
from accelerator_portal.catalog.message import Translatable, comma_list, message
from accelerator_portal.results.stated_models import (
    Statement,
    model_statements,
    statements_of_family,
)
from accelerator_portal.site.results.model_evidence import (
    FamilyEvidence,
    FamilyResults,
    model_evidence,
)
from accelerator_portal.site.results.model_shapes import (
    FamiliesIndex,
    FamilyCount,
    FamilyData,
    FamilyEntry,
    FamilyTest,
    StatedFamily,
)
from accelerator_portal.site.results.result_addresses import (
    RESULTS_PAGES,
    address_of,
)
from accelerator_portal.site.results.results_view import ResultsView
from accelerator_portal.site.results.suite_tests import ReportedTest
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.templates import Templates
from accelerator_portal.site.text_formats import outcome_words
from accelerator_portal.site.translated_pages import render_pages
from accelerator_reports.outcomes import BAD, GOOD, WORST_FIRST, Outcome, ReportKind

MODELS_PAGES = f"{RESULTS_PAGES}/by-model"

MOST_LISTED = 200
"""The maximum number of results of one cell on a family's page; the data file has all results."""

_KIND_WORDS: Mapping[ReportKind, str] = {
    "baseline": message("expected, not run"),
    "self-reported": message("self-reported run"),
    "made-here": message("run by this project"),
}

_WORD = re.compile(r"[a-z0-9.]+")
_SIZE = re.compile(r"\d+(\.\d+)?b|[a-z]{3,}\d(\.\d)?")

_SEVERITY = {outcome: place for place, outcome in enumerate(WORST_FIRST)}


@dataclass(frozen=True, slots=True)
class ModeMark:
    """The results of one mode: the worst outcome, and the counts as text: `training 5 of 6`."""

    worst: Outcome
    words: str


@dataclass(frozen=True, slots=True)
class FamilyCell:
    """A platform's results of one model family, as shown in one cell.

    The results are either from runs or from baselines, and either from PyTorch or from ExecuTorch.
    `words` is the result of `result_words`. `modes` has the counts of each mode in words, such as
    `training 5 of 6`. `modes` is empty if there are fewer than two modes. `training` is the text in
    `modes` for the mode training, or None. `anchor` is the id of the results' section on the
    family's page. `models` states by suite how the suite's models differ from the published models.
    `rows` are the single results, worst outcome first.
    """

    results: FamilyResults
    words: str
    modes: tuple[ModeMark, ...]
    anchor: str
    models: Mapping[str, str]
    rows: list[ReportedTest]

    @property
    def source(self) -> str:
        """The kind of the newest report in words, and its date."""
        newest = self.results.reports[0]
        source, day = _KIND_WORDS[newest.report.kind], newest.day
        return message("{source}, {day}", source=source, day=day) if day else source


@dataclass(frozen=True, slots=True)
class ListedTest:
    """A test that a suite's file in `data/suites/` lists.

    `address` is relative to `results/`; None if no report has the test.
    """

    suite: str
    name: str
    address: str | None


@dataclass(frozen=True, slots=True)
class FamilyView:
    """A model family with its results.

    `cells` has the cells of each platform, by platform id: PyTorch before ExecuTorch, and runs
    before baselines. `listed` are the family's tests in `data/suites/`. `stated` has, by platform
    id, the models that vendors' documents call supported. These statements are not test results.
    """

    family: ModelFamily
    cells: Mapping[str, tuple[FamilyCell, ...]]
    listed: tuple[ListedTest, ...]
    stated: Mapping[str, tuple[Statement, ...]]

    def best(self, platform: str) -> FamilyCell | None:
        """Return the cell with a platform's best evidence; None if the platform has no cells.

        Runs are better than baselines, but PyTorch's baselines are better than ExecuTorch's runs.
        """
        return next(iter(self.cells.get(platform, ())), None)

    def on_executorch(self, platform: str) -> FamilyCell | None:
        """Return a platform's first ExecuTorch cell that is not the cell that `best` returns.

        None if the platform has no such cell.
        """
        other_cells = self.cells.get(platform, ())[1:]
        return next((cell for cell in other_cells if cell.results.executorch), None)

    @property
    def words(self) -> str:
        """The text in which the page's search looks: the family's title and its test names."""
        return " ".join(dict.fromkeys((self.family.title, *(test.name for test in self.listed))))

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes and versions in the names of models, such as `8b` and `qwen3`, for search."""
        cells = chain.from_iterable(self.cells.values())
        tests = (row.test.name for cell in cells for row in cell.rows)
        statements = chain.from_iterable(self.stated.values())
        models = (model.name for statement in statements for model in statement.models)
        words = (word for name in chain(tests, models) for word in _WORD.findall(name.lower()))
        return tuple(sorted({word for word in words if _SIZE.fullmatch(word)}))


@dataclass(frozen=True, slots=True)
class ModelsView:
    """The model families and platforms that the page of models shows.

    `families` and `platforms` are those with test results, or with models that documents state.
    `without_model` are all other platforms. `no_report` are the titles of all other families.
    """

    families: tuple[FamilyView, ...]
    platforms: tuple[Platform, ...]
    without_model: tuple[Platform, ...]
    no_report: tuple[str, ...]


def models_view(catalog: Catalog, results: ResultsView) -> ModelsView:
    """Return the model families of a catalog with their results."""
    families = catalog.model_families.families if catalog.model_families else ()
    evidence = model_evidence(families, results.reports)
    views = [_family_view(catalog, family, evidence, results.tests) for family in families]
    shown_views = tuple(view for view in views if view.cells or view.stated)
    platform_ids = {platform for view in shown_views for platform in (*view.cells, *view.stated)}
    return ModelsView(
        shown_views,
        tuple(p for p in catalog.platforms if p.id in platform_ids),
        tuple(p for p in catalog.platforms if p.id not in platform_ids),
        tuple(view.family.title for view in views if view not in shown_views),
    )


def _family_view(
    catalog: Catalog,
    family: ModelFamily,
    evidence: FamilyEvidence,
    reported_names: frozenset[tuple[str, str]],
) -> FamilyView:
    results_by_platform = evidence.get(family.id, {})
    cells = {
        platform.id: tuple(
            _family_cell(catalog, results) for results in results_by_platform[platform.id]
        )
        for platform in catalog.platforms
        if platform.id in results_by_platform
    }
    stated = {
        platform.id: statements
        for platform in catalog.platforms
        if (statements := tuple(statements_of_family(model_statements(platform), family)))
    }
    listed = tuple(_listed_tests(catalog, family, reported_names))
    return FamilyView(family, cells, listed, stated)


def _family_cell(catalog: Catalog, results: FamilyResults) -> FamilyCell:
    modes = dict.fromkeys(
        result.mode for result in results.tests if result.test.outcome in GOOD | BAD
    )
    marks = tuple(map(partial(_mode_mark, results), modes)) if len(modes) > 1 else ()
    # No id has two hyphens in a row: the anchor is never that of another platform's runs.
    executorch_suffix = "--executorch" if results.executorch else ""
    basis_suffix = "" if results.basis == "runs" else "--baseline"
    anchor = f"{results.accelerator}{executorch_suffix}{basis_suffix}"
    return FamilyCell(
        results,
        result_words(results),
        marks,
        anchor,
        _model_notes(catalog, {result.test.suite for result in results.tests}),
        sorted(results.tests, key=_severity_key),
    )


def _model_notes(catalog: Catalog, suites: Iterable[str]) -> dict[str, str]:
    suite_files = ((suite, catalog.suites.get(suite)) for suite in sorted(suites))
    return {suite: file.models for suite, file in suite_files if file and file.models}


def _mode_mark(results: FamilyResults, mode: str) -> ModeMark:
    of_mode = results.of_mode(mode)
    name = Translatable(mode) if mode else message("mode not stated")
    words = message(
        "{mode} {passed} of {total}", mode=name, passed=of_mode.passed, total=of_mode.checked
    )
    return ModeMark(of_mode.worst, words)


def result_words(results: FamilyResults) -> str:
    """Return the counts of results: `5 of 6 passed; not counted: 2 executed`."""
    counts = {"passed": results.passed, "total": results.checked}
    rate = (
        message("{passed} of {total} passed", **counts)
        if results.basis == "runs"
        else message("{passed} of {total} tests expected to pass", **counts)
    )
    other_texts = [
        message("{count} {outcome}", count=number, outcome=outcome_words(outcome))
        for outcome, number in results.outcomes.items()
        if outcome not in GOOD | BAD
    ]
    if not other_texts:
        return rate
    others_text = comma_list(other_texts)
    if not results.checked:
        return others_text
    return message("{rate}; not counted: {others}", rate=rate, others=others_text)


def _severity_key(result: ReportedTest) -> tuple[int, str, str, str]:
    test = result.test
    return _SEVERITY[test.outcome], test.suite, test.name.casefold(), result.settings


def _listed_tests(
    catalog: Catalog, family: ModelFamily, reported_names: frozenset[tuple[str, str]]
) -> Iterator[ListedTest]:
    for suite, file in sorted(model_suites(catalog.suites).items()):
        for name in file.tests:
            if family.has(suite, name):
                has_report = (suite, name) in reported_names
                yield ListedTest(suite, name, address_of(suite, name) if has_report else None)


def model_pages(
    catalog: Catalog, results: ResultsView, all_templates: Sequence[Templates]
) -> Iterator[SiteFile]:
    """Yield the page of models, a page for each family of `ModelsView`, and their JSON files.

    Also yields a page for each platform for which documents state models. `all_templates` has the
    templates of each language, English first.
    """
    view = models_view(catalog, results)
    path = f"{MODELS_PAGES}/index.md"
    yield from render_pages(all_templates, path, {"view": view}, edit=MODEL_FAMILIES)
    for family in view.families:
        path = f"{MODELS_PAGES}/{family.family.id}.md"
        template = f"{MODELS_PAGES}/family.md.j2"
        context = {"view": family, "most": MOST_LISTED}
        yield from render_pages(
            all_templates, path, context, template=template, edit=MODEL_FAMILIES
        )
    for platform in catalog.platforms:
        if platform.stated_models:
            yield all_templates[0].page(
                f"{RESULTS_PAGES}/stated/{platform.id}.md",
                edit=platform.path(STATED_MODELS),
                template="results/stated.md.j2",
                platform=platform,
                stated=tuple(model_statements(platform)),
            )
    yield from _data_files(view)


def _data_files(view: ModelsView) -> Iterator[SiteFile]:
    entries = tuple(
        FamilyEntry.from_objects(
            family.family,
            address=f"models/{family.family.id}.json",
            counts=tuple(map(_family_count, chain.from_iterable(family.cells.values()))),
            stated=tuple(map(_stated_family, chain.from_iterable(family.stated.values()))),
        )
        for family in view.families
    )
    yield data_file("models.json", FamiliesIndex(families=entries, no_report=view.no_report))
    for family in view.families:
        cells = chain.from_iterable(family.cells.values())
        tests = tuple(
            FamilyTest.from_objects(
                row.test, row, basis=cell.results.basis, evidence=row.evidence_address
            )
            for cell in cells
            for row in cell.rows
        )
        data = FamilyData.from_objects(family.family, tests=tests)
        yield data_file(f"models/{family.family.id}.json", data)


def _family_count(cell: FamilyCell) -> FamilyCount:
    results = cell.results
    return FamilyCount.from_objects(
        results,
        cell,
        total=len(results.tests),
        outcomes=dict(results.outcomes),
        date=results.reports[0].day,
        reports=tuple(stored.id for stored in results.reports),
    )


def _stated_family(statement: Statement) -> StatedFamily:
    return StatedFamily.from_objects(
        statement.listed,
        statement,
        date=statement.source.as_of or statement.source.read,
        source=statement.source.url,
        models=tuple(model.name for model in statement.models),
        purposes={
            purpose: tuple(model.name for model in models)
            for purpose, models in statement.by_purpose.items()
        },
    )
