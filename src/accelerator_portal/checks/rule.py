"""Turns functions into rules; applies exceptions to their problems, and fixes to the files.

The docstring of the function is shown to readers.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from inspect import getdoc
from pathlib import Path
from typing import TypeVar

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import EXCEPTIONS
from accelerator_portal.catalog.files.shared_files import Exemption
from accelerator_portal.catalog.grouping import grouped
from accelerator_reports.files.problem import Problem, Severity, did_you_mean

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


# Applies the exceptions in `data/exceptions.yaml`, and reports exceptions that are not needed.


def without_exemptions(
    catalog: Catalog, problems: Iterable[Problem], rules: Iterable[str], today: dt.date
) -> Iterator[Problem]:
    """Yield the problems that no exception accepts, and then the problems of the exceptions.

    An exception in `data/exceptions.yaml` has a problem if it is not needed, ended before `today`,
    or names an unknown rule. An exception that ended accepts nothing. While a vendor's folder or
    shared data cannot be read, all exceptions count as needed, because rules compare folders.
    `rules` are the ids of all rules.
    """
    used: set[int] = set()
    for problem in problems:
        indexes = [
            n for n, candidate in enumerate(catalog.exceptions) if _accepts(candidate, problem)
        ]
        index = min(indexes, key=lambda n: catalog.exceptions[n].expires < today, default=None)
        if index is None:
            yield problem
            continue
        used.add(index)
        if catalog.exceptions[index].expires < today:
            yield problem
    rule_ids = list(rules)
    for index, exemption in enumerate(catalog.exceptions):
        if exemption.rule not in rule_ids:
            what = f'there is no rule "{exemption.rule}"'
            yield _problem(catalog, index, what, did_you_mean(exemption.rule, rule_ids))
        elif index not in used and not (catalog.unread_folders or catalog.lacks_shared_data):
            what = f"{exemption.path} does not need this exception any more"
            yield _problem(catalog, index, what, "remove it")
        elif exemption.expires < today:
            what = f"the exception for {exemption.path} ended on {exemption.expires}"
            remedy = "fix the problem, or set a new date and reason"
            yield replace(_problem(catalog, index, what, remedy), level="warning")


def _accepts(exemption: Exemption, problem: Problem) -> bool:
    return (
        exemption.rule == problem.rule
        and exemption.path == problem.path
        and (exemption.says is None or exemption.says in problem.what)
    )


def _problem(catalog: Catalog, index: int, what: str, remedy: str) -> Problem:
    problem = catalog.problem(EXCEPTIONS, ("exceptions", index, "rule"), what, remedy)
    return replace(problem, rule="exceptions")


# Applies the exact fixes of problems to texts of files, for `accelerator-portal check --fix`.


def fixed_text(text: str, problems: Iterable[Problem]) -> tuple[str, list[Problem]]:
    """Return a file's text after fixing its problems, and the problems that were fixed.

    A fix is applied only if the line of the problem contains the old text exactly once.
    """
    lines = text.split("\n")
    solved = []
    for problem in problems:
        line_index = problem.line - 1
        fix = problem.fix
        if fix and line_index < len(lines) and lines[line_index].count(fix.old) == 1:
            lines[line_index] = lines[line_index].replace(fix.old, fix.new)
            solved.append(problem)
    return "\n".join(lines), solved


def fixed_files(root: Path, problems: Iterable[Problem]) -> tuple[dict[Path, str], list[Problem]]:
    """Return the new text of each file with fixable problems, and the problems that it fixes.

    Writes no file. Raises OSError if a file cannot be read.
    """
    by_path = grouped((problem.path, problem) for problem in problems if problem.fix)
    texts: dict[Path, str] = {}
    all_solved: list[Problem] = []
    for path, file_problems in by_path.items():
        text = (root / path).read_bytes().decode()
        new_text, solved = fixed_text(text, file_problems)
        if solved:
            texts[root / path] = new_text
            all_solved += solved
    return texts, all_solved
