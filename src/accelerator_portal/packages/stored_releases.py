"""Selects the releases of a package whose facts the portal stores, and the wheels to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from packaging.version import Version

from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import (
    ANY_PLATFORM,
    platform_tag,
    python_label,
    python_label_key,
    system_of_tag,
)

if TYPE_CHECKING:
    from accelerator_portal.packages.index_page import IndexFile

# The most final releases of a package other than torch, and the most pre-releases besides them.
MOST_RELEASES = 40
MOST_PRE_RELEASES = 3
# The number of pre-releases if there are no final releases, as on indexes of nightly builds.
MOST_WITHOUT_FINAL = 12
# The oldest torch release that the portal lists; see data/releases.yaml.
FIRST_TORCH = Version("2.4")

# The key of wheels for musl and for unknown systems. Other keys are an operating system and its
# architectures.
_OTHER_SYSTEM = ("other",)


def selected_versions(versions: Iterable[Version], package: str) -> list[Version]:
    """Return the versions of `package` whose facts the portal stores, newest first.

    These are the newest final releases (for torch, all since FIRST_TORCH) and a few pre-releases.
    If there are no final releases, these are the newest pre-releases.
    """
    ordered = sorted(versions, reverse=True)
    final_versions = [version for version in ordered if not version.is_prerelease]
    if not final_versions:
        return ordered[:MOST_WITHOUT_FINAL]
    selected = set(final_versions[:MOST_RELEASES])
    if package == TORCH:
        selected = {version for version in final_versions if version >= FIRST_TORCH} or selected
    selected |= set([v for v in ordered if v.is_prerelease][:MOST_PRE_RELEASES])
    return [version for version in ordered if version in selected]


def representative_wheels(files: Sequence[IndexFile], *, of_each_system: bool) -> list[IndexFile]:
    """Return the wheels of a release to read metadata from: one for each system and architecture.

    If a system has several wheels, this is the wheel for the newest Python. Wheels for
    free-threaded Python are used only if the system has no others. Wheels for musl or for unknown
    systems are used only if the release has no others. If `of_each_system` is false, returns only
    one wheel: preferably for any system, then for Linux x86_64.
    """
    groups = grouped((_system_of_tag(platform_tag(file.tags)), file) for file in files if file.tags)
    known_systems = groups.keys() - {_OTHER_SYSTEM}
    selected = [
        max(groups[system], key=_wheel_preference)
        for system in sorted(known_systems or groups, key=_system_preference)
    ]
    return selected if of_each_system else selected[:1]


def _system_of_tag(tag: str) -> tuple[str, ...]:
    if tag == ANY_PLATFORM:
        return (ANY_PLATFORM,)
    system = system_of_tag(tag)
    if system is None or system.libc.startswith("musl"):
        return _OTHER_SYSTEM
    return (system.os, *system.arches)


def _system_preference(system: tuple[str, ...]) -> tuple[bool, bool, tuple[str, ...]]:
    return system != (ANY_PLATFORM,), system != ("linux", "x86_64"), system


def _wheel_preference(file: IndexFile) -> tuple[bool, tuple[int, int, str], str]:
    label = python_label(file.tags)
    return not label.endswith("t"), python_label_key(label), file.name
