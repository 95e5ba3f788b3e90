"""Rules over the Catalog, one module each: generators of problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from accelerator_portal.catalog import Catalog, Problem, load_catalog
from accelerator_portal.checks import (
    citations,
    duplicate_names,
    guide_headings,
    hardware_references,
    install_references,
    install_rows,
    known_issues,
    release_order,
    report_files,
    selector_start,
    text_links,
    version_conflicts,
)

Rule = Callable[[Catalog], Iterator[Problem]]

RULES: tuple[Rule, ...] = (
    citations.check,
    duplicate_names.check,
    guide_headings.check,
    hardware_references.check,
    install_references.check,
    install_rows.check,
    known_issues.check,
    release_order.check,
    report_files.check,
    selector_start.check,
    text_links.check,
    version_conflicts.check,
)


def run_checks(catalog: Catalog) -> Iterator[Problem]:
    """Yield every problem that the rules find."""
    for rule in RULES:
        yield from rule(catalog)


def load_and_check(root: Path) -> tuple[Catalog | None, list[Problem]]:
    """Load the catalogue below `root` and run every rule on what could be loaded.

    The problems come once each, in reading order; there are some where the catalogue is None.
    """
    catalog, problems = load_catalog(root)
    if catalog is not None:
        problems = [*problems, *run_checks(catalog)]
    return catalog, sorted(set(problems))
