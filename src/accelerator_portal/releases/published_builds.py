"""Lists what package indexes publish of a PyTorch release: builds and companion packages."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from accelerator_portal.catalog.files.package_file import ANY_PLATFORM_TAG, PYPI, ReleaseFacts
from accelerator_portal.catalog.files.releases_file import PYTORCH_INDEX, Companion
from accelerator_portal.packages.index_page import IndexFile
from accelerator_portal.packages.portal_packages import TORCH
from accelerator_portal.packages.wheel_tags import (
    ordered_pythons,
    platform_tag,
    python_label,
    system_of_tag,
)
from accelerator_reports.files.fields import Arch, Os

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
