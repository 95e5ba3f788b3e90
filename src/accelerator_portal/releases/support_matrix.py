"""Compares the compatibility matrix of PyTorch's RELEASE.md with `data/releases.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from packaging.version import Version

from accelerator_portal.catalog.releases_file import Release, Releases
from accelerator_portal.releases.published import ordered_pythons
from accelerator_portal.releases.upstream_sources import (
    Agreement,
    ComparedEntry,
    UpstreamComparison,
    UpstreamSourceError,
    in_order,
)

_FIRST_COLUMN = "PyTorch version"
_MINOR = re.compile(r"\d+\.\d+")
_PYTHON = re.compile(r"\b3\.(\d{1,2})t?\b")
_CUDA = re.compile(r"\bCUDA (\d+)\.(\d+)")
_ROCM = re.compile(r"\bROCm (\d+(?:\.\d+)+)")
_NAMED = re.compile(r"(?:cu|rocm)\d")
_KIND = "support"
_EVERY = "all systems"


@dataclass(frozen=True, slots=True)
class SupportedVersions:
    """What RELEASE.md names for a release: a row of its matrix."""

    release: str
    """The first two numbers of the version."""
    variants: frozenset[str]
    """The CUDA and ROCm variants."""
    pythons: frozenset[str]
    experimental: frozenset[str]
    """Python versions that are not supported in full."""


def has_support_matrix(text: str) -> bool:
    """Say whether a text has the matrix."""
    return any(_cells(line)[:1] == [_FIRST_COLUMN] for line in text.splitlines())


def read_support_matrix(text: str) -> tuple[SupportedVersions, ...]:
    """Return the rows of the matrix. Raises UpstreamSourceError."""
    lines = iter(text.splitlines())
    columns = next((cells for cells in map(_cells, lines) if cells[:1] == [_FIRST_COLUMN]), [])
    next(lines, "")  # the line below the headings
    rows = []
    for line in lines:
        if not (cells := _cells(line)):
            break
        row = dict(zip(columns, cells, strict=False))
        try:
            rows.append(_supported(row))
        except (KeyError, ValueError):
            what = f'cannot read "{line[:60]}" in the release compatibility matrix'
            raise UpstreamSourceError(f"{what}: it needs a version and Python versions") from None
    if not rows:
        raise UpstreamSourceError("the release compatibility matrix has no rows")
    return tuple(rows)


def compare_support(releases: Releases, rows: Sequence[SupportedVersions]) -> UpstreamComparison:
    """Return how the releases of `data/releases.yaml` and the matrix agree.

    A row stands for all releases with its first two numbers. A Python version that RELEASE.md
    calls experimental may be listed or not, and so may a free-threaded build.
    """
    ours: dict[str, list[Release]] = {}
    for release in releases.releases:
        ours.setdefault(_minor(release.version), []).append(release)
    theirs = {row.release for row in rows if Version(row.release) >= min(map(Version, ours))}
    entries = [e for row in rows if row.release in ours for e in _compared(row, ours[row.release])]
    return UpstreamComparison(
        in_order(entries),
        tuple(sorted(theirs - ours.keys(), key=Version)),
        tuple(sorted(ours.keys() - theirs, key=Version)),
    )


def _cells(line: str) -> list[str]:
    line = line.strip()
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def _supported(row: dict[str, str]) -> SupportedVersions:
    """Return what a row names. Raises KeyError, ValueError."""
    release, text = row[_FIRST_COLUMN], " ".join(row.values())
    if _MINOR.fullmatch(release) is None:
        raise ValueError(release)
    cuda = {f"cu{major}{minor}" for major, minor in _CUDA.findall(text)}
    rocm = {f"rocm{version}" for version in _ROCM.findall(text)}
    usual, _, bracket = row["Python"].partition("(")
    experimental = frozenset(found[0] for found in _PYTHON.finditer(bracket))
    limits = [int(found[1]) for found in _PYTHON.finditer(usual)]
    if len(limits) == 1:  # `>=3.10, <=(3.14, 3.14t experimental)`: up to the one before 3.14
        limits.append(min(int(found[1]) for found in _PYTHON.finditer(bracket)) - 1)
    first, last = limits
    pythons = frozenset(f"3.{number}" for number in range(first, last + 1))
    return SupportedVersions(release, frozenset(cuda | rocm), pythons, experimental)


def _compared(row: SupportedVersions, own: Sequence[Release]) -> Iterator[ComparedEntry]:
    variants = {w.variant for release in own for w in release.wheels if _NAMED.match(w.variant)}
    agreements: tuple[tuple[Agreement, AbstractSet[str]], ...] = (
        ("same", variants & row.variants),
        ("missing", row.variants - variants),
        ("extra", variants - row.variants),
    )
    for agreement, found in agreements:
        for variant in found:
            yield ComparedEntry(row.release, _EVERY, _KIND, variant, agreement)
    pythons = {python for release in own for python in release.python}
    allowed = row.pythons | row.experimental
    sides = (
        ("upstream", row.pythons - pythons),
        ("the portal", {p for p in pythons if p.removesuffix("t") not in allowed}),
    )
    more = [f"only {side}: {', '.join(ordered_pythons(p))}" for side, p in sides if p]
    same_pythons: Agreement = "differs" if more else "same"
    yield ComparedEntry(row.release, _EVERY, _KIND, "Python", same_pythons, "; ".join(more))


def _minor(version: str) -> str:
    return ".".join(map(str, Version(version).release[:2]))
