"""Computes the data of the page about ExecuTorch: goals, readiness of backends, two releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.criteria_file import ExecutorchReadiness, ReadinessCriterion
from accelerator_portal.catalog.files.shared_files import CountedItem, Goal
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.executorch_flows import FlowRun, flow_runs
from accelerator_reports.comparison import DifferenceKind, difference_kind
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.wording import count
from accelerator_reports.formats.executorch import PORTABLE
from accelerator_reports.outcomes import ATTEMPTED
from accelerator_reports.report import TestEntry

_PACKAGE_NAME = "executorch"

_COUNTED_ITEMS: Mapping[CountedItem, tuple[Callable[[Sequence[FlowRun]], int], str, str]] = {
    "tests": (lambda runs: sum(run.attempted for run in runs), "test run", "tests run"),
    "operators": (
        lambda runs: len({t.name for t in _attempted_tests(runs, models=False)}),
        "operator test",
        "operator tests",
    ),
    "models": (
        lambda runs: len({t.name for t in _attempted_tests(runs, models=True)}),
        "model",
        "models",
    ),
    "recipes": (
        lambda runs: len({(r.backend, r.recipe) for r in runs if r.attempted}),
        "flow",
        "flows",
    ),
    "backends": (
        lambda runs: len({r.backend for r in runs if r.passed} - {PORTABLE}),
        "backend with passed tests",
        "backends with passed tests",
    ),
    "dtypes": (
        lambda runs: len(
            {
                str(t.parameters["dtype"])
                for run in runs
                for t in run.tests
                if "dtype" in t.parameters
            }
        ),
        "data type",
        "data types",
    ),
}
"""For each value of `Goal.counts`: the function that counts these items in runs, and the noun for
one item and for several."""


def _attempted_tests(runs: Sequence[FlowRun], *, models: bool) -> Iterator[TestEntry]:
    for run in runs:
        if ("models" in run.suite) == models:
            yield from (test for test in run.tests if test.outcome in ATTEMPTED)


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """Whether a flow meets one readiness criterion.

    `figure` is the measured value. `met` states whether the value meets the criterion. Both are
    None if nothing was measured.
    """

    criterion: ReadinessCriterion
    figure: float | None
    met: bool | None


@dataclass(frozen=True, slots=True)
class Readiness:
    """The readiness of the flow of `run`: `findings` has the result of each criterion.

    `fewest_tests` is the minimum number of attempted tests for a flow to be ready.
    """

    run: FlowRun
    findings: tuple[CriterionResult, ...]
    fewest_tests: int

    @property
    def has_enough_tests(self) -> bool:
        """Whether enough tests were attempted to judge the flow."""
        return self.run.attempted >= self.fewest_tests

    @property
    def points(self) -> int:
        """The sum of the weights of the criteria that are met."""
        return sum(f.criterion.weight for f in self.findings if f.met)

    @property
    def most(self) -> int:
        """The sum of the weights of all criteria."""
        return sum(f.criterion.weight for f in self.findings)

    @property
    def is_ready(self) -> bool:
        """Whether enough tests were attempted and every criterion is met."""
        return self.has_enough_tests and all(finding.met for finding in self.findings)


def executorch_context(catalog: Catalog, reports: Sequence[StoredReport]) -> dict[str, Any]:
    """Return variables of the ExecuTorch page's template, by name.

    The variables `goals` and `sources` are not included. `figures` has the result of
    `goal_progress` by goal id. `flows` is the result of `flow_runs`. `platform_names` has names by
    platform id. `proposal` has the readiness criteria, or is None. `readiness` has a `Readiness`
    for each flow with a backend. `release_pairs` is the result of `release_pairs`.
    """
    runs = flow_runs(reports)
    goals = catalog.executorch_goals
    criteria = catalog.criteria
    proposal = criteria.executorch_readiness if criteria else None
    backend_runs = [run for run in runs if run.backend != PORTABLE]
    return {
        "figures": {goal.id: goal_progress(goal, runs) for goal in goals.goals} if goals else {},
        "flows": runs,
        "release_pairs": release_pairs(reports),
        "platform_names": {p.id: p.accelerator.name for p in catalog.platforms},
        "proposal": proposal,
        "readiness": [readiness(proposal, run, runs) for run in backend_runs] if proposal else [],
    }


def goal_progress(goal: Goal, runs: Sequence[FlowRun]) -> str | None:
    """Return the progress towards a goal in words: `12 models` or `median 1.3 s (5 tests)`.

    The goal states what to count in `runs`, or a metric whose median is shown. None if the count is
    0, if no test has the metric, or if the goal states neither.
    """
    if goal.counts:
        count_items, singular, plural = _COUNTED_ITEMS[goal.counts]
        number = count_items(runs)
        return f"{number:,} {singular if number == 1 else plural}" if number else None
    metric = goal.metric or ""
    metrics = [t.metrics[metric] for run in runs for t in run.tests if metric in t.metrics]
    if not metrics:
        return None
    value, unit = median(measurement.value for measurement in metrics), metrics[0].unit
    value_words = f"{value:.3g}" if unit == "1" else f"{value:.3g} {unit}"
    return f"median {value_words} ({count(len(metrics), 'test')})"


def readiness(proposal: ExecutorchReadiness, run: FlowRun, runs: Sequence[FlowRun]) -> Readiness:
    """Return the readiness of a flow: whether its `run` meets each criterion of `proposal`.

    `runs` are the runs of all flows. The criterion `platforms` counts the kinds of hardware on
    which the same flow passes tests.
    """
    findings = []
    for criterion in proposal.criteria:
        value = _measured_value(criterion.measure, run, runs)
        met = None if value is None else criterion.is_met(value)
        findings.append(CriterionResult(criterion, value, met))
    return Readiness(run, tuple(findings), proposal.fewest_tests)


def _measured_value(measure: str, run: FlowRun, runs: Sequence[FlowRun]) -> float | None:
    if measure == "platforms":
        return len(_hardware_names(run, runs)) or None
    shares = {
        "passed": run.share_passed,
        "right_numbers": run.share_right,
        "delegated": run.share_delegated,
    }
    if measure in shares:
        return shares[measure]
    metric = {"size": "pte_size", "time": "run_time", "memory": "run_memory"}[measure]
    ratio = run.against_portable(metric)
    return ratio[0] if ratio else None


def _hardware_names(run: FlowRun, runs: Sequence[FlowRun]) -> set[str]:
    """Return the names of the hardware on which the flow of `run` passed a test in any of `runs`.

    If a report states no hardware, the platform's id is used.
    """
    same_flow_runs = (
        r for r in runs if (r.backend, r.recipe) == (run.backend, run.recipe) and r.passed
    )
    return {r.stored.report.environment.hardware or r.platform for r in same_flow_runs}


@dataclass(frozen=True, slots=True)
class ChangedTest:
    """A test of a flow whose outcome changed in the newer release."""

    kind: DifferenceKind
    before: TestEntry
    after: TestEntry


@dataclass(frozen=True)
class ReleasePair:
    """The runs of a flow with its two newest ExecuTorch releases.

    `before` is the run with the release `older`, and `after` is the run with the release `newer`.
    The hardware of the two runs may differ.
    """

    older: Version
    newer: Version
    before: FlowRun
    after: FlowRun

    @cached_property
    def changed(self) -> tuple[ChangedTest, ...]:
        """The tests of both runs whose outcomes differ, sorted by kind and name."""
        return tuple(sorted(self._changed_tests(), key=lambda one: (one.kind, one.after.name)))

    @property
    def title(self) -> str:
        """The suite and the releases: `executorch-aten: 1.4.1 → 1.5.1`."""
        return f"{self.after.suite}: {self.older} → {self.newer}"

    @property
    def passed(self) -> str:
        """The numbers of passed and attempted tests in both runs: `79 → 78 of 139`.

        If the numbers are equal, they are shown once: `33 of 139`.
        """
        before, after = (f"{run.passed} of {run.attempted}" for run in (self.before, self.after))
        if before == after:
            return after
        same_total = self.before.attempted == self.after.attempted
        return f"{self.before.passed if same_total else before} → {after}"

    @property
    def delegated(self) -> str:
        """The share of delegated nodes in the two runs: `66% → 67%`.

        The text is empty for the flow `portable`, and if a run has no share.
        """
        before, after = self.before.share_delegated, self.after.share_delegated
        if before is None or after is None or self.after.backend == PORTABLE:
            return ""
        shares = dict.fromkeys((f"{before:.0%}", f"{after:.0%}"))  # equal shares are shown once
        return " → ".join(shares)

    def count(self, kind: DifferenceKind) -> int:
        """Return the number of tests with this kind of change."""
        return sum(one.kind == kind for one in self.changed)

    @property
    def has_same_hardware(self) -> bool:
        """Whether both runs used the same hardware, so that times can be compared."""
        before, after = (run.stored.report.environment for run in (self.before, self.after))
        return before.hardware is not None and before.hardware == after.hardware

    def _changed_tests(self) -> Iterator[ChangedTest]:
        for test_key, after in self.after.by_test.items():
            before = self.before.by_test.get(test_key)
            kind = difference_kind(before.outcome, after.outcome) if before else None
            if before and kind:
                yield ChangedTest(kind, before, after)


def release_pairs(reports: Sequence[StoredReport]) -> tuple[ReleasePair, ...]:
    """Return the runs of each flow with its two newest ExecuTorch releases.

    Flows with runs of only one release are omitted.
    """
    reports_by_version: dict[Version, list[StoredReport]] = {}
    for stored in reports:
        if version := _executorch_version(stored):
            reports_by_version.setdefault(version, []).append(stored)
    runs_by_flow: dict[tuple[str, str, str, str], list[tuple[Version, FlowRun]]] = {}
    for version in sorted(reports_by_version):
        for run in flow_runs(reports_by_version[version]):
            flow = (run.platform, run.suite, run.backend, run.recipe)
            runs_by_flow.setdefault(flow, []).append((version, run))
    newest_two = (
        versioned_runs[-2:]
        for _, versioned_runs in sorted(runs_by_flow.items())
        if len(versioned_runs) > 1
    )
    return tuple(
        ReleasePair(older, newer, before, after) for (older, before), (newer, after) in newest_two
    )


def _executorch_version(stored: StoredReport) -> Version | None:
    return version_or_none(stored.report.environment.packages.get(_PACKAGE_NAME, ""))
