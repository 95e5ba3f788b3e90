"""Reads from the tags of wheels (PEP 425, 600, 656) which system and Python they support."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.tags import Tag
from packaging.version import Version

from accelerator_reports.files.fields import Arch, Os

ANY_PLATFORM = "any"

# The old names of tags, which PEP 600 defines as aliases.
_ALIASES = {"manylinux1": "manylinux_2_5", "manylinux2010": "manylinux_2_12"}
_ALIASES |= {"manylinux2014": "manylinux_2_17"}

_ARCHES: dict[str, Arch] = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64"}
_ARCHES |= {"aarch64": "aarch64", "s390x": "s390x", "ppc64le": "ppc64le", "riscv64": "riscv64"}

_LINUX = re.compile(r"(?:(?P<libc>manylinux|musllinux)_(?P<major>\d+)_(?P<minor>\d+)_|linux_)(.+)")
_MACOS = re.compile(r"macosx_(\d+)_(\d+)_(.+)")
_PYTHON = re.compile(r"(?:cp|py)(\d)(\d*)")


@dataclass(frozen=True, slots=True)
class System:
    """The system that a wheel needs; `libc` is, for example, `glibc 2.28`, or empty if unknown."""

    os: Os
    arches: tuple[Arch, ...]
    libc: str = ""


def system_of_tag(tag: str) -> System | None:
    """Return the system of a platform tag; None for `any` and for unknown systems."""
    if linux_match := _LINUX.fullmatch(tag):
        libc = {"manylinux": "glibc", "musllinux": "musl"}.get(linux_match["libc"] or "", "")
        version = f" {linux_match['major']}.{linux_match['minor']}" if libc else ""
        arch = _ARCHES.get(linux_match[4])
        return System("linux", (arch,), libc + version) if arch else None
    if mac_match := _MACOS.fullmatch(tag):
        if mac_match[3] in {"universal2", "fat64"}:
            return System("macos", ("x86_64", "aarch64"))
        arch = _ARCHES.get(mac_match[3])
        return System("macos", (arch,)) if arch else None
    if tag.startswith("win_"):
        arch = _ARCHES.get(tag.removeprefix("win_"))
        return System("windows", (arch,)) if arch else None
    return None


def minimum_system(tag: str) -> str:
    """Return the minimum system that a platform tag states: `glibc 2.28`, `macOS 14.0` or empty."""
    if mac_match := _MACOS.fullmatch(tag):
        return f"macOS {mac_match[1]}.{mac_match[2]}"
    tag_system = system_of_tag(tag)
    return tag_system.libc if tag_system else ""


def runs_on(tag: str, os: Os, arch: Arch) -> bool:
    """Return whether a wheel with this platform tag may run on a system.

    On Linux, the result is false for wheels for musl: no platform of the portal uses musl.
    """
    if tag == ANY_PLATFORM:
        return True
    tag_system = system_of_tag(tag)
    return (
        tag_system is not None
        and tag_system.os == os
        and arch in tag_system.arches
        and not tag_system.libc.startswith("musl")
    )


def platform_tag(tags: Iterable[Tag]) -> str:
    """Return a wheel's platform tag, such as `manylinux_2_17_x86_64`.

    If a wheel has several tags for manylinux or macOS, returns the one with the lowest version. Old
    names are replaced: `manylinux2014_x86_64` becomes `manylinux_2_17_x86_64`.
    """
    platforms = {_without_alias(tag.platform) for tag in tags}
    return min(platforms, key=_platform_tag_key)


def python_label(tags: Iterable[Tag]) -> str:
    """Return a wheel's Python label, such as `cp312`, `cp313t`, `cp39-abi3` or `py3`."""
    labels = {_label_of_tag(tag) for tag in tags}
    return min(labels, key=lambda label: (not label.startswith("py3"), label))


def supports_python(labels: Iterable[str], python: str) -> bool:
    """Return whether one of the labels supports a Python version such as `3.13` or `3.13t`."""
    python_version = tuple(map(int, python.removesuffix("t").split(".")))
    free = python.endswith("t")
    return any(_label_supports(label, python_version, free=free) for label in labels)


def python_label_key(label: str) -> tuple[int, int, str]:
    """Return a sort key for Python labels: by version, `cp313` before `cp313t`."""
    found = _PYTHON.match(label)
    return (int(found[1]), int(found[2] or 0), label) if found else (0, 0, label)


def ordered_pythons(pythons: Iterable[str]) -> tuple[str, ...]:
    """Return Python versions without duplicates, oldest first: `3.13` before `3.13t`."""
    return tuple(sorted(set(pythons), key=lambda p: (Version(p.removesuffix("t")), p)))


def _label_supports(label: str, python_version: tuple[int, ...], *, free: bool) -> bool:
    label_version = python_label_key(label)[:2]
    same_major = label_version[0] == python_version[0]
    if label.startswith("py"):
        return same_major and label_version <= python_version
    if label.endswith("-abi3"):
        return same_major and label_version <= python_version and not free
    return label_version == python_version and label.endswith("t") == free


def _label_of_tag(tag: Tag) -> str:
    if tag.abi == "none":
        return tag.interpreter
    if tag.abi == "abi3":
        return f"{tag.interpreter}-abi3"
    return tag.abi if tag.abi.startswith("cp") else tag.interpreter


def _without_alias(platform: str) -> str:
    start, _, rest = platform.partition("_")
    return f"{_ALIASES[start]}_{rest}" if start in _ALIASES else platform


def _platform_tag_key(platform: str) -> tuple[str, int, int, str]:
    match = _LINUX.fullmatch(platform)
    if match and match["libc"]:
        return match["libc"], int(match["major"]), int(match["minor"]), platform
    if mac_match := _MACOS.fullmatch(platform):
        return "", int(mac_match[1]), int(mac_match[2]), platform
    return "", 0, 0, platform
