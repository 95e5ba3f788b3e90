"""Checks the catalog with all rules in the modules of `rules`, and returns the problems."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.checks import rules
from accelerator_portal.checks.rule import Rule, without_exemptions
from accelerator_reports.files.problem import Problem

CatalogLoader = Callable[[Path, dt.date], tuple[Catalog | None, list[Problem]]]
"""A function that takes a repository folder and the current day, and returns the folder's catalog
and problems."""

_RULE_MODULES = (
    import_module(f"{rules.__name__}.{found.name}") for found in iter_modules(rules.__path__)
)
_MODULE_VALUES = (value for module in _RULE_MODULES for value in vars(module).values())

RULES = tuple(sorted({r for r in _MODULE_VALUES if isinstance(r, Rule)}, key=lambda rule: rule.id))
"""All rules, sorted by id: the functions in modules of `rules` with the decorator `rule`."""


def run_checks(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield every problem that the rules find and `data/exceptions.yaml` does not accept.

    `today` decides whether a date has passed, such as the end of an exception. No rule reads the
    clock, so the same data and day give the same problems.
    """
    problems = (problem for rule in RULES for problem in rule.problems(catalog, today))
    return without_exemptions(catalog, problems, [rule.id for rule in RULES], today)


def load_and_check(
    root: Path, today: dt.date, load: CatalogLoader = lambda root, _: load_catalog(root)
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog below `root`, and the problems of its files and of all rules.

    Each problem is listed once, sorted by place. If the catalog is None, the problems say why.
    `load` is the function that loads the catalog. Use `folder_limits.load_within_limits` to limit
    time and memory.
    """
    catalog, problems = load(root, today)
    if catalog is not None:
        problems = [*problems, *run_checks(catalog, today)]
    return catalog, sorted(set(problems))


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are errors and not warnings."""
    return [problem for problem in problems if problem.level == "error"]
