"""Which torch release a plugin release is for, by its metadata or by the vendor's pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.package_file import ReleaseFacts
from accelerator_portal.packages.fitting import admits, torch_requirements

# `torch==2.15.0+cpu`: the local version names a build of the same release. `==2.15.0.*` leaves open
# a post-release of it alone.
_EXACT = re.compile(r"={2,3}([0-9][0-9A-Za-z.]*?)(?:\+[0-9A-Za-z.]+)?")
_POST_RELEASES = re.compile(r"==([0-9]+\.[0-9]+\.[0-9]+)\.\*")


@dataclass(frozen=True, slots=True)
class TorchEvidence:
    """The torch release of a plugin release; None where nothing states it.

    `required` is what the metadata says, one text for each different requirement; `sources` are the
    ids of further sources in `compatibility.yaml`; `note` qualifies the row.
    """

    torch: str | None
    required: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    note: str | None = None


def torch_evidence(catalog: Catalog, platform: Platform, release: ReleaseFacts) -> TorchEvidence:
    """Return the torch release that a plugin release is for, and who states it."""
    required = tuple(sorted(set(torch_requirements(release).values())))
    specified = [line for line in required if Requirement(line).specifier]
    if specified:
        return _by_metadata(catalog, required, specified)
    return _by_pattern(catalog, platform, release, required)


def _by_metadata(
    catalog: Catalog, required: tuple[str, ...], specified: list[str]
) -> TorchEvidence:
    exact = {_exact(line) for line in specified}
    if len(exact) == 1 and (torch := exact.pop()):
        return TorchEvidence(torch, required)
    known = [release.version for release in catalog.releases.releases]
    fitting = [torch for torch in known if all(admits(line, torch) for line in specified)]
    if not fitting:
        return TorchEvidence(None, required)
    quoted = " and ".join(f'"{line}"' for line in specified)
    note = f"The metadata requires {quoted}. {fitting[0]} is the newest release that fits."
    return TorchEvidence(fitting[0], required, (), note)


def _exact(line: str) -> str | None:
    specifier = str(Requirement(line).specifier)
    found = _POST_RELEASES.fullmatch(specifier) or _EXACT.fullmatch(specifier)
    return str(Version(found[1])) if found else None


def _by_pattern(
    catalog: Catalog, platform: Platform, release: ReleaseFacts, required: tuple[str, ...]
) -> TorchEvidence:
    pattern = platform.compatibility.version_pattern
    known = [found.version for found in catalog.releases.releases]
    if pattern is None:
        return TorchEvidence(None, required)
    same = [t for t in known if pattern.covers(t) and pattern.admits(release.version, t)]
    if not same:
        return TorchEvidence(None, required)
    # Of the patch releases that follow the pattern: the one of the same number, or the first.
    torch = release.version if release.version in same else min(same, key=Version)
    note = "The metadata names no torch version. The vendor's version rule gives this version."
    return TorchEvidence(torch, required, pattern.source, note)
