"""From matrices to the cases of a run, with what is left out on purpose."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from accelerator_portal.catalog.known_issues_file import KnownFailure
from accelerator_portal.reports.identity import Identity
from accelerator_portal.reports.shard import Shard
from accelerator_portal.results.known_issues import matches
from accelerator_portal.validation.case import Case
from accelerator_portal.validation.matrix import Matrix


class ListingError(Exception):
    """The tests of a suite cannot be listed; the message says why."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A test that a suite has; of the axes in `only` it can take nothing but those values.

    `parameters` are its own, beside the axes. One that is not `usual` is run on request alone.
    """

    name: str
    only: Mapping[str, frozenset[str]] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    usual: bool = True

    def takes(self, combination: Mapping[str, str]) -> bool:
        """Whether it exists with these parameters."""
        return all(combination.get(name) in values for name, values in self.only.items())

    def is_asked_for(self, only: Mapping[str, Iterable[str]], *, everything: bool) -> bool:
        """Whether it runs: it is usual, or everything is wanted.

        A parameter of its own must have one of the values in `only`, as those of an axis.
        """
        own = self.parameters.keys() & only.keys()
        return (self.usual or everything) and all(self.parameters[n] in set(only[n]) for n in own)


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases of a run, in their order; `skipped` and `expected` are known issues by case id.

    `shard` says which part of a larger plan it is.
    """

    cases: tuple[Case, ...]
    skipped: Mapping[str, KnownFailure] = field(default_factory=dict)
    expected: Mapping[str, KnownFailure] = field(default_factory=dict)
    shard: Shard | None = None

    @property
    def to_run(self) -> tuple[Case, ...]:
        """What is not skipped."""
        return tuple(case for case in self.cases if case.id not in self.skipped)

    def counts(self) -> Counter[str]:
        """How many cases each suite has."""
        return Counter(case.suite for case in self.cases)


def expand(
    suite: str,
    matrix: Matrix,
    offers: Iterable[Offer],
    only: Mapping[str, Iterable[str]],
    *,
    everything: bool = False,
) -> Iterator[Case]:
    """Yield the product of a suite's tests and axes, less what it excludes.

    Tests that are not usual come with `everything` only.
    """
    combinations = list(matrix.combinations(only))
    for offer in offers:
        if not offer.is_asked_for(only, everything=everything):
            continue
        for combination in combinations:
            parameters = {**combination, **offer.parameters}
            if offer.takes(combination) and not matrix.excludes(offer.name, parameters):
                yield Case(suite, offer.name, tuple(sorted(parameters.items())))


def with_issues(cases: Iterable[Case], issues: Iterable[KnownFailure], today: dt.date) -> Plan:
    """Make a plan: known issues that have not expired skip cases, or say that they may fail."""
    live = [issue for issue in issues if issue.expires > today]
    skipped: dict[str, KnownFailure] = {}
    expected: dict[str, KnownFailure] = {}
    all_cases = tuple(cases)
    for case in all_cases:
        identity = Identity(case.suite, case.name, case.parameters)
        for issue in live:
            if matches(issue, identity):
                (skipped if issue.action == "skip" else expected).setdefault(case.id, issue)
    return Plan(all_cases, skipped, expected)
