"""What a run made of a feature: the check of the same name, in the newest report that tried it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from accelerator_portal.catalog.features import Feature, FeatureId
from accelerator_portal.catalog.fields import Model
from accelerator_portal.reports.outcomes import ATTEMPTED, BAD, GOOD, Kind, Outcome
from accelerator_portal.reports.report import Report, TestEntry
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.site.result_addresses import address_of

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
