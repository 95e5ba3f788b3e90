"""Checks that commands install companions of torch, such as torchvision, in fitting versions."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.problem import Problem

_PYTORCH_BUILD = re.compile(r"cpu|xpu|cu\d+|rocm\d+(?:\.\d+)*")


@rule()
def companions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Commands pin torchvision, torchaudio and other companions to versions that support torch.

    Companions contain libraries that are built for certain torch releases, and not every wheel
    declares the torch that it needs. An unpinned torchaudio next to `torch==2.9.0` installs the
    newest torchaudio, whose library cannot be loaded with this torch. `data/releases.yaml` lists
    the matching versions. Versions with a vendor's own suffix, such as `+metax3.8.1.0`, are not
    compared.
    """
    problems: dict[Problem, None] = {}
    companions_of = cache(catalog.releases.companions_of)  # there are fewer releases than rows
    for row in expand(catalog)[0]:
        if row.build == PREVIEW:
            continue
        requirements = _row_requirements(row)
        if not any(r.name == "torch" and _pinned_version(r) for r in requirements):
            continue
        versions_by_package = companions_of(row.build)
        for requirement in requirements:
            if fault := _companion_fault(requirement, versions_by_package, row.build):
                problems[catalog.by_id[row.platform].option_problem(row.option, *fault)] = None
    yield from problems


@rule(level="warning")
def unpinned_packages(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """If a command for a PyTorch release pins a package, it states a version of each package.

    Without one, the command installs another version next month, which nobody has tried. A bound
    such as `numpy<2` is enough.
    """
    unpinned: dict[tuple[str, str], dict[str, None]] = {}
    for row in expand(catalog)[0]:
        requirements = _row_requirements(row)
        if row.build != PREVIEW and any(map(_pinned_version, requirements)):
            companions = catalog.releases.companions_of(row.build)  # they have a rule of their own
            open_requirements = (r for r in requirements if not (r.specifier or r.url))
            names = (
                r.name for r in open_requirements if canonicalize_name(r.name) not in companions
            )
            unpinned.setdefault((row.platform, row.option), {}).update(dict.fromkeys(names))
    for (platform, option), option_names in unpinned.items():
        if option_names:
            what = f"the command states no version of {', '.join(option_names)}"
            remedy = "add the version that was tried, such as name==1.0"
            yield catalog.by_id[platform].option_problem(option, what, remedy)


def _row_requirements(row: InstallRow) -> list[Requirement]:
    """Return the pip requirements in the commands of `row`, such as `torch==2.9.0`."""
    requirements = []
    for package in (package for call in row.calls for package in call.packages):
        with suppress(InvalidRequirement):  # reading the file reports it
            requirements.append(Requirement(package))
    return requirements


def _pinned_version(requirement: Requirement) -> Version | None:
    exact = [s.version for s in requirement.specifier if s.operator in {"==", "==="}]
    return version_or_none(exact[0]) if exact else None


def _companion_fault(
    requirement: Requirement, versions_by_package: Mapping[str, tuple[str, ...]], torch: str
) -> tuple[str, str] | None:
    """Return what is wrong with a requirement, and the fix; None if it fits the torch release.

    `versions_by_package` contains the versions that support the torch release `torch`, by package
    name.
    """
    name = canonicalize_name(requirement.name)
    if name not in versions_by_package:
        return None
    pin, versions = _pinned_version(requirement), versions_by_package[name]
    if pin and pin.local and not _PYTORCH_BUILD.fullmatch(pin.local):
        return None
    if pin and pin.base_version in versions:
        return None
    remedy = (
        f"write {name}=={versions[0]}, or leave {name} out" if versions else f"leave {name} out"
    )
    if pin is None:
        return f'"{requirement}" next to torch=={torch} is not pinned to a version', remedy
    listing = f"{RELEASES} lists {' and '.join(versions) or 'no version'} for torch {torch}"
    return f'"{requirement}" does not support torch {torch}: {listing}', remedy
