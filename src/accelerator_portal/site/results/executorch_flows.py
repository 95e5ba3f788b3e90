"""Finds the flows in the newest runs of ExecuTorch's suites, with their results.

A flow is a backend combined with a recipe. ExecuTorch's backend test suite names a flow after both:
`xnnpack_static_int8` is the backend `xnnpack` with the recipe `static_int8`. The flow `portable`
runs models without a backend, on ExecuTorch's portable kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.results.suite_evidence import SuiteEvidence, newest_evidence
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
