"""Checks for ids, names, devices and packages that readers or pip could confuse."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.install_steps import package_name
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.checks.look_alike_names import claimed_fault, skeleton
from accelerator_portal.checks.rule import rule
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.yaml_file import Location

# PyPI rejects versions with a local part, so nobody can upload `==0.2.3+torch2.11` there.
_LOCAL_PIN = re.compile(r"==[^,;{]*\+")
_WELL_KNOWN = ("numpy", "torch", "torchaudio", "torchvision", "triton")


@rule(compares=True)
def additional_platform_ids(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two folders have the same `additional_platform.id` in `accelerator.yaml`.

    It is the id under which pytorch.org's Additional Platforms page lists a platform, and
    `additional-platforms.json` uses it. This id must also differ from the ids of all other
    folders. The rule treats hyphens and underscores as the same.
    """
    claims: list[tuple[Platform, str, Location]] = [
        (p, p.id, ()) for p in catalog.platforms_by_precedence
    ]
    claims += [
        (platform, entry.id, ("additional_platform", "id"))
        for platform in catalog.platforms_by_precedence
        if (entry := platform.accelerator.additional_platform)
    ]
    # Folders that the current change modifies come last, so that they get the problem.
    claims.sort(key=lambda claim: claim[0].id in catalog.changed)
    owner_by_id: dict[str, Platform] = {}
    for platform, name, location in claims:
        owner = owner_by_id.setdefault(name.replace("-", "_"), platform)
        if owner is not platform:
            fault = claimed_fault("id", name, owner)
            yield platform.problem("accelerator.yaml", location, *fault)


@rule(compares=True)
def duplicate_names(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each folder has its own name and its own plugin package.

    Package names are compared in normalized form, so `torch-tpu` and `torch_tpu` are the same. If
    several vendors' packages share a name, such as builds of `torch`, each folder sets
    `package.shared_name`.
    """
    claims: dict[tuple[str, str], Platform] = {}
    for platform in catalog.platforms_by_precedence:
        for kind, name, location in _claimed_names(platform):
            owner = claims.setdefault((kind, name), platform)
            if owner is not platform and not (
                kind == "package" and _share_package_name(owner, platform)
            ):
                yield platform.problem(
                    "accelerator.yaml", location, *claimed_fault(kind, name, owner)
                )


def _share_package_name(platform: Platform, other: Platform) -> bool:
    """Return whether two platforms both set `shared_name`, so that both may use one package name.

    One platform's key is not enough, because any vendor could then claim another vendor's name.
    """
    return platform.accelerator.package.shared_name and other.accelerator.package.shared_name


def _claimed_names(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "name", platform.accelerator.name.casefold(), ("name",)
    if not platform.in_tree:
        package = canonicalize_name(platform.accelerator.package.name)
        yield "package", package, ("package", "name")


@rule(compares=True)
def similar_names(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platform IDs, names and packages don't look like another platform's.

    For example, `torch-acrne` looks like `torch-acme`, and installing the wrong package runs its
    code. The rule follows Unicode Technical Standard 39, Security Mechanisms. The standard has a
    table of confusable characters; the rule uses only the letters that names can contain.
    """
    claims: dict[tuple[str, str], tuple[Platform, str]] = {}
    for platform in catalog.platforms_by_precedence:
        reported: set[str] = set()
        for kind, name, location in _compared_names(platform):
            owner, other_name = claims.setdefault((kind, skeleton(name)), (platform, name))
            # The rule duplicate-names reports equal packages and equal names.
            is_duplicate = name.casefold() == other_name.casefold() and (
                kind == "package"
                or platform.accelerator.name.casefold() == owner.accelerator.name.casefold()
            )
            if owner is not platform and not is_duplicate and kind not in reported:
                reported.add(kind)
                what = f'"{name}" looks like "{other_name}" of {owner.path("accelerator.yaml")}'
                yield platform.problem("accelerator.yaml", location, what, "choose another name")


def _compared_names(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "platform", platform.id, ("name",)
    yield "platform", platform.accelerator.name, ("name",)
    package = canonicalize_name(platform.accelerator.package.name)
    yield "package", package, ("package", "name")


# A warning: a new platform must not be able to block a platform that has the device already.


@rule(level="warning")
def shared_devices(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platforms with the same device string each explain it in the note of `device`.

    For example, ROCm uses `cuda`, and two vendors use `tpu`. `torch.device("tpu")` alone doesn't
    say which platform a program uses.
    """
    platforms_by_device = grouped(
        (platform.accelerator.device.value, platform) for platform in catalog.platforms
    )
    for device, platforms in platforms_by_device.items():
        for platform in platforms if len(platforms) > 1 else ():
            if not platform.accelerator.device.note:
                other_names = ", ".join(p.accelerator.name for p in platforms if p is not platform)
                what = f'the device "{device}" is also used by {other_names}'
                remedy = "explain in device.note how to distinguish the platforms"
                yield platform.problem("accelerator.yaml", ("device", "value"), what, remedy)


@rule(level="warning")
def package_confusion(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No install command uses a package name that somebody else could register on PyPI.

    With an extra index, pip installs the highest version that PyPI or that index has. If PyPI does
    not have the package, anybody can register its name there. A name that differs by one letter
    from a well-known package is also reported: it is usually a typing error, and somebody else has
    often registered it.
    """
    listed_packages = {canonicalize_name(p.accelerator.package.name) for p in catalog.platforms}
    for platform in catalog.platforms:
        for step in platform.steps:
            if step.pip is None:
                continue
            for package_index, package in enumerate(step.pip.packages):
                name = canonicalize_name(package_name(package))
                location = ("pip", "packages", package_index)
                similar_name = next((word for word in _WELL_KNOWN if _is_typo_of(name, word)), None)
                if similar_name and name not in listed_packages and not catalog.unread_folders:
                    what = f'"{name}" differs by one letter from "{similar_name}"'
                    remedy = f'write "{similar_name}" if that is meant'
                    yield platform.record_problem(step, location, what, remedy)
                if (
                    step.pip.extra_index
                    and "@" not in package.partition(";")[0]  # with an address, pip asks no index
                    and not _LOCAL_PIN.search(package)
                    and not _on_pypi(catalog, name)
                ):
                    what = f'because of extra_index, anybody could register "{name}" on PyPI'
                    remedy = "use index if that index has all packages, or register the name"
                    yield platform.record_problem(step, location, what, remedy)


def _on_pypi(catalog: Catalog, name: str) -> bool:
    """Return whether PyPI has releases of a package.

    If the package was never looked up on PyPI, return whether `_WELL_KNOWN` contains the name.
    """
    facts = catalog.packages.get(name)
    pypi_facts = facts.on("pypi") if facts else None
    return bool(pypi_facts.releases) if pypi_facts else name in _WELL_KNOWN


def _is_typo_of(name: str, word: str) -> bool:
    """Return whether one added, missing, changed or swapped letter turns `name` into `word`."""
    if name == word or abs(len(name) - len(word)) > 1:
        return False
    start = 0
    while start < min(len(name), len(word)) and name[start] == word[start]:
        start += 1
    a, b = name[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
