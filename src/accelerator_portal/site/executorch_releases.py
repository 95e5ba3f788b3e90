"""Published runs of two releases of ExecuTorch on one platform, flow by flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from packaging.version import InvalidVersion, Version

from accelerator_portal.reports.executorch import PORTABLE
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.results.report_comparison import DifferenceKind, difference_kind
from accelerator_portal.site.executorch_runs import FlowRun, flow_runs

_PACKAGE = "executorch"


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """A test of a flow with another outcome in the newer release."""

    kind: DifferenceKind
    before: TestEntry
    after: TestEntry


@dataclass(frozen=True)
class ReleasePair:
    """A flow with the release before and the newest; the hardware may differ."""

    older: Version
    newer: Version
    before: FlowRun
    after: FlowRun

    @cached_property
    def changed(self) -> tuple[ChangedTest, ...]:
        """The tests of both runs whose outcome differs, by name."""
        return tuple(sorted(self._changed(), key=lambda one: (one.kind, one.after.name)))

    @property
    def title(self) -> str:
        """Suite and releases: `executorch-aten: 1.4.1 → 1.5.1`."""
        return f"{self.after.suite}: {self.older} → {self.newer}"

    @property
    def passed(self) -> str:
        """Passed tests of those that were tried: `79 → 78 of 139`, `33 of 139` without a change."""
        before, after = (f"{run.passed} of {run.attempted}" for run in (self.before, self.after))
        if self.before.attempted == self.after.attempted:
            before = str(self.before.passed)
        return after if self.before.passed == self.after.passed else f"{before} → {after}"

    @property
    def delegated(self) -> str:
        """The share of nodes in delegates: `66% → 67%`; empty without a backend or a figure."""
        before, after = self.before.share_delegated, self.after.share_delegated
        if before is None or after is None or self.after.backend == PORTABLE:
            return ""
        shares = dict.fromkeys((f"{before:.0%}", f"{after:.0%}"))  # two that are the same are one
        return " → ".join(shares)

    def count(self, kind: DifferenceKind) -> int:
        """How many tests changed so."""
        return sum(one.kind == kind for one in self.changed)

    @property
    def has_same_hardware(self) -> bool:
        """Whether times can be compared."""
        before, after = (run.stored.report.environment for run in (self.before, self.after))
        return before.hardware is not None and before.hardware == after.hardware

    def _changed(self) -> Iterator[ChangedTest]:
        for same, after in self.after.by_test.items():
            before = self.before.by_test.get(same)
            kind = difference_kind(before.outcome, after.outcome) if before else None
            if before and kind:
                yield ChangedTest(kind, before, after)


def release_pairs(reports: Sequence[StoredReport]) -> tuple[ReleasePair, ...]:
    """Return each flow that two releases have: in the newest, and in the newest before that."""
    by_version: dict[Version, list[StoredReport]] = {}
    for stored in reports:
        if version := _version(stored):
            by_version.setdefault(version, []).append(stored)
    by_flow: dict[tuple[str, str, str, str], list[tuple[Version, FlowRun]]] = {}
    for version in sorted(by_version):
        for run in flow_runs(by_version[version]):
            flow = (run.platform, run.suite, run.backend, run.recipe)
            by_flow.setdefault(flow, []).append((version, run))
    return tuple(_newest_two(found) for _, found in sorted(by_flow.items()) if len(found) > 1)


def _newest_two(found: Sequence[tuple[Version, FlowRun]]) -> ReleasePair:
    (older, before), (newer, after) = found[-2:]
    return ReleasePair(older, newer, before, after)


def _version(stored: StoredReport) -> Version | None:
    packages = stored.report.environment.packages or {}
    try:
        return Version(packages[_PACKAGE]) if _PACKAGE in packages else None
    except InvalidVersion:
        return None
