"""What the portal keeps of the metadata of a wheel on an index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName, default_environment
from packaging.metadata import RawMetadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from accelerator_portal.catalog.text_file import HIDDEN
from accelerator_portal.http.errors import InvalidResponseError
from accelerator_portal.packages.core_metadata import (
    parse_core_metadata,
    requirements,
    specifier_set,
)
from accelerator_portal.packages.wheel_tags import by_python, system

_MOST_ABOUT = 160

# Whose version is the CUDA version, the most certain first.
_CUDA = re.compile(r"cuda-toolkit|nvidia-cuda-(?:runtime|nvrtc)(?:-cu\d+)?")

_SYSTEMS = {
    "linux": ("Linux", "linux", "posix"),
    "windows": ("Windows", "win32", "nt"),
    "macos": ("Darwin", "darwin", "posix"),
}


@dataclass(frozen=True, slots=True)
class Metadata:
    """A wheel's metadata, as far as it matters here."""

    about: str | None
    """Its summary, or else the first line of its description."""
    requires: tuple[Requirement, ...]


def parse_metadata(data: bytes, package: str, version: Version) -> Metadata:
    """Return what the metadata of a wheel of `package` in `version` says.

    Raises InvalidResponseError for what is no metadata, or of another package or version.
    """
    try:
        raw = parse_core_metadata(data)
        _same(raw, package, version)
        requires = requirements(raw)
    except ValueError as error:
        raise InvalidResponseError(str(error)) from None
    about = raw.get("summary") or _first_line(raw.get("description", ""))
    return Metadata(_plain(about), requires)


def _same(raw: RawMetadata, package: str, version: Version) -> None:
    name, stated = raw.get("name", ""), raw.get("version", "")
    if not name or not stated:
        raise ValueError("invalid metadata: it names no package and version")
    if canonicalize_name(name) != package:
        raise ValueError(f'the metadata belongs to another package, "{name[:60]}"')
    try:
        same = Version(stated) == version
    except InvalidVersion:
        same = False
    if not same:
        raise ValueError(f'the metadata belongs to another version, "{stated[:60]}"')


def python_range(written: str | None) -> str | None:
    """Return a specifier of Python versions in normal form; None for what is none."""
    found = specifier_set(written)
    return str(found) or None if found else None


def requirements_on(
    requires: Iterable[Requirement], names: frozenset[str], tag: str, label: str
) -> tuple[str, ...]:
    """Return what is required of `names` where a wheel with this platform tag is installed.

    The markers are evaluated for the tag and the Python of the wheel, and left out.
    """
    found = {
        f"{canonicalize_name(needed.name)}{needed.specifier}"
        for needed in _applying(requires, tag, label)
        if canonicalize_name(needed.name) in names
    }
    return tuple(sorted(found))


def cuda_version(requires: Iterable[Requirement], tag: str, label: str) -> str | None:
    """Return the CUDA version, `13.0`, whose libraries a wheel requires; None without any."""
    pinned = {
        canonicalize_name(needed.name): spec.version
        for needed in _applying(requires, tag, label)
        for spec in needed.specifier
        if _CUDA.fullmatch(canonicalize_name(needed.name)) and spec.operator in {"==", "~=", ">="}
    }
    for name in sorted(pinned, key=lambda n: (n != "cuda-toolkit", "runtime" not in n, n)):
        parts = pinned[name].split(".")
        if len(parts) > 1 and all(part.isdigit() for part in parts[:2]):
            return ".".join(parts[:2])
    return None


def _applying(requires: Iterable[Requirement], tag: str, label: str) -> Iterator[Requirement]:
    environment = _environment(tag, label)
    for needed in requires:
        try:
            applies = needed.marker is None or needed.marker.evaluate(environment)
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, KeyError):
            applies = True  # what nobody can evaluate is shown rather than lost
        if applies:
            yield needed


def _environment(tag: str, label: str) -> dict[str, str]:
    found = system(tag)
    name, platform, os = _SYSTEMS[found.os if found else "linux"]
    machine = found.arches[-1] if found else "x86_64"
    names = {"windows": {"x86_64": "AMD64", "aarch64": "ARM64"}, "macos": {"aarch64": "arm64"}}
    major, minor, _ = by_python(label)
    python = f"{major or 3}.{minor or 12}"
    return {
        **{key: str(value) for key, value in default_environment().items()},
        "platform_system": name,
        "sys_platform": platform,
        "os_name": os,
        "platform_machine": names.get(found.os if found else "", {}).get(machine, machine),
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def _first_line(text: str) -> str:
    lines = (line.strip(" #*=-\t") for line in text[:5000].splitlines())
    return next(filter(None, lines), "")


def _plain(text: str | None) -> str | None:
    words = " ".join(HIDDEN.sub(" ", text or "").split())
    if len(words) > _MOST_ABOUT:
        words = f"{words[: _MOST_ABOUT - 1]}…"
    return None if words in {"", "UNKNOWN"} else words
