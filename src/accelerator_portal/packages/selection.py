"""Which releases of a package are kept, and which of their wheels are asked for metadata."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from packaging.version import Version

from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import (
    ANY,
    by_python,
    platform_tag,
    python_label,
    system,
)

if TYPE_CHECKING:  # whoever only counts releases should not wait for what reads pages
    from accelerator_portal.packages.index_page import IndexFile

MOST_RELEASES = 40
MOST_PRE_RELEASES = 3
# Where there are no others, as on the indexes of nightly builds.
MOST_WITHOUT_FINAL = 12

# The portal tells of torch from here on; see data/releases.yaml.
FIRST_TORCH = Version("2.4")


def selected_versions(versions: Iterable[Version], package: str) -> list[Version]:
    """Return the versions to keep, newest first; of torch every final one that the portal shows."""
    ordered = sorted(versions, reverse=True)
    final = [version for version in ordered if not version.is_prerelease]
    if not final:
        return ordered[:MOST_WITHOUT_FINAL]
    kept = set(final[:MOST_RELEASES])
    if package == TORCH:
        kept = {version for version in final if version >= FIRST_TORCH} or kept
    kept |= set([v for v in ordered if v.is_prerelease][:MOST_PRE_RELEASES])
    return [version for version in ordered if version in kept]


def representatives(files: Sequence[IndexFile], *, of_each_system: bool) -> list[IndexFile]:
    """Return a wheel for each system and architecture, or one alone, in a fixed order.

    Of several the newest ordinary Python, then the first by name: the same on every machine.
    """
    groups: dict[tuple[str, ...], list[IndexFile]] = {}
    for file in files:
        if file.tags:
            groups.setdefault(_group(platform_tag(file.tags)), []).append(file)
    best = [max(groups[key], key=_rank) for key in sorted(groups, key=_usual)]
    known = [file for file in best if _group(platform_tag(file.tags)) != ("other",)]
    found = known or best[:1]
    return found if of_each_system else found[:1]


def _group(tag: str) -> tuple[str, ...]:
    if tag == ANY:
        return (ANY,)
    found = system(tag)
    if found is None or found.libc.startswith("musl"):
        return ("other",)
    return (found.os, *found.arches)


def _usual(group: tuple[str, ...]) -> tuple[bool, bool, tuple[str, ...]]:
    return group != (ANY,), group != ("linux", "x86_64"), group


def _rank(file: IndexFile) -> tuple[bool, tuple[int, int, str], str]:
    label = python_label(file.tags)
    return not label.endswith("t"), by_python(label), file.name
