"""Finds the newest test results of each model family, such as Llama, on each platform.

Only suites of the kind `model` count. For each platform and suite, only the newest run and the
newest baseline count. Results of runs and of baselines are kept apart. Results of ExecuTorch are
also kept apart, because ExecuTorch's models are quantized and lowered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from accelerator_portal.catalog.files.shared_files import ModelFamily
from accelerator_portal.results.history import ResultKind, result_kind
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.results.suite_tests import ReportedTest, reported_tests
from accelerator_reports.outcomes import BAD, GOOD, WORST_FIRST, Outcome
from accelerator_reports.suite_names import is_executorch_suite


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
