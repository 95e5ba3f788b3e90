"""Builds the page about ExecuTorch: goals, readiness of backends, two releases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from packaging.version import Version

from accelerator_portal.catalog.files.criteria_file import ExecutorchReadiness, ReadinessCriterion
from accelerator_portal.catalog.files.shared_files import CountedItem, Goal
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.stored_reports import StoredReport, SuiteEvidence, newest_evidence
from accelerator_portal.site.site import Page, Site
from accelerator_portal.site.vendor_text import SourceList
from accelerator_reports.comparison import DifferenceKind, difference_kind
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.wording import count
from accelerator_reports.formats.executorch import BACKENDS, PLAIN, PORTABLE
from accelerator_reports.outcomes import ATTEMPTED, BAD, GOOD
from accelerator_reports.report import TestEntry

_SUITE_PREFIX = "executorch-"


@dataclass(frozen=True)
class FlowRun:
    """The tests of one flow in a suite, from one report (`stored`) of a platform.

    `recipe` is `plain` if the name of the flow is only the name of the backend.
    """

    platform: str
    suite: str
    backend: str
    """The name of the backend with which the flow's name starts, such as `xnnpack`. If the flow's
    name starts with no backend, this is the backend that the report's environment states, or
    `unknown`."""
    recipe: str
    stored: StoredReport
    tests: tuple[TestEntry, ...]
    portable: Mapping[str, TestEntry]
    """The tests of the flow `portable` in the same suite and report, with the keys of `by_test`."""

    @property
    def passed(self) -> int:
        """The number of passed tests."""
        return sum(test.outcome in GOOD for test in self.tests)

    @property
    def attempted(self) -> int:
        """The number of attempted tests, whether they passed or not.

        A test with the outcome `skipped`, `not-run`, `test-broken` or `infrastructure-error` was
        not attempted.
        """
        return sum(test.outcome in ATTEMPTED for test in self.tests)

    @property
    def undelegated(self) -> int:
        """The number of tests in which the backend ran no part of the model."""
        return sum(test.outcome == "executed" for test in self.tests)

    @property
    def failed(self) -> int:
        """The number of failed tests."""
        return sum(test.outcome in BAD for test in self.tests)

    @cached_property
    def share_passed(self) -> float | None:
        """The share of attempted tests that passed, from 0 to 1; None if none was attempted."""
        return self.passed / self.attempted if self.attempted else None

    @cached_property
    def share_right(self) -> float | None:
        """The share of tests with a correct result, from 0 to 1.

        Only tests whose result was compared count: those with the outcome `passed` or
        `wrong-result`. None if no result was compared.
        """
        compared = [t for t in self.tests if t.outcome in {"passed", "wrong-result"}]
        return sum(t.outcome == "passed" for t in compared) / len(compared) if compared else None

    @cached_property
    def share_delegated(self) -> float | None:
        """The share of nodes that the backend runs, in the models of all tests, from 0 to 1.

        None if no test states the numbers of delegated and undelegated nodes.
        """
        delegated_nodes = sum(_metric_values(self.tests, "delegated_nodes"))
        undelegated_nodes = sum(_metric_values(self.tests, "undelegated_nodes"))
        return (
            delegated_nodes / (delegated_nodes + undelegated_nodes)
            if delegated_nodes + undelegated_nodes
            else None
        )

    @cached_property
    def by_test(self) -> Mapping[str, TestEntry]:
        """The tests by name and parameters.

        The keys omit the parameter `recipe`, so a test has the same key in all flows.
        """
        return {_key_in_all_flows(test): test for test in self.tests}

    def against_portable(self, metric: str) -> tuple[float, int] | None:
        """Return the median ratio of a metric to the flow `portable`, and the number of tests.

        See `against`.
        """
        return self.against(self.portable, metric)

    def against(self, others: Mapping[str, TestEntry], metric: str) -> tuple[float, int] | None:
        """Return the median ratio of a metric to `others`, and the number of compared tests.

        `others` has the tests of another flow or release, with the keys of `by_test`. The ratio of
        a test is its value of the metric, divided by the value of the same test in `others`. Only
        tests that passed here and in `others` are compared, because a wrong result can be fast and
        small. None if no test can be compared.
        """
        ratios = list(self._ratios(others, metric))
        return (median(ratios), len(ratios)) if ratios else None

    def _ratios(self, other_tests: Mapping[str, TestEntry], metric: str) -> Iterator[float]:
        for test_key, test in self.by_test.items():
            other_test = other_tests.get(test_key)
            if other_test is None or test.outcome not in GOOD or other_test.outcome not in GOOD:
                continue
            ours, theirs = test.metrics.get(metric), other_test.metrics.get(metric)
            if ours and theirs and theirs.value:
                yield ours.value / theirs.value

    @property
    def kept_out(self) -> list[TestEntry]:
        """The tests that did not pass or were only partly delegated, if they state a reason.

        The tests are sorted by name and parameters.
        """
        excluded_tests = [t for t in self.tests if t.reason and not _is_fully_delegated(t)]
        return sorted(excluded_tests, key=lambda test: (test.name, str(test.parameters)))


def flow_runs(reports: Iterable[StoredReport]) -> tuple[FlowRun, ...]:
    """Return the flows in each platform's newest runs of ExecuTorch's suites.

    Baselines are ignored. The flows are sorted by platform, suite, backend and recipe.
    """
    reports_by_platform = grouped((stored.report.accelerator, stored) for stored in reports)
    runs = [
        run
        for platform, platform_reports in reports_by_platform.items()
        for evidence in newest_evidence(platform_reports)
        if evidence.is_run and evidence.suite.startswith(_SUITE_PREFIX)
        for run in _suite_flows(platform, evidence)
    ]
    return tuple(sorted(runs, key=lambda r: (r.platform, r.suite, r.backend, r.recipe)))


def _suite_flows(platform: str, evidence: SuiteEvidence) -> Iterator[FlowRun]:
    component = evidence.stored.report.environment.backend
    report_backend = component.name if component else "unknown"
    tests_by_flow: dict[tuple[str, str], list[TestEntry]] = {}
    for test in evidence.tests:
        if recipe := str(test.parameters.get("recipe", "")):
            tests_by_flow.setdefault(_backend_and_recipe(report_backend, recipe), []).append(test)
    portable = {
        _key_in_all_flows(test): test for test in tests_by_flow.get((PORTABLE, PORTABLE), ())
    }
    for (backend, recipe), tests in tests_by_flow.items():
        yield FlowRun(
            platform, evidence.suite, backend, recipe, evidence.stored, tuple(tests), portable
        )


def _backend_and_recipe(report_backend: str, flow: str) -> tuple[str, str]:
    """Return a flow's backend and recipe: `xnnpack_static_int8` → `("xnnpack", "static_int8")`.

    `flow` is the value of a test's parameter `recipe`. If it is only the name of a backend, the
    recipe is `plain`. If it begins with `portable`, both parts of the result are `portable`. If it
    begins with no backend in BACKENDS, the result is `(report_backend, flow)`. `report_backend` is
    the backend that the report states.
    """
    for backend in BACKENDS:
        if flow == backend or flow.startswith(f"{backend}_"):
            recipe = flow.removeprefix(backend).strip("_")
            return (PORTABLE, PORTABLE) if backend == PORTABLE else (backend, recipe or PLAIN)
    return report_backend, flow


def _key_in_all_flows(test: TestEntry) -> str:
    """Return a key of a test: its name and its parameters without `recipe`.

    A test has the same key in all flows.
    """
    parameters = sorted((k, str(v)) for k, v in test.parameters.items() if k != "recipe")
    return f"{test.name} {parameters}"


def _is_fully_delegated(test: TestEntry) -> bool:
    undelegated_nodes = test.metrics.get("undelegated_nodes")
    return test.outcome in GOOD and not (undelegated_nodes and undelegated_nodes.value)


def _metric_values(tests: Sequence[TestEntry], metric: str) -> list[float]:
    return [test.metrics[metric].value for test in tests if metric in test.metrics]


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


def pages(site: Site) -> Iterator[Page]:
    """Yield the page."""
    catalog, reports = site.catalog, site.results.reports
    runs = flow_runs(reports)
    goals = catalog.executorch_goals
    criteria = catalog.criteria
    proposal = criteria.executorch_readiness if criteria else None
    backend_runs = [run for run in runs if run.backend != PORTABLE]
    context = {
        "goals": goals,
        "sources": SourceList([("executorch-goals.yaml", goals.sources if goals else {})]),
        "figures": {goal.id: goal_progress(goal, runs) for goal in goals.goals} if goals else {},
        "flows": runs,
        "release_pairs": release_pairs(reports),
        "platform_names": {p.id: p.accelerator.name for p in catalog.platforms},
        "proposal": proposal,
        "readiness": [readiness(proposal, run, runs) for run in backend_runs] if proposal else [],
    }
    yield Page("contribute/executorch.md", context)


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
