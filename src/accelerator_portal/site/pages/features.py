"""Builds the page of the PyTorch features that each platform supports, by sources and test runs.

A feature is a part of PyTorch that a platform can support, such as FSDP or `torch.compile`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import get_args

from pydantic import SkipValidation

from accelerator_portal.catalog.files.accelerator import Feature, FeatureSupport
from accelerator_portal.catalog.files.shared_files import FeatureEvidence, FeatureTests
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.catalog.message import message, semicolon_list, translatable
from accelerator_portal.results.stored_reports import LONG_AGO, StoredReport
from accelerator_portal.site.grid import (
    Cell,
    Grid,
    GridMark,
    Head,
    State,
    basis_of_report,
    platforms_by_integration,
    tally,
)
from accelerator_portal.site.results.results_view import address_of
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.site_file import SiteFile, data_file
from accelerator_portal.site.text_formats import EXTENT_WORDS
from accelerator_reports.files.fields import FeatureId, StrictModel
from accelerator_reports.files.sources import Source, sources_by_id
from accelerator_reports.outcomes import ATTEMPTED, BAD, GOOD, Outcome, ReportKind
from accelerator_reports.report import Report, TestEntry
from accelerator_reports.suite_names import suite_folder

FEATURE_LABELS: dict[FeatureId, str] = {
    "amp": message("Automatic mixed precision"),
    "bf16": message("bfloat16"),
    "fp8": message("FP8"),
    "autograd": message("Autograd"),
    "sdpa": message("Scaled dot product attention"),
    "compile": message("torch.compile"),
    "export": message("Export and AOTInductor"),
    "graphs": message("Device graphs"),
    "distributed": message("Distributed"),
    "fsdp": message("FSDP and DTensor"),
    "checkpoint": message("Checkpoints"),
    "dataloader": message("DataLoader"),
    "optimizers": message("Optimizers"),
    "quantization": message("Quantization"),
    "sparse": message("Sparse tensors"),
    "complex": message("Complex tensors"),
    "profiler": message("Profiler"),
}

# Below this share of cells with a source or a test, too many cells of the table would be empty.
LEAST_FEATURE_SHARE = 0.3


class FeatureRun(StrictModel):
    """The result of a feature's tests in a run, or the result that a baseline expects."""

    outcome: Outcome
    """The outcome of the first test that didn't pass. If all passed, that of the first test."""
    passed: int
    """The number of tests that passed."""
    tests: int
    """The number of tests that were attempted."""
    reason: str | None = None
    """The reason that the report states for `outcome`, such as an error message."""
    report: str
    """Id of the report."""
    kind: ReportKind
    """The kind of the report. A baseline lists what a project's CI expects; it is not a run."""
    day: dt.date | None = None
    """The day of the run, or of the baseline."""
    address: str
    """The address of the test, or of its suite if `tests` is not 1, relative to `results/`."""
    contradicts: bool
    """Whether a test of a run failed although a source says that the feature works, or all passed
    although a source says that it does not work. False for a baseline."""


def feature_runs(
    reports: Iterable[StoredReport], stated: Mapping[FeatureId, Feature], shown_by: FeatureEvidence
) -> dict[FeatureId, FeatureRun]:
    """Return the newest result of each feature in a platform's reports, by feature id.

    `stated` has what sources state about the platform's features. `shown_by` has the tests of each
    feature. A result is from the newest run in which a test of the feature was attempted. If there
    is no such run, it is from the newest baseline with such a test. Features without a result are
    omitted.
    """
    sorted_reports = sorted(reports, key=lambda stored: _evidence_rank(stored.report), reverse=True)
    run_by_feature: dict[FeatureId, FeatureRun] = {}
    for feature in get_args(FeatureId):
        feature_tests = shown_by.features.get(feature, ())
        for stored in sorted_reports:
            if tests := _attempted_tests(stored.report, feature_tests):
                run_by_feature[feature] = _feature_run(stored, tests, stated.get(feature))
                break
    return run_by_feature


def contradicts(stated: Feature | None, outcomes: Collection[Outcome]) -> bool:
    """Return whether the outcomes of tests contradict what a source states about a feature.

    One failure contradicts the statement `yes`; passes contradict `no` if nothing else happened.
    Nothing contradicts `partly`, or no statement.
    """
    if stated is None or stated.works == "partly":
        return False
    return not BAD.isdisjoint(outcomes) if stated.works == "yes" else GOOD.issuperset(outcomes)


def _feature_run(
    stored: StoredReport, tests: Sequence[TestEntry], stated: Feature | None
) -> FeatureRun:
    report = stored.report
    worst = next((test for test in tests if test.outcome not in GOOD), tests[0])
    suite = suite_folder(worst.suite)
    return FeatureRun(
        outcome=worst.outcome,
        passed=sum(test.outcome in GOOD for test in tests),
        tests=len(tests),
        reason=worst.reason,
        report=stored.id,
        kind=report.kind,
        day=stored.day,
        address=address_of(worst.suite, worst.name) if len(tests) == 1 else f"{suite}/",
        contradicts=report.kind != "baseline"
        and contradicts(stated, [test.outcome for test in tests]),
    )


def _attempted_tests(report: Report, feature_tests: Iterable[FeatureTests]) -> list[TestEntry]:
    return [
        test
        for test in report.tests
        if test.outcome in ATTEMPTED
        and any(tests.has(test.suite, test.name, test.parameters) for tests in feature_tests)
    ]


def _evidence_rank(report: Report) -> tuple[bool, dt.datetime]:
    return report.kind != "baseline", report.started or LONG_AGO


class PlatformFeatures(StrictModel):
    """The features of one platform: statements of sources and results in its reports."""

    id: str
    """Id of the platform."""
    name: str
    """Name of the platform."""
    features: dict[FeatureId, Feature]
    """The features for which a source states a value."""
    sources: dict[str, Source]
    """The sources that `features` cites, by id."""
    runs: dict[FeatureId, FeatureRun]
    """The newest result of each tested feature: of a run if there is one, otherwise of a
    baseline."""
    searched: dt.date | None = None
    """The day on which somebody last searched for sources about all features."""

    @property
    def rows(self) -> tuple[FeatureId, ...]:
        """The features with a statement or a result, in the order of `FEATURE_LABELS`."""
        return tuple(name for name in FEATURE_LABELS if name in self.features or name in self.runs)


class FeaturesData(StrictModel):
    """The features of every platform."""

    labels: dict[FeatureId, SkipValidation[str]]  # validation would drop the translatable messages
    """The label of each feature."""
    cells: int
    """The number of platforms multiplied by the number of features."""
    sourced: int
    """The number of pairs of a platform and a feature that have a source or a test result."""
    platforms: tuple[PlatformFeatures, ...]
    """The features of every platform."""

    @property
    def by_id(self) -> dict[str, PlatformFeatures]:
        """The platforms by id."""
        return {platform.id: platform for platform in self.platforms}

    @property
    def share(self) -> float:
        """The share of table cells with a source or a test result, from 0 to 1.

        A cell is one feature of one platform.
        """
        return self.sourced / self.cells if self.cells else 0.0

    @property
    def enough(self) -> bool:
        """Whether `share` is at least `LEAST_FEATURE_SHARE`, enough to compare platforms."""
        return self.share >= LEAST_FEATURE_SHARE


_STATE: Mapping[FeatureSupport, State] = {"yes": "pass", "partly": "part", "no": "fail"}
_SHARE: Mapping[State, float] = {"pass": 1, "part": 0.5, "fail": 0}

_SHORT_LABELS: Mapping[FeatureId, str] = {
    "amp": message("AMP"),
    "sdpa": message("Attention (SDPA)"),
    "export": message("Export, AOTI"),
    "fsdp": message("FSDP, DTensor"),
}
"""Labels for narrow columns."""


@cached_by_owner
def features_grid(site: Site) -> Grid:
    """Return the grid of platforms by features: what sources state, or what tests showed.

    A test run or a baseline comes before a statement.
    """
    features = features_data(site)
    cells: dict[tuple[str, str], Cell] = {
        (platform.id, feature): _grid_cell(platform, feature)
        for platform in features.platforms
        for feature in platform.rows
    }
    columns = [
        Head(name, _SHORT_LABELS.get(name, label)) for name, label in features.labels.items()
    ]
    return Grid(
        "features",
        message("Platform"),
        platforms_by_integration(site.catalog.platforms, "#features"),
        columns,
        cells,
    )


def _grid_cell(platform: PlatformFeatures, feature: FeatureId) -> Cell:
    stated, run = platform.features.get(feature), platform.runs.get(feature)
    marks: list[GridMark] = []
    words: list[str] = []
    if run:
        counts: dict[Outcome, int] = {run.outcome: run.tests - run.passed, "passed": run.passed}
        found = tally(counts, basis_of_report(run.kind))
        marks.append(found.mark)
        counted = message("{passed} of {total} tests", passed=run.passed, total=run.tests)
        words.append(
            message("{tests} passed", tests=counted)
            if found.mark.basis == "run"
            else message("{tests} expected to pass", tests=counted)
        )
    part = ""
    if stated:
        state = _STATE[stated.works]
        marks.append(GridMark(state, "stated", _SHARE[state]))
        part = translatable(stated.part) if stated.part else ""
        words.append(EXTENT_WORDS[stated.works])
    strongest = next((mark for mark in marks if mark.state != "skip"), marks[0])
    return Cell(
        (strongest,),
        note=part,
        label=semicolon_list((*words, part) if part else words),
        href=f"compute-platforms/{platform.id}/#feature-{feature}",
        order=strongest.share,
    )


TRANSLATED = ("features.md",)
SCHEMAS = {"features": FeaturesData}


def pages(site: Site) -> Iterator[Page]:
    """Yield the page."""
    features = features_data(site)
    context = {"features": features, "grid_of_features": features_grid(site)}
    yield Page("features.md", context | {"least": LEAST_FEATURE_SHARE})


def data(site: Site) -> Iterator[SiteFile]:
    """Yield the JSON file of the features of every platform."""
    yield data_file("features.json", features_data(site))


@cached_by_owner
def features_data(site: Site) -> FeaturesData:
    """Return the features of every platform."""
    platforms = tuple(
        PlatformFeatures(
            id=platform.id,
            name=platform.accelerator.name,
            features=dict(platform.accelerator.features),
            sources=sources_by_id(
                platform.accelerator.sources,
                (name for f in platform.accelerator.features.values() for name in f.source),
            ),
            runs=feature_runs(
                site.results.of(platform.id),
                platform.accelerator.features,
                site.catalog.feature_tests,
            ),
            searched=platform.accelerator.features_searched,
        )
        for platform in site.catalog.platforms
    )
    return FeaturesData(
        labels=FEATURE_LABELS,
        cells=len(platforms) * len(get_args(FeatureId)),
        sourced=sum(len(platform.rows) for platform in platforms),
        platforms=platforms,
    )
