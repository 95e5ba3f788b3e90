"""Applies the exceptions in `data/exceptions.yaml`, and reports exceptions that are not needed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import replace

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import EXCEPTIONS
from accelerator_portal.catalog.files.shared_files import Exemption
from accelerator_reports.files.problem import Problem, did_you_mean


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
