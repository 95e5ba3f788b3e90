"""Lists the questions about versions that uv answers, and selects the releases and wheels to read.

A question asks which versions the pip calls of an install command find on a system.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import Version

from accelerator_portal.catalog.fields import Arch, Os
from accelerator_portal.install.rows import InstallRow, PipCall
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


# The methods whose commands are resolved. pip and uv use several indexes in different ways.
RESOLVED_METHODS = ("pip", "uv")

MOST_RELEASES = 40
MOST_PRE_RELEASES = 3
# The number of pre-releases if there are no final releases, as on indexes of nightly builds.
MOST_WITHOUT_FINAL = 12

# The oldest torch release that the portal lists; see data/releases.yaml.
FIRST_TORCH = Version("2.4")


@dataclass(frozen=True, slots=True)
class ResolutionQuestion:
    """A question for uv: which versions `calls` would install on a system with one Python version.

    The calls run in order. `first_index` matters if a call has several indexes. If it is true, only
    the first index that has the package is used, as uv does. If it is false, the best version of
    all indexes is used, as pip does.
    """

    calls: tuple[PipCall, ...]
    os: Os
    arch: Arch
    python: str
    first_index: bool


def questions_of_row(row: InstallRow) -> dict[str, ResolutionQuestion]:
    """Return an install row's question for each Python version, by Python version.

    The result is empty if the row's method is not pip or uv.
    """
    if row.method not in RESOLVED_METHODS or not row.calls:
        return {}
    several = any(call.extra_index for call in row.calls)
    first_index = several and row.method == "uv"
    return {
        python: ResolutionQuestion(row.calls, row.os, row.arch, python, first_index)
        for python in row.pythons or ()
    }


def distinct_questions(rows: Iterable[InstallRow]) -> list[ResolutionQuestion]:
    """Return the distinct questions of install rows, in the order of the rows."""
    return list(dict.fromkeys(q for row in rows for q in questions_of_row(row).values()))


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
    groups: dict[tuple[str, ...], list[IndexFile]] = {}
    for file in files:
        if file.tags:
            groups.setdefault(_system_of_tag(platform_tag(file.tags)), []).append(file)
    best_wheels = [
        max(groups[key], key=_wheel_preference) for key in sorted(groups, key=_system_preference)
    ]
    of_known_system = [
        file for file in best_wheels if _system_of_tag(platform_tag(file.tags)) != ("other",)
    ]
    selected = of_known_system or best_wheels[:1]
    return selected if of_each_system else selected[:1]


def _system_of_tag(tag: str) -> tuple[str, ...]:
    if tag == ANY_PLATFORM:
        return (ANY_PLATFORM,)
    system = system_of_tag(tag)
    if system is None or system.libc.startswith("musl"):
        return ("other",)
    return (system.os, *system.arches)


def _system_preference(group: tuple[str, ...]) -> tuple[bool, bool, tuple[str, ...]]:
    return group != (ANY_PLATFORM,), group != ("linux", "x86_64"), group


def _wheel_preference(file: IndexFile) -> tuple[bool, tuple[int, int, str], str]:
    label = python_label(file.tags)
    return not label.endswith("t"), python_label_key(label), file.name
