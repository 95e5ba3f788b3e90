"""Builds the pages and JSON files about model families, such as Llama: test results by platform.

Results from runs and from baselines are in separate cells. So are results of PyTorch and of
ExecuTorch.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple, TypeAlias

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import MODEL_FAMILIES, STATED_MODELS
from accelerator_portal.catalog.files.shared_files import ModelFamily, model_suites
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import Translatable, comma_list, message, semicolon_list
from accelerator_portal.results.history import ResultKind, result_kind
from accelerator_portal.results.result_matrices import (
    Statement,
    model_statements,
    statements_of_family,
)
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.grid import (
    BASIS_OF,
    Basis,
    Grid,
    GridMark,
    Head,
    platforms_by_integration,
    tally,
)
from accelerator_portal.site.grid import Cell as GridCell
from accelerator_portal.site.results.results_view import RESULTS_PAGES, address_of
from accelerator_portal.site.results.suite_tests import ReportedTest, reported_tests
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import outcome_words
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.outcomes import BAD, GOOD, WORST_FIRST, Outcome, ReportKind
from accelerator_reports.suite_names import is_executorch_suite


class FamilyCount(StrictModel):
    """The results of a family on one platform.

    Runs and baselines are counted separately, and so are PyTorch and ExecuTorch.
    """

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the counts are from runs or from baselines."""
    executorch: bool = False
    """Whether the tests are ExecuTorch's, not PyTorch's."""
    passed: int
    """The number of tests that passed or are expected to pass."""
    checked: int
    """The number of tests that passed or failed, or are expected to pass or fail."""
    total: int
    """The number of all tests."""
    outcomes: dict[Outcome, int]
    """The number of tests by outcome."""
    date: dt.date | None = None
    """The day of the newest report. Absent if the report states none."""
    reports: tuple[str, ...]
    """Ids of the reports, the newest first."""
    models: dict[str, str]
    """How the models of a suite differ from the published models, by suite."""


class StatedFamily(StrictModel):
    """Models of a family that a platform runs according to a document. No test confirms this."""

    accelerator: str
    """Id of the accelerator."""
    by: str
    """The publisher of the document."""
    software: str
    """The software that runs the models according to the document."""
    date: dt.date
    """The date of the document or, if it has none, the day on which it was read."""
    source: str
    """The address of the document at the commit that was read."""
    models: tuple[str, ...]
    """The names of the models in the document."""
    purposes: dict[str, tuple[str, ...]]
    """The names of the models, by the purpose that the document states, or `not stated`."""


class FamilyEntry(StrictModel):
    """A model family in the index."""

    id: str
    """Id of the family; never changes."""
    title: str
    """Title of the family."""
    address: str
    """Address of the family's own file, relative to the index."""
    counts: tuple[FamilyCount, ...]
    """The numbers of results on each platform with results."""
    stated: tuple[StatedFamily, ...] = ()
    """The models that documents state. These models are not part of the results."""


class FamiliesIndex(StrictModel):
    """The index of all model families, in the order of the page."""

    families: tuple[FamilyEntry, ...]
    """The families with tests in a report, or with models that a document says a platform runs."""
    no_report: tuple[str, ...]
    """Titles of the families that are not in `families`."""


class FamilyTest(StrictModel):
    """A test of a family in one report."""

    accelerator: str
    """Id of the accelerator."""
    basis: ResultKind
    """Whether the result is from a run or from a baseline."""
    report: str
    """Id of the report."""
    suite: str
    """Id of the suite."""
    name: str
    """Name of the test."""
    settings: str
    """The mode and the parameters of the test, in words."""
    outcome: Outcome
    """The outcome, or the expected outcome of a baseline."""
    evidence: str
    """The address of the result with its log and command, relative to `results/`."""


class FamilyData(ModelFamily):
    """A model family, and its tests in the newest reports."""

    tests: tuple[FamilyTest, ...]
    """The tests, sorted by accelerator."""


@dataclass(frozen=True)
class FamilyResults:
    """The tests of one model family on one platform, from runs or from baselines.

    If `executorch` is true, all tests are from ExecuTorch's suites, else all are from other suites.
    There is at least one test. `reports` are the reports that contain the tests, newest first.
    """

    accelerator: str
    basis: ResultKind
    executorch: bool
    tests: tuple[ReportedTest, ...]
    reports: tuple[StoredReport, ...]

    @cached_property
    def outcomes(self) -> Mapping[Outcome, int]:
        """The number of tests with each outcome, worst first."""
        counts = Counter(result.test.outcome for result in self.tests)
        return {outcome: counts[outcome] for outcome in WORST_FIRST if counts[outcome]}

    @property
    def passed(self) -> int:
        """The number of tests that passed, or are expected to pass."""
        return sum(self.outcomes.get(outcome, 0) for outcome in GOOD)

    @property
    def checked(self) -> int:
        """The number of tests that passed or failed. The pass rate is `passed` divided by it."""
        return sum(self.outcomes.get(outcome, 0) for outcome in GOOD | BAD)

    @property
    def worst(self) -> Outcome:
        """The worst outcome of the tests that passed or failed; of all tests if none did."""
        checked_outcomes = [outcome for outcome in self.outcomes if outcome in GOOD | BAD]
        return (checked_outcomes or list(self.outcomes))[0]

    def of_purpose(self, *, training: bool) -> FamilyResults:
        """Return the results of training, or those of inference. A test without a mode infers."""
        tests = tuple(test for test in self.tests if (test.mode == "training") == training)
        return replace(self, tests=tests)

    def of_mode(self, mode: str) -> FamilyResults:
        """Return the results of the tests that have this value of the parameter `mode`."""
        return replace(self, tests=tuple(test for test in self.tests if test.mode == mode))


class _ResultsKey(NamedTuple):
    family: str
    accelerator: str
    basis: ResultKind
    executorch: bool


FamilyEvidence: TypeAlias = Mapping[str, Mapping[str, tuple[FamilyResults, ...]]]
"""Results by id of the model family, then by accelerator. Each tuple has up to four results:
PyTorch's runs and baselines, then ExecuTorch's runs and baselines."""


def model_evidence(
    families: Iterable[ModelFamily], reports: Iterable[StoredReport]
) -> FamilyEvidence:
    """Return the newest results of each model family, by family id and then by accelerator.

    Families and accelerators without results are omitted.
    """
    families = tuple(families)
    tests_by_key: dict[_ResultsKey, list[tuple[StoredReport, ReportedTest]]] = {}
    families_by_test: dict[tuple[str, str], tuple[str, ...]] = {}
    for stored, suites in _newest_model_suites(reports):
        for result in reported_tests(stored):
            test = result.test
            if test.suite not in suites:
                continue
            suite_and_name = (test.suite, test.name)
            if suite_and_name not in families_by_test:
                families_by_test[suite_and_name] = tuple(
                    family.id for family in families if family.has(*suite_and_name)
                )
            for family in families_by_test[suite_and_name]:
                basis = result_kind(stored.report)
                key = _ResultsKey(
                    family, stored.report.accelerator, basis, is_executorch_suite(test.suite)
                )
                tests_by_key.setdefault(key, []).append((stored, result))
    evidence: dict[str, dict[str, tuple[FamilyResults, ...]]] = {}
    pytorch_and_runs_first = sorted(
        tests_by_key, key=lambda key: (key.executorch, key.basis != "runs")
    )
    for key in pytorch_and_runs_first:
        family_evidence = evidence.setdefault(key.family, {})
        newest_first, tests = zip(*tests_by_key[key], strict=True)
        reports_with_tests = tuple(dict.fromkeys(newest_first))
        results = FamilyResults(
            key.accelerator, key.basis, key.executorch, tests, reports_with_tests
        )
        family_evidence[key.accelerator] = (*family_evidence.get(key.accelerator, ()), results)
    return evidence


def _newest_model_suites(
    reports: Iterable[StoredReport],
) -> Iterator[tuple[StoredReport, frozenset[str]]]:
    """Yield each report with the names of its model suites that no newer report contains.

    A newer report counts only if it is of the same accelerator and the same basis (runs or
    baselines). The set of names may be empty.
    """
    newer_keys: set[tuple[str, ResultKind, str]] = set()
    for stored in sorted(reports, key=lambda stored: stored.order, reverse=True):
        report = stored.report
        tested = {test.suite for test in report.tests}
        models = {suite.name for suite in report.suites if suite.kind == "model"}
        suites = models & tested
        keys = {(report.accelerator, result_kind(report), suite) for suite in suites}
        yield stored, frozenset(suite for _, _, suite in keys - newer_keys)
        newer_keys |= keys


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


@cached_by_owner
def models_view(site: Site) -> ModelsView:
    """Return the model families of a catalog with their results."""
    catalog, results = site.catalog, site.results
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


_PURPOSES: Mapping[str, str] = {"": message("inference"), "train": message("training")}
"""The purpose of each kind of mark. A document that states no purpose counts as inference."""


def models_grid(catalog: Catalog, view: ModelsView) -> Grid:
    """Return the grid of model families by platforms, ExecuTorch in columns of its own."""
    heads = platforms_by_integration(view.platforms, "#results")
    executorch_heads = tuple(
        replace(head, id=f"{head.id}--executorch", group="ExecuTorch") for head in heads
    )
    cells = {
        (family.family.id, column): cell
        for family in view.families
        for platform in view.platforms
        for column, executorch in ((platform.id, False), (f"{platform.id}--executorch", True))
        if (cell := _grid_cell(catalog, family, platform.id, executorch=executorch))
    }
    rows = tuple(
        Head(
            family.family.id,
            family.family.title,
            f"{MODELS_PAGES}/{family.family.id}/",
            words=family.words,
        )
        for family in view.families
    )
    kinds = {
        "": message("inference or not stated"),
        "train": message("training"),
        "reduced": message("small versions only"),
    }
    return Grid(
        "models", message("Model family"), rows, (*heads, *executorch_heads), cells, kinds=kinds
    )


def _grid_cell(
    catalog: Catalog, family: FamilyView, platform: str, *, executorch: bool
) -> GridCell | None:
    """Return the strongest evidence of a platform for inference and for training, or None."""
    found = [
        evidence
        for kind in _PURPOSES
        if (evidence := _strongest(catalog, family, platform, kind, executorch=executorch))
    ]
    if not found:
        return None
    return GridCell(
        tuple(mark for mark, _ in found),
        label=semicolon_list(words for _, words in found),
        href=f"{MODELS_PAGES}/{family.family.id}/#{platform}{'--executorch' * executorch}",
        order=sum(_MARK_RANK[mark.basis] + mark.share for mark, _ in found),
    )


_MARK_RANK: Mapping[Basis, int] = {"run": 30, "expected": 20, "stated": 10}


def _strongest(
    catalog: Catalog, family: FamilyView, platform: str, kind: str, *, executorch: bool
) -> tuple[GridMark, str] | None:
    """Return the mark of a purpose and its words: of a run, or else of a baseline or a document.

    Results that were all skipped count only if there is nothing else.
    """
    found: list[tuple[GridMark, str]] = []
    for cell in family.cells.get(platform, ()):
        results = cell.results.of_purpose(training=kind == "train")
        if results.tests and results.executorch == executorch:
            suites = {test.test.suite for test in results.tests}
            reduced = all((s := catalog.suites.get(suite)) and s.reduced for suite in suites)
            classes = " ".join(filter(None, (kind, "reduced" * reduced)))
            mark = tally(results.outcomes, BASIS_OF[results.basis], classes).mark
            words = message(
                "{purpose}: {words}", purpose=_PURPOSES[kind], words=result_words(results)
            )
            found.append((mark, words))
    for statement in family.stated.get(platform, ()) if not executorch else ():
        if any(_states(purpose, kind) for purpose in statement.by_purpose):
            words = message("{purpose}: {words}", purpose=_PURPOSES[kind], words=statement.words)
            found.append((GridMark("pass", "stated", 1, kind), words))
    return next((one for one in found if one[0].state != "skip"), next(iter(found), None))


def _states(purpose: str, kind: str) -> bool:
    """Return whether a stated purpose in words is that of a kind of mark."""
    return "training" in purpose if kind == "train" else purpose != "training"


TRANSLATED = (f"{MODELS_PAGES}/index.md", f"{MODELS_PAGES}/*.md")
SCHEMAS = {"model-results": FamiliesIndex, "family-results": FamilyData}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page of models, and a page for each family of `ModelsView`.

    Also yields a page for each platform for which documents state models.
    """
    view = models_view(site)
    overview = {"view": view, "grid_of_models": models_grid(site.catalog, view)}
    yield Page(f"{MODELS_PAGES}/index.md", overview, edit=MODEL_FAMILIES)
    for family in view.families:
        path, template = f"{MODELS_PAGES}/{family.family.id}.md", f"{MODELS_PAGES}/family.md.j2"
        yield Page(path, {"view": family, "most": MOST_LISTED}, template, MODEL_FAMILIES)
    for platform in site.catalog.platforms:
        if platform.stated_models:
            path, edit = f"{RESULTS_PAGES}/stated/{platform.id}.md", platform.path(STATED_MODELS)
            context = {"platform": platform, "stated": tuple(model_statements(platform))}
            yield Page(path, context, "results/stated.md.j2", edit)


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON files of all families, and their index."""
    view = models_view(site)
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
        file = FamilyData.from_objects(family.family, tests=tests)
        yield data_file(f"models/{family.family.id}.json", file)


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
