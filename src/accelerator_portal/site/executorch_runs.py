"""Lists the published runs of ExecuTorch's suites by flow: backend, recipe, platform."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from accelerator_portal.reports.executorch import BACKENDS, PLAIN, PORTABLE
from accelerator_portal.reports.outcomes import ATTEMPTED, BAD, GOOD
from accelerator_portal.reports.report import TestEntry
from accelerator_portal.reports.store import StoredReport
from accelerator_portal.results.suite_evidence import SuiteEvidence, newest_evidence

_SUITE = "executorch-"


@dataclass(frozen=True)
class FlowRun:
    """The tests of one flow in one suite of a platform's newest report."""

    platform: str
    suite: str
    backend: str
    """As it is called in reports: `XnnpackBackend`, or the name of its flows."""
    recipe: str
    stored: StoredReport
    tests: tuple[TestEntry, ...]
    portable: Mapping[str, TestEntry]
    """The same tests without any backend, by what `_same` makes of them."""

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(test.outcome in GOOD for test in self.tests)

    @property
    def attempted(self) -> int:
        """How many were tried; skipped and broken tests say nothing."""
        return sum(test.outcome in ATTEMPTED for test in self.tests)

    @property
    def undelegated(self) -> int:
        """How many ran without the backend."""
        return sum(test.outcome == "executed" for test in self.tests)

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(test.outcome in BAD for test in self.tests)

    @cached_property
    def share_passed(self) -> float | None:
        """Passed tests of those that were tried."""
        return self.passed / self.attempted if self.attempted else None

    @cached_property
    def share_right(self) -> float | None:
        """Tests with the right numbers, of those whose numbers were compared."""
        compared = [t for t in self.tests if t.outcome in {"passed", "wrong-result"}]
        return sum(t.outcome == "passed" for t in compared) / len(compared) if compared else None

    @cached_property
    def share_delegated(self) -> float | None:
        """Nodes in delegates, of all nodes of the models that were lowered."""
        taken = sum(_values(self.tests, "delegated_nodes"))
        left = sum(_values(self.tests, "undelegated_nodes"))
        return taken / (taken + left) if taken + left else None

    @cached_property
    def by_test(self) -> Mapping[str, TestEntry]:
        """The tests by what two runs of one test have in common."""
        return {_same(test): test for test in self.tests}

    def against_portable(self, metric: str) -> tuple[float, int] | None:
        """Return the same as `against`, of the same test without a backend."""
        return self.against(self.portable, metric)

    def against(self, others: Mapping[str, TestEntry], metric: str) -> tuple[float, int] | None:
        """Return the median ratio of a metric to the same test of others, and its number.

        Only tests that passed both ways count: what is wrong may be fast and small.
        """
        ratios = list(self._ratios(others, metric))
        return (median(ratios), len(ratios)) if ratios else None

    def _ratios(self, others: Mapping[str, TestEntry], metric: str) -> Iterator[float]:
        for same, test in self.by_test.items():
            other = others.get(same)
            if other is None or test.outcome not in GOOD or other.outcome not in GOOD:
                continue
            ours, theirs = test.metrics.get(metric), other.metrics.get(metric)
            if ours and theirs and theirs.value:
                yield ours.value / theirs.value

    @property
    def kept_out(self) -> list[TestEntry]:
        """Tests that did not pass, or of which the backend left a part, each with its reason."""
        left = [t for t in self.tests if t.reason and not _is_whole(t)]
        return sorted(left, key=lambda test: (test.name, str(test.parameters)))


def flow_runs(reports: Iterable[StoredReport]) -> tuple[FlowRun, ...]:
    """Return the flows of the newest runs, by platform, suite, backend and recipe."""
    by_platform: dict[str, list[StoredReport]] = {}
    for stored in reports:
        by_platform.setdefault(stored.report.accelerator, []).append(stored)
    found = [
        run
        for platform, own in by_platform.items()
        for evidence in newest_evidence(own)
        if evidence.is_run and evidence.suite.startswith(_SUITE)
        for run in _flows(platform, evidence)
    ]
    return tuple(sorted(found, key=lambda r: (r.platform, r.suite, r.backend, r.recipe)))


def _flows(platform: str, evidence: SuiteEvidence) -> Iterator[FlowRun]:
    component = evidence.stored.report.environment.backend
    main = component.name if component else "unknown"
    by_flow: dict[tuple[str, str], list[TestEntry]] = {}
    for test in evidence.tests:
        if recipe := str(test.parameters.get("recipe", "")):
            by_flow.setdefault(_flow(main, recipe), []).append(test)
    portable = {_same(test): test for test in by_flow.get((PORTABLE, PORTABLE), ())}
    for (backend, recipe), tests in by_flow.items():
        yield FlowRun(
            platform, evidence.suite, backend, recipe, evidence.stored, tuple(tests), portable
        )


def _flow(main: str, recipe: str) -> tuple[str, str]:
    """Return backend and recipe: a flow of another backend than the report's begins with it."""
    for backend in BACKENDS:
        if recipe == backend or recipe.startswith(f"{backend}_"):
            rest = recipe.removeprefix(backend).strip("_")
            return (PORTABLE, PORTABLE) if backend == PORTABLE else (backend, rest or PLAIN)
    return main, recipe


def _same(test: TestEntry) -> str:
    """Return what two flows of one test have in common."""
    others = sorted((k, str(v)) for k, v in test.parameters.items() if k != "recipe")
    return f"{test.name} {others}"


def _is_whole(test: TestEntry) -> bool:
    left = test.metrics.get("undelegated_nodes")
    return test.outcome in GOOD and not (left and left.value)


def _values(tests: Sequence[TestEntry], metric: str) -> list[float]:
    return [test.metrics[metric].value for test in tests if metric in test.metrics]


FlowCount = Callable[[Sequence[FlowRun]], int]

COUNTS: Mapping[str, FlowCount] = {
    "tests": lambda runs: sum(run.attempted for run in runs),
    "operators": lambda runs: len({t.name for t in _of_kind(runs, models=False)}),
    "models": lambda runs: len({t.name for t in _of_kind(runs, models=True)}),
    "recipes": lambda runs: len({(r.backend, r.recipe) for r in runs if r.attempted}),
    "backends": lambda runs: len({r.backend for r in runs if r.passed} - {PORTABLE}),
    "dtypes": lambda runs: len(
        {str(t.parameters["dtype"]) for run in runs for t in run.tests if "dtype" in t.parameters}
    ),
}
"""What a goal may count, in the newest runs."""


def _of_kind(runs: Sequence[FlowRun], *, models: bool) -> Iterator[TestEntry]:
    for run in runs:
        if ("models" in run.suite) == models:
            yield from (test for test in run.tests if test.outcome in ATTEMPTED)


def median_of(runs: Sequence[FlowRun], metric: str) -> tuple[float, str, int] | None:
    """Return the median of a metric, its unit and its number, over all tests that have it."""
    found = [t.metrics[metric] for run in runs for t in run.tests if metric in t.metrics]
    if not found:
        return None
    return median(one.value for one in found), found[0].unit, len(found)
