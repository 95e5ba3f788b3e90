"""Compares rows of `compatibility.yaml` with each other, with releases and with variants."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Catalog, Platform, Problem
from accelerator_portal.catalog.compatibility_file import CompatibilityRow
from accelerator_portal.install.limits import lower_bound

_FILE = "compatibility.yaml"
_REMEDY = "correct the wrong value; if sources disagree, say so in a note of the row"

Rows = list[tuple[int, CompatibilityRow]]


def rows_beside_releases(catalog: Catalog, platform: Platform) -> Iterator[Problem]:
    """A row names Python versions that its PyTorch release does not support."""
    supported = {release.version: release.python for release in catalog.releases.releases}
    for place, row in _rows(platform):
        known = supported.get(row.torch)
        lacking = [python for python in row.python or () if known and python not in known]
        if lacking:
            what = (
                f"this entry lists Python {', '.join(lacking)}, but data/releases.yaml says that "
                f"torch {row.torch} supports {', '.join(known or ())}"
            )
            yield platform.problem(_FILE, ("rows", place, "python"), what, _REMEDY)


def variants_beside_rows(platform: Platform) -> Iterator[Problem]:
    """A variant of `install.yaml` has another SDK version than the rows that are about it."""
    versions = {variant.id: variant.version for variant in platform.install.variants}
    for place, row in _rows(platform):
        version = versions.get(row.variant or "")
        sdk = _sdk(platform, row)
        if version and sdk and not _same_line(row.includes[sdk], version):
            what = (
                f'this entry includes {sdk} {row.includes[sdk]}, but install.yaml says that "'
                f'{row.variant}" has version {version}'
            )
            yield platform.problem(_FILE, ("rows", place, "includes"), what, _REMEDY)


def drivers_beside_sdks(platform: Platform) -> Iterator[Problem]:
    """A newer SDK needs an older driver than an older SDK does, or one SDK needs two drivers."""
    known = [(place, row, sdk) for place, row in _rows(platform) if (sdk := _sdk(platform, row))]
    for (_, one, sdk), (place, other, other_sdk) in combinations(known, 2):
        for name in one.needs.keys() & other.needs.keys() if sdk == other_sdk else ():
            drivers = [lower_bound(row.needs[name]) for row in (one, other)]
            sdks = [_version(row.includes[sdk]) for row in (one, other)]
            if _crossed(sdks, drivers):
                what = (
                    f"{sdk} {other.includes[sdk]} needs {name} {other.needs[name]}, but "
                    f"{sdk} {one.includes[sdk]} (torch {one.torch}) needs {one.needs[name]}"
                )
                yield platform.problem(_FILE, ("rows", place, "needs"), what, _REMEDY)


def plugins_beside_components(platform: Platform) -> Iterator[Problem]:
    """Two rows of one plugin version say that it brings different versions of a component."""
    first: dict[tuple[str, str | None, str], str] = {}
    for place, row in _rows(platform):
        for name, version in row.includes.items() if row.plugin and not row.note else ():
            before = first.setdefault((row.plugin or "", row.variant, name), version)
            if before != version:
                what = f"plugin {row.plugin} includes {name} {version} here and {before} above"
                yield platform.problem(_FILE, ("rows", place, "includes"), what, _REMEDY)


def lifecycles_of_one_version(platform: Platform) -> Iterator[Problem]:
    """Two rows of one plugin version end on different days."""
    first: dict[tuple[str | None, ...], CompatibilityRow] = {}
    for place, row in _rows(platform):
        if row.lifecycle is None or row.lifecycle.until is None or row.plugin is None:
            continue
        other = first.setdefault((row.plugin, row.variant, row.lifecycle.status), row)
        before = other.lifecycle.until if other.lifecycle else None
        if before != row.lifecycle.until:
            what = f"plugin {row.plugin} ends on {row.lifecycle.until} here and on {before} above"
            yield platform.problem(_FILE, ("rows", place, "lifecycle"), what, _REMEDY)


def _rows(platform: Platform) -> Rows:
    return list(enumerate(platform.compatibility.rows))


def _sdk(platform: Platform, row: CompatibilityRow) -> str | None:
    """The component after which the row's variant is named: CUDA for `cu130`."""
    variant = next((v for v in platform.install.variants if v.id == row.variant), None)
    if variant is None:
        return None
    named = [name for name in row.includes if name.casefold() in variant.name.casefold()]
    return named[0] if len(named) == 1 else None


def _same_line(version: str, variant: str) -> bool:
    return version == variant or version.startswith(f"{variant}.")


def _crossed(sdks: list[Version | None], drivers: list[Version | None]) -> bool:
    (sdk, other_sdk), (driver, other_driver) = sdks, drivers
    if sdk is None or other_sdk is None or driver is None or other_driver is None:
        return False
    if sdk.release[:2] == other_sdk.release[:2]:
        return driver != other_driver
    return (sdk < other_sdk) != (driver < other_driver) and driver != other_driver


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
