"""Recognizes PyTorch's lists of releases, and compares them with the portal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from packaging.version import Version
from pydantic import BaseModel, Field, ValidationError

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.releases_file import BuildKind, Preview, Release, Releases, Wheel
from accelerator_portal.releases.published import ordered_pythons
from accelerator_portal.releases.support_matrix import (
    compare_support,
    has_support_matrix,
    read_support_matrix,
)
from accelerator_portal.releases.upstream_sources import (
    NIGHTLY,
    ComparedEntry,
    UpstreamComparison,
    UpstreamSourceError,
    compare,
    in_order,
    read_upstream,
)


def compare_upstream(catalog: Catalog, text: str) -> UpstreamComparison:
    """Return how the portal and a list of PyTorch's agree. Raises UpstreamSourceError.

    The list is published_versions.json or previous-versions.md of pytorch.org, RELEASE.md of
    pytorch/pytorch, or what generate_binary_build_matrix.py of pytorch/test-infra prints.
    """
    if is_matrix(text):
        return compare_matrix(catalog.releases, read_matrix(text))
    if has_support_matrix(text):
        return compare_support(catalog.releases, read_support_matrix(text))
    return compare(catalog, read_upstream(text))


# PyTorch's binary build matrix next to `data/releases.yaml`.
#
# `tools/scripts/generate_binary_build_matrix.py` of pytorch/test-infra prints the matrix of an
# operating system as JSON: one entry for each build of a variant for a Python version.

_PYTHON = re.compile(r"3\.\d+(?=(?:\.\d+)?(t?)$)")
_Key = tuple[str, str, BuildKind, str]
_Build = tuple[_Key, set[str]]


class _Entry(BaseModel):
    package_type: Literal["manywheel", "wheel", "libtorch"]
    desired_cuda: str = Field(pattern=r"^[a-z]+[0-9.]*$", max_length=20)
    gpu_arch_type: str
    validation_runner: str
    channel: Literal["nightly", "test", "release"]
    stable_version: str = Field(pattern=r"^\d+\.\d+\.\d+$", max_length=20)
    python_version: str = ""


class _Matrix(BaseModel):
    include: tuple[_Entry, ...]
    """Empty for what upstream does not build, such as LibTorch for Linux on Arm."""


@dataclass(frozen=True, slots=True)
class MatrixBuilds:
    """What a matrix lists: the Python versions of each build, none of an archive."""

    pythons: Mapping[_Key, set[str]]
    """By release or NIGHTLY, system, kind and variant."""

    @property
    def releases(self) -> set[str]:
        """The versions of the releases."""
        return {release for release, *_ in self.pythons} - {NIGHTLY}


def is_matrix(text: str) -> bool:
    """Say whether a text begins as a matrix does."""
    return re.match(r'\s*\{\s*"include"', text) is not None


def read_matrix(text: str) -> MatrixBuilds:
    """Return the builds of a matrix. Raises UpstreamSourceError.

    Release candidates are left out, and builds for Windows on Arm in matrices before 2.8, which
    name a runner with Linux.
    """
    try:
        matrix = _Matrix.model_validate_json(text)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        what = (
            f"{place} is missing or has another form" if place else "it is no whole JSON document"
        )
        script = "generate_binary_build_matrix.py"
        raise UpstreamSourceError(f"this is not the output of {script}: {what}") from None
    builds: dict[_Key, set[str]] = {}
    for entry in matrix.include:
        system = _system(entry)
        if entry.channel != "test" and system:
            release = entry.stable_version if entry.channel == "release" else NIGHTLY
            kind: BuildKind = "archives" if entry.package_type == "libtorch" else "wheels"
            pythons = builds.setdefault((release, system, kind, entry.desired_cuda), set())
            if python := _PYTHON.match(entry.python_version):
                pythons.add(python[0] + python[1])
    return MatrixBuilds(builds)


def compare_matrix(releases: Releases, matrix: MatrixBuilds) -> UpstreamComparison:
    """Return how `data/releases.yaml` and a matrix agree on each build.

    A build is extra only where the matrix has others of its release, system and kind: one matrix
    is of one system. Nightly archives are left out: `data/releases.yaml` has none.
    """
    theirs = {k: v for k, v in matrix.pythons.items() if (k[0], k[2]) != (NIGHTLY, "archives")}
    compared = {key[:3] for key in theirs}
    ours = {key: found for key, found in _portal_builds(releases) if key[:3] in compared}
    known = {*releases.by_version, NIGHTLY}
    first = min(map(Version, releases.by_version))
    newer = {release for release in matrix.releases if Version(release) >= first}
    entries = [
        _compared(key, theirs.get(key), ours.get(key))
        for key in theirs.keys() | ours.keys()
        if key[0] in known
    ]
    return UpstreamComparison(in_order(entries), tuple(sorted(newer - known, key=Version)), ())


def _system(entry: _Entry) -> str:
    runner = entry.validation_runner
    if runner.startswith("macos"):
        return "macos aarch64"
    if runner.startswith("windows"):
        return "windows aarch64" if "arm64" in runner else "windows x86_64"
    if "arm64" in runner or entry.gpu_arch_type.endswith("aarch64"):
        return "linux aarch64"
    return "" if entry.package_type == "wheel" else "linux x86_64"


def _portal_builds(releases: Releases) -> Iterator[_Build]:
    kinds: tuple[BuildKind, ...] = ("wheels", "archives")
    for release in releases.releases:
        for kind in kinds:
            yield from _builds(release.version, release, kind)
    yield from _builds(NIGHTLY, releases.preview, "wheels")


def _builds(name: str, release: Release | Preview, kind: BuildKind) -> Iterator[_Build]:
    for build in release.builds(kind):
        pythons = set((build.python or release.python) if isinstance(build, Wheel) else ())
        for arch in build.arch:
            yield (name, f"{build.os} {arch}", kind, build.variant), pythons


def _compared(key: _Key, theirs: set[str] | None, ours: set[str] | None) -> ComparedEntry:
    if theirs is None or ours is None:
        return ComparedEntry(*key, "extra" if theirs is None else "missing")
    sides = (("upstream", theirs - ours), ("the portal", ours - theirs))
    more = [f"only {side}: {', '.join(ordered_pythons(p))}" for side, p in sides if p]
    words = f"Python {'; '.join(more)}" if more else ""
    return ComparedEntry(*key, "differs" if more else "same", words)
