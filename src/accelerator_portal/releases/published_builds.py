"""Finds what package indexes publish of a PyTorch release, and what the portal lacks of it."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version
from pydantic import ValidationError

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import ANY_PLATFORM_TAG, PYPI, ReleaseFacts
from accelerator_portal.catalog.files.versions_file import PYTORCH_INDEX, Companion, Release, Wheel
from accelerator_portal.http import FetchError, HttpCache, RequestLimits, get_cached, open_client
from accelerator_portal.install.expand import expand
from accelerator_portal.install.rows import PREVIEW, InstallRow, PipCall
from accelerator_portal.packages.fitting_releases import names_torch
from accelerator_portal.packages.index_page import ACCEPT, MAX_PAGE, IndexFile, parse_page
from accelerator_portal.packages.index_reader import IndexReader, read_index
from accelerator_portal.packages.portal_packages import (
    TORCH,
    TORCHVISION,
    PortalPackage,
    portal_packages,
)
from accelerator_portal.packages.sync import CACHE, USER_AGENT, address_of
from accelerator_portal.packages.wheel_tags import (
    ordered_pythons,
    platform_tag,
    python_label,
    system_of_tag,
)
from accelerator_reports.files.fields import Arch, Os
from accelerator_reports.files.problem import Problem

# PyTorch's names of variants. Other local versions, such as `cpu.cxx11.abi`, are not variants.
_VARIANT = re.compile(r"cpu|xpu|cu\d+|rocm\d+(?:\.\d+)*")
_PYTHON = re.compile(r"cp3(\d+)(t?)")

_SystemKey = tuple[Os, tuple[Arch, ...]] | None


@dataclass(frozen=True, slots=True)
class PublishedBuild:
    """The wheels of one variant for one system and architecture, and the index that has them."""

    variant: str
    os: Os
    arch: Arch
    pythons: frozenset[str]
    index: str
    """`pypi`, or the address of the index."""
    tags: frozenset[str]
    """The platform tags of the wheels, such as `manylinux_2_28_x86_64`."""
    size: int | None = None
    """The size of the largest wheel in bytes, if the index states it."""

    @property
    def key(self) -> tuple[str, Os, Arch]:
        """The variant, system and architecture; a release's entry lists such a combination once."""
        return self.variant, self.os, self.arch


@dataclass(frozen=True, slots=True)
class PublishedRelease:
    """What the indexes that could be read publish of a PyTorch release.

    A companion is a package that is installed next to torch, such as torchaudio or triton.
    """

    version: str
    date: dt.date | None = None
    torchvision: str | None = None
    """The newest torchvision that requires exactly this PyTorch release."""
    builds: tuple[PublishedBuild, ...] = ()
    read: frozenset[str] = frozenset()
    """The indexes that were read: addresses, and `pypi`."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """The indexes, packages and wheels that could not be read, each with the error."""
    companions: tuple[Companion, ...] = ()
    """Releases of companion packages. A package such as torchaudio requires exactly this PyTorch
    release; a package such as triton is required by this PyTorch release."""
    untied: Mapping[str, str] = field(default_factory=dict)
    """Companion packages whose newest version requires no exact torch release: the newest version
    by package name."""

    @property
    def pythons(self) -> tuple[str, ...]:
        """The Python versions of all builds, oldest first."""
        return ordered_pythons(python for build in self.builds for python in build.pythons)


def builds_on_index(
    index: str, files: Iterable[IndexFile], version: str
) -> tuple[PublishedBuild, ...]:
    """Return the builds of a release on one of PyTorch's indexes.

    A wheel's local version names its variant. A wheel without a local version, as for macOS, is
    the CPU build if it is on the index of the CPU builds; on other indexes it is omitted. Yanked
    wheels are omitted, too.
    """
    index_variant = index.removeprefix(PYTORCH_INDEX).strip("/")
    wheel_builds: list[PublishedBuild] = []
    for file in files:
        if file.yanked is not None or file.version.public != version or not file.tags:
            continue
        variant = file.version.local or ("cpu" if index_variant == "cpu" else "")
        if _VARIANT.fullmatch(variant) and index_variant in {"", variant}:
            tag, label = platform_tag(file.tags), python_label(file.tags)
            wheel_builds += _builds_of_wheels(index, variant, tag, [label], file.size)
    return _merged_builds(wheel_builds)


def builds_on_pypi(
    facts: ReleaseFacts, refused: Iterable[str] = ()
) -> tuple[tuple[PublishedBuild, ...], tuple[str, ...]]:
    """Return a release's builds on PyPI, and the platform tags of wheels with unreadable metadata.

    The CUDA version is stated in a wheel's requirements, so a wheel without readable metadata could
    be of any variant. `refused` are messages about unreadable files, which begin with a file name.
    """
    wheel_builds: list[PublishedBuild] = []
    unread_tags = []
    failed_systems = frozenset(_systems_of_refused(refused, facts.version))
    cuda = {_system_key(tag): version for tag, version in facts.cuda.items()}
    for tag, labels in facts.wheels.items():
        system = _system_key(tag)
        is_read = tag in facts.requires or ANY_PLATFORM_TAG in facts.requires
        if not is_read or system in failed_systems:
            unread_tags.append(tag)
            continue
        version = cuda.get(system)
        variant = f"cu{version.replace('.', '')}" if version else "cpu"
        wheel_builds += _builds_of_wheels(PYPI, variant, tag, labels.split(), facts.sizes.get(tag))
    return _merged_builds(wheel_builds), tuple(unread_tags)


def _system_key(tag: str) -> _SystemKey:
    system = system_of_tag(tag)
    return (system.os, system.arches) if system else None


def _systems_of_refused(refused: Iterable[str], version: str) -> Iterator[_SystemKey]:
    for line in refused:
        name, wheel, _ = line.partition(".whl: ")
        if wheel and name.startswith(f"{TORCH}-{version}-"):
            yield _system_key(platform_tag(parse_wheel_filename(f"{name}.whl")[3]))


def torch_source_id(index: str, version: str) -> str:
    """Return the id of the source for a torch release on an index, such as `torch-pypi-2-15-0`.

    The source is in `data/releases.yaml`. `index` is `pypi` or an address, `version` the release.
    """
    index_id = (
        "pypi" if index == PYPI else index.removeprefix(PYTORCH_INDEX).strip("/") or "all-builds"
    )
    return f"torch-{index_id}-{version.replace('.', '-')}"


def companion_source_id(package: str, version: str) -> str:
    """Return the id of the source for a package's torch requirement, as in `triton-pypi-2-15-0`.

    The source is in `data/releases.yaml`. `version` is the torch release.
    """
    return f"{package}-pypi-{version.replace('.', '-')}"


def newest_version_requiring(releases: Iterable[ReleaseFacts], torch: str) -> str | None:
    """Return the newest version of a package that requires exactly this torch release, or None."""
    requirement = f"{TORCH}=={torch}"
    matching_versions = [
        release.version
        for release in releases
        if release.yanked is None and any(requirement in r for r in release.requires.values())
    ]
    return max(matching_versions, key=Version, default=None)


def companions_on_pypi(
    torch: ReleaseFacts | None, others: Mapping[str, Iterable[ReleaseFacts]], version: str
) -> tuple[Companion, ...]:
    """Return the companion releases of a torch release, such as torchaudio and triton.

    If the torch release requires versions of a companion package, the result has these versions.
    Otherwise, the result has the package's newest release that requires exactly this torch release,
    if any. `torch` are the facts of the torch release and `version` its version. `others` has the
    facts of each companion package's releases, by package name.
    """
    companion_rows = []
    required = {Requirement(r) for own in torch.requires.values() for r in own} if torch else set()
    for package, releases in others.items():
        pins = {
            specifier.version  # torch 2.15.0 requires triton~=3.9.0
            for requirement in required
            if requirement.name == package
            for specifier in requirement.specifier
            if specifier.operator in {"==", "~="}
        }
        tied_version = newest_version_requiring(releases, version)
        own = {pin: torch_source_id(PYPI, version) for pin in pins}
        if tied_version and not own:
            own = {tied_version: companion_source_id(package, version)}
        companion_rows += [
            Companion(package=package, version=v, torch=f"=={version}", source=(source,))
            for v, source in sorted(own.items())
        ]
    return tuple(companion_rows)


def newest_untied_version(releases: Iterable[ReleaseFacts]) -> str | None:
    """Return a package's newest final version if this version requires no exact torch release.

    Otherwise, or if there is no final version, returns None. Yanked releases are ignored.
    """
    final = [r for r in releases if r.yanked is None and not Version(r.version).is_prerelease]
    newest = max(final, key=lambda release: Version(release.version), default=None)
    if newest is None or any(
        requirement.startswith(f"{TORCH}==") for r in newest.requires.values() for requirement in r
    ):
        return None
    return newest.version


def _builds_of_wheels(
    index: str, variant: str, tag: str, labels: list[str], size: int | None
) -> Iterator[PublishedBuild]:
    system = system_of_tag(tag)
    matches = (_PYTHON.fullmatch(label) for label in labels)
    pythons = frozenset(f"3.{match[1]}{match[2]}" for match in matches if match)
    if system is None or system.libc.startswith("musl") or not pythons:
        return
    for arch in system.arches:
        yield PublishedBuild(variant, system.os, arch, pythons, index, frozenset({tag}), size)


def _merged_builds(builds: Iterable[PublishedBuild]) -> tuple[PublishedBuild, ...]:
    """Return one build for each variant, operating system and architecture.

    A merged build has all Python versions and platform tags, and the size of the largest wheel.
    """
    build_by_key: dict[tuple[str, Os, Arch], PublishedBuild] = {}
    for build in builds:
        merged_build = build_by_key.get(build.key, build)
        build_by_key[build.key] = PublishedBuild(
            *build.key,
            merged_build.pythons | build.pythons,
            build.index,
            merged_build.tags | build.tags,
            max(merged_build.size or 0, build.size or 0) or None,
        )
    return tuple(build_by_key.values())


# Finds builds of PyTorch that install commands use and `data/releases.yaml` does not list.


@dataclass(frozen=True, slots=True)
class BuildClaim:
    """A build of PyTorch that an option's commands install; `build` is a variant or `pypi`."""

    platform: str
    option: str
    release: str
    build: str
    os: str
    arch: str


def claims_without_evidence(catalog: Catalog, version: str | None = None) -> list[Problem]:
    """Return a problem for each build that an option installs and `data/releases.yaml` lacks.

    A build that is not listed for all Python versions of its commands is a problem, too. `version`
    limits the result to one release. Nightly builds are not checked. Commands with a vendor's index
    or several indexes are not checked: the option's source is the evidence for such builds.
    """
    methods: dict[BuildClaim, set[str]] = {}
    pythons: dict[BuildClaim, set[str]] = {}
    for row in expand(catalog)[0]:
        if row.build != PREVIEW and version in {None, row.build}:
            for claim in _row_claims(row):
                methods.setdefault(claim, set()).add(row.method)
                pythons.setdefault(claim, set()).update(row.pythons or ())
    problems = (_claim_problem(catalog, one, methods[one], pythons[one]) for one in methods)
    return sorted({problem for problem in problems if problem})


def _row_claims(row: InstallRow) -> Iterator[BuildClaim]:
    for call in row.calls:
        build = _claimed_build(call)
        if build and any(map(names_torch, call.packages)):
            yield BuildClaim(row.platform, row.option, row.build, build, row.os, row.arch)


def _claimed_build(call: PipCall) -> str | None:
    """Return the variant of the build that a pip or uv call installs, such as `cu130`.

    The call states the variant in uv's option for PyTorch's build (`call.backend`) or in the
    address of PyTorch's index. Returns `pypi` if the call has neither this option nor an index.
    Returns None if it names a vendor's index or several indexes.
    """
    if call.backend:
        return call.backend
    indexes = [index for index in (call.index, call.extra_index) if index]
    if not indexes:
        return PYPI
    variants = [
        index.removeprefix(f"{PYTORCH_INDEX}/").rstrip("/")
        for index in indexes
        if index.startswith(PYTORCH_INDEX)
    ]
    return variants[0] if len(variants) == len(indexes) == 1 else None


def _claim_problem(
    catalog: Catalog, claim: BuildClaim, methods: set[str], pythons: set[str]
) -> Problem | None:
    release = catalog.releases.by_version.get(claim.release)
    listed_wheels = [w for w in release.wheels if _is_for_system(w, claim)] if release else []
    claimed_wheels = [wheel for wheel in listed_wheels if _is_claimed_build(wheel, claim)]
    missing = pythons - {p for wheel in claimed_wheels for p in _wheel_pythons(wheel, release)}
    if claimed_wheels and not missing:
        return None
    system = f"{claim.os} {claim.arch}"
    build = "build on PyPI" if claim.build == PYPI else f"{claim.build} build"
    for_pythons = f" and Python {', '.join(sorted(missing))}" if claimed_wheels else ""
    what = (
        f'"{claim.option}" ({", ".join(sorted(methods))}) installs the {build} of torch '
        f"{claim.release} for {system}{for_pythons}, but the portal has no evidence for this "
        f"build: {RELEASES} lists {_wheels_text(listed_wheels)} for {system}"
    )
    remedy = (
        f"run accelerator-portal release add {claim.release}, add the build to {RELEASES} with a "
        "source, or restrict the option"
    )
    return catalog.by_id[claim.platform].option_problem(claim.option, what, remedy)


def _is_for_system(wheel: Wheel, claim: BuildClaim) -> bool:
    return wheel.os == claim.os and claim.arch in wheel.arch


def _is_claimed_build(wheel: Wheel, claim: BuildClaim) -> bool:
    """Return whether a wheel in `data/releases.yaml` is the build that a claim names.

    If `claim.build` is `pypi`, any wheel on PyPI is the build. If `claim.build` is a variant, any
    wheel of this variant is the build, also a wheel on PyPI: a wheel that is on PyPI and on the
    variant's index is listed only once.
    """
    return wheel.on == PYPI if claim.build == PYPI else wheel.variant == claim.build


def _wheel_pythons(wheel: Wheel, release: Release | None) -> tuple[str, ...]:
    return wheel.python or (release.python if release else ())


def _wheels_text(wheels: list[Wheel]) -> str:
    wheel_names = [f"{wheel.variant} (on PyPI)" if wheel.on else wheel.variant for wheel in wheels]
    return ", ".join(dict.fromkeys(wheel_names)) or "no build"


# Reads from package indexes which builds and companion packages a PyTorch release has.

_NIGHTLY = f"{PYTORCH_INDEX}/nightly"


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """Options for reading indexes."""

    limits: RequestLimits = field(default_factory=RequestLimits)
    """The limits of requests, such as their number and the time of each."""
    address_of: Callable[[str], str] = address_of
    """A function from an index (`pypi` or an address) to the address to read. Tests replace it."""
    on_answer: Callable[[], None] = lambda: None
    """Called after each package on PyPI and each index is read or has failed."""
    seconds: float = 10 * 60
    """The time limit for all indexes. Indexes not read by then are in `PublishedRelease.unread`."""


def release_indexes(catalog: Catalog) -> tuple[str, ...]:
    """Return the addresses of PyTorch's package indexes to read, without indexes of nightly builds.

    These are the indexes that install options name. The last address is the index of all builds,
    which also has variants that no option names yet.
    """
    all_indexes = {
        index
        for package in portal_packages(catalog)
        if package.name == TORCH
        for index in package.indexes
    }
    indexes = {index.rstrip("/") for index in all_indexes if index.startswith(f"{PYTORCH_INDEX}/")}
    return (*sorted(index for index in indexes if not index.startswith(_NIGHTLY)), PYTORCH_INDEX)


def queried_packages(catalog: Catalog) -> tuple[str, ...]:
    """Return the packages to read from PyPI: torch, and companion packages such as torchvision."""
    companions = (companion.package for companion in catalog.releases.companions)
    return tuple(dict.fromkeys([TORCH, TORCHVISION, *companions]))


def query_release(
    root: Path, catalog: Catalog, version: str, options: QueryOptions
) -> PublishedRelease:
    """Return what PyPI and PyTorch's indexes publish of the PyTorch release `version`.

    `unread` of the result lists what could not be read. Responses are cached below `root`.
    """
    query = _ReleaseQuery(catalog, version, options)
    asyncio.run(query.query_all(root / CACHE))
    return query.result()


class _ReleaseQuery:
    """Reads one PyTorch release from all indexes, and collects the responses."""

    def __init__(self, catalog: Catalog, version: str, options: QueryOptions) -> None:
        self._catalog = catalog
        self._version = version
        self._options = options
        self._indexes = release_indexes(catalog)
        self._packages = queried_packages(catalog)
        self._builds: dict[str, tuple[PublishedBuild, ...]] = {}
        self._facts: dict[str, tuple[ReleaseFacts, ...]] = {}
        self._refused: dict[str, tuple[str, ...]] = {}
        self._faults: dict[str, str] = {}

    async def query_all(self, cache: Path) -> None:
        """Read all packages and indexes, within the time limit of the options."""
        async with open_client(USER_AGENT, self._options.limits) as client:
            names = frozenset(self._packages)
            reader = IndexReader(client, HttpCache(cache), self._options.address_of, names)
            tasks = [self._query_package(reader, name) for name in self._packages]
            tasks += [self._query_page(reader, index) for index in self._indexes]
            with suppress(TimeoutError):
                async with asyncio.timeout(self._options.seconds):
                    await asyncio.gather(*tasks)

    async def _query_package(self, reader: IndexReader, name: str) -> None:
        known_facts = self._catalog.packages.get(name)
        known_index = known_facts.on(PYPI) if known_facts else None
        if name == TORCH and known_index:  # the known facts lack its requirements on companions
            other_releases = tuple(r for r in known_index.releases if r.version != self._version)
            known_index = known_index.model_copy(update={"releases": other_releases})
        package = PortalPackage(name, (PYPI,), own=name == TORCH)
        try:
            reading = await read_index(reader, package, PYPI, known_index)
            self._facts[name] = reading.facts.releases
            self._refused[name] = reading.refused
        except FetchError as error:
            self._faults[_pypi_label(name)] = str(error)
        except ValidationError:
            self._faults[_pypi_label(name)] = "the answer has a value that is not valid"
        self._options.on_answer()

    async def _query_page(self, reader: IndexReader, index: str) -> None:
        url = f"{reader.address_of(index).rstrip('/')}/{TORCH}/"
        try:
            body = await get_cached(reader.client, reader.cache, url, {"accept": ACCEPT}, MAX_PAGE)
            page = await asyncio.to_thread(parse_page, body, TORCH, url)
            self._builds[index] = builds_on_index(index, page.files, self._version)
        except FetchError as error:
            if error.missing:  # the index has no such package
                self._builds[index] = ()
            else:
                self._faults[index] = str(error)
        self._options.on_answer()

    def result(self) -> PublishedRelease:
        """Return the published release from the responses so far.

        A build on several indexes is listed once: with PyPI as its index if PyPI has it, else with
        the index of its variant, else with the index of all builds.
        """
        facts = next((r for r in self._facts.get(TORCH, ()) if r.version == self._version), None)
        fault_by_label = dict(self._faults)
        read_labels = {*self._builds, *map(_pypi_label, self._facts)}
        for name in (*map(_pypi_label, self._packages), *self._indexes):
            if name not in {*fault_by_label, *read_labels}:
                fault_by_label[name] = f"no answer within {self._options.seconds:.0f} seconds"
        builds: dict[tuple[str, str, str], PublishedBuild] = {}
        if facts and facts.yanked is None:
            pypi_builds, unread_tags = builds_on_pypi(facts, self._refused[TORCH])
            fault_by_label |= {
                f"PyPI, {tag}": "the metadata of the wheel could not be read" for tag in unread_tags
            }
            builds = {build.key: build for build in pypi_builds}
        for index in self._indexes:
            for build in self._builds.get(index, ()):
                builds.setdefault(build.key, build)
        others = {
            name: self._facts.get(name, ())
            for name in self._packages
            if name not in {TORCH, TORCHVISION}
        }
        untied = {
            name: version for name in others if (version := newest_untied_version(others[name]))
        }
        return PublishedRelease(
            self._version,
            facts.date if facts else None,
            newest_version_requiring(self._facts.get(TORCHVISION, ()), self._version),
            tuple(builds.values()),
            frozenset([*self._builds, *([PYPI] if TORCH in self._facts else [])]),
            fault_by_label,
            companions_on_pypi(facts, others, self._version),
            untied,
        )


def _pypi_label(name: str) -> str:
    return f"PyPI, {name}"
