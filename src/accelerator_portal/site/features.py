"""Builds the table of features: what sources state and what runs show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.accelerator import Extent, Feature, FeatureId
from accelerator_portal.catalog.fields import Model
from accelerator_portal.catalog.sources import Source, sources_by_id
from accelerator_portal.reports.outcomes import ATTEMPTED, BAD, GOOD, Kind, Outcome
from accelerator_portal.reports.report import Report, TestEntry
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.site.result_addresses import address_of
from accelerator_portal.site.results_view import ResultsView

# Its checks have the names of features; so a suite of any vendor can be read in the same way.
SUITE = "integration"


class FeatureRun(Model):
    """The result of a feature in a run."""

    outcome: Outcome
    """The outcome of the check with this name."""
    reason: str | None = None
    """The message of a failure."""
    report: str
    """Id of the report."""
    kind: Kind
    """Who made the report."""
    day: dt.date | None = None
    """The day of the run."""
    address: str
    """The address of the test, relative to `results/`."""
    contradicts: bool
    """Whether a source says that the feature works and the run failed, or the reverse."""


def feature_runs(
    reports: Iterable[StoredReport], stated: Mapping[FeatureId, Feature]
) -> dict[FeatureId, FeatureRun]:
    """Return what the newest of a platform's reports says of each feature that was tried."""
    runs = [stored for stored in reports if stored.report.kind != "baseline"]
    runs.sort(key=lambda stored: _moment(stored.report))
    found: dict[FeatureId, FeatureRun] = {}
    for stored in runs:
        for feature, test in _checks(stored.report):
            found[feature] = FeatureRun(
                outcome=test.outcome,
                reason=test.reason,
                report=stored.id,
                kind=stored.report.kind,
                day=stored.report.started.date() if stored.report.started else None,
                address=address_of(SUITE, test.name),
                contradicts=contradicts(stated.get(feature), test.outcome),
            )
    return {feature: found[feature] for feature in get_args(FeatureId) if feature in found}


def contradicts(stated: Feature | None, outcome: Outcome) -> bool:
    """Say whether a source and a run cannot both be right; `partly` fits to either outcome."""
    if stated is None:
        return False
    wrong = {"yes": BAD, "no": GOOD, "partly": frozenset[Outcome]()}
    return outcome in wrong[stated.works]


def _checks(report: Report) -> Iterator[tuple[FeatureId, TestEntry]]:
    names: dict[str, FeatureId] = {name: name for name in get_args(FeatureId)}
    for test in report.tests:
        if test.suite == SUITE and test.name in names and test.outcome in ATTEMPTED:
            yield names[test.name], test


def _moment(report: Report) -> dt.datetime:
    return report.started or dt.datetime.min.replace(tzinfo=dt.timezone.utc)


LABELS: dict[FeatureId, str] = {
    "amp": "Automatic mixed precision",
    "bf16": "bfloat16",
    "fp8": "FP8",
    "autograd": "Autograd",
    "sdpa": "Scaled dot product attention",
    "compile": "torch.compile",
    "export": "Export and AOTInductor",
    "graphs": "Device graphs",
    "distributed": "Distributed",
    "fsdp": "FSDP and DTensor",
    "checkpoint": "Checkpoints",
    "dataloader": "DataLoader",
    "optimizers": "Optimizers",
    "quantization": "Quantization",
    "sparse": "Sparse tensors",
    "complex": "Complex tensors",
    "profiler": "Profiler",
}

# Below this share of cells with a source a table would mostly show what nobody has written down.
ENOUGH = 0.3


class PlatformFeatures(Model):
    """The features of one platform: statements of sources and results of its latest runs."""

    id: str
    """Id of the platform."""
    name: str
    """Its name."""
    features: dict[FeatureId, Feature]
    """The features for which a source states a value."""
    sources: dict[str, Source]
    """The sources that are named, by id."""
    runs: dict[FeatureId, FeatureRun]
    """The features that a published report has tested."""

    @property
    def rows(self) -> tuple[FeatureId, ...]:
        """The features of which something is known, in their order."""
        return tuple(name for name in LABELS if name in self.features or name in self.runs)

    @property
    def by_extent(self) -> tuple[tuple[Extent | None, tuple[str, ...]], ...]:
        """The labels of what works, works partly and does not, and of what no source speaks."""
        groups = (
            (extent, tuple(LABELS[name] for name in LABELS if self._extent(name) == extent))
            for extent in (*get_args(get_args(Extent)[0]), None)
        )
        return tuple((extent, labels) for extent, labels in groups if labels)

    def _extent(self, name: FeatureId) -> Extent | None:
        feature = self.features.get(name)
        return feature.works if feature else None


class FeaturesData(Model):
    """The features of every platform."""

    labels: dict[FeatureId, str]
    """The label of each feature."""
    cells: int
    """The number of platforms multiplied by the number of features."""
    sourced: int
    """The number of cells that have a source."""
    platforms: tuple[PlatformFeatures, ...]
    """Every platform."""

    @property
    def by_id(self) -> dict[str, PlatformFeatures]:
        """The platforms by id."""
        return {platform.id: platform for platform in self.platforms}

    @property
    def share(self) -> float:
        """The share of cells with a source, from 0 to 1."""
        return self.sourced / self.cells if self.cells else 0.0

    @property
    def enough(self) -> bool:
        """Whether enough is sourced to compare platforms."""
        return self.share >= ENOUGH


def features_data(catalog: Catalog, results: ResultsView) -> FeaturesData:
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
            runs=feature_runs(results.of(platform.id), platform.accelerator.features),
        )
        for platform in catalog.platforms
    )
    return FeaturesData(
        labels=LABELS,
        cells=len(platforms) * len(get_args(FeatureId)),
        sourced=sum(len(platform.features) for platform in platforms),
        platforms=platforms,
    )
