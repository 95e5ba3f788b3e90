"""Lists the packages that vendors' files name, and formats their facts as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.install_file import Option, PipStep
from accelerator_portal.catalog.files.package_file import PYPI, PackageFacts, PackagesRead
from accelerator_portal.install.commands import UnknownPlaceholderError, fill_placeholders
from accelerator_portal.install.expand import Target, placeholder_values, targets

TORCH = "torch"
TORCHVISION = "torchvision"


@dataclass(frozen=True, slots=True)
class PortalPackage:
    """A package that the portal follows; `indexes` are in display order, PyPI first.

    `own` is true for torch and for the plugin packages of platforms. Other packages are only
    installed together with these.
    """

    name: str
    indexes: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class NamedRequirement:
    """A requirement in an install command, such as `torch==2.9.0`, and the command's indexes."""

    requirement: Requirement
    indexes: tuple[str, ...]

    @property
    def package(self) -> str:
        """The normalized name of the package that is required."""
        return canonicalize_name(self.requirement.name)


def portal_packages(catalog: Catalog) -> tuple[PortalPackage, ...]:
    """Return torch, and each package that accelerator.yaml or a pip step in install.yaml names.

    The packages are sorted by name. The indexes of a package in accelerator.yaml always include
    PyPI, to show whether PyPI has a package with this name.
    """
    indexes_by_package: dict[str, dict[str, None]] = {TORCH: {PYPI: None}}
    own_names = {TORCH}
    for platform in catalog.platforms:
        name = canonicalize_name(platform.accelerator.package.name)
        own_names.add(name)
        indexes_by_package.setdefault(name, {})[PYPI] = None
        for requirement in platform_requirements(catalog, platform):
            indexes_by_package.setdefault(requirement.package, {}).update(
                dict.fromkeys(requirement.indexes)
            )
    return tuple(
        PortalPackage(name, tuple(sorted(indexes, key=_index_sort_key)), name in own_names)
        for name, indexes in sorted(indexes_by_package.items())
    )


def platform_requirements(catalog: Catalog, platform: Platform) -> Iterable[NamedRequirement]:
    """Return each distinct requirement that the pip steps of a platform's options install."""
    return dict.fromkeys(
        requirement
        for option in platform.install.options
        for _, requirement in option_requirements(catalog, platform, option)
    )


def option_requirements(
    catalog: Catalog, platform: Platform, option: Option
) -> Iterator[tuple[Target, NamedRequirement]]:
    """Yield pairs of a target and a requirement that the option's pip steps install for it.

    An option has a target for each build, variant and system.
    """
    steps = [step.pip for step in option.steps if step.pip]
    for target in targets(catalog, platform, option):
        values = placeholder_values(target)
        for step in steps:
            for requirement in _step_requirements(step, values):
                yield target, requirement


def _step_requirements(step: PipStep, values: dict[str, str]) -> Iterator[NamedRequirement]:
    """Yield the requirements of a pip step, each with the indexes that the step uses.

    `values` are the values of the step's placeholders. Omits invalid requirements, which the rules
    report.
    """
    try:
        index = fill_placeholders(step.index, values) if step.index else ""
        extra_index = fill_placeholders(step.extra_index, values) if step.extra_index else ""
    except UnknownPlaceholderError:
        return
    indexes = tuple(filter(None, (index or PYPI, extra_index)))
    for package in step.packages:
        try:
            yield NamedRequirement(Requirement(fill_placeholders(package, values)), indexes)
        except (UnknownPlaceholderError, InvalidRequirement):
            continue


def _index_sort_key(index: str) -> tuple[bool, str]:
    return index != PYPI, index


# Writes JSON with a line for each value of the outer levels, for readable diffs.


def json_text(data: object, depth: int) -> str:
    """Return `data` as JSON, with a line for each value in the outer `depth` levels.

    Deeper mappings and lists are on one line. Empty ones always are.
    """
    if not depth or not data or not isinstance(data, dict | list):
        return json.dumps(data, ensure_ascii=False)
    items = (
        [f"{json.dumps(key)}: {json_text(value, depth - 1)}" for key, value in data.items()]
        if isinstance(data, dict)
        else [json_text(item, depth - 1) for item in data]
    )
    start, end = "{}" if isinstance(data, dict) else "[]"
    return "\n".join([start, ",\n".join(items), end])


# Formats the facts of a package's releases as JSON, one release per line, for readable diffs.


def facts_text(facts: PackageFacts) -> str:
    """Return the JSON text of a package's file in `data/packages`."""
    data = facts.model_dump(mode="json", exclude_defaults=True)
    data["changes"] = data.get("changes", [])
    return json_text(data, depth=4) + "\n"  # the package, its indexes, each index, its releases


def packages_read_text(read: PackagesRead) -> str:
    """Return the JSON text of `data/packages-read.json`, which states when packages were read."""
    return json_text(read.model_dump(mode="json"), depth=2) + "\n"


def release_line_number(facts: PackageFacts, index: str, version: str) -> int:
    """Return the line number of a release in the result of `facts_text`; 1 if it is missing.

    `index` is `pypi` or the address of the index that has the release.
    """
    line = 3  # the brace, the package, the list of indexes
    for index_facts in facts.indexes:
        line += 3 if index_facts.about is None else 4  # the brace, the index, `about`, the releases
        for release in index_facts.releases:
            line += 1
            if (index_facts.index, release.version) == (index, version):
                return line
        line += 2 if index_facts.releases else 1  # an empty list ends on its own line
    return 1
