"""Finds what to correct on pytorch.org, from what it publishes and from the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import PYPI, ReleaseFacts
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.install.additional_platforms import additional_platform_id, newest_row
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import OS_LABELS
from accelerator_portal.packages.fitting_releases import (
    admits,
    torch_requirements,
    usable_releases,
)
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import runs_on, supports_python
from accelerator_portal.releases.upstream_builds import UpstreamNote
from accelerator_portal.releases.upstream_listing import (
    PLATFORM_FILES,
    PLATFORM_PAGES,
    PUBLISHED_VERSIONS,
    UpstreamListing,
)
from accelerator_portal.site.additional_platform_page import source_link
from accelerator_portal.site.text_formats import python_range
from accelerator_portal.vendors.questions import UnreadableCommandError, pip_steps
from accelerator_reports.files.fields import Os

MAX_CODE = 4000
"""The number of characters of the longest command; longer ones would be cut."""

_STATED_PYTHON = re.compile(r"Python\s*(?:>=|≥)\s*3\.(\d{1,2})")
_NEWEST_PYTHON_MINOR = 30  # later than any that a wheel names


@dataclass(frozen=True, slots=True)
class ListingFault:
    """A statement on pytorch.org that does not hold or misleads, in Markdown."""

    platform: str
    """Id of the platform in the portal."""
    file: str
    """The file of pytorch.org with the statement."""
    says: str
    """The statement."""
    fact: str
    """What holds instead."""
    sources: tuple[str, ...]
    """What the portal read."""


def upstream_faults(catalog: Catalog, listing: UpstreamListing) -> Iterator[ListingFault]:
    """Yield the faults of pytorch.org's entries, pages and notes, platform by platform."""
    for platform in catalog.platforms:
        entry_id = additional_platform_id(platform)
        if entry := listing.platforms.get(entry_id):
            for channel in filter(None, (entry.stable, entry.preview)):
                yield from _command_faults(catalog, platform, "linux", channel.linux or "")
                yield from _command_faults(catalog, platform, "windows", channel.windows or "")
            yield from _missing_pythons(catalog, platform, listing.pages.get(entry_id, ""))
        for note in listing.notes:
            yield from _contradicted_notes(catalog, platform, note)


def _command_faults(
    catalog: Catalog, platform: Platform, os: Os, command: str
) -> Iterator[ListingFault]:
    """Yield a fault if a command first installs a torch that its plugin does not accept."""
    for torch, package, release, requirement in _conflicts(catalog, command):
        cuda = next((v for tag, v in torch.cuda.items() if runs_on(tag, os, "x86_64")), None)
        build = f", on {OS_LABELS[os]} x86-64 a build for CUDA {cuda}" if cuda else ""
        fact = (
            f"The first part installs torch {torch.version}{build}. The newest {package}, "
            f"{release.version}, requires {code_span(requirement)}, so the next part "
            "replaces torch."
        )
        yield ListingFault(
            platform.id,
            f"{PLATFORM_FILES}/{additional_platform_id(platform)}.json",
            code_span(command, MAX_CODE),
            fact,
            (_metadata(catalog, TORCH), _metadata(catalog, package)),
        )


def _conflicts(
    catalog: Catalog, command: str
) -> Iterator[tuple[ReleaseFacts, str, ReleaseFacts, str]]:
    """Yield the torch release that a command installs, and what does not accept it.

    This is the newest release of a later package, and its requirement. Nothing is known of an index
    whose packages the portal does not read.
    """
    try:
        steps = [step["pip"] for step in pip_steps(command)]
    except UnreadableCommandError:
        return
    torch: ReleaseFacts | None = None
    for step in steps:
        for package in map(Requirement, step["packages"]):
            release = _newest(catalog, package.name, step.get("index", PYPI))
            if package.specifier or step.get("pre") or release is None:
                continue
            if canonicalize_name(package.name) == TORCH:
                torch = torch or release
            elif torch:
                for line in {*torch_requirements(release).values()}:
                    if not admits(line, torch.version):
                        yield torch, package.name, release, line


def _missing_pythons(catalog: Catalog, platform: Platform, page: str) -> Iterator[ListingFault]:
    """Yield a fault if the newest plugin has no wheel for the oldest Python that a page states."""
    package = platform.accelerator.package.name
    release = None if platform.in_tree else _newest(catalog, package, PYPI)
    stated = _STATED_PYTHON.search(unescape(page))
    if release is None or stated is None:
        return
    labels = " ".join(release.wheels.values()).split()
    pythons = [f"3.{n}" for n in range(_NEWEST_PYTHON_MINOR) if supports_python(labels, f"3.{n}")]
    if pythons and f"3.{stated[1]}" not in pythons:
        yield ListingFault(
            platform.id,
            f"{PLATFORM_PAGES}/{additional_platform_id(platform)}.md",
            code_span(stated[0]),
            f"The newest {package}, {release.version}, has wheels for Python "
            f"{python_range(pythons)} only.",
            (_metadata(catalog, package),),
        )


def _contradicted_notes(
    catalog: Catalog, platform: Platform, note: UpstreamNote
) -> Iterator[ListingFault]:
    """Yield a fault if a note replaces a command although the portal has one.

    The note can be true of PyTorch's own index.
    """
    if platform.id not in catalog.defaults.primary or not note.hardware.startswith(platform.id):
        return
    rows = [row for row in rows_by_platform(catalog)[platform.id] if row.os == note.os]
    row = newest_row(platform, rows, rows[0].os) if rows else None
    if row is None:
        return
    option = next(option for option in platform.install.options if option.id == row.option)
    command = " && ".join(row.commands)
    elsewhere = "" if PYTORCH_INDEX in command else " in an index that is not PyTorch's"
    yield ListingFault(
        platform.id,
        PUBLISHED_VERSIONS,
        code_span(note.text),
        f"There are wheels{elsewhere}: {code_span(command, MAX_CODE)}",
        tuple(source_link(platform.install.sources[name]) for name in option.source),
    )


def _newest(catalog: Catalog, package: str, index: str) -> ReleaseFacts | None:
    facts = catalog.packages.get(canonicalize_name(package))
    own_index = facts.on(index) if facts else None
    return next(usable_releases(own_index.releases), None) if own_index else None


def _metadata(catalog: Catalog, package: str) -> str:
    read = catalog.packages_read
    day = read.later.get(canonicalize_name(package), read.read)
    return f"metadata of {package} on PyPI, read {day}"
