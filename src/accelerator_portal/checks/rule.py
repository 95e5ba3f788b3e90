"""Turns a function that finds problems in the catalog into a rule with an id and a severity.

The docstring of the function is shown to readers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from inspect import getdoc
from typing import TypeVar

from accelerator_portal.catalog import Catalog
from accelerator_reports.files.problem import Problem, Severity

T = TypeVar("T", bound=Hashable)

RuleCheck = Callable[[Catalog, dt.date], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, made from the function `check`, which yields the problems.

    `id` is the name of the function with hyphens, `text` the docstring of the function. `level` is
    the severity of the problems.
    """

    id: str
    text: str
    level: Severity
    fixes: bool
    """Whether its problems can contain an exact fix, which `--fix` applies."""
    compares: bool
    """Whether it compares folders, so that its problems concern several vendors."""
    check: RuleCheck

    @property
    def summary(self) -> str:
        """The first line of the text, which says what the rule requires."""
        return self.text.partition("\n")[0]

    @property
    def why(self) -> str:
        """The text after its first line, as one paragraph."""
        return " ".join(self.text.partition("\n")[2].split())

    def problems(self, catalog: Catalog, today: dt.date) -> Iterator[Problem]:
        """Yield the problems that the rule finds on the day `today`, with its id and level."""
        for problem in self.check(catalog, today):
            yield replace(problem, rule=self.id, level=self.level)


def indexed_duplicates(values: Iterable[T]) -> Iterator[tuple[int, T]]:
    """Yield the index and the value of each item that is equal to an earlier item."""
    seen: set[T] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def rule(
    *, level: Severity = "error", fixes: bool = False, compares: bool = False
) -> Callable[[RuleCheck], Rule]:
    """Return a decorator that turns a function into a Rule with the given attributes."""

    def decorate(check: RuleCheck) -> Rule:
        name = check.__name__.replace("_", "-")
        return Rule(name, getdoc(check) or "", level, fixes, compares, check)

    return decorate
