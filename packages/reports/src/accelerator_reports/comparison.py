"""Compares two test reports: their environments, and test by test new failures and fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args
from urllib.parse import unquote

from accelerator_reports.outcomes import Outcome, verdict
from accelerator_reports.report import Component, Environment, Report
from accelerator_reports.test_ids import Identity, IdentityValues, group_name, identity_values

DifferenceKind = Literal["new-failure", "fix", "changed", "only-first", "only-second"]

ReportPair = Literal["runs", "platforms", "from-baseline", "to-baseline", "baselines"]
"""How two reports are related. `runs`: two runs of one platform. `platforms`: runs of two
platforms. `from-baseline`: only the first report is a baseline. `to-baseline`: only the second
report is a baseline. `baselines`: both are baselines."""

_UNEXPECTED_FAILURE = "Expected to pass, failed"
_UNEXPECTED_SUCCESS = "Passed, not expected to pass"

DIFFERENCE_TITLES: Mapping[DifferenceKind, Mapping[ReportPair, str]] = {
    "new-failure": {
        "runs": "New failures",
        "platforms": "Passed only in the first report",
        "from-baseline": _UNEXPECTED_FAILURE,
        "to-baseline": _UNEXPECTED_SUCCESS,
        "baselines": "Expected to pass only in the first report",
    },
    "fix": {
        "runs": "Fixes",
        "platforms": "Passed only in the second report",
        "from-baseline": _UNEXPECTED_SUCCESS,
        "to-baseline": _UNEXPECTED_FAILURE,
        "baselines": "Expected to pass only in the second report",
    },
    "changed": dict.fromkeys(get_args(ReportPair), "Other changes of outcomes"),
    "only-first": dict.fromkeys(get_args(ReportPair), "Only in the first report"),
    "only-second": dict.fromkeys(get_args(ReportPair), "Only in the second report"),
}
"""The titles of differences, by kind of difference and then by `ReportPair`. Pages and the command
line show them."""

PAIR_NOTES: Mapping[ReportPair, str] = {
    "runs": "",
    "platforms": "",
    "from-baseline": "The first report is a baseline: it lists expected results, not a run.",
    "to-baseline": "The second report is a baseline: it lists expected results, not a run.",
    "baselines": "Both reports are baselines: they list expected results, not runs.",
}
"""What readers must know about a comparison, by `ReportPair`; empty for two runs."""

_OutcomesByGroup: TypeAlias = dict[str, dict[IdentityValues, Outcome]]
"""The outcomes of a report by group (see `Identity.group`), then by test."""


@dataclass(frozen=True, slots=True)
class EnvironmentDifference:
    """A value that differs between two environments.

    `what` names the value, such as `driver` or `plugin.version`. `before` or `after` is None if
    that environment does not state the value.
    """

    what: str
    before: str | None
    after: str | None


class OutcomeDifference(NamedTuple):
    """A test with different outcomes in two reports.

    `first` is the outcome in the first report, `second` that in the second. An outcome is None if
    the report lacks the test.
    """

    kind: DifferenceKind
    test: Identity
    first: Outcome | None
    second: Outcome | None


@dataclass(frozen=True)
class ReportComparison:
    """The differences between two reports.

    Tests are compared only in groups that both reports contain. A group consists of the tests of a
    suite with the same settings, such as the parameter `mode` (see `Identity.group`). `unchanged`
    has the number of tests with equal outcomes, by suite. `only_first` has the numbers of tests in
    groups that only the first report contains, by suite. `only_second` has those of the second
    report. If both reports have the suite, but with different settings, the key also states the
    settings: `torchbench (mode=training)`.
    """

    differences: tuple[OutcomeDifference, ...]
    unchanged: Mapping[str, int]
    only_first: Mapping[str, int]
    only_second: Mapping[str, int]

    @cached_property
    def counts(self) -> Mapping[tuple[str, DifferenceKind], int]:
        """The number of differences by suite and kind."""
        return Counter((difference.test.suite, difference.kind) for difference in self.differences)

    def of_kind(self, kind: DifferenceKind) -> tuple[OutcomeDifference, ...]:
        """Return the differences of one kind, by suite and name."""
        return tuple(difference for difference in self.differences if difference.kind == kind)


def compare_reports(first: Report, second: Report) -> ReportComparison:
    """Return the differences between two reports.

    If a report contains a test twice, the first result counts.
    """
    first_outcomes, second_outcomes = _outcomes_by_group(first), _outcomes_by_group(second)
    differences: list[OutcomeDifference] = []
    unchanged: Counter[str] = Counter()
    for group in sorted(first_outcomes.keys() & second_outcomes.keys()):
        first_group, second_group = first_outcomes[group], second_outcomes[group]
        for test in first_group.keys() | second_group.keys():
            outcomes = first_group.get(test), second_group.get(test)
            kind = None if outcomes[0] == outcomes[1] else difference_kind(*outcomes)
            unchanged[test[0]] += kind is None  # a suite of which all tests differ has 0
            if kind:
                differences.append(OutcomeDifference(kind, Identity(*test), *outcomes))
    return ReportComparison(
        tuple(sorted(differences, key=lambda difference: difference.test)),
        unchanged,
        _unshared_test_counts(first_outcomes, second_outcomes),
        _unshared_test_counts(second_outcomes, first_outcomes),
    )


def _unshared_test_counts(
    outcomes: _OutcomesByGroup, other_outcomes: _OutcomesByGroup
) -> dict[str, int]:
    """Return the numbers of tests in the groups that only `outcomes` contains, by suite.

    A group consists of the tests of a suite with the same settings, such as the parameter `mode`.
    If `other_outcomes` has the suite, but with different settings, the key also states the
    settings: `torchbench (mode=training)`.
    """
    other_suites = {group.partition("?")[0] for group in other_outcomes}
    counts_by_label: Counter[str] = Counter()
    for group in sorted(outcomes.keys() - other_outcomes.keys()):
        suite, _, settings = group.partition("?")
        name = unquote(suite)
        label = f"{name} ({unquote(settings).replace('&', ', ')})" if settings else name
        counts_by_label[label if suite in other_suites else name] += len(outcomes[group])
    return dict(counts_by_label)


def difference_kind(first: Outcome | None, second: Outcome | None) -> DifferenceKind | None:
    """Return how two outcomes of a test differ; None if they are the same.

    An outcome is None if the report lacks the test.
    """
    if first is None or second is None:
        return "only-second" if first is None else "only-first"
    signs = verdict(first), verdict(second)
    if signs == ("+", "-"):
        return "new-failure"
    if signs == ("-", "+"):
        return "fix"
    return None if first == second else "changed"


def report_pair(first: Report, second: Report) -> ReportPair:
    """Return how two reports are related, for example `runs` for two runs of one platform.

    `DIFFERENCE_TITLES` has the titles of differences for each of these relations.
    """
    if first.kind == "baseline":
        return "baselines" if second.kind == "baseline" else "from-baseline"
    if second.kind == "baseline":
        return "to-baseline"
    return "runs" if first.accelerator == second.accelerator else "platforms"


def _outcomes_by_group(report: Report) -> _OutcomesByGroup:
    outcomes: _OutcomesByGroup = {}
    for test in report.tests:
        identity = identity_values(test)
        group = group_name(identity[0], identity[2])
        outcomes.setdefault(group, {}).setdefault(identity, test.outcome)
    return outcomes


def environment_differences(
    before: Environment, after: Environment
) -> tuple[EnvironmentDifference, ...]:
    """Return the differences between two environments, in the order of the report format.

    Software components are split into parts, such as `plugin.version`. Packages come last,
    sorted by name: `packages.numpy`.
    """
    both = zip(_environment_values(before), _environment_values(after), strict=True)
    differences = [EnvironmentDifference(name, old, new) for (name, old), (_, new) in both]
    for name in sorted({*before.packages, *after.packages}):
        old, new = before.packages.get(name), after.packages.get(name)
        differences.append(EnvironmentDifference(f"packages.{name}", old, new))
    return tuple(difference for difference in differences if difference.before != difference.after)


def _environment_values(environment: Environment) -> Iterator[tuple[str, str | None]]:
    for name in Environment.model_fields:
        value = getattr(environment, name)
        if name in {"plugin", "sdk", "backend"}:
            for part in Component.model_fields:
                yield f"{name}.{part}", getattr(value, part, None)
        elif name != "packages":
            yield name, None if value is None else str(value)
