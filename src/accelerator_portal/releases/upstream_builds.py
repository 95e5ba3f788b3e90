"""Compares data/releases.yaml with the builds in PyTorch's own lists.

The lists are published_versions.json of pytorch.org, which has install commands, and the output of
generate_binary_build_matrix.py of pytorch/test-infra.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from packaging.version import Version
from pydantic import BaseModel, Field, ValidationError

from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.files.versions_file import (
    BuildKind,
    Preview,
    Release,
    Releases,
    Wheel,
)
from accelerator_portal.http import RequestLimits, open_client
from accelerator_portal.install.rows import PREVIEW
from accelerator_portal.packages.sync import USER_AGENT
from accelerator_portal.packages.wheel_tags import ordered_pythons
from accelerator_reports.files.text_file import one_line

# Ten times the size of the largest list.
MAX_BYTES = 4 * 1024**2

NIGHTLY = "nightly"
"""The value of `release` for nightly builds."""

Agreement = Literal["same", "differs", "missing", "extra"]
"""`missing`: only PyTorch's list has the build. `extra`: only data/releases.yaml has it."""

_GPU_VARIANT = re.compile(r"(?:cu|rocm)\d")
# A version of Python in the build matrix, such as `3.13`, `3.13t` or `3.13.3t`.
_PYTHON = re.compile(r"(3\.\d+)(?:\.\d+)?(t?)")
_INDEX = re.compile(r"https://download\.pytorch\.org/whl/(?:nightly/)?([a-z]+[0-9.]*)")
_ARCHIVE = re.compile(r"https://download\.pytorch\.org/libtorch/([a-z]+[0-9.]*)/\S+\.zip")
_TORCHVISION = re.compile(r"\btorchvision==([0-9.]+)")
_TAG = re.compile(r"<[^<>]*>")
_REMEDY = "Use published_versions.json or the output of generate_binary_build_matrix.py"

M = TypeVar("M", bound=BaseModel)


class ListedBuild(NamedTuple):
    """A build; `release` is a version or NIGHTLY.

    `system` is the operating system, with the architecture if the list has one.
    """

    release: str
    system: str
    kind: BuildKind
    variant: str


@dataclass(slots=True)
class Details:
    """What a list states of a build; empty if it states nothing."""

    pythons: set[str] = field(default_factory=set)
    torchvision: set[str] = field(default_factory=set)


Builds = dict[ListedBuild, Details]


class ComparedBuild(NamedTuple):
    """How PyTorch's list and data/releases.yaml agree on a build; `words` are the differences."""

    agreement: Agreement
    key: ListedBuild
    words: str = ""


@dataclass(frozen=True, slots=True)
class UpstreamComparison:
    """The comparison with one list: builds of releases that both have, newest release first."""

    builds: tuple[ComparedBuild, ...]
    only_upstream: tuple[str, ...]
    """Releases that only PyTorch lists and that are newer than the portal's first release."""


class UpstreamListError(ValueError):
    """Raised if a file is none of PyTorch's lists; the message says why, and what to use."""


class _Published(BaseModel):
    class Entry(BaseModel):
        command: str | None = None
        versions: Mapping[str, str] | None = None
        default: bool = False  # such an entry repeats another one
        note: str | None = None

    latest_stable: str = ""
    versions: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Entry] | None]]]
    """The entries by release, operating system, tool and hardware."""


class _Matrix(BaseModel):
    class Entry(BaseModel):
        package_type: Literal["manywheel", "wheel", "libtorch"]
        desired_cuda: str = Field(pattern=r"^[a-z]+[0-9.]*$", max_length=20)
        gpu_arch_type: str
        validation_runner: str
        channel: Literal["nightly", "test", "release"]
        stable_version: str = Field(pattern=r"^\d+\.\d+\.\d+$", max_length=20)
        python_version: str = ""

    include: tuple[Entry, ...]
    """The builds; empty if PyTorch has no builds of the kind, such as LibTorch for Linux on Arm."""


def read_source(source: str, limits: RequestLimits) -> str:
    """Return the text at `source`, the path of a file or a web address.

    Raises OSError if the file cannot be read, FetchError if the address cannot be read, and
    UpstreamListError if the text cannot be one of PyTorch's lists.
    """
    if source.startswith(("https://", "http://")):
        data = asyncio.run(_fetch(source, limits))
    else:
        path = Path(source)
        if path.exists() and not (path.is_file() or path.is_dir()):  # it could wait forever
            raise UpstreamListError("it is not a regular file. Save the list to a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UpstreamListError(f"it has more than {MAX_BYTES // 1024**2} MB. {_REMEDY}")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UpstreamListError(f"it is not UTF-8 text. {_REMEDY}") from None


async def _fetch(address: str, limits: RequestLimits) -> bytes:
    async with open_client(USER_AGENT, limits) as client:
        return (await client.get(address, max_bytes=MAX_BYTES)).body


def read_builds(text: str) -> Builds:
    """Return the builds in one of PyTorch's lists. Raises UpstreamListError if it is none."""
    builds: Builds = {}
    if re.match(r'\s*\{\s*"include"', text):
        _add_matrix(builds, _parse_list(text, _Matrix))
    else:
        _add_published(builds, _parse_list(text, _Published))
    return builds


def _parse_list(text: str, model: type[M]) -> M:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        fault = f"{place} is missing or invalid" if place else "it is not a complete JSON document"
        raise UpstreamListError(f"this is none of PyTorch's lists: {fault}. {_REMEDY}") from None


class UpstreamNote(NamedTuple):
    """A note that pytorch.org's selector shows for pip instead of a command, without its HTML.

    `hardware` is upstream's name of the kind of hardware, such as `rocm5.x`.
    """

    hardware: str
    os: str
    text: str


def read_notes(text: str) -> tuple[UpstreamNote, ...]:
    """Return the notes in published_versions.json about nightly builds and the newest release.

    Raises UpstreamListError if the text is not this list.
    """
    published = _parse_list(text, _Published)
    notes = {
        UpstreamNote(hardware, os, one_line(_TAG.sub("", entry.note)))
        for release in (PREVIEW, published.latest_stable)
        for os, tools in published.versions.get(release, {}).items()
        for hardware, entry in (tools.get("pip") or {}).items()
        if entry.note and not entry.command
    }
    return tuple(sorted(notes))


def _add_published(builds: Builds, published: _Published) -> None:
    """Add the builds that the install commands install; without an index, the variant is PYPI.

    Nightly archives are left out, because data/releases.yaml has none.
    """
    for name, systems in published.versions.items():
        release = NIGHTLY if name == PREVIEW else name
        if release != NIGHTLY and not re.fullmatch(r"\d+\.\d+\.\d+", name):
            continue
        for system, tools in systems.items():
            entries = [one for one in (tools.get("pip") or {}).values() if not one.default]
            lines = "\n".join(one.command or "" for one in entries).replace("<br />", "\n")
            for line in re.findall(r"^pip.*\btorch\b.*$", lines, re.MULTILINE):
                index = _INDEX.search(line)
                key = ListedBuild(release, system, "wheels", index[1] if index else PYPI)
                builds.setdefault(key, Details()).torchvision.update(_TORCHVISION.findall(line))
            for one in (tools.get("libtorch") or {}).values():
                for address in () if one.default else (one.versions or {}).values():
                    if archive := _ARCHIVE.fullmatch(address):
                        builds[ListedBuild(release, system, "archives", archive[1])] = Details()


def _add_matrix(builds: Builds, matrix: _Matrix) -> None:
    """Add the builds of a matrix, which has an entry for each Python version of a build.

    Release candidates and nightly archives are left out, and builds for Windows on Arm in matrices
    before 2.8, because these matrices name a Linux runner for them.
    """
    for entry in matrix.include:
        kind: BuildKind = "archives" if entry.package_type == "libtorch" else "wheels"
        release = NIGHTLY if entry.channel == "nightly" else entry.stable_version
        system = _system_of_entry(entry)
        if system and entry.channel != "test" and (release, kind) != (NIGHTLY, "archives"):
            key = ListedBuild(release, system, kind, entry.desired_cuda)
            details = builds.setdefault(key, Details())
            python = _PYTHON.fullmatch(entry.python_version)
            if python and kind == "wheels":
                details.pythons.add(python[1] + python[2])


def _system_of_entry(entry: _Matrix.Entry) -> str:
    runner = entry.validation_runner
    if runner.startswith("macos"):
        return "macos aarch64"
    if runner.startswith("windows"):
        return "windows aarch64" if "arm64" in runner else "windows x86_64"
    if "arm64" in runner or entry.gpu_arch_type.endswith("aarch64"):
        return "linux aarch64"
    return "" if entry.package_type == "wheel" else "linux x86_64"


def compare_builds(
    releases: Releases, upstream: Builds, published: Builds | None = None
) -> UpstreamComparison:
    """Return the comparison of data/releases.yaml with the builds of one list.

    Builds that only data/releases.yaml has are reported for the releases, systems and kinds of the
    list. A matrix lists what is to be built: if the install commands for a release and system are
    known (`published`), they decide which CUDA and ROCm builds there are.
    """
    portal: Builds = {}
    for release in releases.releases:
        portal |= _portal_builds(release.version, release)
    portal |= _portal_builds(NIGHTLY, releases.preview)
    upstream = {key: upstream[old] for old in upstream for key in _on_pypi(old, releases)}
    compared = {key[:3] for key in upstream}
    known = {*releases.by_version, NIGHTLY}
    first = min(map(Version, releases.by_version))
    listed = {key.release for key in upstream} - known
    found = [
        _compare(key, upstream.get(key), portal.get(key))
        for key in upstream.keys() | {key for key in portal if key[:3] in compared}
        if key.release in known and not _is_overridden(key, key in upstream, published or {})
    ]
    found.sort(key=lambda one: (one.key.kind, one.key.system, one.key.variant))
    found.sort(key=lambda one: _order(one.key.release), reverse=True)
    newer = (release for release in listed if Version(release) >= first)
    return UpstreamComparison(tuple(found), tuple(sorted(newer, key=Version)))


def _order(release: str) -> tuple[bool, Version]:
    return release == NIGHTLY, Version("0" if release == NIGHTLY else release)


def _portal_builds(name: str, release: Release | Preview) -> Builds:
    """Return the builds of a release for each system, with and without the architecture."""
    builds: Builds = {}
    kinds: tuple[BuildKind, ...] = ("wheels", "archives")
    for kind in kinds:
        for build in release.builds(kind):
            pythons = set((build.python or release.python) if isinstance(build, Wheel) else ())
            torchvision = release.torchvision if isinstance(release, Release) else None
            for system in (build.os, *(f"{build.os} {arch}" for arch in build.arch)):
                key = ListedBuild(name, system, kind, build.variant)
                builds[key] = Details(pythons, {torchvision} if torchvision else set())
    return builds


def _on_pypi(key: ListedBuild, releases: Releases) -> Iterable[ListedBuild]:
    """Return the keys of the builds on PyPI for a command without an index, or else the key."""
    if key.variant != PYPI:
        return [key]
    release = releases.preview if key.release == NIGHTLY else releases.by_version.get(key.release)
    wheels = [w for w in (release.wheels if release else ()) if w.os == key.system]
    return [key._replace(variant=w.variant) for w in wheels if w.on == PYPI] or [key]


def _is_overridden(key: ListedBuild, is_in_matrix: bool, published: Builds) -> bool:  # noqa: FBT001 - one of two lists
    system, _, arch = key.system.partition(" ")
    variants = {one.variant for one in published if one[:3] == (key.release, system, key.kind)}
    if not (arch and variants and key.kind == "wheels" and _GPU_VARIANT.match(key.variant)):
        return False
    return is_in_matrix != (key.variant in variants)


def _compare(key: ListedBuild, upstream: Details | None, portal: Details | None) -> ComparedBuild:
    if upstream is None or portal is None:
        return ComparedBuild("extra" if upstream is None else "missing", key)
    words = "; ".join(_differences(upstream, portal))
    return ComparedBuild("differs" if words else "same", key, words)


def _differences(upstream: Details, portal: Details) -> Iterator[str]:
    if more := upstream.pythons - portal.pythons:
        yield f"Python only upstream: {', '.join(ordered_pythons(more))}"
    if upstream.pythons and (more := portal.pythons - upstream.pythons):
        yield f"Python only the portal: {', '.join(ordered_pythons(more))}"
    if upstream.torchvision and upstream.torchvision.isdisjoint(portal.torchvision):
        ours = ", ".join(portal.torchvision) or "none"
        yield f"upstream has torchvision {min(upstream.torchvision)}, the portal has {ours}"
