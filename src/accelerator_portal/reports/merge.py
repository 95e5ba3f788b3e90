"""Several files of one run as one."""

from __future__ import annotations

from collections.abc import Sequence

from accelerator_portal.reports.reading import ImportResult
from accelerator_portal.reports.report import Environment, Suite


def merged(founds: Sequence[ImportResult]) -> ImportResult:
    """Return one Found: all tests in order, each suite once, the first word on each fact."""
    suites: dict[str, Suite] = {}
    for found in founds:
        for suite in found.suites:
            known = suites.get(suite.name)
            suites[suite.name] = _joined(known, suite) if known else suite
    stated: dict[str, object] = {}
    for found in founds:
        for name, value in found.environment.model_dump(exclude_none=True).items():
            stated.setdefault(name, value) if value else None
    starts = [found.started for found in founds if found.started]
    ends = [found.finished for found in founds if found.finished]
    notes = dict.fromkeys(found.note for found in founds if found.note)
    return ImportResult(
        suites=tuple(suites.values()),
        tests=tuple(test for found in founds for test in found.tests),
        environment=Environment.model_validate(stated),
        started=min(starts, default=None),
        finished=max(ends, default=None),
        note=" ".join(notes) or None,
    )


def _joined(one: Suite, other: Suite) -> Suite:
    """What two files planned of a suite is the sum, unless one of them does not say it."""
    if one.planned is None or other.planned is None:
        return one.model_copy(update={"planned": None})
    return one.model_copy(update={"planned": one.planned + other.planned})
