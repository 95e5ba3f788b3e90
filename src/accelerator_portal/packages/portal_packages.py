"""Lists the packages that vendors' files name, and the indexes that these packages come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.install_file import Option
from accelerator_portal.catalog.files.install_steps import PipStep
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.install.expand import placeholder_values
from accelerator_portal.install.placeholders import UnknownPlaceholderError, fill_placeholders
from accelerator_portal.install.targets import Target, targets

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
