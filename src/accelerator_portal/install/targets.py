"""Lists the targets of an install option: each build, system and variant that it installs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.compatibility_file import CompatibilityRow
from accelerator_portal.catalog.files.install_file import Option, Variant
from accelerator_portal.catalog.files.releases_file import (
    PYTORCH_INDEX,
    Build,
    Preview,
    Release,
    Wheel,
)
from accelerator_portal.install.rows import PREVIEW
from accelerator_reports.files.fields import Arch, Os
from accelerator_reports.files.sources import Source


@dataclass(frozen=True, slots=True)
class Target:
    """One build, variant and system for which an option has commands.

    `build` is a release's version or `preview`. `wheel` is the variant of the published wheel,
    image or archive. `index` is the address of the index with the wheel; it is empty for PyPI, and
    None for images and archives. If the option itself states its systems, `wheel` and `index` are
    None. `fits` is the row of `compatibility.yaml` that the option installs. `named` is the first
    document among the sources that state the version, or None.
    """

    build: str
    os: Os
    arch: Arch
    pythons: tuple[str, ...]
    torchvision: str | None = None
    variant: Variant | None = None
    wheel: str | None = None
    index: str | None = None
    fits: CompatibilityRow | None = None
    named: Source | None = None

    @property
    def torch(self) -> str | None:
        """The release's version, or None for a nightly build, which has no version yet."""
        return None if self.build == PREVIEW else self.build


def depends_on_python(platform: Platform, option: Option) -> bool:
    """Return whether the option's steps or its check contain the placeholder `{python}`."""
    check = platform.install.checks.get(option.check or "")
    return "{python}" in repr((option.steps, check))


def targets(catalog: Catalog, platform: Platform, option: Option) -> Iterator[Target]:
    """Yield the option's targets: one for each build, system and variant.

    If the commands depend on the Python version, there is a target for each Python version.
    """
    split_by_python = depends_on_python(platform, option)
    for release in _releases_of_option(catalog, option):
        list_targets = _published_targets if option.published else _stated_targets
        for target in list_targets(catalog, platform, option, release):
            if split_by_python:
                yield from (replace(target, pythons=(python,)) for python in target.pythons)
            else:
                yield target


def _releases_of_option(catalog: Catalog, option: Option) -> Iterator[Release | Preview]:
    if option.channel == "preview":
        yield catalog.releases.preview
        return
    for release in catalog.releases.releases:
        if option.admits(release.version):
            yield release


def _published_targets(
    catalog: Catalog, platform: Platform, option: Option, release: Release | Preview
) -> Iterator[Target]:
    """Yield a target for each architecture of each published build that the option uses.

    A build is a wheel, an image or an archive.
    """
    variants = {variant.id: variant for variant in platform.install.variants}
    for build in _matching_builds(option, release):
        if variants and build.variant not in variants:
            continue  # the rule install-references reports a variant that is not described
        wheel = build if isinstance(build, Wheel) else None
        pythons = wheel.python if wheel and wheel.python else release.python
        source = _first_document(catalog.releases.sources, build.source or release.source)
        for arch in build.arch:
            if not option.arch or arch in option.arch:
                target = _new_target(release, build.os, arch, variants.get(build.variant))
                yield replace(
                    target,
                    pythons=_common_pythons(pythons, option.python),
                    wheel=build.variant,
                    index=_index_address(release, wheel) if wheel else None,
                    named=source,
                )


def builds_of_option(catalog: Catalog, option: Option) -> Iterator[Build]:
    """Yield the published builds that an option uses.

    This includes builds of variants that `install.yaml` does not describe.
    """
    for release in _releases_of_option(catalog, option):
        yield from _matching_builds(option, release)


def _stated_targets(
    _: Catalog, platform: Platform, option: Option, release: Release | Preview
) -> Iterator[Target]:
    """Yield one target for each system and variant that the option itself states."""
    variant_ids = option.variants or ()
    variants = [variant for variant in platform.install.variants if variant.id in variant_ids]
    for variant, os in product(variants or (None,), option.os or ()):
        fits = _row_to_install(platform, release, variant, os) if option.compatibility else None
        if option.compatibility and fits is None:
            continue
        pythons = _common_pythons(release.python, option.python)
        source = _first_document(platform.compatibility.sources, fits.source) if fits else None
        if fits and fits.python:
            pythons = _common_pythons(pythons, fits.python)
        for arch in option.arch or ():
            target = _new_target(release, os, arch, variant)
            yield replace(target, pythons=pythons, fits=fits, named=source)


def _first_document(sources: Mapping[str, Source], names: Iterable[str]) -> Source | None:
    """Return the first source with an id in `names` that is a document, or None if there is none.

    `sources` has the sources by id. A source with an address is a document. A source without an
    address is a package's metadata.
    """
    return next((s for name in names if (s := sources.get(name)) and s.url), None)


def _new_target(release: Release | Preview, os: Os, arch: Arch, variant: Variant | None) -> Target:
    if isinstance(release, Preview):
        return Target(PREVIEW, os, arch, release.python, variant=variant)
    return Target(release.version, os, arch, release.python, release.torchvision, variant)


def _matching_builds(option: Option, release: Release | Preview) -> Iterator[Build]:
    if option.published is None:
        return
    kind, pattern = option.published
    for build in release.builds(kind):
        if (
            fnmatchcase(build.variant, pattern)
            and (not option.os or build.os in option.os)
            and (not option.arch or not set(option.arch).isdisjoint(build.arch))
            and (not option.variants or build.variant in option.variants)
        ):
            yield build


def _common_pythons(pythons: tuple[str, ...], allowed: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(python for python in pythons if allowed is None or python in allowed)


def _index_address(release: Release | Preview, wheel: Wheel) -> str:
    if wheel.on == "pypi":
        return ""
    channel = "" if isinstance(release, Release) else "/nightly"
    return f"{PYTORCH_INDEX}{channel}/{wheel.variant}"


def _row_to_install(
    platform: Platform, release: Release | Preview, variant: Variant | None, os: Os
) -> CompatibilityRow | None:
    """Return the row of `compatibility.yaml` to install for a build on a system, or None.

    If several rows fit, rows that state their requirements (`needs`) are preferred, and then the
    row with the newest plugin. Returns None for a nightly build.
    """
    if isinstance(release, Preview):
        return None
    rows = compatibility_rows(platform, release.version, variant, os)
    return max(rows, key=lambda r: (bool(r.needs), Version(r.plugin or "0")), default=None)


def compatibility_rows(
    platform: Platform, torch: str | None, variant: Variant | None, os: Os | None = None
) -> list[CompatibilityRow]:
    """Return the rows of `compatibility.yaml` for a release, a variant and an operating system.

    `torch` is the release's version. If it is None (a nightly build), the result is empty. If `os`
    is None, the rows for all operating systems are returned.
    """
    variant_ids = {None, variant.id if variant else None}
    return [
        row
        for row in platform.compatibility.rows
        if row.torch == torch and row.variant in variant_ids and is_for_os(row, os)
    ]


def is_for_os(row: CompatibilityRow, os: Os | None) -> bool:
    """Return whether a row of `compatibility.yaml` applies to `os`; true if `os` is None."""
    return os is None or not row.os or os in row.os
