"""Versions pinned in commands are listed in `compatibility.yaml`.

In PEP 440, `==2.10.0` doesn't match 2.10.0.post4, so a command with the wrong pin finds no package.
The rule checks the platform's own package if `compatibility.yaml` lists its versions.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.problem import Fix
from accelerator_portal.catalog.yaml_file import Location

FIXES = True


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield pins that no row satisfies."""
    for platform in catalog.platforms:
        versions = [Version(row.plugin) for row in platform.compatibility.rows if row.plugin]
        if platform.in_tree or not versions:
            continue
        for location, requirement in _pins(platform):
            if any(_satisfies(requirement, version) for version in versions):
                continue
            yield _problem(platform, location, requirement, versions)


def _pins(platform: Platform) -> Iterator[tuple[Location, Requirement]]:
    own = canonicalize_name(platform.accelerator.package.name)
    for place, option in enumerate(platform.install.options):
        for number, step in enumerate(option.steps):
            for item, package in enumerate(step.pip.packages if step.pip else ()):
                requirement = _requirement(package)
                if requirement and canonicalize_name(requirement.name) == own:
                    yield ("options", place, "steps", number, "pip", "packages", item), requirement


def _requirement(text: str) -> Requirement | None:
    """What pins a version by itself; one with a placeholder takes it from the rows."""
    if "{" in text:
        return None
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None  # checks/rules/install_rows.py says so
    pinned = any(spec.operator in {"==", "==="} for spec in requirement.specifier)
    return requirement if pinned else None


def _satisfies(requirement: Requirement, version: Version) -> bool:
    """Rows may leave out the local part of a version, `+musa5.2.0`."""
    public = SpecifierSet(",".join(str(s).partition("+")[0] for s in requirement.specifier))
    return any(s.contains(version, prereleases=True) for s in (requirement.specifier, public))


def _problem(
    platform: Platform, location: Location, requirement: Requirement, versions: list[Version]
) -> Problem:
    pin = next(s.version for s in requirement.specifier if s.operator in {"==", "==="})
    near = [v for v in versions if str(v).startswith(f"{pin}.post") or v.base_version == pin]
    what = f'"{requirement}" is not a version in compatibility.yaml'
    file = platform.files["install.yaml"]
    if not near:
        remedy = f"add the version, or use one of {', '.join(map(str, versions[:5]))}"
        return Problem(file.path, file.line(location), what, remedy)
    newest = max(near)
    return Problem(
        file.path,
        file.line(location),
        what,
        f"write =={newest}: in PEP 440 =={pin} does not match it",
        fix=Fix(f"=={pin}", f"=={newest}"),
    )
