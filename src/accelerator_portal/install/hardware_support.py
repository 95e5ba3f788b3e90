"""Finds the builds of PyTorch and the install rows that run on a reader's hardware and driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.accelerator import BuildSupport, Generation, Reach
from accelerator_portal.catalog.grouping import cached_by_owner
from accelerator_portal.install.commands import CONTAINER_METHODS
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import NO_VARIANT, OS_LABELS, PREVIEW, InstallRow
from accelerator_reports.files.fields import DESCRIBED, exact_version, version_or_none

ReleaseSupport = Literal["newest", "earlier", "preview", "no-command", "none"]


@dataclass(frozen=True, slots=True)
class HardwareSupport:
    """The builds that run on a hardware generation.

    `verdict` says which builds run on the hardware:

    - `newest`: the platform's newest release.
    - `earlier`: only earlier releases.
    - `preview`: only nightly builds.
    - `no-command`: a build for which the portal has no install command.
    - `none`: no build computes on the hardware; `reaches` says how far any build gets.

    `oldest` and `newest` are the oldest and the newest release that run on the hardware. `variants`
    are the ids of the variants of `build`, preferred variants first. `os` and `arch` are set if the
    hardware limits `build` to one operating system or architecture. `from_source` is true if only
    builds from source run on the hardware. `passed_over` is the platform's newest release if only
    earlier releases with an install row run on the hardware, else None.
    """

    verdict: ReleaseSupport
    oldest: str | None = None
    newest: str | None = None
    variants: tuple[str, ...] = ()
    os: str | None = None
    arch: str | None = None
    from_source: bool = False
    passed_over: str | None = None
    on_request: bool = False
    """Whether the selector offers the build only to readers who select its release."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Pairs of an operating system other than `os` and the newest release that runs on it. Empty if
    `os` is None."""
    uncertain: bool = False
    """Whether all statements that `build` runs on the hardware are marked as uncertain."""
    inference_only: bool = False
    """Whether all statements that `build` runs on the hardware are about inference only."""
    reaches: Reach | None = None
    """How far builds of the platform's newest release get on the hardware if they don't compute, or
    any build if none computes. None if there is no such build."""

    @property
    def build(self) -> str | None:
        """The build's id in the selector's address: a version or `preview`; None if none runs."""
        return PREVIEW if self.verdict == "preview" else self.newest


def hardware_support(
    catalog: Catalog, platform: Platform, generation: Generation
) -> HardwareSupport:
    """Return the builds that a hardware generation of `platform` can run."""
    if all(build.reaches != "computes" for build in generation.builds):
        return HardwareSupport("none", reaches=_furthest_failing_step(generation.builds))
    rows = list(rows_by_platform(catalog)[platform.id])
    ready_rows = [row for row in rows if row.method != "source"]
    for candidates, from_source in ((ready_rows, False), (rows, True)):
        fitting = [row for row in candidates if runs_on_generation(catalog, generation, row)]
        release_rows = [row for row in fitting if row.build != PREVIEW]
        if release_rows:
            support = _support_by_releases(platform, candidates, release_rows)
        elif fitting:
            support = HardwareSupport("preview", variants=_used_variants(platform, fitting))
        else:
            continue
        best = [row for row in fitting if row.build == support.build]
        os, arch = _only_value(generation, best, "os"), _only_value(generation, best, "arch")
        return replace(
            support,
            os=os,
            arch=arch,
            from_source=from_source,
            on_request=all(row.on_request for row in best),
            elsewhere=_newest_on_other_systems(fitting, best) if os else (),
            uncertain=_hold_for_all(catalog, generation, best, "uncertain"),
            reaches=_furthest_failing_step(
                build
                for row in candidates
                if row.build == support.passed_over
                for build in builds_of_row(catalog, generation, row)
            ),
            inference_only=_hold_for_all(catalog, generation, best, "inference_only"),
        )
    return _support_by_ended_machine(catalog, platform, generation) or _support_by_compatibility(
        platform, generation
    )


@dataclass(frozen=True, slots=True)
class ReleaseProducts:
    """The products of a platform that PyTorch's own builds of a release support."""

    __pydantic_config__ = DESCRIBED

    torch: str
    """The release."""
    products: int
    """The number of products on which a build computes."""
    uncertain: int = 0
    """The number of further products of which this is not certain."""


@cached_by_owner
def products_by_release(catalog: Catalog, platform: Platform) -> tuple[ReleaseProducts, ...]:
    """Return the numbers of products that each PyTorch release supports, oldest release first.

    Only PyTorch's own wheels, images and archives count, as `data/releases.yaml` lists them. The
    result is empty if a statement about the builds for a product names neither releases nor
    variants: it would not tell the releases apart.
    """
    hardware = platform.accelerator.hardware
    generations = hardware.generations if hardware else ()
    builds = [b for g in generations for b in g.builds if b.reaches == "computes"]
    if not all(build.torch or build.variants for build in builds):
        return ()
    own_options = {option.id for option in platform.install.options if option.published}
    all_rows = rows_by_platform(catalog)[platform.id]
    rows = [row for row in all_rows if row.option in own_options and row.method != "source"]
    releases = sorted({row.build for row in rows} - {PREVIEW}, key=Version)
    return tuple(
        _release_products(catalog, generations, release, [r for r in rows if r.build == release])
        for release in releases
    )


def _release_products(
    catalog: Catalog, generations: Iterable[Generation], release: str, rows: list[InstallRow]
) -> ReleaseProducts:
    products = uncertain = 0
    for generation in generations:
        fitting = [row for row in rows if runs_on_generation(catalog, generation, row)]
        if fitting and _hold_for_all(catalog, generation, fitting, "uncertain"):
            uncertain += len(generation.models)
        elif fitting:
            products += len(generation.models)
    return ReleaseProducts(release, products, uncertain)


def runs_on_generation(catalog: Catalog, generation: Generation, row: InstallRow) -> bool:
    """Return whether the build of an install row computes on the cards of a generation."""
    steps = {build.reaches for build in builds_of_row(catalog, generation, row)}
    return steps == {"computes"}


def builds_of_row(
    catalog: Catalog, generation: Generation, row: InstallRow
) -> tuple[BuildSupport, ...]:
    """Return what is stated about the build of an install row on the cards of a generation."""
    preview = catalog.releases.preview.version
    torch = preview if row.build == PREVIEW else row.build
    return tuple(
        build
        for build in generation.builds
        if build_covers(build, row.variant, torch)
        and (build.os is None or row.os in build.os)
        and (build.arch is None or row.arch in build.arch)
        and (build.images or row.method not in CONTAINER_METHODS)
    )


def _furthest_failing_step(builds: Iterable[BuildSupport]) -> Reach | None:
    steps = {build.reaches for build in builds} - {"computes"}
    return max(steps, key=get_args(Reach).index, default=None)


def _hold_for_all(
    catalog: Catalog, generation: Generation, rows: list[InstallRow], doubt: str
) -> bool:
    """Return whether everything that is stated about the builds of `rows` has the flag `doubt`."""
    return all(
        getattr(build, doubt) for row in rows for build in builds_of_row(catalog, generation, row)
    )


def card_name(platform: Platform, generation: Generation) -> str:
    """Return a generation's name with its chip: `Volta (Compute capability 7.0)`."""
    hardware = platform.accelerator.hardware
    if not generation.chip or not hardware:
        return generation.name
    chip = f"{hardware.chip} {generation.chip}" if hardware.chip else generation.chip
    return f"{generation.name} ({chip})"


def build_covers(build: BuildSupport, variant: str, torch: str | None) -> bool:
    """Return whether the statement `build` says that a variant of a release runs on the hardware.

    `torch` is the version of the release. If it is None, the statement must be about all versions.
    """
    if build.variants and variant not in build.variants:
        return False
    if build.torch is None:
        return True
    return torch is not None and SpecifierSet(build.torch).contains(torch, prereleases=True)


def _support_by_releases(
    platform: Platform, all_rows: list[InstallRow], fitting: list[InstallRow]
) -> HardwareSupport:
    oldest, newest = _oldest_and_newest(row.build for row in fitting)
    _, newest_of_all = _oldest_and_newest(row.build for row in all_rows if row.build != PREVIEW)
    variants = _used_variants(platform, [row for row in fitting if row.build == newest])
    if newest == newest_of_all:
        return HardwareSupport("newest", oldest, newest, variants)
    return HardwareSupport("earlier", oldest, newest, variants, passed_over=newest_of_all)


def _support_by_ended_machine(
    catalog: Catalog, platform: Platform, generation: Generation
) -> HardwareSupport | None:
    """Return the builds for hardware that only earlier releases support, such as Intel Macs.

    A machine is an operating system and an architecture. `ended` in `data/releases.yaml` lists the
    machines for which newer releases have no wheels, each with its last release. Returns None if no
    build of `generation` is for such a machine.
    """
    for ended_machine in catalog.releases.ended:
        matching_builds = [
            build
            for build in generation.builds
            if platform.id in ended_machine.platforms
            and build.reaches == "computes"
            and build.torch
            and ended_machine.os in (build.os or ())
            and ended_machine.arch in (build.arch or ())
            and build_covers(build, NO_VARIANT, ended_machine.version)
        ]
        if matching_builds:
            return HardwareSupport(
                "earlier",
                ended_machine.version,
                ended_machine.version,
                os=ended_machine.os,
                arch=ended_machine.arch,
                uncertain=all(build.uncertain for build in matching_builds),
            )
    return None


def _support_by_compatibility(platform: Platform, generation: Generation) -> HardwareSupport:
    """Return the builds for hardware on which no install row runs; `verdict` is `no-command`.

    `oldest` and `newest` are from the rows of `compatibility.yaml` that `generation.builds` covers.
    If it covers no row, they are from the releases that `generation.builds` pins, as in `==2.9.0`.
    """
    builds = [build for build in generation.builds if build.reaches == "computes"]
    rows = [
        row
        for row in platform.compatibility.rows
        if any(build_covers(build, row.variant or NO_VARIANT, row.torch) for build in builds)
    ]
    pins = (exact_version(SpecifierSet(build.torch or "")) for build in builds)
    releases = [row.torch for row in rows] or [version for version in pins if version]
    if not releases:
        return HardwareSupport("no-command")
    return HardwareSupport("no-command", *_oldest_and_newest(releases))


def _only_value(generation: Generation, rows: list[InstallRow], axis: str) -> str | None:
    """Return the operating system or the architecture that all of `rows` have in common.

    `axis` is `os` or `arch`. Returns None if the rows have different values. Also returns None if
    no statement in `generation.builds` limits the axis.
    """
    if not any(getattr(build, axis) for build in generation.builds):
        return None
    values = {getattr(row, axis) for row in rows}
    return values.pop() if len(values) == 1 else None


def _newest_on_other_systems(
    fitting: list[InstallRow], best: list[InstallRow]
) -> tuple[tuple[str, str], ...]:
    """Return pairs of an operating system and its newest release in `fitting`, sorted by name.

    Omits the operating systems of the rows `best`, and nightly builds.
    """
    newest_by_os: dict[str, str] = {}
    best_systems = {row.os for row in best}
    for row in sorted((r for r in fitting if r.build != PREVIEW), key=lambda r: Version(r.build)):
        if row.os not in best_systems:
            newest_by_os[row.os] = row.build
    return tuple(sorted(newest_by_os.items()))


def _oldest_and_newest(versions: Iterable[str]) -> tuple[str, str]:
    ordered = sorted(versions, key=Version)
    return ordered[0], ordered[-1]


def _used_variants(platform: Platform, rows: list[InstallRow]) -> tuple[str, ...]:
    used = {row.variant for row in rows}
    return tuple(variant.id for variant in platform.install.variants if variant.id in used)


# Finds the install rows that run on a reader's hardware and with a reader's driver version.

# The word in the name of each vendor's driver.
_DRIVER = "driver"

_LOWER_BOUND_OPERATORS = {">=", "==", "~="}


@dataclass(frozen=True, slots=True)
class DriverBounds:
    """The oldest driver that supports each variant of a platform."""

    __pydantic_config__ = DESCRIBED

    name: str
    """The name of the driver."""
    oldest: Mapping[str, Mapping[str, str]]
    """The oldest driver version, by variant and then by operating system."""

    def admits(self, row: InstallRow, driver: str) -> bool:
        """Return whether a row runs with the driver version `driver`.

        The result is true if no oldest driver version is known for the row.
        """
        bound = self.oldest.get(row.variant, {}).get(row.os)
        return bound is None or Version(driver) >= Version(bound)


def driver_bounds(platform: Platform) -> DriverBounds | None:
    """Return the oldest driver of each variant of a platform, or None if none is stated."""
    name = ""
    oldest_by_variant: dict[str, dict[str, str]] = {}
    for variant in platform.install.variants:
        for requirement in variant.requires:
            version = requirement.version or ""
            bound = lower_bound(version)
            if bound is None or _DRIVER not in requirement.name.lower():
                continue
            name = requirement.name
            clause = next(part for part in version.split(",") if lower_bound(part) == bound)
            oldest = clause.strip().lstrip("=>~ ").removesuffix(".*")  # with leading zeros
            for os in requirement.os or OS_LABELS:
                oldest_by_variant.setdefault(variant.id, {})[os] = oldest
    return DriverBounds(name, oldest_by_variant) if oldest_by_variant else None


def row_ranges(
    catalog: Catalog, rows: Iterable[tuple[int, InstallRow]], generation: Generation
) -> tuple[int, ...]:
    """Return the positions of the rows that run on a hardware generation, as ranges.

    `rows` are pairs of position and row, by ascending position. Each range is two integers of the
    result: its start and its exclusive end. For the positions 0, 1, 2 and 5, the result is
    `(0, 3, 5, 6)`.
    """
    positions = (position for position, row in rows if runs_on_generation(catalog, generation, row))
    return tuple(_consecutive_ranges(positions))


def _consecutive_ranges(positions: Iterator[int]) -> Iterator[int]:
    """Yield the start and the exclusive end of each range of consecutive `positions`."""
    end = None
    for position in positions:
        if position == end:
            end += 1
            continue
        if end is not None:
            yield end
        yield position
        end = position + 1
    if end is not None:
        yield end


def lower_bound(text: str) -> Version | None:
    """Return the lower bound in a text: 8.0 for `8.0`, `==8.0`, `==8.0.*`, `~=8.0` or `>=8.0,<9`.

    Returns None if the text has no lower bound, or is not a version or version specifier.
    """
    if version := version_or_none(text):
        return version
    try:
        bounds = [
            Version(clause.version.removesuffix(".*"))
            for clause in SpecifierSet(text)
            if clause.operator in _LOWER_BOUND_OPERATORS
        ]
    except (InvalidSpecifier, InvalidVersion):
        return None
    return max(bounds, default=None)
