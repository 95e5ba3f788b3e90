"""Compares the portal's releases and builds with PyTorch's build matrix and RELEASE.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from packaging.version import Version
from pydantic import BaseModel, Field, ValidationError

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.releases_file import (
    BuildKind,
    Preview,
    Release,
    Releases,
    Wheel,
)
from accelerator_portal.packages.wheel_tags import ordered_pythons
from accelerator_portal.releases.upstream_commands import (
    NIGHTLY,
    Agreement,
    ComparedEntry,
    UpstreamComparison,
    UpstreamSourceError,
    compare_commands,
    read_upstream,
    sorted_entries,
)

# A version of Python in the build matrix, such as `3.13`, `3.13t` or `3.13.3t`.
_PYTHON = re.compile(r"3\.\d+(?=(?:\.\d+)?(t?)$)")
_BuildKey = tuple[str, str, BuildKind, str]
_BuildAndPythons = tuple[_BuildKey, set[str]]

# What RELEASE.md writes.
_FIRST_COLUMN = "PyTorch version"
_MINOR = re.compile(r"\d+\.\d+")
_ANY_PYTHON = re.compile(r"\b3\.(\d{1,2})t?\b")
_CUDA = re.compile(r"\bCUDA (\d+)\.(\d+)")
_ROCM = re.compile(r"\bROCm (\d+(?:\.\d+)+)")

_GPU_VARIANT = re.compile(r"(?:cu|rocm)\d")
_SUPPORT_KIND = "support"
_ALL_SYSTEMS = "all systems"


PublishedVariants = Mapping[tuple[str, str], AbstractSet[str]]
"""The variants of PyTorch's pip commands, by release (or NIGHTLY) and operating system."""


def compare_upstream(
    catalog: Catalog, text: str, published: PublishedVariants | None = None
) -> UpstreamComparison:
    """Return the comparison of the portal with one of PyTorch's lists, whose content is `text`.

    The list is published_versions.json or previous-versions.md of pytorch.org, RELEASE.md of
    pytorch/pytorch, or the output of generate_binary_build_matrix.py of pytorch/test-infra.
    `published` are the variants in PyTorch's commands, which a build matrix does not override.
    Raises UpstreamSourceError if `text` is none of these or is invalid.
    """
    if is_matrix(text):
        return compare_matrix(catalog.releases, read_matrix(text), published)
    if has_support_matrix(text):
        return compare_support(catalog.releases, read_support_matrix(text))
    return compare_commands(catalog, read_upstream(text))


class _MatrixEntry(BaseModel):
    package_type: Literal["manywheel", "wheel", "libtorch"]
    desired_cuda: str = Field(pattern=r"^[a-z]+[0-9.]*$", max_length=20)
    gpu_arch_type: str
    validation_runner: str
    channel: Literal["nightly", "test", "release"]
    stable_version: str = Field(pattern=r"^\d+\.\d+\.\d+$", max_length=20)
    python_version: str = ""


class _Matrix(BaseModel):
    include: tuple[_MatrixEntry, ...]
    """The builds; empty if PyTorch has no builds of the kind, such as LibTorch for Linux on Arm."""


@dataclass(frozen=True, slots=True)
class MatrixBuilds:
    """The builds in PyTorch's binary build matrix. Builds of LibTorch have no Python versions."""

    pythons: Mapping[_BuildKey, set[str]]
    """Python versions by release (or NIGHTLY), system, kind and variant: the key is, for example,
    `("2.15.0", "linux x86_64", "wheels", "cu130")`."""

    @property
    def releases(self) -> set[str]:
        """The versions of the releases, without nightly builds."""
        return {release for release, *_ in self.pythons} - {NIGHTLY}


def is_matrix(text: str) -> bool:
    """Return whether a text begins with `{"include"`, as a binary build matrix does."""
    return re.match(r'\s*\{\s*"include"', text) is not None


def read_matrix(text: str) -> MatrixBuilds:
    """Return the builds of a binary build matrix. Raises UpstreamSourceError if it is invalid.

    A matrix is the JSON output of generate_binary_build_matrix.py for an operating system. It has
    an entry for each build of a variant for a Python version.

    Release candidates are omitted. Builds for Windows on Arm in matrices before 2.8 are omitted,
    too, because these matrices name a Linux runner for them.
    """
    try:
        matrix = _Matrix.model_validate_json(text)
    except ValidationError as error:
        location = ".".join(map(str, error.errors()[0]["loc"]))
        error_text = (
            f"{location} is missing or invalid"
            if location
            else "it is not a complete JSON document"
        )
        script = "generate_binary_build_matrix.py"
        raise UpstreamSourceError(f"this is not the output of {script}: {error_text}") from None
    builds: dict[_BuildKey, set[str]] = {}
    for entry in matrix.include:
        system = _system_of_entry(entry)
        if entry.channel != "test" and system:
            release = entry.stable_version if entry.channel == "release" else NIGHTLY
            kind: BuildKind = "archives" if entry.package_type == "libtorch" else "wheels"
            pythons = builds.setdefault((release, system, kind, entry.desired_cuda), set())
            if python := _PYTHON.match(entry.python_version):
                pythons.add(python[0] + python[1])
    return MatrixBuilds(builds)


def compare_matrix(
    releases: Releases, matrix: MatrixBuilds, published: PublishedVariants | None = None
) -> UpstreamComparison:
    """Return the comparison of `data/releases.yaml` with a binary build matrix.

    A matrix covers one system. Builds that only `data/releases.yaml` has are therefore reported
    only for the releases, systems and kinds in the matrix. Nightly LibTorch archives are not
    compared, because `data/releases.yaml` has none. A matrix lists what is to be built. If
    PyTorch's commands for a release and system are known (`published`), they decide which CUDA and
    ROCm builds there are.
    """
    upstream = {k: v for k, v in matrix.pythons.items() if (k[0], k[2]) != (NIGHTLY, "archives")}
    compared_kinds = {key[:3] for key in upstream}
    portal = {
        key: pythons for key, pythons in _portal_builds(releases) if key[:3] in compared_kinds
    }
    known_releases = {*releases.by_version, NIGHTLY}
    first_release = min(map(Version, releases.by_version))
    newer_releases = {release for release in matrix.releases if Version(release) >= first_release}
    entries = [
        _compare_build(key, upstream.get(key), portal.get(key))
        for key in upstream.keys() | portal.keys()
        if key[0] in known_releases and not _is_overridden(key, key in upstream, published or {})
    ]
    return UpstreamComparison(
        sorted_entries(entries), tuple(sorted(newer_releases - known_releases, key=Version)), ()
    )


def _is_overridden(key: _BuildKey, is_in_matrix: bool, published: PublishedVariants) -> bool:  # noqa: FBT001 - one of two lists
    release, system, kind, variant = key
    variants = published.get((release, system.partition(" ")[0]))
    if variants is None or kind != "wheels" or not _GPU_VARIANT.match(variant):
        return False
    return is_in_matrix != (variant in variants)


def _system_of_entry(entry: _MatrixEntry) -> str:
    runner = entry.validation_runner
    if runner.startswith("macos"):
        return "macos aarch64"
    if runner.startswith("windows"):
        return "windows aarch64" if "arm64" in runner else "windows x86_64"
    if "arm64" in runner or entry.gpu_arch_type.endswith("aarch64"):
        return "linux aarch64"
    return "" if entry.package_type == "wheel" else "linux x86_64"


def _portal_builds(releases: Releases) -> Iterator[_BuildAndPythons]:
    for release in releases.releases:
        yield from _builds_of_release(release.version, release, "wheels")
        yield from _builds_of_release(release.version, release, "archives")
    yield from _builds_of_release(NIGHTLY, releases.preview, "wheels")


def _builds_of_release(
    name: str, release: Release | Preview, kind: BuildKind
) -> Iterator[_BuildAndPythons]:
    for build in release.builds(kind):
        pythons = set((build.python or release.python) if isinstance(build, Wheel) else ())
        for arch in build.arch:
            yield (name, f"{build.os} {arch}", kind, build.variant), pythons


def _compare_build(
    key: _BuildKey, upstream: set[str] | None, portal: set[str] | None
) -> ComparedEntry:
    if upstream is None or portal is None:
        return ComparedEntry(*key, "extra" if upstream is None else "missing")
    sides = (("upstream", upstream - portal), ("the portal", portal - upstream))
    differences = [f"only {side}: {', '.join(ordered_pythons(p))}" for side, p in sides if p]
    difference_text = f"Python {'; '.join(differences)}" if differences else ""
    return ComparedEntry(*key, "differs" if differences else "same", difference_text)


@dataclass(frozen=True, slots=True)
class SupportedVersions:
    """A row of the matrix in RELEASE.md: the variants and Python versions of a minor release."""

    release: str
    """The first two numbers of the version, such as `2.15`."""
    variants: frozenset[str]
    """The CUDA and ROCm variants, such as `cu130`."""
    pythons: frozenset[str]
    """The supported Python versions, such as `3.12`, without experimental ones."""
    experimental: frozenset[str]
    """The Python versions that RELEASE.md calls experimental."""


def has_support_matrix(text: str) -> bool:
    """Return whether a text has the release compatibility matrix of RELEASE.md."""
    return any(_table_cells(line)[:1] == [_FIRST_COLUMN] for line in text.splitlines())


def read_support_matrix(text: str) -> tuple[SupportedVersions, ...]:
    """Return the rows of the release compatibility matrix in RELEASE.md.

    Raises UpstreamSourceError if a row is invalid or there are none.
    """
    lines = iter(text.splitlines())
    columns = next(
        (cells for cells in map(_table_cells, lines) if cells[:1] == [_FIRST_COLUMN]), []
    )
    next(lines, "")  # the line below the headings
    rows = []
    for line in lines:
        if not (cells := _table_cells(line)):
            break
        row = dict(zip(columns, cells, strict=False))
        try:
            rows.append(_parse_support_row(row))
        except (KeyError, ValueError):
            error_text = f'cannot read "{line[:60]}" in the release compatibility matrix'
            raise UpstreamSourceError(f"{error_text}: a row needs versions") from None
    if not rows:
        raise UpstreamSourceError("the release compatibility matrix has no rows")
    return tuple(rows)


def compare_support(releases: Releases, rows: Sequence[SupportedVersions]) -> UpstreamComparison:
    """Return the comparison of `data/releases.yaml` with the matrix in RELEASE.md.

    A row covers all releases with its first two version numbers. It is no difference if the portal
    lists free-threaded builds, or lacks Python versions that RELEASE.md calls experimental.
    """
    portal: dict[str, list[Release]] = {}
    for release in releases.releases:
        portal.setdefault(_minor_version(release.version), []).append(release)
    upstream = {row.release for row in rows if Version(row.release) >= min(map(Version, portal))}
    compared_rows = (row for row in rows if row.release in portal)
    entries = [
        entry for row in compared_rows for entry in _compare_release(row, portal[row.release])
    ]
    return UpstreamComparison(
        sorted_entries(entries),
        tuple(sorted(upstream - portal.keys(), key=Version)),
        tuple(sorted(portal.keys() - upstream, key=Version)),
    )


def _table_cells(line: str) -> list[str]:
    line = line.strip()
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def _parse_support_row(row: dict[str, str]) -> SupportedVersions:
    """Return the release, variants and Python versions in a row; its keys are column titles.

    Raises KeyError or ValueError if the row is invalid.
    """
    release, text = row[_FIRST_COLUMN], " ".join(row.values())
    if _MINOR.fullmatch(release) is None:
        raise ValueError(release)
    cuda = {f"cu{major}{minor}" for major, minor in _CUDA.findall(text)}
    rocm = {f"rocm{version}" for version in _ROCM.findall(text)}
    regular_text, _, bracket = row["Python"].partition("(")
    experimental = frozenset(match[0] for match in _ANY_PYTHON.finditer(bracket))
    limits = [int(match[1]) for match in _ANY_PYTHON.finditer(regular_text)]
    if len(limits) == 1:  # `>=3.10, <=(3.14, 3.14t experimental)`: up to the one before 3.14
        limits.append(min(int(match[1]) for match in _ANY_PYTHON.finditer(bracket)) - 1)
    first_minor, last_minor = limits
    pythons = frozenset(f"3.{number}" for number in range(first_minor, last_minor + 1))
    return SupportedVersions(release, frozenset(cuda | rocm), pythons, experimental)


def _compare_release(row: SupportedVersions, own: Sequence[Release]) -> Iterator[ComparedEntry]:
    variants = {
        w.variant for release in own for w in release.wheels if _GPU_VARIANT.match(w.variant)
    }
    agreements: tuple[tuple[Agreement, AbstractSet[str]], ...] = (
        ("same", variants & row.variants),
        ("missing", row.variants - variants),
        ("extra", variants - row.variants),
    )
    for agreement, group in agreements:
        for variant in group:
            yield ComparedEntry(row.release, _ALL_SYSTEMS, _SUPPORT_KIND, variant, agreement)
    pythons = {python for release in own for python in release.python}
    allowed_pythons = row.pythons | row.experimental
    sides = (
        ("upstream", row.pythons - pythons),
        ("the portal", {p for p in pythons if p.removesuffix("t") not in allowed_pythons}),
    )
    differences = [f"only {side}: {', '.join(ordered_pythons(p))}" for side, p in sides if p]
    python_agreement: Agreement = "differs" if differences else "same"
    yield ComparedEntry(
        row.release, _ALL_SYSTEMS, _SUPPORT_KIND, "Python", python_agreement, "; ".join(differences)
    )


def _minor_version(version: str) -> str:
    return ".".join(map(str, Version(version).release[:2]))
