"""Setting broken folders aside: one vendor's fault does not keep the others from readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from accelerator_portal.catalog import Catalog, Problem, load_catalog
from accelerator_portal.catalog.catalog import ACCELERATORS
from accelerator_portal.checks import RULES, errors, run_checks

_COMPARING = {rule.id for rule in RULES if rule.compares}


def load_and_set_aside(root: Path) -> tuple[Catalog | None, list[Problem]]:
    """Load the catalogue below `root` without the folders that have errors.

    The catalogue's `set_aside` says what is wrong with each of them. The problems are what is left:
    errors of shared data, which leave nothing to build, and warnings.
    """
    catalog, problems = load_catalog(root)
    if catalog is None:
        return None, sorted(set(problems))
    aside, shared = _by_folder(problems)
    catalog = _without(catalog, aside)
    while True:
        found = list(run_checks(catalog))
        # What compares folders has its say last: it may have nothing to say without broken ones.
        own = [problem for problem in found if problem.rule not in _COMPARING]
        more = _by_folder(own)[0] or _by_folder(found)[0]
        if not more:
            return catalog, sorted({*shared, *found})
        aside = {**aside, **more}
        catalog = _without(catalog, aside)


def _by_folder(problems: Iterable[Problem]) -> tuple[dict[str, tuple[Problem, ...]], list[Problem]]:
    """The errors of each folder, and every other problem."""
    problems = list(problems)
    folders: dict[str, list[Problem]] = {}
    for problem in errors(problems):
        if folder := _folder(problem.path):
            folders.setdefault(folder, []).append(problem)
    rest = [problem for problem in problems if _folder(problem.path) not in folders]
    return {name: tuple(sorted(set(found))) for name, found in folders.items()}, rest


def _folder(path: str) -> str:
    """The name of the vendor's folder that a path is in; empty where it is in none."""
    first, _, rest = path.partition("/")
    return rest.partition("/")[0] if first == ACCELERATORS else ""


def _without(catalog: Catalog, aside: Mapping[str, tuple[Problem, ...]]) -> Catalog:
    return replace(
        catalog,
        platforms=tuple(p for p in catalog.platforms if p.id not in aside),
        files={path: file for path, file in catalog.files.items() if _folder(path) not in aside},
        set_aside=dict(sorted(aside.items())),
    )
